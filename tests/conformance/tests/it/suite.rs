//! Runs the suite against our own gateway.

use crate::common;

use common::Server;
use serde_json::json;
use tarsus_conformance::changes;
use tarsus_conformance::params::agent_skills;
use tarsus_conformance::suite::{run, table};
use tarsus_protocol::rpc::{self, skills};

/// Need a pending approval or a changed file, which only a model causes: their good cases are in `approvals.rs` and
/// `file_changes.rs`.
const NEED_A_MODEL: [&str; 2] = ["exec.approval.resolve", "sessions.diff"];

#[tokio::test]
async fn gateway_passes_the_suite() {
    let server = Server::start().await;
    let installer = json!({ "id": changes::INSTALLER, "kind": "brew", "formula": "case" });
    let waiting = json!({ "id": changes::WAITING_INSTALLER, "kind": "brew", "formula": "wait" });
    server.put_skill("conformance-case", &json!({ "openclaw": { "install": [installer, waiting] } }));
    server.program("brew", "echo \"$@\"; if [ \"$2\" = wait ]; then exec /bin/sleep 600; fi");
    std::fs::create_dir_all(server.home.state_dir().join("workspace")).unwrap();
    // A finding to accept.
    let archive = server.home.state_dir().join("skills/conformance-case/assets.zip");
    std::fs::write(archive, b"PK\x03\x04\0\0").unwrap();
    server.admin().await.call_ok::<skills::Refresh>(&agent_skills(None)).await;
    let mut rows = run(&server.url, &server.token).await;
    rows.extend(changes::run(&server.url, &server.token).await);
    let failed: Vec<_> = rows.iter().filter(|row| !row.holds()).cloned().collect();
    assert!(rows.len() > 150, "only {} cases", rows.len());
    let good: Vec<_> = rows.iter().filter_map(|row| row.case.strip_suffix(": good")).collect();
    let untried: Vec<_> = rpc::all()
        .map(|method| method.name)
        .filter(|name| !good.contains(name) && !NEED_A_MODEL.contains(name))
        .collect();
    assert_eq!(untried, [""; 0], "methods without a good case");
    assert!(failed.is_empty(), "{}", table(&failed));
}
