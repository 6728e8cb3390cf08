//! What remains of ordinary pages.

use tarsus_host::Clock;
use tarsus_host::egress::Url;
use tarsus_web::{TextFormat, read_html};

fn read(html: &str, format: TextFormat, whole: bool) -> String {
    let url = Url::parse("https://example.org/news/today").unwrap();
    read_html(html, &url, format, whole, &Clock::fixed(0).0).text
}

const STORY: &str = "The harbour opened again on Monday, after a storm that had closed it for a week, and the first \
    boats left before dawn. Fishermen said that the catch was better than expected, although fuel had become dearer. ";

fn page() -> String {
    let story = STORY.repeat(3);
    format!(
        "<html><head><title>Harbour opens</title></head><body>\
         <nav><ul><li><a href='/'>Home</a></li><li><a href='/sport'>Sport</a></li></ul></nav>\
         <div id='cookie-banner' class='banner'>We use cookies. <button>Accept</button></div>\
         <article><h1>Harbour opens</h1><p>{story}</p><h2>Prices</h2><p>{story}</p>\
         <ul><li>Cod: <b>4</b></li><li>Hake: 6</li></ul>\
         <table><tr><th>Day</th><th>Boats</th></tr><tr><td>Monday</td><td>12</td></tr></table>\
         <pre><code>tide --today</code></pre><p>More in the <a href='../archive?q=1'>archive</a>. {story}</p></article>\
         <aside class='sidebar'><h3>Most read</h3><a href='/x'>Something else entirely</a></aside>\
         <footer>Copyright, imprint, privacy</footer></body></html>"
    )
}

#[test]
fn article_stays_and_its_surroundings_go() {
    let text = read(&page(), TextFormat::Markdown, false);
    for kept in [
        "The harbour opened again",
        "## Prices",
        "- Cod: **4**",
        "| Monday | 12 |",
        "```\ntide --today\n```",
        "[archive](https://example.org/archive?q=1)",
    ] {
        assert!(text.contains(kept), "{kept} in\n{text}");
    }
    for dropped in ["Sport", "cookies", "Most read", "imprint"] {
        assert!(!text.contains(dropped), "{dropped} in\n{text}");
    }
}

#[test]
fn text_has_no_markdown() {
    let text = read(&page(), TextFormat::Text, false);
    for kept in ["The harbour opened again", "Prices", "Cod: 4", "Monday", "tide --today", "archive"] {
        assert!(text.contains(kept), "{kept} in\n{text}");
    }
    for syntax in ["**", "##", "](", "```", "|"] {
        assert!(!text.contains(syntax), "{syntax} in\n{text}");
    }
}

#[test]
fn whole_page_keeps_its_surroundings() {
    let text = read(&page(), TextFormat::Markdown, true);
    for kept in
        ["The harbour opened", "[Sport](https://example.org/sport)", "cookies", "Most read", "imprint"]
    {
        assert!(text.contains(kept), "{kept} in\n{text}");
    }
}

#[test]
fn page_without_an_article_is_kept_without_its_surroundings() {
    let entries: String =
        (0..30).map(|at| format!("<li><a href='/item/{at}'>Item number {at}</a></li>")).collect();
    let html =
        format!("<title>List</title><nav>Menu</nav><h1>All items</h1><ul>{entries}</ul><footer>End</footer>");
    let text = read(&html, TextFormat::Markdown, false);
    assert!(text.starts_with("# All items"), "{text}");
    assert!(text.contains("- [Item number 29](https://example.org/item/29)"), "{text}");
    assert!(!text.contains("Menu") && !text.contains("End"), "{text}");
}
