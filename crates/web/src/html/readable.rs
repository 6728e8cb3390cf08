//! The article of a page, or the whole page where there is none.

use dom_query::Document;
use dom_smoothie::{Config, Readability, TextMode, is_probably_readable};
use tarsus_host::egress::Url;

use super::tree::Overlimit;
use crate::content::TextFormat;

/// An article with fewer characters may be a teaser, or a notice about cookies.
const SHORT_CHARS: usize = 500;
/// A short article is taken for the page's content if the rest of the page has at most so many times its text.
const MAX_REST: usize = 3;

/// Paragraphs with at least so many characters make an article likely; in Chinese they are short.
const MIN_PARAGRAPH_CHARS: usize = 40;
/// The sum over them of the square root of what exceeds it.
const MIN_SCORE: f32 = 10.0;

/// Nothing that a person reads.
const INVISIBLE: &str = "script, style, template, noscript, svg, iframe, object, [hidden]";
/// Never part of an article.
const MENUS: &str = "nav, [role=navigation], dialog";
/// What surrounds the content of a page.
const SURROUNDINGS: &str =
    "nav, aside, footer, form, dialog, [role=navigation], [role=search], [aria-hidden=true]";

/// The title and the text of a page.
#[derive(Debug)]
pub(super) struct Extract {
    pub(super) title: String,
    pub(super) text: String,
}

/// The article, or the page without its surroundings if it has no article. `parse` builds the tree again: finding the
/// article consumes it.
pub(super) fn article_or_page(
    document: Document,
    url: &Url,
    format: TextFormat,
    parse: impl Fn() -> Result<Document, Overlimit>,
) -> Option<Extract> {
    // Looking for an article that is not there takes many times as long.
    if !is_probably_readable(&document, Some(MIN_SCORE), Some(MIN_PARAGRAPH_CHARS)) {
        return Some(whole_page(&document, url, format, true));
    }
    let article = article(document, url, format);
    let chars = article.as_ref().map_or(0, |article| visible_chars(&article.text));
    if chars >= SHORT_CHARS {
        return article;
    }
    let mut page = whole_page(&parse().ok()?, url, format, true);
    match article {
        Some(article) if visible_chars(&page.text) <= chars * MAX_REST => Some(article),
        Some(article) => {
            page.title = if article.title.is_empty() { page.title } else { article.title };
            Some(page)
        }
        None => Some(page),
    }
}

fn article(document: Document, url: &Url, format: TextFormat) -> Option<Extract> {
    let text_mode = match format {
        TextFormat::Markdown => TextMode::Markdown,
        TextFormat::Text => TextMode::Formatted,
    };
    document.select(MENUS).remove();
    let config = Config { text_mode, ..Config::default() };
    let mut reader = Readability::with_document(document, Some(url.as_str()), Some(config)).ok()?;
    let article = reader.parse().ok()?;
    Some(Extract { title: article.title, text: article.text_content.to_string() })
}

/// The whole page, with or without its surroundings.
pub(super) fn whole_page(
    document: &Document,
    url: &Url,
    format: TextFormat,
    without_surroundings: bool,
) -> Extract {
    let title = document.select("head > title").text().to_string();
    document.select(INVISIBLE).remove();
    if without_surroundings {
        document.select(SURROUNDINGS).remove();
    }
    make_links_absolute(document, url);
    let body = document.body().unwrap_or_else(|| document.root());
    let text = match format {
        TextFormat::Markdown => body.md(None),
        TextFormat::Text => body.formatted_text(),
    };
    Extract { title, text: text.to_string() }
}

fn make_links_absolute(document: &Document, url: &Url) {
    let base = document.base_uri().and_then(|base| url.join(&base).ok());
    let base = base.as_ref().unwrap_or(url);
    for (selector, name) in [("a[href]", "href"), ("img[src]", "src")] {
        for node in document.select(selector).nodes() {
            let link = node.attr(name).and_then(|link| base.join(&link).ok());
            match link.filter(|link| matches!(link.scheme(), "http" | "https" | "mailto")) {
                Some(link) => node.set_attr(name, link.as_str()),
                None => node.remove_attr(name),
            }
        }
    }
}

/// Letters and digits: the syntax of Markdown does not count.
fn visible_chars(text: &str) -> usize {
    text.chars().filter(|letter| letter.is_alphanumeric()).count()
}
