//! What an error of a provider means: its status, its code and its words become a class.
//!
//! Providers say the same thing in many ways, so codes and words count before the status where they are clear.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use serde_json::Value;
use tarsus_host::egress::HeaderMap;

use crate::failure::{Class, Failure};

/// Words of code and message, in small letters, and what they mean; the first that is found counts.
const WORDS: &[(&str, Class)] = &[
    ("context_length_exceeded", Class::ContextTooLong),
    ("exceed_context_size", Class::ContextTooLong),
    ("model_context_window_exceeded", Class::ContextTooLong),
    ("request_too_large", Class::ContextTooLong),
    ("prompt is too long", Class::ContextTooLong),
    ("input is too long", Class::ContextTooLong),
    ("maximum context length", Class::ContextTooLong),
    ("exceeds the context window", Class::ContextTooLong),
    ("exceeds the available context size", Class::ContextTooLong),
    ("input token count", Class::ContextTooLong),
    ("maximum prompt length", Class::ContextTooLong),
    ("exceeded model token limit", Class::ContextTooLong),
    ("insufficient_quota", Class::Billing),
    ("insufficient balance", Class::Billing),
    ("insufficient credits", Class::Billing),
    ("billing_error", Class::Billing),
    ("billing_not_active", Class::Billing),
    ("credit balance is too low", Class::Billing),
    ("exceeded your current quota, please check your plan and billing", Class::Billing),
    ("api key not valid", Class::Auth),
    ("api_key_invalid", Class::Auth),
    ("invalid_api_key", Class::Auth),
    ("invalid api key", Class::Auth),
    ("incorrect api key", Class::Auth),
    ("authentication_error", Class::Auth),
    ("permission_error", Class::Auth),
    ("permission_denied", Class::Auth),
    ("unauthenticated", Class::Auth),
    ("rate_limit", Class::RateLimit),
    ("resource_exhausted", Class::RateLimit),
    ("too_many_requests", Class::RateLimit),
    ("too many requests", Class::RateLimit),
    ("overloaded", Class::Overloaded),
    ("server_error", Class::Overloaded),
    ("internal_error", Class::Overloaded),
    ("api_error", Class::Overloaded),
    ("unavailable", Class::Overloaded),
    ("timeout_error", Class::TimedOut),
    ("deadline_exceeded", Class::TimedOut),
];

/// The failure that an answer with a status other than 200 stands for.
pub(crate) fn answer(status: u16, headers: &HeaderMap, body: &[u8], now: Timestamp) -> Failure {
    let text = String::from_utf8_lossy(body);
    let value: Option<Value> = serde_json::from_str(&text).ok();
    let said = value.as_ref().and_then(said);
    let (code, message) = said.unwrap_or_else(|| (String::new(), plain(&text)));
    let class = class(Some(status), &code, &message);
    let mut failure = Failure::new(
        class,
        match message.is_empty() {
            true => format!("the server answered with status {status}"),
            false => message,
        },
    );
    failure.status = Some(status);
    failure.retry_after = retry_after(headers, now).or_else(|| value.as_ref().and_then(retry_delay));
    failure
}

/// The failure that a value stands for where a stream should be.
pub(crate) fn value(body: &[u8]) -> Failure {
    let said = serde_json::from_slice(body).ok().as_ref().and_then(event);
    said.unwrap_or_else(|| Failure::malformed("the server answers in one piece, and not piece by piece"))
}

/// The failure that an event of a stream speaks of, if it does.
pub(crate) fn event(value: &Value) -> Option<Failure> {
    let (code, message) = said(value)?;
    let class = class(None, &code, &message);
    let mut failure =
        Failure::new(class, if message.is_empty() { format!("the server failed: {code}") } else { message });
    failure.retry_after = retry_delay(value);
    Some(failure)
}

/// Code and message of an error, wherever a provider puts them.
fn said(value: &Value) -> Option<(String, String)> {
    let error = match value.get("error") {
        Some(error) if !error.is_null() => error,
        _ if value.get("object").and_then(Value::as_str) == Some("error") => value,
        _ if value.get("type").and_then(Value::as_str) == Some("error") => value,
        // Google wraps the error of a stream in a list.
        _ => return value.as_array().and_then(|list| list.first()).and_then(said),
    };
    if let Some(message) = error.as_str() {
        return Some((String::new(), message.to_owned()));
    }
    let word = |name: &str| match error.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let code = ["code", "type", "status"].map(word).join(" ");
    let details =
        ["message", "detail"].map(word).into_iter().find(|text| !text.is_empty()).unwrap_or_default();
    Some((code, details))
}

/// A body that is no JSON: a page of a proxy says nothing to people.
fn plain(text: &str) -> String {
    let text = text.trim();
    if text.starts_with('<') { String::new() } else { text.to_owned() }
}

fn class(status: Option<u16>, code: &str, message: &str) -> Class {
    let words = format!("{code} {message}").to_ascii_lowercase();
    // A number may be the status, where the event carries it.
    let status = status.or_else(|| code.split_whitespace().find_map(|word| word.parse().ok()));
    let by_words = WORDS.iter().find(|(word, _)| words.contains(word)).map(|(_, class)| *class);
    match (status, by_words) {
        (Some(402), _) => Class::Billing,
        // These say what they mean, unless the words say why.
        (Some(401), _) => Class::Auth,
        (Some(403), by_words) => by_words.unwrap_or(Class::Auth),
        (Some(413), _) => Class::ContextTooLong,
        (Some(429), Some(Class::Billing)) => Class::Billing,
        (Some(429), _) => Class::RateLimit,
        (Some(408), _) => Class::TimedOut,
        (Some(500..=599), Some(Class::ContextTooLong)) => Class::ContextTooLong,
        (Some(500..=599), _) => Class::Overloaded,
        (_, Some(class)) => class,
        (Some(_), None) => Class::BadRequest,
        // An error inside a stream that no table knows is one of the server.
        (None, None) => Class::Overloaded,
    }
}

