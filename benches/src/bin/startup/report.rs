//! The figures, each with its target and what peers need, as a table or as JSON.

use std::time::Duration;

use serde_json::{Value, json};

/// One figure.
pub struct Row {
    what: &'static str,
    unit: &'static str,
    value: f64,
    /// The least of several runs, where the value is their median.
    least: Option<f64>,
    target: Option<f64>,
    peers: &'static str,
}

/// All figures.
pub struct Report {
    /// In the order they are shown.
    pub rows: Vec<Row>,
}

impl Row {
    /// The size of the binary.
    pub fn size(bytes: u64) -> Self {
        Self::memory("size of the binary", bytes, None, "")
    }

    /// Several runs of the same thing; the median counts.
    pub fn times(
        what: &'static str,
        mut runs: Vec<Duration>,
        target_ms: Option<f64>,
        peers: &'static str,
    ) -> Self {
        runs.sort();
        let ms = |run: Duration| run.as_secs_f64() * 1e3;
        Self {
            what,
            unit: "ms",
            value: ms(runs[runs.len() / 2]),
            least: runs.first().copied().map(ms),
            target: target_ms,
            peers,
        }
    }

    /// An amount of memory.
    pub fn memory(what: &'static str, bytes: u64, target_mb: Option<f64>, peers: &'static str) -> Self {
        let value = bytes as f64 / 1e6;
        Self { what, unit: "MB", value, least: None, target: target_mb, peers }
    }

    /// A number of instructions.
    pub fn instructions(what: &'static str, number: u64) -> Self {
        Self { what, unit: "million", value: number as f64 / 1e6, least: None, target: None, peers: "" }
    }

    fn cells(&self) -> [String; 5] {
        let shown = |value: f64| format!("{value:.2} {}", self.unit);
        [
            self.what.to_owned(),
            shown(self.value),
            self.least.map(shown).unwrap_or_default(),
            self.target
                .map(|target| {
                    let verdict = if self.value <= target { "met" } else { "missed" };
                    format!("{target} {} {verdict}", self.unit)
                })
                .unwrap_or_default(),
            self.peers.to_owned(),
        ]
    }
}

impl Report {
    /// For people.
    pub fn to_text(&self) -> String {
        let head = ["what", "measured", "least", "target", "peers"].map(str::to_owned);
        let lines: Vec<_> = std::iter::once(head).chain(self.rows.iter().map(Row::cells)).collect();
        let widths: Vec<_> =
            (0..5).map(|column| lines.iter().map(|line| line[column].len()).max().unwrap_or(0)).collect();
        let line = |cells: &[String; 5]| {
            let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        };
        lines.iter().map(line).collect()
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        let row = |row: &Row| {
            json!({
                "what": row.what,
                "unit": row.unit,
                "value": row.value,
                "least": row.least,
                "target": row.target,
                "peers": row.peers,
            })
        };
        json!({ "rows": self.rows.iter().map(row).collect::<Vec<_>>() })
    }
}
