//! `tarsus up` for users: what it creates, what it serves, how it ends.
#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tarsus_conformance::{Client, device};
use tarsus_home::files::Locked;
use tarsus_protocol::rpc::overview::{Health, HealthParams};
use tarsus_protocol::rpc::{NoParams, apps};
use tarsus_tests::{Running, TestHome};

fn token(home: &TestHome) -> String {
    fs::read_to_string(home.home().token_path()).unwrap().trim().to_owned()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn status_line(answer: &str) -> &str {
    answer.lines().next().unwrap_or_default()
}

fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").map_or("", |(_, body)| body)
}

fn header<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
    let (head, _) = answer.split_once("\r\n\r\n")?;
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

#[test]
fn first_start_creates_private_files_and_second_creates_none() {
    let home = TestHome::new();
    let first = Running::up(&home);
    for (path, expected) in [
        (home.state_dir().to_path_buf(), 0o700),
        (home.home().own_dir(), 0o700),
        (home.home().token_path(), 0o600),
        (home.home().settings_path(), 0o600),
        (home.home().audit_dir(), 0o700),
        (home.home().logs_dir().join("tarsus.log"), 0o600),
        (home.home().default_workspace(), 0o700),
    ] {
        assert_eq!(mode(&path), expected, "{}", path.display());
    }
    assert_eq!(first.welcome.matches("created").count(), 3, "{}", first.welcome);
    assert!(!first.welcome.contains(&token(&home)), "the token is shown on a terminal only");
    first.signal("TERM");
    assert_eq!(first.wait(), (Some(0), "stopped\n".to_owned()));

    let generated = token(&home);
    let second = Running::up(&home);
    assert!(!second.welcome.contains("created"), "{}", second.welcome);
    assert_eq!(token(&home), generated);
}

#[test]
fn a_second_up_names_the_first_and_leaves_it_alone() {
    let home = TestHome::new();
    let first = Running::up(&home);
    let second = home.tarsus(["up"]).output().unwrap();
    assert_eq!(second.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(second.stderr).unwrap(),
        format!(
            "error: this state folder is in use by process {}, on port {}\n  use that one (`tarsus status` shows \
             it), or stop it first\n",
            first.child.id(),
            first.port
        )
    );
    assert_eq!(status_line(&first.get("/healthz", &[])), "HTTP/1.1 200 OK");
}

#[test]
fn a_killed_runtime_leaves_the_folder_free_for_the_next() {
    let home = TestHome::new();
    let first = Running::up(&home);
    first.signal("KILL");
    assert_eq!(first.wait().0, None);
    let status = home.tarsus(["status"]).output().unwrap();
    assert!(String::from_utf8(status.stdout).unwrap().starts_with("gateway  not running"));
    let second = Running::up(&home);
    assert_eq!(status_line(&second.get("/readyz", &[])), "HTTP/1.1 200 OK");
}

