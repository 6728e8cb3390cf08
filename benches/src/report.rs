//! Figures with their targets and those of peers, as a table or as JSON.

use std::time::Duration;

use serde_json::{Value, json};

/// A measured figure.
#[derive(Debug, Clone)]
pub struct Row {
    what: String,
    unit: &'static str,
    /// All rounds, sorted. The median counts.
    rounds: Vec<f64>,
    target: Option<f64>,
    peers: &'static str,
}

/// A list of figures.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// In display order.
    pub rows: Vec<Row>,
}

impl Row {
    fn new(what: impl Into<String>, unit: &'static str, mut rounds: Vec<f64>) -> Self {
        rounds.sort_by(f64::total_cmp);
        Self { what: what.into(), unit, rounds, target: None, peers: "" }
    }

    /// Adds an upper target.
    #[must_use]
    pub fn target(self, target: f64) -> Self {
        Self { target: Some(target), ..self }
    }

    /// Adds a figure of a peer.
    #[must_use]
    pub fn peers(self, peers: &'static str) -> Self {
        Self { peers, ..self }
    }

    /// The size of the binary.
    #[must_use]
    pub fn size(bytes: u64) -> Self {
        Self::memory("size of the binary", vec![bytes])
    }

    /// Durations, one per round.
    #[must_use]
    pub fn times(what: impl Into<String>, rounds: &[Duration]) -> Self {
        Self::new(what, "ms", rounds.iter().map(|round| round.as_secs_f64() * 1e3).collect())
    }

    /// Amounts of memory.
    #[must_use]
    pub fn memory(what: impl Into<String>, rounds: Vec<u64>) -> Self {
        Self::new(what, "MB", rounds.into_iter().map(|bytes| bytes as f64 / 1e6).collect())
    }

    /// A number of instructions.
    #[must_use]
    pub fn instructions(what: impl Into<String>, number: u64) -> Self {
        Self::new(what, "million", vec![number as f64 / 1e6])
    }

    /// Rates per second, one per round.
    #[must_use]
    pub fn rates(what: impl Into<String>, rounds: Vec<f64>) -> Self {
        Self::new(what, "/s", rounds)
    }

    fn median(&self) -> f64 {
        self.rounds.get(self.rounds.len() / 2).copied().unwrap_or(f64::NAN)
    }

    fn cells(&self) -> [String; 5] {
        let shown = |value: f64| format!("{value:.2} {}", self.unit);
        let spread = match self.rounds.as_slice() {
            [least, .., most] => format!("{least:.2} to {most:.2}, {} rounds", self.rounds.len()),
            _ => String::new(),
        };
        let verdict = |target: f64| {
            let verdict = if self.median() <= target { "met" } else { "missed" };
            format!("{target} {} {verdict}", self.unit)
        };
        let target = self.target.map(verdict).unwrap_or_default();
        [self.what.clone(), shown(self.median()), spread, target, self.peers.to_owned()]
    }
}

impl Report {
    /// A table for people.
    #[must_use]
    pub fn to_text(&self) -> String {
        let head = ["what", "median", "least to most", "target", "peers"].map(str::to_owned);
        let lines: Vec<_> = std::iter::once(head).chain(self.rows.iter().map(Row::cells)).collect();
        let widths: Vec<_> =
            (0..5).map(|column| lines.iter().map(|line| line[column].len()).max().unwrap_or(0)).collect();
        let line = |cells: &[String; 5]| {
            let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        };
        lines.iter().map(line).collect()
    }

    /// JSON for programs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let row = |row: &Row| {
            json!({
                "what": row.what,
                "unit": row.unit,
                "median": row.median(),
                "rounds": row.rounds,
                "target": row.target,
                "peers": row.peers,
            })
        };
        json!({ "rows": self.rows.iter().map(row).collect::<Vec<_>>() })
    }
}
