//! HTML to readable text: parsed within limits, reduced to the article, written as Markdown or as plain text.
//!
//! A page beyond a limit is not parsed as a tree: its text is taken out in one pass over its bytes, which needs time in
//! proportion to them whatever they are.

mod plain;
mod readable;
mod tree;

use std::time::{Duration, Instant};

use tarsus_host::Clock;
use tarsus_host::egress::Url;

use crate::content::TextFormat;

pub use tree::MAX_DEPTH;

pub(crate) use plain::inline_text;

/// Time to build the tree of a page.
const MAX_PARSE_TIME: Duration = Duration::from_secs(2);

/// What remains of an HTML page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readable {
    /// The title, empty if the page has none.
    pub title: String,
    /// The text.
    pub text: String,
    /// Whether the page exceeded a limit, so that its text has no structure.
    pub is_plain: bool,
}

/// Reads a page. `whole` keeps what is not part of the article, such as navigation.
#[must_use]
pub fn read_html(html: &str, url: &Url, format: TextFormat, whole: bool, clock: &Clock) -> Readable {
    let parse = || {
        let deadline: Option<Instant> = clock.monotonic().checked_add(MAX_PARSE_TIME);
        tree::parse(html, url, &|| deadline.is_none_or(|deadline| clock.monotonic() >= deadline))
    };
    let readable = if whole {
        parse().ok().map(|document| readable::whole_page(&document, url, format, false))
    } else {
        parse().ok().and_then(|document| readable::article_or_page(document, url, format, parse))
    };
    let (title, text, is_plain) = match readable {
        Some(readable::Extract { title, text }) => (title, text, false),
        None => {
            let plain = plain::page_text(html);
            (plain.title, plain.text, true)
        }
    };
    Readable { title: one_line(&title), text: tidy(&text), is_plain }
}

/// The tree of a small page, `None` if it exceeds a limit.
pub(crate) fn parse_bounded(html: &str, url: &Url) -> Option<dom_query::Document> {
    tree::parse(html, url, &|| false).ok()
}

fn one_line(text: &str) -> String {
    const MAX_TITLE_CHARS: usize = 300;
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_TITLE_CHARS).collect()
}

/// Removes trailing spaces and more than one empty line in a row.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines().map(str::trim_end) {
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty <= 1 && !(line.is_empty() && out.is_empty()) {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.truncate(out.trim_end().len());
    out
}
