//! Truncates an entry so that its line fits into `MAX_LINE_BYTES`.
//!
//! Lengths are those of the JSON text, where a control character takes six bytes.

use serde_json::{Map, Value};

use crate::record::AuditEntry;

/// Maximum length of a name or id.
const MAX_NAME: usize = 512;
/// Maximum length of the reason.
const MAX_REASON: usize = 6 * 1024;
/// Maximum length of the detail, as JSON.
const MAX_DETAIL: usize = 4 * 1024;
/// Maximum nesting of the detail.
const MAX_DEPTH: usize = 8;

/// Truncates all texts and drops a detail that is too long or too deep.
pub(crate) fn truncate_entry(mut entry: AuditEntry) -> AuditEntry {
    truncate_text(&mut entry.event, MAX_NAME);
    let names = [
        &mut entry.agent_id,
        &mut entry.session_key,
        &mut entry.run_id,
        &mut entry.skill,
        &mut entry.tool,
        &mut entry.app,
        &mut entry.decision,
    ];
    for name in names.into_iter().flatten() {
        truncate_text(name, MAX_NAME);
    }
    if let Some(reason) = &mut entry.reason {
        truncate_text(reason, MAX_REASON);
    }
    if entry.detail.values().any(|value| is_deeper_than(value, MAX_DEPTH)) {
        entry.detail = Map::from_iter([("cut".to_owned(), Value::from("too deep"))]);
    }
    let length = serde_json::to_string(&entry.detail).map_or(usize::MAX, |text| text.len());
    if length > MAX_DETAIL {
        entry.detail = Map::from_iter([("cut".to_owned(), Value::from(length))]);
    }
    entry
}

/// Truncates a text so that its JSON fits into `max` bytes, with a mark that gives the original length.
fn truncate_text(text: &mut String, max: usize) {
    let whole = text.len();
    let mut taken = 0;
    let mut end_with_mark = 0;
    let mark = format!("… ({whole} bytes)");
    for (at, letter) in text.char_indices() {
        if taken + mark.len() <= max {
            end_with_mark = at;
        }
        taken += json_len(letter);
        if taken > max {
            text.truncate(end_with_mark);
            text.push_str(&mark);
            return;
        }
    }
}

fn json_len(letter: char) -> usize {
    match letter {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => letter.len_utf8(),
    }
}

fn is_deeper_than(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(values) => levels == 0 || values.iter().any(|value| is_deeper_than(value, levels - 1)),
        Value::Object(map) => levels == 0 || map.values().any(|value| is_deeper_than(value, levels - 1)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RecordSeverity;
    use proptest::prelude::*;

    #[test]
    fn short_entries_are_unchanged() {
        let mut entry = AuditEntry::security("app.launch", RecordSeverity::Info);
        entry.reason = Some("x".repeat(MAX_REASON));
        entry.detail.insert("a".to_owned(), Value::from(vec![1, 2]));
        assert_eq!(truncate_entry(entry.clone()), entry);
    }

    #[test]
    fn a_long_reason_is_truncated_with_a_mark() {
        let mut entry = AuditEntry::security("app.launch", RecordSeverity::Info);
        entry.reason = Some("é".repeat(MAX_REASON));
        let reason = truncate_entry(entry).reason.unwrap();
        assert!(reason.ends_with("é… (12288 bytes)"), "{reason}");
        assert!(reason.len() <= MAX_REASON && reason.len() > MAX_REASON - 8);
    }

    #[test]
    fn an_oversized_detail_is_replaced_by_a_mark() {
        let mut entry = AuditEntry::security("x", RecordSeverity::Info);
        entry.detail.insert("a".to_owned(), Value::from("x".repeat(5000)));
        assert_eq!(serde_json::to_string(&truncate_entry(entry.clone()).detail).unwrap(), r#"{"cut":5008}"#);
        let mut deep = Value::Null;
        for _ in 0..MAX_DEPTH + 1 {
            deep = Value::from(vec![deep]);
        }
        entry.detail.insert("a".to_owned(), deep);
        assert_eq!(serde_json::to_string(&truncate_entry(entry).detail).unwrap(), r#"{"cut":"too deep"}"#);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_truncated_text_fits_and_is_a_prefix(
            letters in proptest::collection::vec(prop_oneof!["[a-z]", "\\PC", "[\0-\u{1f}\"\\\\]"], 0..200),
            max in 30_usize..150,
        ) {
            let whole = letters.concat();
            let mut text = whole.clone();
            truncate_text(&mut text, max);
            prop_assert!(serde_json::to_string(&text).unwrap().len() - 2 <= max);
            if text != whole {
                let start = text.strip_suffix(&format!("… ({} bytes)", whole.len())).unwrap();
                prop_assert!(whole.starts_with(start));
                prop_assert!(serde_json::to_string(&whole).unwrap().len() - 2 > max);
            }
        }
    }
}