/// How long a server wants to be left alone: seconds, a date, or OpenAI's milliseconds.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    if let Some(ms) = text("retry-after-ms").and_then(|text| text.trim().parse().ok()) {
        return Some(Duration::from_millis(ms));
    }
    let text = text("retry-after")?.trim();
    if let Some(seconds) = text.parse::<f64>().ok().filter(|seconds| *seconds >= 0.0) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let at = DateTimeParser::new().parse_timestamp(text).ok()?;
    Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
}

/// Google's way of saying the same: `"retryDelay": "34.5s"` among the details.
fn retry_delay(value: &Value) -> Option<Duration> {
    let value = value.as_array().and_then(|list| list.first()).unwrap_or(value);
    let details = value.get("error")?.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    Duration::try_from_secs_f64(delay.strip_suffix('s')?.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(status: u16, headers: &[(&'static str, &str)], body: &str) -> Failure {
        let headers = headers.iter().map(|(name, value)| {
            (tarsus_host::egress::HeaderName::from_static(name), value.parse().unwrap())
        });
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        answer(status, &headers.collect(), body.as_bytes(), now)
    }

    #[test]
    fn what_providers_say_has_one_class() {
        for (status, body, class, what) in [
            (
                401,
                r#"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#,
                Class::Auth,
                "Incorrect API key provided",
            ),
            (403, r#"{"error":{"message":"no access"}}"#, Class::Auth, "no access"),
            (
                400,
                r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}"#,
                Class::Auth,
                "API key not valid. Please pass a valid API key.",
            ),
            (402, r#"{"error":{"message":"pay"}}"#, Class::Billing, "pay"),
            (429, r#"{"error":{"message":"quota","type":"insufficient_quota"}}"#, Class::Billing, "quota"),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}"#,
                Class::Billing,
                "Your credit balance is too low",
            ),
            (429, r#"{"error":{"message":"slow down"}}"#, Class::RateLimit, "slow down"),
            (
                529,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                Class::Overloaded,
                "Overloaded",
            ),
            (500, "", Class::Overloaded, "the server answered with status 500"),
            (502, "<html>Bad gateway</html>", Class::Overloaded, "the server answered with status 502"),
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 8192 tokens"}}"#,
                Class::ContextTooLong,
                "This model's maximum context length is 8192 tokens",
            ),
            (
                400,
                r#"{"error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens"}}"#,
                Class::ContextTooLong,
                "prompt is too long: 210000 tokens",
            ),
            (
                400,
                r#"{"error":{"code":400,"type":"exceed_context_size_error","message":"the request exceeds the available context size"}}"#,
                Class::ContextTooLong,
                "the request exceeds the available context size",
            ),
            (413, "", Class::ContextTooLong, "the server answered with status 413"),
            (
                404,
                r#"{"error":"model \"x\" not found, try pulling it first"}"#,
                Class::BadRequest,
                "model \"x\" not found, try pulling it first",
            ),
            (422, r#"{"object":"error","message":"bad field","code":422}"#, Class::BadRequest, "bad field"),
            (302, "", Class::BadRequest, "the server answered with status 302"),
            (408, "", Class::TimedOut, "the server answered with status 408"),
            (
                400,
                r#"[{"error":{"code":429,"message":"x","status":"RESOURCE_EXHAUSTED"}}]"#,
                Class::RateLimit,
                "x",
            ),
        ] {
            let expected = Failure { class, what: what.into(), status: Some(status), retry_after: None };
            assert_eq!(failure(status, &[], body), expected, "{body}");
        }
    }

    #[test]
    fn an_error_inside_a_stream_has_a_class_too() {
        let of = |text: &str| {
            event(&serde_json::from_str(text).unwrap()).map(|failure| (failure.class, failure.what))
        };
        for (text, expected) in [
            (
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                Some((Class::Overloaded, "Overloaded".into())),
            ),
            (
                r#"{"error":{"code":429,"message":"Rate limited upstream"}}"#,
                Some((Class::RateLimit, "Rate limited upstream".into())),
            ),
            (
                r#"{"type":"error","code":"server_error","message":"sorry"}"#,
                Some((Class::Overloaded, "sorry".into())),
            ),
            (r#"{"error":{"code":"odd"}}"#, Some((Class::Overloaded, "the server failed: odd".into()))),
            (r#"{"error":null,"choices":[]}"#, None),
            (r#"{"choices":[]}"#, None),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
    }

    #[test]
    fn how_long_to_wait_is_read_in_every_form() {
        let google = r#"{"error":{"code":429,"details":[{"@type":"x"},{"retryDelay":"34.5s"}]}}"#;
        for (headers, body, seconds) in [
            (&[("retry-after", "7")][..], "", Some(7.0)),
            (&[("retry-after", "1.5")], "", Some(1.5)),
            (&[("retry-after", "7"), ("retry-after-ms", "250")], "", Some(0.25)),
            (&[("retry-after", "Thu, 01 Jan 2026 00:00:20 GMT")], "", Some(20.0)),
            (&[("retry-after", "Wed, 31 Dec 2025 00:00:00 GMT")], "", Some(0.0)),
            (&[("retry-after", "soon")], "", None),
            (&[("retry-after", "-3")], "", None),
            (&[("retry-after", "1e300")], "", None),
            (&[], google, Some(34.5)),
            (&[], "", None),
        ] {
            let expected = seconds.map(Duration::from_secs_f64);
            assert_eq!(failure(429, headers, body).retry_after, expected, "{headers:?} {body}");
        }
    }
}
