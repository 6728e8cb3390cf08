//! `apps list --json` as the registry grows.

use std::fs;
use std::path::Path;

use tarsus_benches::registry;
use tarsus_benches::report::Row;

use crate::process::{peak, time};

/// The numbers of apps, and the names of their rows.
const SIZES: [(usize, &str, &str); 3] = [
    (10, "apps list, 10 apps", "apps list, 10 apps, peak memory"),
    (1_000, "apps list, 1,000 apps", "apps list, 1,000 apps, peak memory"),
    (10_000, "apps list, 10,000 apps", "apps list, 10,000 apps, peak memory"),
];

/// Time and memory for each size.
pub fn measure(program: &Path, runs: usize) -> Vec<Row> {
    let program = program.to_str().expect("the program's path is text");
    let mut rows = Vec::new();
    for (apps, what, memory) in SIZES {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let file = folder.path().join("registries/application_registry.json");
        fs::create_dir(folder.path().join("registries")).expect("a folder can be made");
        fs::write(file, registry(apps)).expect("a file can be written");
        let state = folder.path().to_str().expect("the folder's path is text");
        let list = [program, "--state-dir", state, "apps", "list", "--json"];
        let times: Vec<_> = (0..runs).map(|_| time(&list)).collect();
        let row = Row::times(what, &times);
        rows.push(if apps == 10_000 { row.target(50.0) } else { row });
        rows.extend(peak(&list).map(|bytes| Row::memory(memory, vec![bytes])));
    }
    rows
}
