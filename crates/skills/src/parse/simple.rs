//! Frontmatter that needs no YAML reader: one plain, quoted or JSON value a line, as most skills have it.
//!
//! Promises: gives exactly what the long way gives, or nothing. It only saves time: a listing of thousands of skills
//! spends most of its time on their frontmatter.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::text::{field, is_separator, trimmed};
use crate::Frontmatter;

/// Longer keys have rules of their own in YAML.
const LONGEST_KEY: usize = 100;
/// Deeper JSON is left to the long way, which says what is too deep.
const DEEPEST: usize = 32;

/// Longer numbers may not come back as they were written.
const MOST_DIGITS: usize = 15;

/// What a block gives.
pub(super) struct Simple {
    pub(super) fields: Frontmatter,
    /// The field `metadata`, where it is JSON.
    pub(super) metadata: Option<Value>,
}

/// The fields of a block in which YAML and the lines themselves cannot differ.
pub(super) fn read(block: &str) -> Option<Simple> {
    let is_odd = |letter: char| {
        (letter.is_control() && letter != '\n') || is_separator(letter) || letter == '\u{FEFF}'
    };
    let is_usual = |byte: u8| matches!(byte, b' '..=b'~' | b'\n');
    let all_usual = block.bytes().fold(true, |all, byte| all & is_usual(byte));
    if !all_usual && block.contains(is_odd) {
        return None;
    }
    let mut fields: Vec<(String, String)> = Vec::new();
    let mut metadata = None;
    for line in block.strip_suffix('\n').unwrap_or(block).split('\n') {
        let (key, _) = field(line)?;
        let value = trimmed(line.get(key.len()..)?.strip_prefix(": ")?);
        let is_key = key.len() <= LONGEST_KEY && key.starts_with(|first: char| first.is_ascii_alphabetic());
        if !is_key || fields.iter().any(|(earlier, _)| earlier == key) {
            return None;
        }
        let text = if value.starts_with('{') {
            // An object on one line is taken as it is written, once it is sound.
            let object = sound_json(value)?;
            metadata = metadata.or_else(|| (key == "metadata").then_some(object));
            value.to_owned()
        } else {
            text(value)?.into_owned()
        };
        fields.push((key.to_owned(), text));
    }
    fields.shrink_to_fit();
    Some(Simple { fields: Frontmatter(fields), metadata })
}

