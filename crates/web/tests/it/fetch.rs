//! Fetching: redirects, limits, encodings, the cache.

use std::io::Write;
use std::time::Duration;

use tarsus_home::config::view::{SsrfPolicy, WebFetch};
use tarsus_host::Clock;
use tarsus_host::egress::EgressError;
use tarsus_web::{Page, PageFetcher, PageRequest, TextFormat, WebError};

use crate::server::{Server, answer, html, redirect};

pub fn settings() -> WebFetch {
    let ssrf_policy = SsrfPolicy { dangerously_allow_private_network: true, ..SsrfPolicy::default() };
    WebFetch { ssrf_policy, ..WebFetch::default() }
}

pub fn request(url: impl Into<String>) -> PageRequest {
    PageRequest { url: url.into(), format: TextFormat::Markdown, max_chars: 50_000 }
}

pub async fn fetch(settings: &WebFetch, url: String) -> Result<Page, WebError> {
    let clock = Clock::fixed(1_000_000).0;
    PageFetcher::default().fetch(settings, &request(url), &clock, &|_| None).await
}

#[tokio::test]
async fn page_is_fetched_with_its_title_and_final_url() {
    let server = Server::start(|path| match path {
        "/start" => redirect("/end?x=1#part"),
        _ => html("<title>One &amp; all</title><h2>Two</h2><p>three <a href='/four'>four</a>"),
    })
    .await;
    let page = fetch(&settings(), server.url("/start#top")).await.unwrap();
    let expected = Page {
        url: server.url("/end?x=1#part"),
        status: 200,
        title: "One & all".to_owned(),
        fetched_at: "1970-01-01T00:16:40Z".parse().unwrap(),
        is_cached: false,
        text: format!("## Two\n\nthree [four]({})", server.url("/four")),
        chars: page.text.len(),
        note: None,
    };
    assert_eq!(page, expected);
    let requests = server.requests();
    assert!(requests[0].starts_with("GET /start HTTP/1.1\r\n"), "{requests:?}");
    let lower = requests[0].to_lowercase();
    assert!(lower.contains("user-agent: tarsus/") && lower.contains("accept: text/html,"), "{lower}");
    assert!(!lower.contains("cookie") && !lower.contains("referer"), "{lower}");
}

#[tokio::test]
async fn settings_limit_size_time_and_redirects() {
    let server = Server::start(|path| match path {
        "/large" => html(&"x".repeat(2_000)),
        "/bomb" => {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            packer.write_all(&vec![b'x'; 1_000_000]).unwrap();
            answer("200 OK", "Content-Encoding: gzip\r\n", &packer.finish().unwrap())
        }
        "/silent" => b"HTTP/1.1 200 OK\r\n\r\nslow".to_vec(),
        "/2" => redirect("/1"),
        "/1" => redirect("/0"),
        _ => html("<p>there"),
    })
    .await;
    let small = WebFetch { max_response_bytes: 1_000, timeout_seconds: 1, max_redirects: 1, ..settings() };
    for (path, expected) in [
        ("/large", "is larger than 1000 bytes"),
        ("/bomb", "is larger than 1000 bytes"),
        ("/silent", "did not respond in time"),
        ("/2", "redirected more than 1 times"),
    ] {
        let error = fetch(&small, server.url(path)).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{path}: {error}");
    }
    assert_eq!(fetch(&small, server.url("/1")).await.unwrap().text, "there");
    let huge = WebFetch { max_response_bytes: u32::MAX, timeout_seconds: u32::MAX, ..settings() };
    assert_eq!(fetch(&huge, server.url("/large")).await.unwrap().chars, 2_000);
}

