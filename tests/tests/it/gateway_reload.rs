//! A configuration that is broken and repaired under a running `tarsus up`: log and status name the place.
#![cfg(unix)]

use std::fs;

use tarsus_tests::{Running, TestHome};

/// Waits for a condition; the test's timeout limits it.
fn wait_until(is_seen: impl Fn() -> bool) {
    while !is_seen() {
        std::thread::yield_now();
    }
}

#[test]
fn invalid_reload_is_located_in_status_and_log() {
    let home = TestHome::in_memory();
    let running = Running::up(&home);
    let token = fs::read_to_string(home.home().token_path()).unwrap();
    let authorization = format!("Authorization: Bearer {}", token.trim());
    let status = || running.get("/api/status", &[&authorization]);
    let log = || fs::read_to_string(home.home().logs_dir().join("tarsus.log")).unwrap_or_default();

    fs::write(home.home().config_path(), "{\n  gateway: { port: 'x' },\n}\n").unwrap();
    let reason = "expected a whole number from 1 to 65535, found a string";
    wait_until(|| {
        log().lines().any(|line| {
            ["WARN", "gateway.port", reason, "\"line\":2", "\"column\":20"]
                .iter()
                .all(|part| line.contains(part))
        })
    });
    let rejected = format!(
        "\"issues\":[{{\"path\":\"gateway.port\",\"message\":\"{reason}\",\"line\":2,\"column\":20,\"code\":\"wrong-value\"}}]"
    );
    assert!(status().contains(&rejected), "{}", status());

    fs::write(home.home().config_path(), "{ gateway: { port: 4 } }").unwrap();
    wait_until(|| status().contains("\"needsRestart\":[\"gateway.port\"]"));
    assert!(status().contains("\"rejected\":[]"));
}
