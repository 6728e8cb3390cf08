//! Between values and columns: words for enums, parsed texts, JSON, and numbers that SQLite has no unsigned kind of.

use std::fmt::Display;
use std::str::FromStr;

use rusqlite::types::Type;
use rusqlite::{Row, RowIndex};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Bytes of a reason that is kept, such as why a run failed; what is longer is cut and says so.
const REASON_BYTES: usize = 8 * 1024;

/// A column by its name, or by its place where thousands of rows are read: names are looked for in each of them.
pub(crate) trait Column: RowIndex + Display + Copy {}

impl<T: RowIndex + Display + Copy> Column for T {}

/// A value that is no longer what was written: the column and what is wrong with it.
fn column_error(column: impl Column, error: impl Display) -> rusqlite::Error {
    let text = format!("the column {column} cannot be read: {error}");
    rusqlite::Error::FromSqlConversionFailure(0, Type::Text, text.into())
}

/// The word of an enum.
pub(crate) fn enum_to_text<T: Serialize>(value: T) -> Option<String> {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => Some(word),
        _ => None,
    }
}

/// A column that holds the word of an enum, or nothing.
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

/// A column that holds a text of its own kind, or nothing.
pub(crate) fn parsed_column<T>(row: &Row<'_>, column: impl Column) -> rusqlite::Result<Option<T>>
where
    T: FromStr<Err: Display>,
{
    let text = row.get_ref(column)?.as_str_or_null()?;
    text.map(|text| text.parse().map_err(|error| column_error(column, error))).transpose()
}

/// A column that holds JSON.
pub(crate) fn json_column<T: DeserializeOwned>(row: &Row<'_>, column: impl Column) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    serde_json::from_str(text).map_err(|error| column_error(column, error))
}

/// A column that may not be empty, where it is.
pub(crate) fn require<T>(value: Option<T>, column: impl Column) -> rusqlite::Result<T> {
    value.ok_or_else(|| column_error(column, "it is empty"))
}

/// A column that holds a number of things.
pub(crate) fn u64_column(row: &Row<'_>, column: impl Column) -> rusqlite::Result<u64> {
    u64::try_from(row.get::<_, i64>(column)?).map_err(|error| column_error(column, error))
}

/// A number as SQLite has it; beyond that, the largest.
pub(crate) fn to_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A reason as it is kept.
pub(crate) fn truncate_reason(reason: &str) -> String {
    if reason.len() <= REASON_BYTES {
        return reason.to_owned();
    }
    let end = reason.floor_char_boundary(REASON_BYTES);
    format!("{} … ({} more bytes were cut)", &reason[..end], reason.len() - end)
}
