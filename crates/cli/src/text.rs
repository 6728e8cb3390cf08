//! Text for people: columns that line up whatever is in them, times and amounts in words.

use std::time::Duration;

use tarsus_protocol::text::is_invisible;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Rows as left-aligned columns two spaces apart, by the width on a terminal (emoji and Chinese count as two).
pub fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (width, cell) in widths.iter().zip(row) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width - cell.width() + 2));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The text in at most `width` columns, on one line; what is too long ends with `…`, between two letters.
pub fn cut(text: &str, width: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.width() > width {
            return shortened(&line, width);
        }
    }
    line
}

fn shortened(line: &str, width: usize) -> String {
    let mut short = String::new();
    let mut used = 0;
    for letter in line.graphemes(true) {
        used += letter.width();
        if used >= width {
            break;
        }
        short.push_str(letter);
    }
    format!("{}…", short.trim_end())
}

/// Text from outside, safe to print: what would move the cursor, colour the terminal or turn the reading direction, and
/// everything else that shows nothing, is left out.
pub fn printable(text: &str) -> String {
    text.chars().filter(|letter| !is_invisible(*letter)).collect()
}

/// A length of time as people say it: `3 h 12 min`.
pub fn duration(length: Duration) -> String {
    let seconds = length.as_secs();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min"),
        (0, _, _) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

/// A number with its thousands apart: `18,204`.
pub fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 problem`, `2 problems`.
pub fn count(amount: usize, thing: &str) -> String {
    let plural = if amount == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", number(amount as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_for_emoji_and_chinese() {
        let rows = [
            ["+ ready".to_owned(), "git".to_owned(), "bundled".to_owned()],
            ["x missing".to_owned(), "天气 🌐".to_owned(), "workspace".to_owned()],
            ["-".to_owned(), String::new(), String::new()],
        ];
        assert_eq!(columns(&rows), "+ ready    git      bundled\nx missing  天气 🌐  workspace\n-\n");
    }

    #[test]
    fn long_text_is_cut_between_letters_by_its_width() {
        let table = [
            ("fits", 4, "fits"),
            ("two\n  lines", 20, "two lines"),
            ("Automate git workflows", 12, "Automate gi…"),
            ("Automate git workflows", 10, "Automate…"),
            ("当前天气与预报", 7, "当前天…"),
            ("👩‍🚀👩‍🚀👩‍🚀", 5, "👩‍🚀👩‍🚀…"),
            ("", 3, ""),
        ];
        for (text, width, expected) in table {
            let cut = cut(text, width);
            assert_eq!(cut, expected);
            assert!(cut.width() <= width.max(1), "{cut:?} is too wide");
        }
    }

    #[test]
    fn text_from_outside_cannot_drive_the_terminal() {
        assert_eq!(printable("a\u{1b}[31mb\u{202e}c\n天\u{7}气"), "a[31mbc天气");
    }

    #[test]
    fn amounts_read_as_people_write_them() {
        let table = [(0, "0"), (999, "999"), (1_000, "1,000"), (18_204, "18,204"), (1_234_567, "1,234,567")];
        for (value, text) in table {
            assert_eq!(number(value), text);
        }
        assert_eq!((count(1, "record"), count(2, "record")), ("1 record".to_owned(), "2 records".to_owned()));
        let table = [(0, "0 s"), (59, "59 s"), (60, "1 min"), (11_520, "3 h 12 min"), (90_000, "1 d 1 h")];
        for (seconds, text) in table {
            assert_eq!(duration(Duration::from_secs(seconds)), text);
        }
    }
}
