//! Indented JSON, two spaces a level, byte for byte like `serde_json`'s pretty printer.
//!
//! Writes a line break and its indent at once; `serde_json` writes each level by itself, which dominates the time
//! of a long listing.

use std::io::{self, Write};

use serde_json::ser::Formatter;

/// A comma, a line break and the longest indent that is written at once.
const SEPARATOR: &[u8] = b",\n                                                                ";
/// Bytes of [`SEPARATOR`] before the spaces.
const BREAK_LEN: usize = 2;

#[derive(Default)]
pub struct IndentedFormatter {
    level: usize,
    has_values: bool,
}

impl IndentedFormatter {
    fn open<W: Write + ?Sized>(&mut self, writer: &mut W, bracket: u8) -> io::Result<()> {
        self.level += 1;
        self.has_values = false;
        writer.write_all(&[bracket])
    }

    fn close<W: Write + ?Sized>(&mut self, writer: &mut W, bracket: u8) -> io::Result<()> {
        self.level -= 1;
        if self.has_values {
            self.line(writer, true)?;
        }
        writer.write_all(&[bracket])
    }

    fn line<W: Write + ?Sized>(&self, writer: &mut W, first: bool) -> io::Result<()> {
        let mut spaces = self.level * 2;
        let most = SEPARATOR.len() - BREAK_LEN;
        writer.write_all(&SEPARATOR[usize::from(first)..BREAK_LEN + spaces.min(most)])?;
        while spaces > most {
            spaces -= most;
            writer.write_all(&SEPARATOR[BREAK_LEN..BREAK_LEN + spaces.min(most)])?;
        }
        Ok(())
    }
}

impl Formatter for IndentedFormatter {
    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b'[')
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b']')
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.line(writer, first)
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_values = true;
        Ok(())
    }

    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b'{')
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b'}')
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.line(writer, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_values = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use serde_json::{Serializer, Value, json};

    use super::*;

    fn printed(value: &Value) -> String {
        let mut bytes = Vec::new();
        value.serialize(&mut Serializer::with_formatter(&mut bytes, IndentedFormatter::default())).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn output_equals_serde_json_pretty() {
        let deep = (0..120).fold(json!([1, {}]), |inner, level| match level % 2 {
            0 => json!({ "a": inner, "b": [] }),
            _ => json!([inner, null]),
        });
        for value in [
            json!(null),
            json!({}),
            json!([]),
            json!([[], {}, [[]], { "a": {} }]),
            json!({ "a": [1, "x,\n", { "b": true }], "c": { "d": 1.5 } }),
            deep,
        ] {
            assert_eq!(printed(&value), serde_json::to_string_pretty(&value).unwrap());
        }
    }
}
