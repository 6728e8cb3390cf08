//! Renders a problem for people: message, location, notes and next step.

use std::fmt::Write;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use tarsus_home::layout::display_path;
use tarsus_protocol::{ErrorCode, Excerpt, Problem, SourceLocation};
use unicode_width::UnicodeWidthStr;

use crate::text::printable;

const LOUD: Style = AnsiColor::Red.on_default().bold();
const QUIET: Style = AnsiColor::Blue.on_default();

/// Returns the text with ANSI styles; the output stream strips them if there is no terminal.
pub fn render(problem: &Problem, user_home: Option<&Path>) -> String {
    let word = if problem.code == ErrorCode::Denied { "refused" } else { "error" };
    let mut text = format!("{LOUD}{word}:{LOUD:#} {}\n", printable(&problem.message));
    // Notes may contain names from untrusted files.
    let lines = problem.notes.iter().map(String::as_str).chain([problem.next_step()]).map(printable);
    match &problem.location {
        None => lines.for_each(|line| push(&mut text, format_args!("  {line}\n"))),
        Some(place) => {
            let width = place.line.map_or(1, |line| line.to_string().len());
            push(
                &mut text,
                format_args!("{:width$}{QUIET}-->{QUIET:#} {}\n", "", location(place, user_home)),
            );
            if let (Some(line), Some(excerpt)) = (place.line, &place.excerpt) {
                push_excerpt(&mut text, line, excerpt, width);
            }
            lines.for_each(|line| push(&mut text, format_args!("{:width$} {QUIET}={QUIET:#} {line}\n", "")));
        }
    }
    text
}

fn location(place: &SourceLocation, user_home: Option<&Path>) -> String {
    let mut text = printable(&display_path(&place.path, user_home));
    for number in [place.line, place.column].into_iter().flatten() {
        push(&mut text, format_args!(":{number}"));
    }
    text
}

fn push_excerpt(text: &mut String, line: u32, excerpt: &Excerpt, width: usize) {
    let before: String = excerpt.text.chars().take(excerpt.offset).collect();
    let indent = before.width();
    push(text, format_args!("{:width$} {QUIET}|{QUIET:#}\n", ""));
    push(text, format_args!("{QUIET}{line:width$} |{QUIET:#} {}\n", excerpt.text));
    push(
        text,
        format_args!("{:width$} {QUIET}|{QUIET:#} {:indent$}{LOUD}^{LOUD:#} {}\n", "", "", excerpt.label),
    );
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    text.write_fmt(arguments).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(problem: &Problem) -> String {
        anstream::adapter::strip_str(&render(problem, Some(Path::new("/home/ada")))).to_string()
    }

    #[test]
    fn excerpt_caret_is_aligned_below_wide_characters() {
        let problem = Problem::new(ErrorCode::Malformed, "openclaw.json is not valid")
            .at(SourceLocation {
                path: "/home/ada/.openclaw/openclaw.json".into(),
                line: Some(12),
                column: Some(9),
                excerpt: Some(Excerpt {
                    text: "  \"天气\" true".into(),
                    offset: 7,
                    label: "expected `:` after the key \"天气\"".into(),
                }),
            })
            .note("nothing was changed");
        insta::assert_snapshot!(plain(&problem), @r#"
        error: openclaw.json is not valid
          --> ~/.openclaw/openclaw.json:12:9
           |
        12 |   "天气" true
           |          ^ expected `:` after the key "天气"
           = nothing was changed
           = nothing was changed; fix the file at the place shown
        "#);
    }

    #[test]
    fn render_removes_control_characters() {
        let problem = Problem::new(ErrorCode::Denied, "no \x1b[31mapp\u{202e}")
            .at(SourceLocation { path: "/a\x07b".into(), line: None, column: None, excerpt: None })
            .note("a\nnote")
            .hint("a\x1b]0;hint");
        insta::assert_snapshot!(plain(&problem), @r"
        refused: no [31mapp
         --> /ab
          = anote
          = a]0;hint
        ");
    }

    #[test]
    fn denied_problem_is_rendered_as_refused_with_hint() {
        let problem =
            Problem::new(ErrorCode::Denied, "main may not launch \"Last Z\"").hint("ask system_engineer");
        insta::assert_snapshot!(plain(&problem), @r#"
        refused: main may not launch "Last Z"
          ask system_engineer
        "#);
    }
}
