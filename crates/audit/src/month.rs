//! The month that a file of the chain belongs to.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A month of the calendar, in UTC; written `2026-11`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Month {
    year: u16,
    month: u8,
}

impl Month {
    /// Returns the month of a timestamp; years before 0 count as 0.
    #[must_use]
    pub fn from_timestamp(moment: Timestamp) -> Self {
        let date = TimeZone::UTC.to_datetime(moment).date();
        Self { year: u16::try_from(date.year()).unwrap_or(0), month: date.month().unsigned_abs() }
    }

    /// Returns the file name of the month.
    #[must_use]
    pub fn file_name(self) -> String {
        format!("{self}.jsonl")
    }

    /// Parses a file name; `None` if it is not a file of the chain.
    #[must_use]
    pub fn from_file_name(name: &str) -> Option<Self> {
        name.strip_suffix(".jsonl")?.parse().ok()
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

/// A text that is not a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a month is written YYYY-MM")]
pub struct ParseMonthError;

impl FromStr for Month {
    type Err = ParseMonthError;

    fn from_str(text: &str) -> Result<Self, ParseMonthError> {
        let (year, month) = text.split_once('-').ok_or(ParseMonthError)?;
        let month = Self {
            year: year.parse().map_err(|_| ParseMonthError)?,
            month: month.parse().map_err(|_| ParseMonthError)?,
        };
        // Only the canonical form: `2026-1` or `+2026-01` would be a second file of the same month.
        let known = (1..=12).contains(&month.month) && month.to_string() == text;
        if known { Ok(month) } else { Err(ParseMonthError) }
    }
}

impl TryFrom<String> for Month {
    type Error = ParseMonthError;

    fn try_from(text: String) -> Result<Self, ParseMonthError> {
        text.parse()
    }
}

impl From<Month> for String {
    fn from(month: Month) -> Self {
        month.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_has_one_file_name() {
        let month = Month::from_timestamp("2026-11-30T23:59:59.9Z".parse().unwrap());
        assert_eq!(month.file_name(), "2026-11.jsonl");
        assert_eq!(Month::from_file_name("2026-11.jsonl"), Some(month));
        assert_eq!(
            Month::from_timestamp("0007-01-01T00:00:00Z".parse().unwrap()).file_name(),
            "0007-01.jsonl"
        );
        assert_eq!(Month::from_timestamp(Timestamp::MIN).file_name(), "0000-01.jsonl");
        for other in [
            "2026-11",
            "2026-13.jsonl",
            "2026-1.jsonl",
            "+026-01.jsonl",
            "2026-00.jsonl",
            "x.jsonl",
            "2026-11.jsonl.1",
        ] {
            assert_eq!(Month::from_file_name(other), None, "{other}");
        }
    }
}
