//! Response times of a gateway over its socket. A round is the median of many requests, one after the other, as text:
//! parsing is the client's work.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tarsus_conformance::{Client, Device, device};
use tokio::runtime::Runtime;

use crate::program::Started;

const HEALTHS: usize = 1_000;
const REPORTS: usize = 100;
const CONNECTS: usize = 200;

pub fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

fn url(started: &Started) -> String {
    format!("ws://127.0.0.1:{}", started.port)
}

pub async fn connected(started: &Started) -> Client {
    let mut client = Client::expect(&url(started), &[]).await;
    client.challenge().await;
    // Both versions: peers know one of them.
    let mut params = device::backend(&started.token);
    params["maxProtocol"] = json!(4);
    let hello = client.connect(&params).await.frame();
    assert_eq!(hello["ok"], true, "{hello}");
    client
}

/// The median response time of each round.
fn rounds(started: &Started, method: &str, params: &Value, requests: usize, rounds: usize) -> Vec<Duration> {
    let text = json!({ "type": "req", "id": "1", "method": method, "params": params }).to_string();
    runtime().block_on(async {
        let mut client = connected(started).await;
        let mut medians = Vec::new();
        for _ in 0..rounds {
            let mut times = Vec::new();
            for _ in 0..requests {
                let begun = Instant::now();
                client.send_text(&text).await;
                while !client.receive_text().await.expect("an answer").starts_with(r#"{"type":"res""#) {}
                times.push(begun.elapsed());
            }
            times.sort();
            medians.push(times[requests / 2]);
        }
        medians
    })
}

/// `health`.
pub fn health(started: &Started, times: usize) -> Vec<Duration> {
    rounds(started, "health", &json!({}), HEALTHS, times)
}

/// `skills.status`.
pub fn skills_status(started: &Started, times: usize) -> Vec<Duration> {
    rounds(started, "skills.status", &json!({}), REPORTS, times)
}

/// `apps.list`.
pub fn apps_list(started: &Started, times: usize) -> Vec<Duration> {
    rounds(started, "apps.list", &json!({}), REPORTS, times)
}

/// The number of skills it knows.
pub fn skills(started: &Started) -> usize {
    runtime().block_on(async {
        let report = connected(started).await.raw_result("skills.status", &json!({})).await;
        report["skills"].as_array().map_or(0, Vec::len)
    })
}

/// Connections of a known device per second, with handshake and close, one after the other.
pub fn connects(started: &Started, times: usize) -> Vec<f64> {
    runtime().block_on(async {
        let known = Device::numbered(1);
        page(started, &known).await;
        let mut rates = Vec::new();
        for _ in 0..times {
            let begun = Instant::now();
            for _ in 0..CONNECTS {
                page(started, &known).await;
            }
            rates.push(CONNECTS as f64 / begun.elapsed().as_secs_f64());
        }
        rates
    })
}

async fn page(started: &Started, device: &Device) {
    let origin = format!("http://localhost:{}", started.port);
    let mut client = Client::expect(&url(started), &[("origin", &origin)]).await;
    let nonce = client.challenge().await;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970").as_millis();
    let now = i64::try_from(now).expect("a clock before the year 292278994");
    let hello = client.connect(&device.signed(3, device::page(&started.token), &nonce, now)).await.frame();
    assert_eq!(hello["ok"], true, "{hello}");
    client.close().await;
}
