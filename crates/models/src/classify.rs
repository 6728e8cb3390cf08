//! Classifies provider errors by status, code and message.
//!
//! Providers report the same condition in many ways, so a known code or phrase counts more than the status.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use serde_json::Value;
use tarsus_host::egress::HeaderMap;

use tarsus_protocol::NoAnswer;

use crate::error::ModelError;

/// Lowercase phrases of codes and messages; the first match decides.
const PHRASES: &[(&str, NoAnswer)] = &[
    ("context_length_exceeded", NoAnswer::ContextTooLong),
    ("exceed_context_size", NoAnswer::ContextTooLong),
    ("model_context_window_exceeded", NoAnswer::ContextTooLong),
    ("request_too_large", NoAnswer::ContextTooLong),
    ("prompt is too long", NoAnswer::ContextTooLong),
    ("input is too long", NoAnswer::ContextTooLong),
    ("maximum context length", NoAnswer::ContextTooLong),
    ("exceeds the context window", NoAnswer::ContextTooLong),
    ("exceeds the available context size", NoAnswer::ContextTooLong),
    ("input token count", NoAnswer::ContextTooLong),
    ("maximum prompt length", NoAnswer::ContextTooLong),
    ("exceeded model token limit", NoAnswer::ContextTooLong),
    ("insufficient_quota", NoAnswer::Billing),
    ("insufficient balance", NoAnswer::Billing),
    ("insufficient credits", NoAnswer::Billing),
    ("billing_error", NoAnswer::Billing),
    ("billing_not_active", NoAnswer::Billing),
    ("credit balance is too low", NoAnswer::Billing),
    ("exceeded your current quota, please check your plan and billing", NoAnswer::Billing),
    ("api key not valid", NoAnswer::Auth),
    ("api_key_invalid", NoAnswer::Auth),
    ("invalid_api_key", NoAnswer::Auth),
    ("invalid api key", NoAnswer::Auth),
    ("incorrect api key", NoAnswer::Auth),
    ("authentication_error", NoAnswer::Auth),
    ("permission_error", NoAnswer::Auth),
    ("permission_denied", NoAnswer::Auth),
    ("unauthenticated", NoAnswer::Auth),
    ("rate_limit", NoAnswer::RateLimit),
    ("resource_exhausted", NoAnswer::RateLimit),
    ("too_many_requests", NoAnswer::RateLimit),
    ("too many requests", NoAnswer::RateLimit),
    ("overloaded", NoAnswer::Overloaded),
    ("server_error", NoAnswer::Overloaded),
    ("internal_error", NoAnswer::Overloaded),
    ("api_error", NoAnswer::Overloaded),
    ("unavailable", NoAnswer::Overloaded),
    ("timeout_error", NoAnswer::TimedOut),
    ("deadline_exceeded", NoAnswer::TimedOut),
];

