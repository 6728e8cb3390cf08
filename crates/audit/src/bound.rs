//! Keeps a record small: whatever comes in, its line fits.
//!
//! Lengths are those of the JSON text, where a control character takes six bytes.

use serde_json::{Map, Value};

use crate::record::Entry;

/// Of a name or an id.
const NAME: usize = 512;
/// Of the reason.
const REASON: usize = 6 * 1024;
/// Of the detail, as JSON.
const DETAIL: usize = 4 * 1024;
/// Levels in the detail.
const DEPTH: usize = 8;

/// The entry with everything that is too long cut.
pub(crate) fn bounded(mut entry: Entry) -> Entry {
    cut(&mut entry.event, NAME);
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
        cut(name, NAME);
    }
    if let Some(reason) = &mut entry.reason {
        cut(reason, REASON);
    }
    if entry.detail.values().any(|value| deeper(value, DEPTH)) {
        entry.detail = Map::from_iter([("cut".to_owned(), Value::from("too deep"))]);
    }
    let length = serde_json::to_string(&entry.detail).map_or(usize::MAX, |text| text.len());
    if length > DETAIL {
        entry.detail = Map::from_iter([("cut".to_owned(), Value::from(length))]);
    }
    entry
}

/// Cuts a text so that its JSON fits into `most` bytes, with a mark that says how long it was.
fn cut(text: &mut String, most: usize) {
    let whole = text.len();
    let mut taken = 0;
    let mut end_with_mark = 0;
    let mark = format!("… ({whole} bytes)");
    for (at, letter) in text.char_indices() {
        if taken + mark.len() <= most {
            end_with_mark = at;
        }
        taken += in_json(letter);
        if taken > most {
            text.truncate(end_with_mark);
            text.push_str(&mark);
            return;
        }
    }
}

fn in_json(letter: char) -> usize {
    match letter {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => letter.len_utf8(),
    }
}

fn deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(values) => levels == 0 || values.iter().any(|value| deeper(value, levels - 1)),
        Value::Object(map) => levels == 0 || map.values().any(|value| deeper(value, levels - 1)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Severity;
    use proptest::prelude::*;

    #[test]
    fn what_fits_is_left_alone() {
        let mut entry = Entry::security("app.launch", Severity::Info);
        entry.reason = Some("x".repeat(REASON));
        entry.detail.insert("a".to_owned(), Value::from(vec![1, 2]));
        assert_eq!(bounded(entry.clone()), entry);
    }

    #[test]
    fn a_long_reason_is_cut_with_a_mark() {
        let mut entry = Entry::security("app.launch", Severity::Info);
        entry.reason = Some("é".repeat(REASON));
        let reason = bounded(entry).reason.unwrap();
        assert!(reason.ends_with("é… (12288 bytes)"), "{reason}");
        assert!(reason.len() <= REASON && reason.len() > REASON - 8);
    }

    #[test]
    fn a_detail_that_is_too_long_or_too_deep_says_so() {
        let mut entry = Entry::security("x", Severity::Info);
        entry.detail.insert("a".to_owned(), Value::from("x".repeat(5000)));
        assert_eq!(serde_json::to_string(&bounded(entry.clone()).detail).unwrap(), r#"{"cut":5008}"#);
        let mut deep = Value::Null;
        for _ in 0..DEPTH + 1 {
            deep = Value::from(vec![deep]);
        }
        entry.detail.insert("a".to_owned(), deep);
        assert_eq!(serde_json::to_string(&bounded(entry).detail).unwrap(), r#"{"cut":"too deep"}"#);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_cut_text_fits_and_is_a_beginning_of_the_whole(
            letters in proptest::collection::vec(prop_oneof!["[a-z]", "\\PC", "[\0-\u{1f}\"\\\\]"], 0..200),
            most in 30_usize..150,
        ) {
            let whole = letters.concat();
            let mut text = whole.clone();
            cut(&mut text, most);
            prop_assert!(serde_json::to_string(&text).unwrap().len() - 2 <= most);
            if text != whole {
                let start = text.strip_suffix(&format!("… ({} bytes)", whole.len())).unwrap();
                prop_assert!(whole.starts_with(start));
                prop_assert!(serde_json::to_string(&whole).unwrap().len() - 2 > most);
            }
        }
    }
}
