//! A fast path for frontmatter with one plain, quoted or JSON value a line, as most skills have.
//!
//! Returns exactly what the YAML parser returns, or nothing. Listing thousands of skills spends most of its time on
//! frontmatter.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::text::{field, is_separator, trimmed};
use crate::Frontmatter;

/// Bytes of a key; YAML has special rules for long keys.
const MAX_KEY_BYTES: usize = 100;
/// Brackets in a JSON value; the YAML parser reports deep nesting.
const MAX_BRACKETS: usize = 32;

/// Digits of a number that is surely written back unchanged.
const MAX_DIGITS: usize = 15;

/// A block parsed without YAML.
pub(super) struct SimpleBlock {
    pub(super) fields: Frontmatter,
    /// The field `metadata`, if it is JSON.
    pub(super) metadata: Option<Value>,
}

/// Parses a block that means the same line by line and as YAML; `None` if that is not sure.
pub(super) fn parse(block: &str) -> Option<SimpleBlock> {
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
        let is_key = key.len() <= MAX_KEY_BYTES && key.starts_with(|first: char| first.is_ascii_alphabetic());
        if !is_key || fields.iter().any(|(earlier, _)| earlier == key) {
            return None;
        }
        let text = if value.starts_with('{') {
            // A valid object on one line is kept as written.
            let object = parse_unique_json(value)?;
            metadata = metadata.or_else(|| (key == "metadata").then_some(object));
            value.to_owned()
        } else {
            parse_scalar(value)?.into_owned()
        };
        fields.push((key.to_owned(), text));
    }
    fields.shrink_to_fit();
    Some(SimpleBlock { fields: Frontmatter(fields), metadata })
}

/// Returns the text of a plain or quoted scalar.
fn parse_scalar(value: &str) -> Option<Cow<'_, str>> {
    let text = match value.chars().next()? {
        '"' if value.contains('\\') => {
            // Escapes that are valid in JSON mean the same in YAML.
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

/// Whether a value that starts with a letter is a plain YAML string, or a boolean with the same text.
fn is_plain(value: &str) -> bool {
    let is_word = ["null", "true", "false"].iter().any(|word| value.eq_ignore_ascii_case(word));
    matches!(value, "true" | "false")
        || !is_word && !value.contains(": ") && !value.contains(" #") && !value.ends_with(':')
}

/// Whether a value of digits and dots is a string (`1.0.2`), or an integer that is written back unchanged.
fn is_version(value: &str) -> bool {
    let dots = value.bytes().filter(|byte| *byte == b'.').count();
    let is_canonical = value.len() <= MAX_DIGITS && (value == "0" || !value.starts_with('0'));
    value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && (dots > 1 || (dots == 0 && is_canonical))
}

/// Parses JSON without duplicate keys, which is valid YAML too.
fn parse_unique_json(text: &str) -> Option<Value> {
    let depth = text.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count();
    let is_object = text.contains(':') && depth <= MAX_BRACKETS;
    is_object.then(|| serde_json::from_str::<UniqueJson>(text).ok()).flatten().map(|json| json.0)
}

/// A JSON value without duplicate keys.
struct UniqueJson(Value);

impl<'de> Deserialize<'de> for UniqueJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON without duplicate keys")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut read = Map::new();
        // Borrowed, so a key with an escape is left to the YAML parser.
        while let Some(key) = map.next_key::<&'de str>()? {
            if key.len() > MAX_KEY_BYTES
                || read.insert(key.to_owned(), map.next_value::<UniqueJson>()?.0).is_some()
            {
                return Err(A::Error::custom("a long or duplicate key"));
            }
        }
        Ok(Value::Object(read))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element::<UniqueJson>()? {
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

    use super::super::frontmatter::parse_with_yaml;
    use super::*;

    #[test]
    fn only_unambiguous_blocks_take_the_fast_path() {
        let usual = "name: notes\nversion: 1.0.2\nweight: 10\nalways: true\ndescription: \"Keeps: notes\"\nhomepage: https://example.org\nmetadata: {\"openclaw\": {\"emoji\": \"📓\", \"os\": [\"linux\"]}}\n";
        let SimpleBlock { fields, metadata } = parse(usual).unwrap();
        assert_eq!(fields.get("description"), Some("Keeps: notes"));
        assert_eq!(metadata, Some(json!({ "openclaw": { "emoji": "📓", "os": ["linux"] } })));
        assert_eq!(fields.get("metadata"), Some("{\"openclaw\": {\"emoji\": \"📓\", \"os\": [\"linux\"]}}"));
        let escaped = "name: \" \\\"a\\\" \\u5929\\n\"\nmetadata: {\"b\": \"\\ud83d\\udd27\\/\"}";
        let SimpleBlock { fields, metadata } = parse(escaped).unwrap();
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
            assert!(parse(doubtful).is_none(), "{doubtful:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn fast_path_agrees_with_the_yaml_parser(
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
            if let Some(short) = parse(&block) {
                let own = short.fields.get("metadata").and_then(|text| serde_json::from_str(text).ok());
                let object: Option<Value> = own.filter(Value::is_object);
                prop_assert_eq!(short.metadata, object, "{}", block);
                prop_assert_eq!(parse_with_yaml(&block), Some(short.fields), "{}", block);
            }
        }
    }
}
