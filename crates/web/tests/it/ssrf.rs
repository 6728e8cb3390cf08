//! Addresses that a page must not lead to, in every spelling: none is let through.

use tarsus_home::config::view::{SsrfPolicy, WebFetch};
use tarsus_host::egress::{EgressError, EgressRefusal};
use tarsus_web::WebError;

use crate::fetch::{fetch, settings};
use crate::server::{Server, html, redirect};

/// Spellings of this machine; `PORT` stands for the port of a server that answers.
const SPELLINGS: &[&str] = &[
    "http://127.0.0.1:PORT/",
    "http://127.1:PORT/",
    "http://127.0.0.1.:PORT/",
    "http://2130706433:PORT/",
    "http://0x7f000001:PORT/",
    "http://0x7f.0.0.1:PORT/",
    "http://0177.0.0.1:PORT/",
    "http://017700000001:PORT/",
    "http://0:PORT/",
    "http://0.0.0.0:PORT/",
    "http://[::1]:PORT/",
    "http://[::]:PORT/",
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://[::ffff:7f00:1]:PORT/",
    "http://[0:0:0:0:0:ffff:7f00:0001]:PORT/",
    "http://[::127.0.0.1]:PORT/",
    "http://[64:ff9b::7f00:1]:PORT/",
    "http://[2002:7f00:1::]:PORT/",
    "http://%31%32%37.0.0.1:PORT/",
    "http://１２７.0.0.1:PORT/",
    "http://127。0。0。1:PORT/",
    "http://①②⑦.0.0.1:PORT/",
    "http:\\\\127.0.0.1:PORT\\",
    "http:127.0.0.1:PORT",
    " \thttp://127.0.0.1:PORT/",
    "HTTP://LOCALHOST:PORT/",
    "http://localhost:PORT/",
    "http://LOCALHOST.:PORT/",
    "http://user@127.0.0.1:PORT/",
    "http://example.org@127.0.0.1:PORT/",
    "http://127.0.0.1:PORT@example.org/",
    "http://127.0.0.1:PORT#@example.org/",
    "http://10.0.0.1/",
    "http://10.1/",
    "http://172.16.0.1/",
    "http://192.168.0.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://2852039166/",
    "http://[::ffff:169.254.169.254]/",
    "http://[fd00:ec2::254]/",
    "http://100.100.100.200/",
    "http://168.63.129.16/",
    "http://[fe80::1]/",
    "http://[fc00::1]/",
    "http://198.18.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://192.0.2.1/",
    "ftp://127.0.0.1:PORT/",
    "file:///etc/passwd",
    "data:text/html,<p>x",
    "gopher://127.0.0.1:PORT/",
    "javascript:alert(1)",
    "unix:/run/x.sock",
    "blob:http://127.0.0.1:PORT/",
    "view-source:http://127.0.0.1:PORT/",
    "//127.0.0.1:PORT/",
    "/etc/passwd",
    "http://example.org:22/",
    "http://example.org:6379/",
    "",
];

fn is_refused(error: &WebError) -> bool {
    let WebError::Request(error) = error else { return false };
    match error {
        EgressError::Url { .. } | EgressError::Refused { .. } => true,
        // The machine's resolver may not know this spelling of localhost.
        EgressError::Failed { site, .. } => site.contains("localhost."),
        _ => false,
    }
}

#[tokio::test]
async fn no_spelling_of_a_private_address_is_fetched() {
    let server = Server::start(|_| html("<p>secret")).await;
    let port = server.address.port().to_string();
    for spelling in SPELLINGS {
        let url = spelling.replace("PORT", &port);
        let error = fetch(&WebFetch::default(), url.clone()).await.expect_err(&url);
        assert!(is_refused(&error), "{url}: {error:?}");
    }
    assert_eq!(server.requests(), [] as [String; 0], "nothing was connected to");
}

#[tokio::test]
async fn no_redirect_leads_to_a_private_address() {
    let secret = Server::start(|_| html("<p>secret")).await;
    let port = secret.address.port().to_string();
    // The first server is an exception of the owner, by its name; the addresses behind redirects are not.
    let ssrf_policy = SsrfPolicy { allowed_hostnames: vec!["localhost".to_owned()], ..SsrfPolicy::default() };
    let settings = WebFetch { ssrf_policy, ..WebFetch::default() };
    let spellings: Vec<String> = SPELLINGS.iter().map(|one| one.replace("PORT", &port)).collect();
    let targets = spellings.clone();
    let server = Server::start(move |path| {
        let at: usize = path[1..].parse().unwrap();
        redirect(&targets[at])
    })
    .await;
    for (at, spelling) in spellings.iter().enumerate() {
        // Relative ones stay on the server, and a name that is an exception is one.
        let stays = spelling.is_empty() || spelling.starts_with('/') && !spelling.starts_with("//");
        let is_named = spelling.to_lowercase().contains("localhost");
        if stays || is_named || spelling.starts_with("http:127") || spelling.starts_with(' ') {
            continue;
        }
        let url = format!("http://localhost:{}/{at}", server.address.port());
        let error = fetch(&settings, url).await.expect_err(spelling);
        let is_redirect_error = matches!(error, WebError::Request(EgressError::Redirect { .. }));
        assert!(is_refused(&error) || is_redirect_error, "{spelling}: {error:?}");
    }
    assert_eq!(secret.requests(), [] as [String; 0], "nothing was connected to");
}

#[tokio::test]
async fn metadata_services_are_refused_whatever_is_allowed() {
    let ssrf_policy = SsrfPolicy {
        dangerously_allow_private_network: true,
        allow_rfc2544_benchmark_range: true,
        allow_ipv6_unique_local_range: true,
        allowed_hostnames: vec!["169.254.169.254".to_owned(), "[fd00:ec2::254]".to_owned()],
        blocked_hostnames: vec!["*.ads.example".to_owned()],
    };
    let settings = WebFetch { ssrf_policy, ..WebFetch::default() };
    for url in
        ["http://169.254.169.254/", "http://[fd00:ec2::254]/", "http://x.ads.example/", "http://0.0.0.0/"]
    {
        let error = fetch(&settings, url.to_owned()).await.expect_err(url);
        assert!(is_refused(&error), "{url}: {error:?}");
    }
}

#[tokio::test]
async fn invalid_exceptions_refuse_every_page() {
    let blocked = SsrfPolicy { blocked_hostnames: vec!["a b".to_owned()], ..settings().ssrf_policy };
    let allowed = SsrfPolicy { allowed_hostnames: vec!["https://x".to_owned()], ..SsrfPolicy::default() };
    for (ssrf_policy, key) in [(blocked, "blockedHostnames"), (allowed, "allowedHostnames")] {
        let settings = WebFetch { ssrf_policy, ..WebFetch::default() };
        let error = fetch(&settings, "https://example.org/".to_owned()).await.unwrap_err();
        assert!(matches!(error, WebError::Setting { key: found, .. } if found.ends_with(key)), "{error:?}");
    }
}

#[tokio::test]
async fn caller_refusal_is_given_as_the_reason() {
    let clock = tarsus_host::Clock::fixed(0).0;
    let request = crate::fetch::request("https://example.org/");
    let check = |host: &str| Some(format!("{host} is off limits"));
    let fetched = tarsus_web::PageFetcher::default().fetch(&settings(), &request, &clock, &check).await;
    match fetched {
        Err(WebError::Request(EgressError::Refused { source: EgressRefusal::Caller { reason }, .. })) => {
            assert_eq!(reason, "example.org is off limits");
        }
        other => panic!("{other:?}"),
    }
}