/// The error of a response with a status other than 200.
pub(crate) fn response(status: u16, headers: &HeaderMap, body: &[u8], now: Timestamp) -> ModelError {
    let text = String::from_utf8_lossy(body);
    let value: Option<Value> = serde_json::from_str(&text).ok();
    let found = value.as_ref().and_then(code_and_message);
    let (code, message) = found.unwrap_or_else(|| (String::new(), plain_text(&text)));
    let class = class(Some(status), &code, &message);
    let mut failure = ModelError::new(
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

/// The error of a JSON body that was received in place of a stream.
pub(crate) fn error_body(body: &[u8]) -> ModelError {
    let found = serde_json::from_slice(body).ok().as_ref().and_then(error_event);
    found.unwrap_or_else(|| {
        ModelError::malformed("the server sent the whole response at once instead of streaming it")
    })
}

/// The error that an event reports, if it reports one.
pub(crate) fn error_event(value: &Value) -> Option<ModelError> {
    let (code, message) = code_and_message(value)?;
    let class = class(None, &code, &message);
    let mut failure = ModelError::new(
        class,
        if message.is_empty() { format!("the server failed: {code}") } else { message },
    );
    failure.retry_after = retry_delay(value);
    Some(failure)
}

/// Code and message of an error, wherever a provider puts them.
fn code_and_message(value: &Value) -> Option<(String, String)> {
    let error = match value.get("error") {
        Some(error) if !error.is_null() => error,
        _ if value.get("object").and_then(Value::as_str) == Some("error") => value,
        _ if value.get("type").and_then(Value::as_str) == Some("error") => value,
        // Google wraps the error of a stream in a list.
        _ => return value.as_array().and_then(|list| list.first()).and_then(code_and_message),
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

/// A body that is not JSON, unless it is the HTML page of a proxy.
fn plain_text(text: &str) -> String {
    let text = text.trim();
    if text.starts_with('<') { String::new() } else { text.to_owned() }
}

fn class(status: Option<u16>, code: &str, message: &str) -> NoAnswer {
    let words = format!("{code} {message}").to_ascii_lowercase();
    // A number in the code may be the HTTP status.
    let status = status.or_else(|| code.split_whitespace().find_map(|word| word.parse().ok()));
    let by_phrase = PHRASES.iter().find(|(word, _)| words.contains(word)).map(|(_, class)| *class);
    match (status, by_phrase) {
        (Some(402), _) => NoAnswer::Billing,
        // The status decides, unless the phrase is more specific.
        (Some(401), _) => NoAnswer::Auth,
        (Some(403), by_phrase) => by_phrase.unwrap_or(NoAnswer::Auth),
        (Some(413), _) => NoAnswer::ContextTooLong,
        (Some(429), Some(NoAnswer::Billing)) => NoAnswer::Billing,
        (Some(429), _) => NoAnswer::RateLimit,
        (Some(408), _) => NoAnswer::TimedOut,
        (Some(500..=599), Some(NoAnswer::ContextTooLong)) => NoAnswer::ContextTooLong,
        (Some(500..=599), _) => NoAnswer::Overloaded,
        (_, Some(class)) => class,
        (Some(_), None) => NoAnswer::BadRequest,
        // An unknown error inside a stream is a server error.
        (None, None) => NoAnswer::Overloaded,
    }
}

/// The requested delay: seconds, a date, or OpenAI's milliseconds.
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

/// Google's form of it: `"retryDelay": "34.5s"` in the details.
fn retry_delay(value: &Value) -> Option<Duration> {
    let value = value.as_array().and_then(|list| list.first()).unwrap_or(value);
    let details = value.get("error")?.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    Duration::try_from_secs_f64(delay.strip_suffix('s')?.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(status: u16, headers: &[(&'static str, &str)], body: &str) -> ModelError {
        let headers = headers.iter().map(|(name, value)| {
            (tarsus_host::egress::HeaderName::from_static(name), value.parse().unwrap())
        });
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        response(status, &headers.collect(), body.as_bytes(), now)
    }

    #[test]
    fn provider_errors_are_classified() {
        for (status, body, class, what) in [
            (
                401,
                r#"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#,
                NoAnswer::Auth,
                "Incorrect API key provided",
            ),
            (403, r#"{"error":{"message":"no access"}}"#, NoAnswer::Auth, "no access"),
            (
                400,
                r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}"#,
                NoAnswer::Auth,
                "API key not valid. Please pass a valid API key.",
            ),
            (402, r#"{"error":{"message":"pay"}}"#, NoAnswer::Billing, "pay"),
            (429, r#"{"error":{"message":"quota","type":"insufficient_quota"}}"#, NoAnswer::Billing, "quota"),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}"#,
                NoAnswer::Billing,
                "Your credit balance is too low",
            ),
            (429, r#"{"error":{"message":"slow down"}}"#, NoAnswer::RateLimit, "slow down"),
            (
                529,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                NoAnswer::Overloaded,
                "Overloaded",
            ),
            (500, "", NoAnswer::Overloaded, "the server answered with status 500"),
            (502, "<html>Bad gateway</html>", NoAnswer::Overloaded, "the server answered with status 502"),
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 8192 tokens"}}"#,
                NoAnswer::ContextTooLong,
                "This model's maximum context length is 8192 tokens",
            ),
            (
                400,
                r#"{"error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens"}}"#,
                NoAnswer::ContextTooLong,
                "prompt is too long: 210000 tokens",
            ),
            (
                400,
                r#"{"error":{"code":400,"type":"exceed_context_size_error","message":"the request exceeds the available context size"}}"#,
                NoAnswer::ContextTooLong,
                "the request exceeds the available context size",
            ),
            (413, "", NoAnswer::ContextTooLong, "the server answered with status 413"),
            (
                404,
                r#"{"error":"model \"x\" not found, try pulling it first"}"#,
                NoAnswer::BadRequest,
                "model \"x\" not found, try pulling it first",
            ),
            (
                422,
                r#"{"object":"error","message":"bad field","code":422}"#,
                NoAnswer::BadRequest,
                "bad field",
            ),
            (302, "", NoAnswer::BadRequest, "the server answered with status 302"),
            (408, "", NoAnswer::TimedOut, "the server answered with status 408"),
            (
                400,
                r#"[{"error":{"code":429,"message":"x","status":"RESOURCE_EXHAUSTED"}}]"#,
                NoAnswer::RateLimit,
                "x",
            ),
        ] {
            let expected =
                ModelError { class, message: what.into(), status: Some(status), retry_after: None };
            assert_eq!(failure(status, &[], body), expected, "{body}");
        }
    }

    #[test]
    fn stream_errors_are_classified() {
        let classified = |text: &str| {
            error_event(&serde_json::from_str(text).unwrap()).map(|failure| (failure.class, failure.message))
        };
        for (text, expected) in [
            (
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                Some((NoAnswer::Overloaded, "Overloaded".into())),
            ),
            (
                r#"{"error":{"code":429,"message":"Rate limited upstream"}}"#,
                Some((NoAnswer::RateLimit, "Rate limited upstream".into())),
            ),
            (
                r#"{"type":"error","code":"server_error","message":"sorry"}"#,
                Some((NoAnswer::Overloaded, "sorry".into())),
            ),
            (r#"{"error":{"code":"odd"}}"#, Some((NoAnswer::Overloaded, "the server failed: odd".into()))),
            (r#"{"error":null,"choices":[]}"#, None),
            (r#"{"choices":[]}"#, None),
        ] {
            assert_eq!(classified(text), expected, "{text}");
        }
    }

    #[test]
    fn retry_delay_is_read_in_every_form() {
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
