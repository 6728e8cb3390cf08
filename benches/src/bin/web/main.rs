//! Measures the reading of web pages: the processor time for a page of one megabyte, and time and memory for pages of ten
//! that are made to exhaust their reader.
//!
//! `--read FOLDER` writes the text of every `NAME.html` beside it as `NAME.tarsus.txt`; `readability.py` compares these
//! texts with those of other extractors.
#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a measurement of real files, which stops at the first surprise"
)]

mod hostile;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tarsus_benches::report::{Report, Row};
use tarsus_host::Clock;
use tarsus_host::egress::Url;
use tarsus_web::{Readable, TextFormat, read_html};

/// How often a page is read.
const RUNS: usize = 15;
/// Milliseconds for a page of one megabyte.
const TARGET: f64 = 60.0;

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => measure(),
        ["--read", folder] => read_folder(Path::new(folder)),
        _ => eprintln!("usage: web [--read FOLDER]"),
    }
}

fn read(html: &str, format: TextFormat) -> Readable {
    let url = Url::parse("https://example.org/news/today").unwrap();
    read_html(html, &url, format, false, &Clock::system())
}

fn measure() {
    let mut report = Report::default();
    for (name, html) in [("articles", articles()), ("a list of links", links())] {
        let rounds: Vec<Duration> = (0..RUNS).map(|_| processor_time(&html)).collect();
        let what = format!("1 MB of {name}, processor time");
        report.rows.push(Row::times(what, &rounds).target(TARGET));
    }
    let large = hostile::large_pages().map(|(name, html)| (format!("10 MB of {name}"), html));
    let full = hostile::full_pages().map(|(name, html)| (format!("95,000 elements: {name}"), html));
    for (name, html) in large.chain(full) {
        let start = Instant::now();
        let readable = read(&html, TextFormat::Markdown);
        let time = start.elapsed();
        let kind = if readable.is_plain { "plain" } else { "readable" };
        report.rows.push(Row::times(format!("{name} ({kind})"), &[time]).target(5_000.0));
    }
    println!("{}", report.to_text());
}

fn processor_time(html: &str) -> Duration {
    let before = used();
    assert!(!read(html, TextFormat::Markdown).is_plain);
    used() - before
}

/// Processor time of this process so far.
#[cfg(unix)]
fn used() -> Duration {
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_SELF).unwrap();
    let micros = |time: nix::sys::time::TimeVal| {
        Duration::from_micros((time.tv_sec() * 1_000_000 + time.tv_usec()) as u64)
    };
    micros(usage.user_time()) + micros(usage.system_time())
}

#[cfg(not(unix))]
fn used() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

const SENTENCE: &str = "The harbour opened again on Monday, after a storm that had closed it for a week, and the first \
    boats left before dawn. ";

/// One long article with headings, links, a table for each section, and what surrounds it.
fn articles() -> String {
    let mut html = String::from("<html><head><title>Harbour</title></head><body><nav><ul>");
    for number in 0..200 {
        html.push_str(&format!(
            "<li class='menu-item'><a href='/section/{number}'>Section {number}</a></li>"
        ));
    }
    html.push_str("</ul></nav><main><article>");
    while html.len() < 1 << 20 {
        html.push_str(&format!(
            "<section class='part'><h2>Heading</h2><p class='text'>{0}<a href='/more'>More</a> {0}</p><p>{0}</p>\
             <ul><li>{SENTENCE}</li><li>{SENTENCE}</li></ul><table><tr><th>Day</th><th>Boats</th></tr>\
             <tr><td>Monday</td><td>12</td></tr></table></section>",
            SENTENCE.repeat(3)
        ));
    }
    html.push_str("</article></main><footer>Imprint</footer></body></html>");
    html
}

/// A page without an article.
fn links() -> String {
    let mut html = String::from("<title>List</title><div class='list'>");
    let mut number = 0;
    while html.len() < 1 << 20 {
        html.push_str(&format!(
            "<div class='row'><span>{number}.</span> <a class='title' href='/item/{number}'>Item number {number}, new</a> \
             <span class='score'>12 points</span></div>"
        ));
        number += 1;
    }
    html
}

fn read_folder(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|kind| kind == "html") {
            let html = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            let start = Instant::now();
            let readable = read(&html, TextFormat::Text);
            println!("{} {:.2} ms", path.display(), start.elapsed().as_secs_f64() * 1e3);
            fs::write(path.with_extension("tarsus.txt"), readable.text).unwrap();
        }
    }
}
