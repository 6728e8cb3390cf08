//! `web_fetch` and `web_search`: what the guard learns of a call, and what it enforces while a page is fetched.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use serde_json::{Value, json};
use tarsus_agent::tools::WebSource;
use tarsus_guard::{
    Activation, ActivationCause, Authorization, DeclaredCapabilities, SkillId, SkillPermissions, SkillSet,
    SkillSubject,
};
use tarsus_home::settings::SkillRecords;
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::grants::{ContentHash, Pinned};

use crate::tools::scene::{Scene, SceneBuilder, failure, success, text};

/// Loopback counts as private, so each scene with a server makes an exception for it.
const LOCAL: &str =
    r#"{ "tools": { "web": { "fetch": { "ssrfPolicy": { "dangerouslyAllowPrivateNetwork": true } } } } }"#;

/// Answers each request with the head and body for its path.
fn serve(answer: impl Fn(&str) -> String + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let (mut request, mut byte) = (Vec::new(), [0]);
            while !request.ends_with(b"\r\n\r\n") && connection.read(&mut byte).unwrap() == 1 {
                request.push(byte[0]);
            }
            let request = String::from_utf8(request).unwrap();
            let path = request.split(' ').nth(1).unwrap_or_default();
            // A client that has seen enough hangs up.
            let _hung_up = connection.write_all(answer(path).as_bytes());
        }
    });
    address
}

