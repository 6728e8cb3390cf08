//! Every dependency between our crates is in the table of ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use crate::workspace;

/// The allowed dependencies of each crate.
type Table = BTreeMap<String, BTreeSet<String>>;
/// The actual dependencies of each crate: the name, and the kind (normal, build, dev).
type Known = BTreeMap<String, BTreeSet<(String, String)>>;

fn table() -> Table {
    let page = workspace::file("ARCHITECTURE.md");
    let rows = workspace::table(&page, "Who may know whom").into_iter().map(|row| {
        let [room, others] = row.as_slice() else { panic!("two columns, not {row:?}") };
        (room.clone(), others.split(", ").filter(|other| !other.is_empty()).map(str::to_owned).collect())
    });
    rows.collect()
}

/// Our crates by their folder below `crates/`; our other packages by name.
fn known(metadata: &Value) -> Known {
    let list = |value: &Value| value.as_array().unwrap().clone();
    let text = |value: &Value| value.as_str().unwrap().replace('\\', "/");
    let room = |folder: &str| folder.rsplit_once("/crates/").map(|(_, room)| room.to_owned());
    let packages = list(&metadata["packages"]);
    let names: BTreeMap<_, _> = packages
        .iter()
        .map(|package| {
            let folder = text(&package["manifest_path"]).trim_end_matches("/Cargo.toml").to_owned();
            let name = text(&package["name"]);
            (name.clone(), room(&folder).unwrap_or(name))
        })
        .collect();
    let rooms = packages.iter().filter(|package| text(&package["manifest_path"]).contains("/crates/"));
    rooms
        .map(|package| {
            let dependencies = list(&package["dependencies"]);
            let ours = dependencies.iter().filter_map(|dependency| {
                let name = names.get(dependency["name"].as_str()?)?.clone();
                Some((name, dependency["kind"].as_str().unwrap_or("normal").to_owned()))
            });
            (names[&text(&package["name"])].clone(), ours.collect())
        })
        .collect()
}

fn violations(table: &Table, known: &Known) -> Vec<String> {
    let nothing = BTreeSet::new();
    let missing = known.keys().filter(|room| !table.contains_key(*room));
    let stale = table.keys().filter(|room| !known.contains_key(*room));
    let strangers = table.iter().flat_map(|(room, allowed)| {
        allowed.iter().filter(|other| !table.contains_key(*other)).map(move |other| (room, other))
    });
    let wrong = known.iter().flat_map(|(room, edges)| {
        let allowed = table.get(room).unwrap_or(&nothing);
        edges.iter().filter(|(other, _)| !allowed.contains(other)).map(move |edge| (room, edge))
    });
    missing
        .map(|room| format!("{room} has no row"))
        .chain(stale.map(|room| format!("{room} has a row and no crate")))
        .chain(strangers.map(|(room, other)| format!("{room} may know {other}, which has no row")))
        .chain(wrong.map(|(room, (other, kind))| format!("{room} may not know {other} ({kind})")))
        .collect()
}

#[test]
fn every_dependency_between_our_crates_is_in_the_table() {
    let answer = Command::new(env!("CARGO"))
        .current_dir(workspace::root())
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .output()
        .unwrap();
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    let known = known(&serde_json::from_slice(&answer.stdout).unwrap());
    assert!(
        known.contains_key("cli") && known["home"].contains(&("protocol".into(), "normal".into())),
        "{known:?}"
    );
    assert_eq!(violations(&table(), &known), [""; 0]);
}

#[test]
fn program_opens_no_audit_chain_without_its_anchor() {
    // Without one, a chain is checked by its own folder alone, as in tests of crates that do not know the store.
    let opens = |path: &String| {
        let text = workspace::file(path);
        let product = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
        let lines: Vec<String> = product
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .filter(|line| line.contains("Audit::open(") || line.contains("Audit::open_existing("))
            .map(|line| format!("{path}: {}", line.trim()))
            .collect();
        lines
    };
    let found: Vec<String> = workspace::source_files("crates", &["rs"])
        .iter()
        .filter(|path| {
            path.contains("/src/") && !path.starts_with("crates/audit/") && !path.ends_with("/tests.rs")
        })
        .flat_map(opens)
        .collect();
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found.iter().all(|line| line.contains("Some(AuditAnchor::for_home(")), "{found:#?}");
}

#[test]
fn every_kind_of_wrong_edge_and_row_is_found() {
    let package = |folder: &str, name: &str, dependencies: &[(&str, Option<&str>)]| {
        let dependencies: Vec<_> =
            dependencies.iter().map(|(name, kind)| serde_json::json!({"name": name, "kind": kind})).collect();
        serde_json::json!({
            "name": name, "manifest_path": format!("/w/{folder}/Cargo.toml"), "dependencies": dependencies
        })
    };
    let metadata = serde_json::json!({"packages": [
        package("crates/protocol", "tarsus-protocol", &[("serde", None), ("tarsus-home", Some("dev"))]),
        package("crates/home", "tarsus-home", &[("tarsus-protocol", None), ("tarsus", Some("build"))]),
        package("crates/cli", "tarsus", &[("tarsus-home", None), ("tarsus-tests", Some("dev"))]),
        package("crates/attic", "tarsus-attic", &[("tarsus-home", None)]),
        package("tests", "tarsus-tests", &[("tarsus", None)]),
    ]});
    let row = |others: &[&str]| others.iter().map(|other| (*other).to_owned()).collect();
    let table = Table::from([
        ("protocol".into(), row(&[])),
        ("home".into(), row(&["protocol"])),
        ("cli".into(), row(&["home", "protocol", "cellar"])),
        ("gateway".into(), row(&[])),
    ]);
    assert_eq!(
        violations(&table, &known(&metadata)),
        [
            "attic has no row",
            "gateway has a row and no crate",
            "cli may know cellar, which has no row",
            "attic may not know home (normal)",
            "cli may not know tarsus-tests (dev)",
            "home may not know cli (build)",
            "protocol may not know home (dev)",
        ]
    );
}
