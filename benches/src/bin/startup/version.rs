//! `--version`: the least that the program can do, compared with a program that does nothing.

use std::path::Path;

use tarsus_benches::instructions;
use tarsus_benches::report::Row;

use crate::process::{peak, time};

const NOTHING: &str = "/bin/true";

/// Time, memory and instructions of `--version`.
pub fn measure(program: &Path, runs: usize) -> Vec<Row> {
    let program = program.to_str().expect("the program's path is text");
    let version = [program, "--version"];
    let nothing = Path::new(NOTHING).is_file();
    let (mut times, mut floor) = (Vec::new(), Vec::new());
    // Alternating, so that both run under the same conditions.
    for _ in 0..runs {
        times.push(time(&version));
        if nothing {
            floor.push(time(&[NOTHING]));
        }
    }
    let mut rows =
        vec![Row::times("--version", &times).target(3.0).peers("ZeroClaw 8 to 11 ms, OpenClaw 107 ms")];
    if nothing {
        rows.push(Row::times("/bin/true in the same run", &floor));
    }
    if let Some(bytes) = peak(&version) {
        let peers = "ZeroClaw 17 MB, OpenClaw 68 MB";
        rows.push(Row::memory("--version, peak memory", vec![bytes]).target(8.0).peers(peers));
    }
    if let Some(number) = instructions::count(&version) {
        rows.push(Row::instructions("--version, instructions", number));
    }
    rows
}