#[tokio::test]
async fn compressed_and_foreign_encodings_are_read() {
    let server = Server::start(|path| match path {
        "/gzip" => {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            packer.write_all(b"<p>packed").unwrap();
            let headers = "Content-Type: text/html\r\nContent-Encoding: gzip\r\n";
            answer("200 OK", headers, &packer.finish().unwrap())
        }
        "/br" => answer("200 OK", "Content-Encoding: br\r\n", b"x"),
        "/latin" => answer("200 OK", "Content-Type: text/plain; charset=iso-8859-1\r\n", b"caf\xe9"),
        "/meta" => answer("200 OK", "Content-Type: text/html\r\n", b"<meta charset=shift_jis><p>\x82\xa0"),
        "/pdf" => answer("200 OK", "Content-Type: application/pdf\r\n", b"%PDF-1.7"),
        _ => answer("404 Not Found", "Content-Type: text/html\r\n", b"<title>Lost</title><p>no such page"),
    })
    .await;
    for (path, expected) in [("/gzip", "packed"), ("/latin", "café"), ("/meta", "あ")] {
        assert_eq!(fetch(&settings(), server.url(path)).await.unwrap().text, expected, "{path}");
    }
    let error = fetch(&settings(), server.url("/br")).await.unwrap_err();
    assert!(matches!(&error, WebError::Encoding { encoding, .. } if encoding == "br"), "{error:?}");
    let error = fetch(&settings(), server.url("/pdf")).await.unwrap_err();
    assert!(matches!(&error, WebError::NotText { content_type, .. } if content_type == "a PDF"), "{error:?}");
    let lost = fetch(&settings(), server.url("/lost")).await.unwrap();
    assert_eq!((lost.status, lost.title.as_str(), lost.text.as_str()), (404, "Lost", "no such page"));
}

#[tokio::test]
async fn text_is_cut_after_a_number_of_characters() {
    let server = Server::start(|_| html("<p>日本語の道")).await;
    let clock = Clock::fixed(0).0;
    let request = PageRequest { max_chars: 3, ..request(server.url("/")) };
    let page = PageFetcher::default().fetch(&settings(), &request, &clock, &|_| None).await.unwrap();
    assert_eq!((page.text.as_str(), page.chars), ("日本語", 5));
}

#[tokio::test]
async fn page_is_kept_for_fifteen_minutes() {
    let server = Server::start(|path| match path {
        "/gone" => answer("500 Oops", "Content-Type: text/plain\r\n", b"no"),
        _ => html("<p>one"),
    })
    .await;
    let (clock, control) = Clock::fixed(0);
    let fetcher = PageFetcher::default();
    let get = async |settings: &WebFetch, path: &str, format| {
        let request = PageRequest { format, ..request(server.url(path)) };
        let page = fetcher.fetch(settings, &request, &clock, &|_| None).await.unwrap();
        (page.is_cached, server.requests().len())
    };
    let (all, markdown) = (settings(), TextFormat::Markdown);
    assert_eq!(get(&all, "/a", markdown).await, (false, 1));
    control.advance(Duration::from_secs(14 * 60 + 59));
    assert_eq!(get(&all, "/a#part", markdown).await, (true, 1));
    assert_eq!(get(&all, "/a", TextFormat::Text).await, (false, 2));
    control.advance(Duration::from_secs(1));
    assert_eq!(get(&all, "/a", markdown).await, (false, 3));
    for number in 4..6 {
        assert_eq!(get(&all, "/gone", markdown).await, (false, number), "an error is not kept");
    }
    let none = WebFetch { cache_ttl_minutes: 0.0, ..settings() };
    for number in 6..8 {
        assert_eq!(get(&none, "/a", markdown).await, (false, number));
    }
}

#[tokio::test]
async fn kept_page_is_checked_again_with_all_its_hosts() {
    let other = Server::start(|_| html("<p>there")).await;
    let target = format!("http://localhost:{}/", other.address.port());
    let server = Server::start(move |_| redirect(&target)).await;
    let clock = Clock::fixed(0).0;
    let fetcher = PageFetcher::default();
    let only_first = |host: &str| (host != "127.0.0.1").then(|| format!("not {host}"));
    for checked in [false, true, false] {
        let check: tarsus_web::HostCheck<'_> = if checked { &only_first } else { &|_| None };
        let page = fetcher.fetch(&settings(), &request(server.url("/")), &clock, check).await;
        match page {
            Ok(page) => assert_eq!((page.text.as_str(), checked), ("there", false)),
            Err(WebError::Request(EgressError::Refused { source, .. })) => {
                assert_eq!((source.to_string().as_str(), checked), ("not localhost", true));
            }
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!(other.requests().len(), 1, "the refused redirect was not followed");
}