#[test]
fn probes_and_the_page_are_open_and_the_status_is_not() {
    let home = TestHome::new();
    let up = Running::up(&home);
    assert_eq!(body(&up.get("/healthz", &[])), r#"{"ok":true,"status":"live"}"#);
    assert!(body(&up.get("/readyz", &[])).starts_with(r#"{"ready":true,"failing":[],"uptimeMs":"#));
    let page = up.get("/", &[]);
    for header in [
        "content-security-policy: default-src 'self'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
    ] {
        assert!(page.contains(header), "{page}");
    }

    let bearer = format!("Authorization: Bearer {}", token(&home));
    let table: &[(&str, &[&str], &str)] = &[
        ("/api/status", &[], "HTTP/1.1 401 Unauthorized"),
        ("/api/status", &["Authorization: Bearer nope"], "HTTP/1.1 401 Unauthorized"),
        ("/api/status", &[&bearer], "HTTP/1.1 200 OK"),
        ("/api/status", &[&bearer, "Origin: http://rebound.example"], "HTTP/1.1 403 Forbidden"),
        ("/", &["Host: rebound.example"], "HTTP/1.1 403 Forbidden"),
        ("/api/nope", &[&bearer], "HTTP/1.1 404 Not Found"),
    ];
    for (path, headers, expected) in table {
        assert_eq!(status_line(&up.get(path, headers)), *expected, "{path} {headers:?}");
    }
    let failures = home.tarsus(["audit", "tail", "--level", "warning", "--json"]).output().unwrap();
    let failures: serde_json::Value = serde_json::from_slice(&failures.stdout).unwrap();
    let reasons: Vec<&str> = failures["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| record["reason"].as_str().unwrap())
        .collect();
    assert_eq!(reasons, ["token-missing"], "one record a minute and address");
}

#[test]
fn the_page_is_in_the_program_with_all_it_names_and_may_be_kept() {
    let home = TestHome::new();
    let up = Running::up(&home);
    let page = up.get("/", &[]);
    assert_eq!(status_line(&page), "HTTP/1.1 200 OK");
    assert_eq!(header(&page, "content-type"), Some("text/html; charset=utf-8"));
    let named: Vec<_> = body(&page).split('"').filter(|part| part.starts_with('/')).collect();
    assert!(named.iter().any(|path| path.ends_with(".js")), "{named:?}");
    for path in named.iter().copied().chain(["/"]) {
        let file = up.get(path, &[]);
        assert_eq!(status_line(&file), "HTTP/1.1 200 OK", "{path}");
        assert_eq!(header(&file, "content-security-policy"), header(&page, "content-security-policy"));
        let expected =
            if path.starts_with("/assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
        assert_eq!(header(&file, "cache-control"), Some(expected), "{path}");
        let known = format!("If-None-Match: {}", header(&file, "etag").unwrap());
        let again = up.get(path, &[&known]);
        assert_eq!((status_line(&again), body(&again)), ("HTTP/1.1 304 Not Modified", ""), "{path}");
    }
    // The page itself handles addresses of its own.
    let settings = up.get("/agents/main/settings", &[]);
    assert_eq!((status_line(&settings), body(&settings)), ("HTTP/1.1 200 OK", body(&page)));

    // Everything else is not cached, even when a file of the page is refused.
    let table: &[(&str, &[&str], &str)] = &[
        ("/healthz", &[], "HTTP/1.1 200 OK"),
        ("/api/status", &[], "HTTP/1.1 401 Unauthorized"),
        ("/assets/none.js", &[], "HTTP/1.1 404 Not Found"),
        ("/agents/main", &[], "HTTP/1.1 404 Not Found"),
        ("/", &["Host: rebound.example"], "HTTP/1.1 403 Forbidden"),
    ];
    for (path, headers, status) in table {
        let answer = up.get(path, headers);
        assert_eq!(
            (status_line(&answer), header(&answer, "cache-control")),
            (*status, Some("no-store")),
            "{path}"
        );
    }
}

#[test]
fn status_asks_the_running_gateway() {
    let home = TestHome::new();
    let up = Running::up(&home);
    let status = home.tarsus(["status", "--json"]).output().unwrap();
    let status: serde_json::Value = serde_json::from_slice(&status.stdout).unwrap();
    assert_eq!(status["gateway"]["running"], true);
    assert_eq!(status["gateway"]["pid"], up.child.id());
    assert_eq!(status["gateway"]["port"], up.port);
    assert!(status["gateway"]["uptimeMs"].is_u64(), "{status}");
}

#[test]
fn second_signal_ends_a_request_that_waits_for_a_locked_file() {
    let home = TestHome::new();
    let up = Running::up(&home);
    let held = Locked::take(&home.home().audit_dir().join("head.json")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let client = runtime.block_on(async {
        let mut client = Client::expect(&format!("ws://127.0.0.1:{}", up.port), &[]).await;
        client.challenge().await;
        assert_eq!(client.connect(&device::backend(&token(&home))).await.frame()["ok"], true);
        client.send_request::<apps::Create>("create", &NoParams {}).await;
        // Requests are handled in order: the previous one waits for the audit log.
        client.call_ok::<Health>(&HealthParams { probe: None }).await;
        client
    });
    up.signal("INT");
    wait_for_log(&home, "stopping");
    up.signal("INT");
    assert_eq!(up.wait(), (Some(130), "stopped at once\n".to_owned()));
    drop((held, client));
    assert!(!home.state_dir().join("registries/application_registry.json").exists());
}

#[test]
fn second_signal_ends_an_endless_request_at_once() {
    let home = TestHome::new();
    let up = Running::up(&home);
    let mut stuck = up.connect();
    write!(stuck, "GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", up.port).unwrap();
    // A second response shows that the gateway has accepted the stuck connection before it.
    assert_eq!(status_line(&up.get("/healthz", &[])), "HTTP/1.1 200 OK");
    up.signal("INT");
    wait_for_log(&home, "stopping");
    up.signal("INT");
    assert_eq!(up.wait(), (Some(130), "stopped at once\n".to_owned()));
    let mut rest = Vec::new();
    stuck.read_to_end(&mut rest).ok();
}

#[test]
fn a_running_request_is_answered_before_the_end() {
    let home = TestHome::new();
    let up = Running::up(&home);
    let mut slow = up.connect();
    write!(slow, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", up.port).unwrap();
    assert_eq!(status_line(&up.get("/healthz", &[])), "HTTP/1.1 200 OK");
    up.signal("TERM");
    wait_for_log(&home, "stopping");
    write!(slow, "\r\n").unwrap();
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert_eq!(status_line(&answer), "HTTP/1.1 200 OK");
    assert_eq!(up.wait(), (Some(0), "stopped\n".to_owned()));
}

#[test]
fn taken_port_is_named_with_a_hint_and_the_lock_is_released() {
    let home = TestHome::new();
    let other = TestHome::new();
    let up = Running::up(&other);
    let refused = home.tarsus(["up", "--port", &up.port.to_string()]).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(
        text.starts_with(&format!("error: 127.0.0.1:{} is in use by another program\n", up.port)),
        "{text}"
    );
    assert!(text.contains("--port 0"), "{text}");
    assert_eq!(status_line(&Running::up(&home).get("/healthz", &[])), "HTTP/1.1 200 OK");
}

#[test]
fn broken_config_keeps_the_last_good_one_and_says_so() {
    let home = TestHome::new();
    let config = home.home().config_path().to_path_buf();
    let refused = home.tarsus(["config", "set", "agents.list", "[{ id: 'ada' }]"]).output().unwrap();
    assert!(refused.status.success());
    drop(Running::up(&home));
    fs::write(&config, "{ agents: { list [] } }").unwrap();
    let up = Running::up(&home);
    let said =
        "openclaw.json is not valid: expected `:` after the key \"list\"; the last good version is in effect";
    assert!(up.welcome.contains(said), "{}", up.welcome);
    assert!(up.welcome.contains("Agent    ada"), "{}", up.welcome);
}

#[test]
fn broken_config_without_a_good_one_is_refused_at_its_place() {
    let home = TestHome::new();
    fs::create_dir_all(home.state_dir()).unwrap();
    fs::write(home.home().config_path(), "{\n  gateway: { port 1 }\n}\n").unwrap();
    let refused = home.tarsus(["up", "--port", "0"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(5));
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(text.contains("~/.openclaw/openclaw.json:2:19"), "{text}");
    assert!(text.contains("expected `:` after the key \"port\""), "{text}");
}

/// Waits until the log has a line with this message; the test's timeout limits it.
fn wait_for_log(home: &TestHome, message: &str) {
    let log = home.home().logs_dir().join("tarsus.log");
    while !fs::read_to_string(&log).unwrap().contains(&format!("\"message\":\"{message}\"")) {
        std::thread::yield_now();
    }
}
