//! The tables of ARCHITECTURE.md and docs/dev/tables.md agree with the code.

use std::collections::BTreeMap;

use tarsus_gateway::limits::Limits;
use tarsus_protocol::ErrorCode;

use crate::workspace::{file, root, section, table};

fn page() -> String {
    file("docs/dev/tables.md")
}

fn map() -> String {
    file("ARCHITECTURE.md")
}

#[test]
fn error_codes() {
    let yes_or_no = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let rows: Vec<_> = ErrorCode::ALL
        .iter()
        .map(|code| {
            let rpc = serde_json::to_value(code.rpc()).unwrap().as_str().unwrap().to_owned();
            let exit = (code.exit() as u8).to_string();
            vec![code.to_string(), exit, rpc, yes_or_no(code.retryable()), code.hint().to_owned()]
        })
        .collect();
    assert_eq!(table(&page(), "Error codes"), rows);
}

#[test]
fn error_codes_of_the_user_guide() {
    let rows: Vec<_> =
        ErrorCode::ALL.iter().map(|code| (code.to_string(), (code.exit() as u8).to_string())).collect();
    let shown: Vec<_> = table(&file("docs/reference/errors.md"), "Error codes")
        .into_iter()
        .map(|row| (row[0].clone(), row[1].clone()))
        .collect();
    assert_eq!(shown, rows);
}

fn limits() -> Vec<Vec<String>> {
    // Destructured by name, so that a new limit cannot be forgotten here.
    let Limits {
        connections,
        unauthenticated_connections,
        eviction_age,
        authentication,
        request_head,
        connection,
        request_head_bytes,
        request_body_bytes,
        message_body_bytes,
        all_body_bytes,
        shutdown,
        failing_addresses,
        failed_attempts,
        signature_skew,
        tick,
        requests_in_flight,
        workers,
        acting,
        waiting_bytes,
        all_waiting_bytes,
        farewell,
    } = Limits::DEFAULT;
    let rows = [
        ("connections", connections.to_string()),
        ("unauthenticated_connections", unauthenticated_connections.to_string()),
        ("eviction_age", format!("{eviction_age:?}")),
        ("authentication", format!("{authentication:?}")),
        ("request_head", format!("{request_head:?}")),
        ("connection", format!("{connection:?}")),
        ("request_head_bytes", request_head_bytes.to_string()),
        ("request_body_bytes", request_body_bytes.to_string()),
        ("message_body_bytes", message_body_bytes.to_string()),
        ("all_body_bytes", all_body_bytes.to_string()),
        ("shutdown", format!("{shutdown:?}")),
        ("failing_addresses", failing_addresses.to_string()),
        ("failed_attempts", failed_attempts.to_string()),
        ("signature_skew", format!("{signature_skew:?}")),
        ("tick", format!("{tick:?}")),
        ("requests_in_flight", requests_in_flight.to_string()),
        ("workers", workers.to_string()),
        ("acting", acting.to_string()),
        ("waiting_bytes", waiting_bytes.to_string()),
        ("all_waiting_bytes", all_waiting_bytes.to_string()),
        ("farewell", format!("{farewell:?}")),
    ];
    rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect()
}

#[test]
fn limits_of_the_server() {
    assert_eq!(table(&page(), "Limits of the server"), limits());
}

#[test]
fn every_queue_has_the_bound_of_the_code() {
    for row in table(&page(), "Queues") {
        let [queue, _, bound, path, _] = row.as_slice() else { panic!("five columns, not {row:?}") };
        let constants = constants(&file(path)).into_iter().map(|(name, value)| vec![name, value]);
        let bounds: Vec<_> =
            limits().into_iter().chain(constants).map(|row| format!("`{}` ({})", row[0], row[1])).collect();
        assert!(bounds.contains(bound), "{queue} is bounded by {bound}, which {path} does not define");
    }
}

/// Names and values of the constants of a module, without those in functions and tests.
fn constants(source: &str) -> Vec<(String, String)> {
    let constant = |line: &str| {
        let visible =
            line.split_once("const ").filter(|(before, _)| before.is_empty() || before.starts_with("pub"))?;
        let (name, rest) = visible.1.split_once(": ")?;
        let (_, value) = rest.strip_suffix(';')?.split_once(" = ")?;
        Some((name.to_owned(), value.to_owned()))
    };
    source.lines().filter_map(constant).collect()
}

#[test]
fn environment_variables() {
    let source = file("crates/cli/src/environment.rs");
    let (_, list) = source.split_once("pub const VARIABLES").unwrap();
    let (list, _) = list.split_once("];").unwrap();
    // Every second text between quotes is a name, the one after it its purpose.
    let texts: Vec<_> = list.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    let rows: Vec<_> = texts.chunks(2).map(<[_]>::to_vec).collect();
    assert_eq!(table(&page(), "Environment variables"), rows);
}

#[test]
fn shutdown_order() {
    let mut reached: BTreeMap<String, usize> = BTreeMap::new();
    for row in table(&page(), "Shutdown order") {
        let [step, path, code] = row.as_slice() else { panic!("three columns, not {row:?}") };
        let from = reached.entry(path.clone()).or_default();
        let found = file(path)[*from..].find(code.as_str());
        *from += found.unwrap_or_else(|| panic!("{path} has no {code} for {step:?}, or has it too early"));
    }
}

#[test]
fn map_shows_every_crate() {
    let map = map();
    let mut crates: Vec<_> = table(&map, "Who may know whom").into_iter().map(|row| row[0].clone()).collect();
    let mut shown: Vec<_> = table(&map, "The crates")
        .iter()
        .map(|row| row[1].strip_prefix("crates/").expect("a folder below crates").to_owned())
        .collect();
    crates.sort();
    shown.sort();
    assert_eq!(shown, crates);
}

/// The paths of the map in code marks, without those with a placeholder.
fn paths(text: &str) -> Vec<&str> {
    let code = text.split('`').skip(1).step_by(2);
    code.filter(|code| code.contains('/') && !code.contains(['<', ' ', '$']) && !code.contains("NAME"))
        .collect()
}

#[test]
fn every_path_of_the_map_exists() {
    let map = map();
    let (_, prose) = map.split_once("\n## The crates\n").unwrap();
    for path in paths(prose) {
        let exists = root().join(path).exists() || root().join("crates").join(path).exists();
        assert!(exists, "{path} does not exist");
    }
}

#[test]
fn flows_of_the_map_stay_short() {
    let map = map();
    for (flow, limit) in [("A message", 25), ("A launch", 15)] {
        let files = paths(section(&map, flow)).into_iter().filter(|path| path.ends_with(".rs")).count();
        assert!(files < limit, "{flow} crosses {files} files");
    }
}

#[test]
fn map_is_short() {
    assert!(map().len() <= 15_000, "{} bytes", map().len());
}