/// The text that a value gives.
fn text(value: &str) -> Option<Cow<'_, str>> {
    let text = match value.chars().next()? {
        '"' if value.contains('\\') => {
            // What JSON can write with a backslash, YAML reads the same.
            let text: String = serde_json::from_str(value).ok()?;
            Cow::Owned(trimmed(&text).to_owned())
        }
        quote @ ('"' | '\'') => {
            let inside = value.strip_prefix(quote)?.strip_suffix(quote)?;
            Cow::Borrowed(trimmed(Some(inside).filter(|inside| !inside.contains(quote))?))
        }
        first if first.is_alphabetic() => Cow::Borrowed(Some(value).filter(|value| is_plain(value))?),
        '0'..='9' => Cow::Borrowed(Some(value).filter(|value| is_version(value))?),
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

/// Whether YAML takes all of a value that starts with a letter as one text, or as a truth that reads the same.
fn is_plain(value: &str) -> bool {
    let is_word = ["null", "true", "false"].iter().any(|word| value.eq_ignore_ascii_case(word));
    matches!(value, "true" | "false")
        || !is_word && !value.contains(": ") && !value.contains(" #") && !value.ends_with(':')
}

/// Whether a value of digits and dots is a text (`1.0.2`), or a whole number that reads as it is written.
fn is_version(value: &str) -> bool {
    let dots = value.bytes().filter(|byte| *byte == b'.').count();
    let is_canonical = value.len() <= MOST_DIGITS && (value == "0" || !value.starts_with('0'));
    value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && (dots > 1 || (dots == 0 && is_canonical))
}

/// A text that is JSON in which no key stands twice, so that YAML takes it too.
fn sound_json(text: &str) -> Option<Value> {
    let depth = text.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count();
    let is_object = text.contains(':') && depth <= DEEPEST;
    is_object.then(|| serde_json::from_str::<Sound>(text).ok()).flatten().map(|sound| sound.0)
}

/// Any JSON value in which no key stands twice.
struct Sound(Value);

impl<'de> Deserialize<'de> for Sound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON in which no key stands twice")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut read = Map::new();
        // Borrowed: a key with an escape in it is left to the long way.
        while let Some(key) = map.next_key::<&'de str>()? {
            if key.len() > LONGEST_KEY || read.insert(key.to_owned(), map.next_value::<Sound>()?.0).is_some()
            {
                return Err(A::Error::custom("a key that is long or stands twice"));
            }
        }
        Ok(Value::Object(read))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element::<Sound>()? {
            items.push(item.0);
        }
        Ok(Value::Array(items))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::frontmatter::by_yaml;
    use super::*;

    #[test]
    fn the_usual_block_is_simple_and_anything_doubtful_is_not() {
        let usual = "name: notes\nversion: 1.0.2\nweight: 10\nalways: true\ndescription: \"Keeps: notes\"\nhomepage: https://example.org\nmetadata: {\"openclaw\": {\"emoji\": \"📓\", \"os\": [\"linux\"]}}\n";
        let Simple { fields, metadata } = read(usual).unwrap();
        assert_eq!(fields.get("description"), Some("Keeps: notes"));
        assert_eq!(metadata, Some(json!({ "openclaw": { "emoji": "📓", "os": ["linux"] } })));
        assert_eq!(fields.get("metadata"), Some("{\"openclaw\": {\"emoji\": \"📓\", \"os\": [\"linux\"]}}"));
        let escaped = "name: \" \\\"a\\\" \\u5929\\n\"\nmetadata: {\"b\": \"\\ud83d\\udd27\\/\"}";
        let Simple { fields, metadata } = read(escaped).unwrap();
        assert_eq!(fields.get("name"), Some("\"a\" 天"));
        assert_eq!(fields.get("metadata"), Some(r#"{"b": "\ud83d\udd27\/"}"#));
        assert_eq!(metadata, Some(json!({ "b": "🔧/" })));
        for doubtful in [
            "",
            "\n",
            "name:",
            "name: ",
            "name:x",
            "name: 01",
            "name: 1.0",
            "name: 1_0",
            "name: 0x1",
            "name: 1e3",
            "name: 1234567890123456",
            "name: True",
            "name: null",
            "name: ~",
            "name: a: b",
            "name: a #b",
            "name: a:",
            "name: a\nname: b",
            "name: a\n  b",
            "name: |\n  a",
            "# a",
            "- a",
            "name: [a]",
            "name: {}",
            "name: {a: b}",
            "name: {\"a\": 1, \"a\": 2}",
            "name: {\"a\": 1} x",
            "name: 'it''s'",
            "name: \"a\\x41\"",
            "name: \"a\\ud83d\"",
            "name: \"a\\",
            "name: \"\\n\"",
            "name: {\"a\\u0062\": 1}",
            "name: {\"a\": \"\\ud83d\"}",
            "name: \"a\" b",
            "name: \"\"",
            "name: *a",
            "name: &a b",
            "1: a",
            "a b: c",
            "name: a\n---",
            "name: a\tb",
        ] {
            assert!(read(doubtful).is_none(), "{doubtful:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_short_way_gives_what_the_long_way_gives(
            lines in prop::collection::vec((
                "(name|description|metadata|a-b|x_1|[a-z]{1,3})",
                prop_oneof![
                    "[a-zA-Zé天] ?[a-z0-9:#,'\"\\[\\]{}&*!|>%@`?=/.\\\\ -]{0,12}",
                    "[0-9.]{1,8}",
                    "[0-9][0-9.exob_a-f+-]{0,4}",
                    "(true|false|null|True|~|yes)",
                    "\"[a-z :#{}'\\[\\],-]{0,10}\"",
                    "\"([a-z :#]|\\\\[\"\\\\/bfnrtx0e ]|\\\\u(00[0-9a-f]{2}|d83d|dd27|5929)){0,6}\"",
                    "\\{\"a\":\"([a-z :#]|\\\\[\"\\\\/bfnrtx0e ]|\\\\u(00[0-9a-f]{2}|d83d|dd27|5929)){0,6}\"\\}",
                    "'[a-z :#{}\",&*\\\\-]{0,10}'",
                    "\\{\"[a-c]\": ?(\"[a-z:# ,]{0,6}\"|[0-9.e+-]{1,4}|true|null|\\[[0-9, \"a]{0,6}\\]|\\{\"[ab]\":1,\"[ab]\":2\\})\\}",
                    "\\PC{0,10}",
                ],
            ), 1..4)
        ) {
            let block: String = lines.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
            if let Some(short) = read(&block) {
                let own = short.fields.get("metadata").and_then(|text| serde_json::from_str(text).ok());
                let object: Option<Value> = own.filter(Value::is_object);
                prop_assert_eq!(short.metadata, object, "{}", block);
                prop_assert_eq!(by_yaml(&block), Some(short.fields), "{}", block);
            }
        }
    }
}
