//! Texts for measuring the scanner.

use tarsus_scan::Ruleset;

/// A text that almost matches every rule many times: all trigger words, the texts that must pass,
/// and the beginnings of those that must be flagged.
#[must_use]
pub fn near_misses(rules: &Ruleset, size: usize) -> String {
    let mut paragraph = String::new();
    for (_, rule) in rules.rules() {
        if let Some(patterns) = rule.how.patterns() {
            paragraph.extend([patterns.hints, patterns.with].concat().iter().map(|word| format!("{word} ")));
            paragraph.push_str("\n\n");
        }
        paragraph.extend(rule.passes.iter().map(|text| format!("{text}\n\n")));
        let half = |text: &&'static str| &text[..text.floor_char_boundary(text.len() / 2)];
        paragraph.extend(rule.flags.iter().map(|text| format!("{}\n\n", half(text))));
    }
    paragraph.chars().cycle().take(size).collect()
}