fn page(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn redirect(to: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
}

fn scene(config: &str) -> Scene {
    SceneBuilder::new().config(config).open()
}

#[tokio::test]
async fn page_is_returned_with_its_origin() {
    let address = serve(|path| match path {
        "/moved" => redirect("/page"),
        "/lost" => page("<p>gone").replacen("200 OK", "404 Not Found", 1),
        _ => page("<title>Tides</title><h2>Today</h2><p>High at noon. Low at six."),
    });
    let scene = scene(LOCAL);
    let url = |path: &str| format!("http://{address}{path}");
    let outcome = scene.call("web_fetch", json!({ "url": url("/moved") })).await;
    let head = format!("Title: Tides\nURL: {}\nStatus: 200\nFetched: 1970-01-01T00:16:40Z\n\n", url("/page"));
    assert_eq!(success(&outcome), format!("{head}## Today\n\nHigh at noon. Low at six."));
    assert_eq!(outcome.web, Some(WebSource::Page { url: url("/page") }));
    let details = json!({ "url": url("/page"), "status": 200, "chars": 35, "cached": false });
    assert_eq!(outcome.details, Some(details));
    let arguments = json!({ "url": url("/moved"), "extractMode": "text", "maxChars": 5 });
    let cut = success(&scene.call("web_fetch", arguments).await);
    assert!(cut.ends_with("\n\nToday\n\n[the first 5 of 32 characters]"), "{cut}");
    let lost = scene.call("web_fetch", json!({ "url": url("/lost") })).await;
    assert!(lost.is_error && lost.web.is_some() && text(&lost).contains("Status: 404\n"), "{lost:?}");
}

#[tokio::test]
async fn private_addresses_are_refused_by_default() {
    let address = serve(|_| page("secret"));
    let scene = scene("{}");
    for url in
        [format!("http://{address}/"), "http://[::1]/".to_owned(), "http://169.254.169.254/".to_owned()]
    {
        let outcome = scene.call("web_fetch", json!({ "url": url })).await;
        assert!(failure(&outcome).ends_with("was refused"), "{url}");
        assert!(text(&outcome).contains("tools.web.fetch.ssrfPolicy"), "{url}");
    }
    let outcome = scene.call("web_fetch", json!({ "url": "example.org" })).await;
    assert_eq!(failure(&outcome), "this is not a valid URL");
}

#[tokio::test]
async fn facts_name_hosts_and_provider() {
    let facts = |config: Value, environment: &[(&str, &str)], tool: &str, arguments: Value| {
        let scene = scene(&config.to_string());
        let context = scene.context_in(environment);
        let facts = scene.toolbox.prepare(tool, &arguments, None, &context).unwrap().call.facts;
        (facts.hosts.unwrap_or_default().join(","), facts.provider.unwrap_or_default())
    };
    for (url, host) in [
        ("https://Example.ORG:8443/a", "example.org"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("http://0x7f.1/", "127.0.0.1"),
        ("nonsense", ""),
    ] {
        assert_eq!(facts(json!({}), &[], "web_fetch", json!({ "url": url })).0, host, "{url}");
    }
    let search = |settings: Value, environment: &[(&str, &str)]| {
        let config = json!({ "tools": { "web": { "search": settings } } });
        facts(config, environment, "web_search", json!({ "query": "x" }))
    };
    let (brave, tavily) = (("BRAVE_API_KEY", "k-brave"), ("TAVILY_API_KEY", "k-tavily"));
    let searxng = ("SEARXNG_BASE_URL", "http://search.lan:8080/x");
    for (settings, environment, expected) in [
        (json!({}), &[][..], ("", "")),
        (json!({}), &[brave, tavily, searxng], ("api.search.brave.com", "brave")),
        (json!({}), &[tavily, searxng], ("api.tavily.com", "tavily")),
        (json!({}), &[searxng], ("search.lan", "searxng")),
        (json!({ "apiKey": "k" }), &[tavily], ("api.search.brave.com", "brave")),
        (json!({ "apiKey": "k", "provider": "Tavily" }), &[], ("api.tavily.com", "tavily")),
        (json!({ "tavily": { "apiKey": "k" } }), &[searxng], ("api.tavily.com", "tavily")),
        (json!({ "searxng": { "baseUrl": "https://s.example" } }), &[], ("s.example", "searxng")),
        (json!({ "provider": "duckduckgo" }), &[brave], ("html.duckduckgo.com", "duckduckgo")),
        (json!({ "provider": "gopher" }), &[brave], ("", "")),
    ] {
        let found = search(settings.clone(), environment);
        assert_eq!((found.0.as_str(), found.1.as_str()), expected, "{settings} {environment:?}");
    }
}

#[tokio::test]
async fn search_that_is_not_set_up_says_how() {
    for (settings, message, step) in [
        (json!({}), "no search provider is set up", "set BRAVE_API_KEY or tools.web.search.apiKey"),
        (json!({ "provider": "brave" }), "brave has no key", "no key: BRAVE_API_KEY is not set"),
        (
            json!({ "provider": "tavily" }),
            "tavily has no key",
            "set TAVILY_API_KEY or tools.web.search.tavily.apiKey",
        ),
        (json!({ "provider": "searxng" }), "SearXNG has no address", "set SEARXNG_BASE_URL"),
        (
            json!({ "provider": "gopher" }),
            "tools.web.search.provider names \"gopher\", which is not known",
            "brave, tavily, searxng, duckduckgo",
        ),
        (
            json!({ "provider": "searxng", "searxng": { "baseUrl": "file:///x" } }),
            "tools.web.search.searxng.baseUrl is not an http or https URL",
            "tell the user",
        ),
    ] {
        let scene = scene(&json!({ "tools": { "web": { "search": settings } } }).to_string());
        let outcome = scene.call("web_search", json!({ "query": "x" })).await;
        assert_eq!(failure(&outcome), message);
        assert!(text(&outcome).contains(step), "{}", text(&outcome));
    }
    let keyed = scene(r#"{ "tools": { "web": { "search": { "apiKey": "k-canary" } } } }"#);
    for (arguments, message) in [
        (json!({ "query": " " }), "\"query\" is empty"),
        (json!({ "query": "x", "date_after": "yesterday" }), "\"date_after\" is not a day: yesterday"),
        (
            json!({ "query": "x", "date_after": "2026-01-01" }),
            "brave does not support date_after: it needs date_before, too",
        ),
    ] {
        assert_eq!(failure(&keyed.call("web_search", arguments).await), message);
    }
}

#[tokio::test]
async fn results_are_listed_with_their_urls() {
    let answer = json!({ "results": [
        { "title": "<b>Tides</b>", "url": "https://a.example/1", "content": "High\nat noon", "publishedDate": "2026-05-01" },
        { "title": "Boats", "url": "https://b.example/2", "content": "" },
    ] });
    let address = serve(move |path| match path.contains("q=nothing") {
        true => page("{}"),
        false => page(&answer.to_string()),
    });
    let settings = json!({ "searxng": { "baseUrl": format!("http://{address}") }, "maxResults": 1 });
    let scene = scene(&json!({ "tools": { "web": { "search": settings } } }).to_string());
    let outcome = scene.call("web_search", json!({ "query": "tides", "count": 99 })).await;
    let first = "1. Tides\n   https://a.example/1\n   Published: 2026-05-01\n   High at noon\n";
    assert_eq!(success(&outcome), format!("{first}2. Boats\n   https://b.example/2\n"));
    let web = WebSource::Search { provider: "searxng".to_owned(), query: "tides".to_owned() };
    assert_eq!(outcome.web, Some(web));
    assert_eq!(success(&scene.call("web_search", json!({ "query": "tides" })).await), first);
    let nothing = scene.call("web_search", json!({ "query": "nothing" })).await;
    assert_eq!(success(&nothing), "[nothing was found]\n");
}

/// A community skill that may contact one host only, and that the owner has confirmed.
fn limited_skill() -> (SkillSet, Activation) {
    let hash: ContentHash = "a".repeat(64).parse().unwrap();
    let declared =
        json!([{ "name": "network", "constraints": { "hosts": ["127.0.0.1"], "provider": "brave" } }]);
    let subject = SkillSubject {
        name: "theirs".to_owned(),
        natural: TrustTier::Community,
        hash: Some(hash.clone()),
        declared: DeclaredCapabilities::parse(Some(&declared)),
        critical: BTreeSet::new(),
    };
    let mut records = SkillRecords::default();
    let seen = Pinned { hash: hash.clone(), capabilities: [Capability::Network].into() };
    records.seen.insert("theirs".to_owned(), seen);
    let mut active = Activation::default();
    let id = SkillId { name: "theirs".to_owned(), hash: Some(hash) };
    active.activate(id, TrustTier::Community, ActivationCause::Read);
    ([SkillPermissions::resolve(subject, &records)].into_iter().collect(), active)
}

#[tokio::test]
async fn redirect_outside_the_hosts_of_a_skill_is_refused() {
    let address = serve(move |path| match path {
        "/out" => redirect(&format!("http://localhost:{}/", 1)),
        "/in" => redirect("/page"),
        _ => page("<p>inside"),
    });
    let scene = scene(LOCAL);
    let (skills, active) = limited_skill();
    let context = scene.context_with(|context| context.skills = Arc::new(skills));
    let decide = |tool: &str, arguments: Value| scene.decide(&context, tool, &arguments, &active);
    let run = async |path: &str| {
        let decision = decide("web_fetch", json!({ "url": format!("http://{address}{path}") }));
        let Authorization::Allowed(authorized) = decision else { panic!("{decision:?}") };
        scene.toolbox.run(authorized, &context).await
    };
    assert!(success(&run("/in").await).ends_with("inside"));
    let out = run("/out").await;
    assert_eq!(failure(&out), "the request to http://localhost:1 was refused");
    let reason = "the skill theirs does not allow it: localhost is not one of its hosts";
    assert!(text(&out).contains(reason), "{}", text(&out));
    for (tool, arguments, reason) in [
        ("web_fetch", json!({ "url": "https://example.org/" }), "example.org is not one of its hosts"),
        ("web_fetch", json!({ "url": "nonsense" }), "which hosts it would use is not known"),
        ("web_search", json!({ "query": "x" }), "which providers it would use is not known"),
    ] {
        let Authorization::Denied(refusal) = decide(tool, arguments) else { panic!("{reason}") };
        let message = &refusal.strictest_reasons().next().unwrap().message;
        assert!(message.ends_with(reason), "{message}");
    }
    // Without the skill the redirect is refused for another reason.
    let followed = scene.call("web_fetch", json!({ "url": format!("http://{address}/out") })).await;
    assert_eq!(failure(&followed), "the request to http://localhost:1 was refused");
    assert!(text(&followed).contains("port 1 belongs to another protocol"), "{}", text(&followed));
}

#[test]
fn key_of_a_skill_sets_the_provider_up_for_its_turn() {
    let provider = |config: &str| {
        let builder = SceneBuilder::new();
        let text = "---\nname: finder\ndescription: Finds things\nmetadata: \
                    {\"openclaw\": {\"primaryEnv\": \"BRAVE_API_KEY\"}}\n---\n\nSearch.\n";
        builder.note("skills/finder/SKILL.md", text);
        let scene = builder.config(config).open();
        let context = scene.context();
        scene
            .toolbox
            .prepare("web_search", &json!({ "query": "x" }), None, &context)
            .unwrap()
            .call
            .facts
            .provider
    };
    assert_eq!(provider("{}"), None);
    let with_key = "{ skills: { entries: { finder: { apiKey: 'k-canary' } } } }";
    assert_eq!(provider(with_key).as_deref(), Some("brave"));
}
