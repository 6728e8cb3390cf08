//! A turn of an agent: from a message to the first model request, the cost of a delta, and many
//! concurrent sessions. The model is in the process and answers at once.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark stops at the first failure"
)]

use std::sync::Arc;

use divan::counter::ItemsCount;
use divan::{Bencher, bench};
use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt};
use tarsus_agent::{Channel, Inbound, ModelSource};
use tarsus_apps::conversation::Language;
use tarsus_audit::Audit;
use tarsus_benches::skills::generate;
use tarsus_gateway::access::Access;
use tarsus_gateway::gateway::{Gateway, GatewayContext};
use tarsus_gateway::limits::Limits;
use tarsus_gateway::running::RunningGateway;
use tarsus_home::config::Config;
use tarsus_home::credentials::Credentials;
use tarsus_home::{Home, HomeOptions};
use tarsus_host::Clock;
use tarsus_host::path::SearchPath;
use tarsus_models::{
    ChainLink, Delta, DeltaStream, LanguageModel, ModelChain, ModelInfo, ModelName, ModelRequest,
    RetryPolicy, StopReason, ToolCallMode,
};
use tarsus_protocol::{Block, Message, Role};
use tarsus_store::{Durability, NewItem, SessionKey};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

fn main() {
    divan::main();
}

/// Signals each request, and answers with so many words.
struct Probe {
    name: ModelName,
    info: ModelInfo,
    requests: UnboundedSender<()>,
    words: usize,
}

impl LanguageModel for Probe {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn context_window(&self) -> u32 {
        1_000_000
    }

    fn stream(&self, _: Arc<ModelRequest>) -> DeltaStream {
        self.requests.send(()).unwrap();
        let words = (0..self.words).map(|_| Ok(Delta::Text("word ".to_owned())));
        stream::iter(words.chain([Ok(Delta::Stop(StopReason::EndTurn))]).collect::<Vec<_>>()).boxed()
    }
}

struct Probes(Arc<Probe>);

impl ModelSource for Probes {
    fn resolve_chain<'a>(&'a self, _: &'a Config, _: &'a [String]) -> BoxFuture<'a, Option<ModelChain>> {
        let probe: Arc<dyn LanguageModel> = Arc::<Probe>::clone(&self.0);
        Box::pin(std::future::ready(Some(ModelChain::new(vec![ChainLink::new(probe)], RetryPolicy::new(0)))))
    }
}

struct TurnFixture {
    runtime: Runtime,
    gateway: Arc<Gateway>,
    requests: UnboundedReceiver<()>,
    runs: u64,
    _folder: TempDir,
}

impl TurnFixture {
    /// An agent with a number of skills, whose model answers with a number of words.
    fn new(skills: usize, words: usize) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let choice = HomeOptions { state_flag: Some(folder.path().to_owned()), ..HomeOptions::default() };
        let home = Home::locate(&choice).unwrap();
        generate(&home.state_dir().join("skills"), skills);
        let (sender, requests) = unbounded_channel();
        let info = ModelInfo {
            label: "Probe".to_owned(),
            context_window: Some(1_000_000),
            max_output: None,
            reasoning: false,
            images: false,
            price: None,
            tool_calls: ToolCallMode::Native,
        };
        let probe = Probe { name: "probe/one".parse().unwrap(), info, requests: sender, words };
        let clock = Clock::system();
        let running = RunningGateway { pid: 1, addresses: Vec::new(), ready_at: clock.monotonic() };
        let context = GatewayContext {
            audit: Arc::new(Audit::open(&home, None).unwrap()),
            home,
            clock,
            variables: Box::new(|_| None),
            programs: Box::new(|| SearchPath::new("".as_ref(), None)),
            environment: Vec::new(),
            language: Language::English,
            agent: None,
            models: Some(Arc::new(Probes(Arc::new(probe)))),
        };
        let access = Access::new(0, Vec::new(), Credentials::None);
        let gateway = {
            let _inside = runtime.enter();
            Arc::new(Gateway::new(context, running, access, Limits::DEFAULT).unwrap())
        };
        Self { runtime, gateway, requests, runs: 0, _folder: folder }
    }

    /// Fills the main session.
    fn fill(&mut self, items: usize) {
        self.send("main");
        self.wait_until_idle();
        let session = key("main");
        for number in 0..items {
            let role = if number % 2 == 0 { Role::User } else { Role::Assistant };
            let content = vec![Block::text(
                "What was said here is of the usual length of a sentence or two. ".repeat(3),
            )];
            let message = Message { role, content, timestamp: None };
            let item = NewItem { session: session.clone(), run: None, message, at_ms: 1 };
            self.gateway.store.append(item, Durability::KillSafe).wait().unwrap();
        }
    }

    fn send(&mut self, session: &str) {
        self.runs += 1;
        let inbound = Inbound {
            session: key(session),
            run: format!("run-{}", self.runs).parse().unwrap(),
            text: "and what is next?".to_owned(),
            attachments: Vec::new(),
            channel: Channel::Webchat,
            may_change_apps: true,
            is_by_agent: false,
            may_approve: true,
            model: None,
        };
        self.runtime.block_on(self.gateway.runtime.send(inbound)).unwrap().start_turn();
    }

    fn wait_for_request(&mut self) {
        self.runtime.block_on(self.requests.recv()).unwrap();
    }

    /// Waits until everything is answered.
    fn wait_until_idle(&mut self) {
        self.runtime.block_on(self.gateway.runtime.idle());
        while self.requests.try_recv().is_ok() {}
    }
}

fn key(name: &str) -> SessionKey {
    format!("agent:main:{name}").parse().unwrap()
}

/// Skills, and items of the session.
#[bench(args = [(0, 0), (0, 2_000), (1_000, 0), (1_000, 2_000)])]
fn message_to_first_request(bencher: Bencher, (skills, items): (usize, usize)) {
    let mut fixture = TurnFixture::new(skills, 1);
    fixture.fill(items);
    bencher.bench_local(|| {
        fixture.send("main");
        fixture.wait_for_request();
    });
    fixture.wait_until_idle();
}

/// A whole turn; divide by the words.
#[bench(args = [1, 1_000, 10_000])]
fn words_of_an_answer(bencher: Bencher, words: usize) {
    let mut fixture = TurnFixture::new(0, words);
    bencher.counter(ItemsCount::new(words)).bench_local(|| {
        fixture.send("main");
        fixture.wait_until_idle();
    });
}

#[bench(args = [1, 100])]
fn sessions_that_stream_at_once(bencher: Bencher, sessions: usize) {
    let mut fixture = TurnFixture::new(0, 1_000);
    let names: Vec<String> = (0..sessions).map(|number| format!("s{number}")).collect();
    bencher.counter(ItemsCount::new(sessions)).bench_local(|| {
        for name in &names {
            fixture.send(name);
        }
        fixture.wait_until_idle();
    });
}
