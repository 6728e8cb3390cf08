//! A line of the log, parsed from JSON and formatted for people.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use tarsus_home::settings::LogLevel;
use tarsus_protocol::ErrorCode;

use crate::text::printable;

/// One line. If it is not valid, only its text is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    pub at: Option<Timestamp>,
    pub message: String,
    level: Option<LogLevel>,
    fields: Map<String, Value>,
    /// The stored JSON, if it is valid.
    pub json: Option<Value>,
}

impl LogLine {
    /// Parses a line without its line break.
    pub fn parse(bytes: &[u8]) -> Self {
        let json = serde_json::from_slice::<Value>(bytes).ok().filter(Value::is_object);
        let text = |key: &str| json.as_ref().and_then(|json| json.get(key)).and_then(Value::as_str);
        let at = text("timestamp").and_then(|at| at.parse().ok());
        let level = text("level").and_then(parse_level);
        let mut fields = match json.as_ref().and_then(|json| json.get("fields")) {
            Some(Value::Object(fields)) => fields.clone(),
            _ => Map::new(),
        };
        let message = match fields.shift_remove("message") {
            Some(Value::String(message)) => message,
            _ => String::from_utf8_lossy(bytes).into_owned(),
        };
        Self { at, message, level, fields, json }
    }

    /// Whether it has at least this level. A line without a level passes only without a filter.
    pub fn is_at_least(&self, level: Option<LogLevel>) -> bool {
        level.is_none_or(|least| self.level.is_some_and(|level| level <= least))
    }

    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str)
    }

    /// The error code, if it reports a problem.
    pub fn code(&self) -> Option<ErrorCode> {
        let code = self.field("code")?;
        ErrorCode::ALL.iter().copied().find(|known| known.as_str() == code)
    }

    /// Formats the line in local time.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if let Some(at) = self.at {
            let at = at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S%.3f").to_string();
            text.push_str(&at);
            text.push(' ');
        }
        if let Some(level) = self.level {
            text.push_str(&format!("{:<5} ", level_name(level)));
        }
        text.push_str(&self.message);
        for (name, value) in &self.fields {
            match value {
                Value::String(value) => text.push_str(&format!(" {name}={value:?}")),
                value => text.push_str(&format!(" {name}={value}")),
            }
        }
        printable(&text)
    }
}

fn parse_level(word: &str) -> Option<LogLevel> {
    Some(match word {
        "ERROR" => LogLevel::Error,
        "WARN" => LogLevel::Warn,
        "INFO" => LogLevel::Info,
        "DEBUG" => LogLevel::Debug,
        "TRACE" => LogLevel::Trace,
        _ => return None,
    })
}

const fn level_name(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Error => "error",
        LogLevel::Warn => "warn",
        LogLevel::Info => "info",
        LogLevel::Debug => "debug",
        LogLevel::Trace => "trace",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORED: &str = r#"{"timestamp":"2026-11-16T04:30:54.123456Z","level":"WARN","fields":{"message":"slow","code":"busy","ms":12,"path":"a b"},"target":"x"}"#;

    #[test]
    fn stored_line_is_parsed_and_formatted() {
        let line = LogLine::parse(STORED.as_bytes());
        assert_eq!(line.at, Some("2026-11-16T04:30:54.123456Z".parse().unwrap()));
        assert_eq!(line.code(), Some(ErrorCode::Busy));
        assert!(line.text().ends_with(r#" warn  slow code="busy" ms=12 path="a b""#), "{}", line.text());
    }

    #[test]
    fn invalid_line_is_shown_without_control_characters() {
        for text in ["half a li", "[1]", "\"text\""] {
            let line = LogLine::parse(text.as_bytes());
            assert_eq!((line.text().as_str(), line.at, line.json), (text, None, None));
        }
        assert_eq!(LogLine::parse(b"\x1b[31mred\xff").text(), "[31mred\u{fffd}");
    }

    #[test]
    fn line_without_level_passes_only_without_filter() {
        let (warn, none) = (LogLine::parse(STORED.as_bytes()), LogLine::parse(b"x"));
        let table = [
            (None, true, true),
            (Some(LogLevel::Error), false, false),
            (Some(LogLevel::Warn), true, false),
            (Some(LogLevel::Trace), true, false),
        ];
        for (level, first, second) in table {
            assert_eq!((warn.is_at_least(level), none.is_at_least(level)), (first, second), "{level:?}");
        }
    }
}
