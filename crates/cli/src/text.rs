//! Text for people: aligned columns, truncation, durations and remarks about spelling.

use std::time::Duration;

use tarsus_home::config::AgentId;
pub use tarsus_text::{count, number, printable};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Formats rows as left-aligned columns two spaces apart, by display width (emoji and Chinese count as two).
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

/// Joins the text into one line of at most `width` columns. Longer text ends with `…`, never inside a grapheme.
pub fn truncate(text: &str, width: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.width() > width {
            return truncate_line(&line, width);
        }
    }
    line
}

fn truncate_line(line: &str, width: usize) -> String {
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

/// Formats a duration: `3 h 12 min`.
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

/// A remark about an agent id that is taken for another spelling of itself.
pub fn spelling_note(written: &str) -> Option<String> {
    let agent: AgentId = written.parse().ok().filter(|agent: &AgentId| agent.as_str() != written)?;
    Some(format!("{} is taken as the agent {agent}: agent ids are in lower case", printable(written)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_emoji_and_chinese() {
        let rows = [
            ["+ ready".to_owned(), "git".to_owned(), "bundled".to_owned()],
            ["x missing".to_owned(), "天气 🌐".to_owned(), "workspace".to_owned()],
            ["-".to_owned(), String::new(), String::new()],
        ];
        assert_eq!(columns(&rows), "+ ready    git      bundled\nx missing  天气 🌐  workspace\n-\n");
    }

    #[test]
    fn truncate_counts_width_and_keeps_graphemes() {
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
            let cut = truncate(text, width);
            assert_eq!(cut, expected);
            assert!(cut.width() <= width.max(1), "{cut:?} is too wide");
        }
    }

    #[test]
    fn durations_are_formatted() {
        let table = [(0, "0 s"), (59, "59 s"), (60, "1 min"), (11_520, "3 h 12 min"), (90_000, "1 d 1 h")];
        for (seconds, text) in table {
            assert_eq!(duration(Duration::from_secs(seconds)), text);
        }
    }
}
