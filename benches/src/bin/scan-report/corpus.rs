//! The labelled corpus: hostile text, used only as input.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tarsus_scan::Inventory;

/// A labelled skill.
pub struct Sample {
    pub id: String,
    pub malicious: bool,
    pub group: &'static str,
    pub inventory: Inventory,
    pub bytes: usize,
    pub validation: bool,
}

/// All groups, in the order of the table.
pub const GROUPS: [&str; 13] = [
    "wild malicious",
    "fixtures of other scanners",
    "synthetic benchmark, malicious",
    "natural-language injection",
    "other published, malicious",
    "malicious, evidence in other files",
    "benign, bundled",
    "benign, official",
    "benign, paired",
    "benign, popular",
    "benign, random",
    "benign, security documentation",
    "benign, synthetic and fixtures",
];

/// The samples; empty if there is no corpus.
pub fn read() -> Option<Vec<Sample>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/scan-dev.jsonl.gz");
    let lines = BufReader::new(GzDecoder::new(File::open(path).ok()?)).lines();
    Some(lines.map(|line| sample(&serde_json::from_str(&line.unwrap()).unwrap())).collect())
}

fn sample(row: &Value) -> Sample {
    let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let file = &row["files"][0];
    let content = STANDARD.decode(file["contentBase64"].as_str().unwrap()).unwrap();
    let malicious = text("label") == "malicious";
    Sample {
        id: text("id"),
        malicious,
        group: group(malicious, &text("category"), &text("provenance"), &text("where")),
        bytes: content.len(),
        inventory: Inventory::from_file("SKILL.md", content),
        validation: Sha256::digest(text("family"))[0] % 5 == 0,
    }
}

fn group(malicious: bool, category: &str, provenance: &str, place: &str) -> &'static str {
    if !malicious {
        return match category {
            "openclaw_bundled" => GROUPS[6],
            "anthropic_official" => GROUPS[7],
            "hard_negative_paired" => GROUPS[8],
            "clawhub_popular" => GROUPS[9],
            "clawhub_random" => GROUPS[10],
            "hard_negative_security_doc" => GROUPS[11],
            _ => GROUPS[12],
        };
    }
    match (place, provenance) {
        ("other_files", _) => GROUPS[5],
        (_, "wild") => GROUPS[0],
        (_, "fixture") => GROUPS[1],
        (_, "synthetic_bench") => GROUPS[2],
        _ if category.starts_with("skillinject") => GROUPS[3],
        _ => GROUPS[4],
    }
}
