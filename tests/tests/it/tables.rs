//! The tables of ARCHITECTURE.md say what the code says.

use std::collections::{BTreeMap, BTreeSet};

use tarsus_gateway::limits::Limits;
use tarsus_protocol::ErrorCode;

use crate::workspace::{file, root, source_files, table};

fn page() -> String {
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
    // Taken apart by name, so that a new limit cannot be forgotten here.
    let Limits {
        connections,
        request_head,
        connection,
        request_head_bytes,
        request_body_bytes,
        message_body_bytes,
        shutdown,
        failing_addresses,
        failed_attempts,
        handshake,
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
        ("request_head", format!("{request_head:?}")),
        ("connection", format!("{connection:?}")),
        ("request_head_bytes", request_head_bytes.to_string()),
        ("request_body_bytes", request_body_bytes.to_string()),
        ("message_body_bytes", message_body_bytes.to_string()),
        ("shutdown", format!("{shutdown:?}")),
        ("failing_addresses", failing_addresses.to_string()),
        ("failed_attempts", failed_attempts.to_string()),
        ("handshake", format!("{handshake:?}")),
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
fn bounds_of_the_server() {
    assert_eq!(table(&page(), "Bounds of the server"), limits());
}

#[test]
fn bounds_of_the_queues() {
    let page = page();
    let others = table(&page, "Other bounds").into_iter().map(|row| vec![row[2].clone(), row[1].clone()]);
    let bounds: Vec<_> =
        limits().into_iter().chain(others).map(|row| format!("`{}` ({})", row[0], row[1])).collect();
    for row in table(&page, "Queues") {
        assert!(bounds.contains(&row[2]), "{} is bounded by {}, which is in no table", row[0], row[2]);
    }
}

#[test]
fn other_bounds() {
    for row in table(&page(), "Other bounds") {
        let [what, value, constant, path] = row.as_slice() else { panic!("four columns, not {row:?}") };
        let defined = constants(&file(path)).into_iter().find(|(name, _, _)| name == constant);
        let Some((_, _, there)) = defined else { panic!("{path} has no {constant}") };
        assert_eq!(&there, value, "{what}");
    }
}

#[test]
fn other_bounds_have_every_time() {
    let shown: BTreeSet<_> =
        table(&page(), "Other bounds").into_iter().map(|row| (row[3].clone(), row[2].clone())).collect();
    let mut missing = Vec::new();
    for path in source_files("crates", &["rs"]).into_iter().filter(|path| path.contains("/src/")) {
        for (name, kind, value) in constants(&file(&path)) {
            if kind == "Duration" && !shown.contains(&(path.clone(), name.clone())) {
                missing.push(format!("| … | `{value}` | `{name}` | `{path}` |"));
            }
        }
    }
    assert_eq!(missing, [""; 0], "rows that the table has to have");
}

/// Name, type and value of the constants of a module, those inside functions and tests aside.
fn constants(source: &str) -> Vec<(String, String, String)> {
    let constant = |line: &str| {
        let visible =
            line.split_once("const ").filter(|(before, _)| before.is_empty() || before.starts_with("pub"))?;
        let (name, rest) = visible.1.split_once(": ")?;
        let (kind, value) = rest.strip_suffix(';')?.split_once(" = ")?;
        Some((name.to_owned(), kind.to_owned(), value.to_owned()))
    };
    source.lines().filter_map(constant).collect()
}

#[test]
fn environment_variables() {
    let source = file("crates/cli/src/environment.rs");
    let (_, list) = source.split_once("pub const VARIABLES").unwrap();
    let (list, _) = list.split_once("];").unwrap();
    // Every second text between quotes is a name, the one after it what the name is for.
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
fn the_map_shows_every_crate() {
    let page = page();
    let rooms = table(&page, "The rooms");
    let mut crates: Vec<_> =
        table(&page, "Who may know whom").into_iter().map(|row| row[0].clone()).collect();
    let mut shown: Vec<_> =
        rooms.iter().filter_map(|row| row[0].strip_prefix("crates/").map(str::to_owned)).collect();
    crates.sort();
    shown.sort();
    assert_eq!(shown, crates);

    for row in &rooms {
        assert!(root().join(&row[0]).is_dir(), "{} is not there", row[0]);
    }
}

#[test]
fn every_place_to_look_exists() {
    for row in table(&page(), "Where to look for …") {
        for place in row[1].split('`').filter(|part| part.contains('/')) {
            assert!(root().join(place).exists(), "{place} is not there");
        }
    }
}
