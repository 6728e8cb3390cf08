//! The gateway: a round trip, a handshake, and events to many clients, over real sockets in one process.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark stops at the first surprise"
)]

use std::sync::Arc;

use divan::counter::ItemsCount;
use divan::{Bencher, bench};
use serde_json::json;
use tarsus_agent::NoModelSource;
use tarsus_apps::conversation::Language;
use tarsus_audit::Audit;
use tarsus_benches::skills::generate;
use tarsus_conformance::{Client, device};
use tarsus_gateway::access::Access;
use tarsus_gateway::gateway::{Gateway, GatewayContext};
use tarsus_gateway::limits::Limits;
use tarsus_gateway::listen::LoopbackListener;
use tarsus_gateway::running::RunningGateway;
use tarsus_gateway::serve::serve;
use tarsus_home::credentials::Credentials;
use tarsus_home::{Home, HomeOptions, Secret};
use tarsus_host::Clock;
use tarsus_host::path::SearchPath;
use tarsus_protocol::event::Event;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::watch;

const TOKEN: &str = "a token for benchmarks";

fn main() {
    divan::main();
}

struct GatewayFixture {
    runtime: Runtime,
    gateway: Arc<Gateway>,
    url: String,
    _stop: watch::Sender<bool>,
    _folder: TempDir,
}

impl GatewayFixture {
    fn new() -> Self {
        Self::with_skills(0)
    }

    /// A gateway with so many skills besides the bundled ones.
    fn with_skills(number: usize) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let choice = HomeOptions { state_flag: Some(folder.path().to_owned()), ..HomeOptions::default() };
        let home = Home::locate(&choice).unwrap();
        generate(&home.state_dir().join("skills"), number);
        let listening = runtime.block_on(LoopbackListener::bind(0)).unwrap();
        let (port, clock) = (listening.port, Clock::system());
        let running =
            RunningGateway { pid: 1, addresses: listening.addresses(), ready_at: clock.monotonic() };
        let given = GatewayContext {
            audit: Arc::new(Audit::open(&home, None).unwrap()),
            home,
            clock,
            variables: Box::new(|_| None),
            programs: Box::new(|| SearchPath::new("".as_ref(), None)),
            environment: Vec::new(),
            language: Language::English,
            agent: None,
            models: Some(Arc::new(NoModelSource)),
        };
        let access = Access::new(port, Vec::new(), Credentials::Token(Secret::new(TOKEN)));
        let gateway = Arc::new(Gateway::new(given, running, access, Limits::DEFAULT).unwrap());
        let (stop, stopped) = watch::channel(false);
        runtime.spawn(serve(listening, Arc::clone(&gateway), stopped));
        Self { runtime, gateway, url: format!("ws://127.0.0.1:{port}"), _stop: stop, _folder: folder }
    }

    async fn client(url: &str) -> Client {
        let mut client = Client::expect(url, &[]).await;
        client.challenge().await;
        let hello = client
            .connect(&device::command_line(TOKEN, 4, &["operator.read", "operator.write"]))
            .await
            .frame();
        assert_eq!(hello["ok"], true, "{hello}");
        client
    }
}

#[bench]
fn health_round_trip(bencher: Bencher) {
    let fixture = GatewayFixture::new();
    let mut client = fixture.runtime.block_on(GatewayFixture::client(&fixture.url));
    bencher.bench_local(|| fixture.runtime.block_on(client.raw_result("health", &json!({}))));
}

#[bench(args = [0, 57, 1_000])]
fn skills_status(bencher: Bencher, skills: usize) {
    let fixture = GatewayFixture::with_skills(skills);
    let mut client = fixture.runtime.block_on(GatewayFixture::client(&fixture.url));
    let text = json!({ "type": "req", "id": "1", "method": "skills.status", "params": {} }).to_string();
    bencher.bench_local(|| {
        fixture.runtime.block_on(async {
            client.send_text(&text).await;
            // As text: parsing JSON is the client's work.
            while !client.receive_text().await.unwrap().starts_with(r#"{"type":"res""#) {}
        });
    });
}

#[bench]
fn a_message_answered_by_a_command(bencher: Bencher) {
    let fixture = GatewayFixture::new();
    let mut client = fixture.runtime.block_on(GatewayFixture::client(&fixture.url));
    let mut number = 0;
    bencher.bench_local(|| {
        number += 1;
        let key = format!("run-{number}");
        let message = json!({ "sessionKey": "main", "message": "/stop", "idempotencyKey": key });
        fixture.runtime.block_on(async {
            client.raw_result("chat.send", &message).await;
            while client.event("chat").await["payload"]["state"] != "final" {}
        });
    });
}

#[bench]
fn connect_and_close(bencher: Bencher) {
    let fixture = GatewayFixture::new();
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        fixture.runtime.block_on(async { GatewayFixture::client(&fixture.url).await.close().await });
    });
}

#[bench(args = [1, 100], sample_count = 10)]
fn a_thousand_events(bencher: Bencher, clients: usize) {
    const EVENTS: usize = 1_000;
    let fixture = GatewayFixture::new();
    let mut all: Vec<_> =
        (0..clients).map(|_| fixture.runtime.block_on(GatewayFixture::client(&fixture.url))).collect();
    bencher.counter(ItemsCount::new(EVENTS * clients)).bench_local(|| {
        for number in 1..=EVENTS {
            fixture.gateway.events.publish(Event::Tick, &json!({ "ts": number }));
        }
        fixture.runtime.block_on(async {
            for client in &mut all {
                while !client.receive_text().await.unwrap().contains(r#"{"ts":1000}"#) {}
            }
        });
    });
}
