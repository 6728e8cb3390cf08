//! Searches: the request of each provider, its answers, and the cache.

use std::time::Duration;

use tarsus_home::Secret;
use tarsus_host::Clock;
use tarsus_host::egress::Url;
use tarsus_protocol::Problem;
use tarsus_web::{
    Brave, DuckDuckGo, Freshness, SearchClient, SearchProvider, SearchQuery, SearchResult, Searxng, Tavily,
    WebError,
};

use crate::server::{Server, answer, html};

const KEY: &str = "k-canary-7731";

fn query() -> SearchQuery {
    SearchQuery { query: "rust & \"tide\"".to_owned(), count: 3, ..SearchQuery::default() }
}

fn providers(base: &Url) -> [Box<dyn SearchProvider>; 4] {
    [
        Box::new(Brave::new(Secret::new(KEY), base.clone())),
        Box::new(Tavily::new(Secret::new(KEY), base.clone())),
        Box::new(Searxng::new(base.clone())),
        Box::new(DuckDuckGo::new(base.clone())),
    ]
}

fn sent(query: &SearchQuery) -> [String; 4] {
    let base = Url::parse("https://search.example/x").unwrap();
    providers(&base).map(|provider| match provider.request(query) {
        Ok(request) => {
            assert!(!request.url.as_str().contains(KEY) && !format!("{request:?}").contains(KEY));
            let body = String::from_utf8(request.body).unwrap();
            let line = format!(
                "{} {}?{} {body}",
                request.method,
                request.url.path(),
                request.url.query().unwrap_or_default()
            );
            line.trim_end_matches([' ', '?']).to_owned()
        }
        Err(error) => error.to_string(),
    })
}

#[test]
fn parameters_are_mapped_or_refused_by_name() {
    let text = |value: &str| Some(value.to_owned());
    let (after, before) = (Some("2026-01-02".parse().unwrap()), Some("2026-02-03".parse().unwrap()));
    let q = "q=rust+%26+%22tide%22";
    let no_country = "tavily does not support country: name the country or the language in the query";
    let no_language = no_country.replacen("country", "language", 1);
    let table = [
        (query(), [
            format!("GET /x?{q}&count=3"),
            r#"POST /x? {"query":"rust & \"tide\"","max_results":3}"#.to_owned(),
            format!("GET /x/search?{q}&format=json"),
            format!("GET /x?{q}"),
        ]),
        (SearchQuery { country: text("de"), language: text("en"), ..query() }, [
            format!("GET /x?{q}&count=3&country=DE&search_lang=en"),
            no_country.to_owned(),
            format!("GET /x/search?{q}&format=json&language=en-DE"),
            format!("GET /x?{q}&kl=de-en"),
        ]),
        (SearchQuery { language: text("de"), ..query() }, [
            format!("GET /x?{q}&count=3&search_lang=de"),
            no_language.clone(),
            format!("GET /x/search?{q}&format=json&language=de"),
            "duckduckgo does not support language: country and language go together".to_owned(),
        ]),
        (SearchQuery { country: text("de"), ..query() }, [
            format!("GET /x?{q}&count=3&country=DE"),
            no_country.to_owned(),
            "searxng does not support country: it needs language, too".to_owned(),
            "duckduckgo does not support country: country and language go together".to_owned(),
        ]),
        (SearchQuery { freshness: Some(Freshness::Week), ..query() }, [
            format!("GET /x?{q}&count=3&freshness=pw"),
            r#"POST /x? {"query":"rust & \"tide\"","max_results":3,"time_range":"week"}"#.to_owned(),
            format!("GET /x/search?{q}&format=json&time_range=week"),
            format!("GET /x?{q}&df=w"),
        ]),
        (SearchQuery { date_after: after, date_before: before, ..query() }, [
            format!("GET /x?{q}&count=3&freshness=2026-01-02to2026-02-03"),
            r#"POST /x? {"query":"rust & \"tide\"","max_results":3,"start_date":"2026-01-02","end_date":"2026-02-03"}"#
                .to_owned(),
            "searxng does not support date_after: use freshness".to_owned(),
            format!("GET /x?{q}&df=2026-01-02..2026-02-03"),
        ]),
        (SearchQuery { search_lang: text("zh-hans"), ui_lang: text("de-DE"), ..query() }, [
            format!("GET /x?{q}&count=3&search_lang=zh-hans&ui_lang=de-DE"),
            no_language.replacen("language", "search_lang", 1),
            "searxng does not support ui_lang: use language".to_owned(),
            "duckduckgo does not support search_lang: use language and country".to_owned(),
        ]),
    ];
    for (query, expected) in table {
        assert_eq!(sent(&query), expected, "{query:?}");
    }
    let brave = |query: SearchQuery| sent(&query)[0].clone();
    for (query, expected) in [
        (SearchQuery { date_after: after, ..query() }, "date_after: it needs date_before, too"),
        (SearchQuery { date_before: after, ..query() }, "date_before: it needs date_after, too"),
        (
            SearchQuery { date_after: before, date_before: after, ..query() },
            "date_after: it is later than date_before",
        ),
        (
            SearchQuery {
                freshness: Some(Freshness::Day),
                date_after: after,
                date_before: before,
                ..query()
            },
            "freshness: it does not go together with date_after and date_before",
        ),
        (SearchQuery { country: text("a&b=c"), ..query() }, "country: it takes a code such as de or en-US"),
        (SearchQuery { language: text("x"), ..query() }, "language: it takes a code such as de or en-US"),
    ] {
        assert_eq!(brave(query), format!("brave does not support {expected}"));
    }
}

