//! Parses points in time as people write them: `30m`, `2h`, `7d`, a date, a timestamp.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use tarsus_protocol::{ErrorCode, Problem};

/// Parses a point in time relative to `now`. Dates and times without a zone are local.
pub fn parse_since(text: &str, now: Timestamp) -> Result<Timestamp, Problem> {
    parse_ago(text, now).or_else(|| parse_absolute(text)).ok_or_else(|| {
        Problem::new(ErrorCode::Usage, format!("{text:?} is not a valid time"))
            .hint("use 30m, 2h or 7d, a date like 2026-11-01, or a time like 2026-11-01T09:30:00Z")
    })
}

fn parse_ago(text: &str, now: Timestamp) -> Option<Timestamp> {
    let unit = text.chars().last()?;
    let amount: i64 = text.strip_suffix(unit)?.trim_end().parse().ok().filter(|amount| *amount >= 0)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return None,
    };
    now.checked_sub(SignedDuration::from_secs(amount.checked_mul(seconds)?)).ok()
}

fn parse_absolute(text: &str) -> Option<Timestamp> {
    let local =
        || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::system()).ok().map(|zoned| zoned.timestamp());
    text.parse().ok().or_else(local)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_and_absolute_times_are_parsed() {
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let table = [
            ("0s", "2026-11-15T12:00:00Z"),
            ("30m", "2026-11-15T11:30:00Z"),
            ("2 h", "2026-11-15T10:00:00Z"),
            ("7d", "2026-11-08T12:00:00Z"),
            ("1w", "2026-11-08T12:00:00Z"),
            ("2026-11-01T09:30:00+02:00", "2026-11-01T07:30:00Z"),
        ];
        for (text, expected) in table {
            assert_eq!(parse_since(text, now).unwrap().to_string(), expected, "{text}");
        }
        assert!(parse_since("2026-11-01", now).is_ok());
    }

    #[test]
    fn invalid_time_is_a_usage_error_with_examples() {
        let now = Timestamp::UNIX_EPOCH;
        for text in
            ["", "h", "-1h", "2y", "yesterday", "99999999999999999999d", "9223372036854775807w", "2026-13-01"]
        {
            let problem = parse_since(text, now).unwrap_err();
            assert_eq!(problem.code, ErrorCode::Usage, "{text}");
            assert!(problem.next_step().contains("2h"));
        }
    }
}
