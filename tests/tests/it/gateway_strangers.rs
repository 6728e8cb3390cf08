//! The real gateway among many clients without credentials: known clients are answered, memory stays bounded, and every
//! connection is closed and given back. Only a soak looks at the time that this takes.
#![cfg(target_os = "linux")]

use std::env;
use std::fs;
use std::io::Write;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tarsus_conformance::strangers::Strangers;
use tarsus_conformance::{Client, device};
use tarsus_protocol::rpc::overview::{Health, HealthParams};
use tarsus_tests::{Running, TestHome};
use tokio::runtime::Builder;

/// Strangers at once.
const STRANGERS: usize = 1_000;
/// File descriptors of this process for everything else.
const OTHER_FILES: u64 = 100;
/// Rounds of requests by known clients while the strangers hold on.
const ROUNDS: usize = 20;
/// Files that the store opens for further readers at any time.
const READER_FILES: usize = 12;
/// Requests of known clients, as many as fit at once, and what may stay of their memory.
const LARGE: usize = 4 << 20;
const LARGE_REQUESTS: usize = 7;
const GIVEN_BACK_KIB: usize = 12 * 1024;
/// The memory that the strangers may take.
const MOST_KIB: usize = 30 * 1024;

/// Raises the limit of open files of this process, and returns how many strangers fit into it.
fn strangers() -> usize {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
    let most = limit.maximum.unwrap_or(u64::MAX).saturating_sub(OTHER_FILES);
    STRANGERS.min(usize::try_from(most).unwrap_or(STRANGERS))
}

async fn connected(url: &str, token: &str) -> Client {
    let mut client = Client::expect(url, &[]).await;
    client.challenge().await;
    let hello = client.connect(&device::command_line(token, 4, &["operator.read"])).await.frame();
    assert_eq!(hello["ok"], true, "{hello}");
    client
}

/// A request of every kind of a known client: on its open socket, on a new one, and over HTTP.
async fn ask(up: &Running, token: &str, open: &mut Client) {
    let url = format!("ws://127.0.0.1:{}", up.port);
    open.call_ok::<Health>(&HealthParams { probe: None }).await;
    let mut new = connected(&url, token).await;
    new.call_ok::<Health>(&HealthParams { probe: None }).await;
    new.close().await;
    let models = up.get("/v1/models", &[&format!("Authorization: Bearer {token}")]);
    assert!(models.starts_with("HTTP/1.1 200 "), "{models}");
    assert!(up.get("/healthz", &[]).starts_with("HTTP/1.1 200 "));
}

fn resident_kib(up: &Running) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", up.child.id())).unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next());
    resident.unwrap().parse().unwrap()
}

fn open_files(up: &Running) -> usize {
    fs::read_dir(format!("/proc/{}/fd", up.child.id())).unwrap().count()
}

#[test]
fn strangers_neither_fill_memory_nor_shut_known_clients_out() {
    let home = TestHome::in_memory();
    let up = Running::up(&home);
    let token = fs::read_to_string(home.home().token_path()).unwrap().trim().to_owned();
    let number = strangers();
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let mut known = connected(&format!("ws://127.0.0.1:{}", up.port), &token).await;
        // The first requests load what stays in memory.
        for _ in 0..ROUNDS {
            ask(&up, &token, &mut known).await;
        }
        let (memory, files) = (resident_kib(&up), open_files(&up));

        let mut strangers = Strangers::connect(up.port, number).await;
        let (arrived, mut times) = (Instant::now(), Vec::new());
        for _ in 0..ROUNDS {
            strangers.push();
            let begun = Instant::now();
            ask(&up, &token, &mut known).await;
            times.push(begun.elapsed());
            let now = resident_kib(&up);
            assert!(now < memory + MOST_KIB, "{memory} KiB before, {now} KiB with {number} strangers");
        }
        // The gateway closes each of them, although none lets go.
        while strangers.count_open() > 0 {
            strangers.push();
            tokio::task::yield_now().await;
        }
        let closed = arrived.elapsed();
        while open_files(&up) > files + READER_FILES || resident_kib(&up) >= memory + MOST_KIB {
            tokio::task::yield_now().await;
        }
        ask(&up, &token, &mut known).await;
        drop(strangers);

        if env::var_os("TARSUS_SOAK").is_some() {
            times.sort();
            let median = times[ROUNDS / 2];
            println!("{number} strangers: four requests in {median:?}, the last was closed after {closed:?}");
            assert!(median < Duration::from_millis(100) && closed < Duration::from_secs(10));
        }
    });
}

#[test]
#[cfg(target_env = "gnu")]
fn memory_of_large_requests_is_given_back() {
    let home = TestHome::in_memory();
    let up = Running::up(&home);
    let token = fs::read_to_string(home.home().token_path()).unwrap().trim().to_owned();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {token}\r\n\
         Content-Length: {LARGE}\r\nConnection: close\r\n\r\n",
        up.port
    );
    let send = || {
        let mut stream = up.connect();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&vec![b'x'; LARGE - 1]).unwrap();
        stream
    };
    let before = resident_kib(&up);
    let unfinished: Vec<_> = (0..LARGE_REQUESTS).map(|_| send()).collect();
    // They are read, and count.
    while resident_kib(&up) < before + LARGE_REQUESTS * LARGE / 1024 / 2 {}
    drop(unfinished);
    while resident_kib(&up) > before + GIVEN_BACK_KIB {}
}