#[tokio::test]
async fn results_are_read_and_kept() {
    let server = Server::start(|path| {
        let path = path.split('?').next().unwrap();
        let json = |text: &str| answer("200 OK", "Content-Type: application/json\r\n", text.as_bytes());
        let entries = |snippet: &str, date: &str| {
            let entry = |number: u32| {
                format!(r#"{{"title":"<b>T{number}</b> &amp; co","url":"https://a.example/{number}","{snippet}":"one\ntwo","{date}":"May"}}"#)
            };
            let bad = r#"{"url":"javascript:alert(1)","title":"bad"},{"title":"none"},5"#;
            format!("[{bad},{}]", (0..9).map(entry).collect::<Vec<_>>().join(","))
        };
        match path {
            "/brave" => json(&format!(r#"{{"web":{{"results":{}}}}}"#, entries("description", "age"))),
            "/tavily" => json(&format!(r#"{{"results":{}}}"#, entries("content", "published_date"))),
            "/searxng/search" => json(&format!(r#"{{"results":{}}}"#, entries("content", "publishedDate"))),
            _ => {
                let entry = |number: u32| format!(
                    "<div class='result results_links'><a class='result__a' href='//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F{number}&rut=x'>\
                     <b>T{number}</b> &amp; co</a><a class='result__snippet' href=x>one\ntwo</a></div>");
                let ad = "<div class='result result--ad'><a class='result__a' href='https://ad.example'>ad</a></div>";
                html(&format!("{ad}{}", (0..9).map(entry).collect::<String>()))
            }
        }
    })
    .await;
    let (clock, control) = Clock::fixed(0);
    let client = SearchClient::default();
    let ttl = Duration::from_secs(900);
    let expected = |published: Option<&str>| -> Vec<SearchResult> {
        let result = |number| SearchResult {
            title: format!("T{number} & co"),
            url: format!("https://a.example/{number}"),
            snippet: "one two".to_owned(),
            published: published.map(str::to_owned),
        };
        (0..3).map(result).collect()
    };
    let mut requests = 0;
    for index in 0..4 {
        let name = ["brave", "tavily", "searxng", "duckduckgo"][index];
        let base = Url::parse(&server.url(&format!("/{name}"))).unwrap();
        let provider = &providers(&base)[index];
        let search =
            async || client.search(&**provider, &query(), Duration::from_secs(5), ttl, &clock).await.unwrap();
        let first = search().await;
        requests += 1;
        assert_eq!(first.results, expected((name != "duckduckgo").then_some("May")), "{name}");
        let second = search().await;
        assert_eq!((first.is_cached, second.is_cached, &second.results), (false, true, &first.results));
        assert_eq!(server.requests().len(), requests);
    }
    control.advance(ttl);
    let base = Url::parse(&server.url("/brave")).unwrap();
    client.search(&*providers(&base)[0], &query(), Duration::from_secs(5), ttl, &clock).await.unwrap();
    let sent = server.requests();
    assert_eq!(sent.len(), requests + 1);
    assert!(sent[0].to_lowercase().contains(&format!("x-subscription-token: {KEY}")), "{}", sent[0]);
    assert!(sent[1].to_lowercase().contains(&format!("authorization: bearer {KEY}")), "{}", sent[1]);
    assert!(!sent[2].contains(KEY) && !sent[3].contains(KEY));
}

#[tokio::test]
async fn failures_of_providers_are_told_apart() {
    let server = Server::start(|path| match path.split('?').next().unwrap() {
        "/401" => answer("401 No", "", format!("bad key {KEY}").as_bytes()),
        "/429" => answer("429 Slow", "Retry-After: 7\r\n", b""),
        "/500" => answer("500 Oops", "", KEY.as_bytes()),
        "/text" => answer("200 OK", "", b"hello"),
        "/list" => answer("200 OK", "", b"[]"),
        "/odd" => answer("200 OK", "", br#"{"web":{"results":5}}"#),
        "/none" => answer("200 OK", "", b"{}"),
        "/away" => crate::server::redirect("http://169.254.169.254/"),
        "/robot" => html("<div class='anomaly-modal__title'>Are you human?</div>"),
        _ => html("<p>something else"),
    })
    .await;
    let search = async |index: usize, path: &str| {
        let base = Url::parse(&server.url(path)).unwrap();
        let found = SearchClient::default()
            .search(
                &*providers(&base)[index],
                &query(),
                Duration::from_secs(5),
                Duration::ZERO,
                &Clock::fixed(0).0,
            )
            .await;
        match found {
            Ok(found) => format!("{} results", found.results.len()),
            Err(error) => {
                let shown = format!("{error} {error:?}");
                assert!(!shown.contains(KEY), "{shown}");
                let problem = Problem::from(error);
                format!("{}; {}", problem.message, problem.next_step())
            }
        }
    };
    for (index, path, expected) in [
        (0, "/401", "brave does not accept the key; tell the user to check the key"),
        (0, "/429", "brave allows no more searches for now; wait 7 seconds before the next search"),
        (0, "/500", "brave answered with HTTP status 500; try again later"),
        (0, "/text", "the answer of brave cannot be read: it is not JSON; try another source"),
        (0, "/list", "the answer of brave cannot be read: it is not an object; try another source"),
        (0, "/odd", "the answer of brave cannot be read: its results are not a list; try another source"),
        (0, "/none", "0 results"),
        (
            3,
            "/robot",
            "the answer of duckduckgo cannot be read: it wants to know whether a person searches; use another provider; try another source",
        ),
        (
            3,
            "/other",
            "the answer of duckduckgo cannot be read: the page has another form than expected; use another provider; try another source",
        ),
    ] {
        assert_eq!(search(index, path).await, expected, "{path}");
    }
    let away = search(0, "/away").await;
    assert!(away.starts_with("the request to http://169.254.169.254 was refused"), "{away}");
    let closed = Url::parse("http://127.0.0.1:1/").unwrap();
    let error = SearchClient::default()
        .search(&Searxng::new(closed), &query(), Duration::from_secs(5), Duration::ZERO, &Clock::fixed(0).0)
        .await
        .unwrap_err();
    assert!(matches!(error, WebError::Request(_)), "{error:?}");
}
