//! Conversions between Rust values and SQLite columns.

use std::fmt::Display;
use std::str::FromStr;

use rusqlite::types::Type;
use rusqlite::{Row, RowIndex};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Maximum bytes of a stored reason, such as that of a failed run; a longer one is truncated with a note.
const MAX_REASON_BYTES: usize = 8 * 1024;

/// A column by name, or by index where thousands of rows are read: a name is looked up for each row.
pub(crate) trait Column: RowIndex + Display + Copy {}

impl<T: RowIndex + Display + Copy> Column for T {}

/// The error for a column that cannot be decoded.
fn column_error(column: impl Column, error: impl Display) -> rusqlite::Error {
    let text = format!("the column {column} cannot be read: {error}");
    rusqlite::Error::FromSqlConversionFailure(0, Type::Text, text.into())
}

/// The serialized name of an enum variant.
pub(crate) fn enum_to_text<T: Serialize>(value: T) -> Option<String> {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => Some(word),
        _ => None,
    }
}

/// An optional column with the name of an enum variant.
pub(crate) fn enum_column<T: DeserializeOwned>(
    row: &Row<'_>,
    column: impl Column,
) -> rusqlite::Result<Option<T>> {
    let read = |word: String| {
        let word = serde::de::value::StringDeserializer::<serde::de::value::Error>::new(word);
        T::deserialize(word).map_err(|error| column_error(column, error))
    };
    row.get::<_, Option<String>>(column)?.map(read).transpose()
}

/// An optional column that is parsed from text.
pub(crate) fn parsed_column<T>(row: &Row<'_>, column: impl Column) -> rusqlite::Result<Option<T>>
where
    T: FromStr<Err: Display>,
{
    let text = row.get_ref(column)?.as_str_or_null()?;
    text.map(|text| text.parse().map_err(|error| column_error(column, error))).transpose()
}

/// A column with JSON.
pub(crate) fn json_column<T: DeserializeOwned>(row: &Row<'_>, column: impl Column) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    serde_json::from_str(text).map_err(|error| column_error(column, error))
}

/// Fails if the column is empty.
pub(crate) fn require<T>(value: Option<T>, column: impl Column) -> rusqlite::Result<T> {
    value.ok_or_else(|| column_error(column, "it is empty"))
}

/// A column with a count.
pub(crate) fn u64_column(row: &Row<'_>, column: impl Column) -> rusqlite::Result<u64> {
    u64::try_from(row.get::<_, i64>(column)?).map_err(|error| column_error(column, error))
}

/// Converts to SQLite's integer, saturating.
pub(crate) fn to_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Truncates a reason for the store.
pub(crate) fn truncate_reason(reason: &str) -> String {
    if reason.len() <= MAX_REASON_BYTES {
        return reason.to_owned();
    }
    let end = reason.floor_char_boundary(MAX_REASON_BYTES);
    format!("{} … ({} more bytes were cut)", &reason[..end], reason.len() - end)
}
