//! A gateway in this process, with a home of its own, on one thread as in the program.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use serde_json::{Value, json};
use tarsus_agent::{ModelSource, NoModelSource};
use tarsus_apps::conversation::Language;
use tarsus_audit::Audit;
use tarsus_conformance::{Client, Device, device};
use tarsus_gateway::access::Access;
use tarsus_gateway::gateway::{Gateway, GatewayContext};
use tarsus_gateway::limits::Limits;
use tarsus_gateway::listen::LoopbackListener;
use tarsus_gateway::running::RunningGateway;
use tarsus_gateway::serve::{ShutdownOutcome, serve};
use tarsus_home::config::ConfigFile;
use tarsus_home::credentials::{Credentials, ensure_token};
use tarsus_home::{Home, HomeOptions};
use tarsus_host::Clock;
use tarsus_host::path::SearchPath;
use tarsus_protocol::rpc::overview::{Health, HealthParams};
use tarsus_store::AuditAnchor;
use tempfile::TempDir;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{oneshot, watch};

pub struct Server {
    pub gateway: Arc<Gateway>,
    pub home: Home,
    pub url: String,
    pub port: u16,
    pub token: String,
    stop: watch::Sender<bool>,
    runtime: Handle,
    serving: JoinHandle<ShutdownOutcome>,
    folder: TempDir,
}

impl Server {
    pub async fn start() -> Self {
        Self::with("{}", Limits::DEFAULT).await
    }

    pub async fn with(config: &str, limits: Limits) -> Self {
        Self::with_variables(config, limits, |_| None).await
    }

    pub async fn with_variables(config: &str, limits: Limits, variables: fn(&str) -> Option<String>) -> Self {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }.unwrap();
        let home = home(&folder);
        ensure_token(&home).unwrap();
        std::fs::write(home.config_path(), config).unwrap();
        Self::on(folder, limits, variables).await
    }

    /// A gateway whose agents use a scripted model at this address, in the dialect of OpenAI's completions.
    pub async fn with_model(base_url: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let home = home(&folder);
        ensure_token(&home).unwrap();
        let provider = json!({ "baseUrl": base_url, "api": "openai-completions", "apiKey": "key-of-the-provider",
            "models": [{ "id": "m", "contextWindow": 64_000 }] });
        let config = json!({
            "agents": { "defaults": { "model": "cellar/m" } }, "models": { "providers": { "cellar": provider } },
        });
        std::fs::write(home.config_path(), config.to_string()).unwrap();
        Self::spawn(folder, Limits::DEFAULT, |_| None, None).await
    }

    /// A gateway on an existing home, with these environment variables.
    pub async fn on(folder: TempDir, limits: Limits, variables: fn(&str) -> Option<String>) -> Self {
        Self::spawn(folder, limits, variables, Some(Arc::new(NoModelSource))).await
    }

    /// A gateway with these models; without, those of the configuration.
    async fn spawn(
        folder: TempDir,
        limits: Limits,
        variables: fn(&str) -> Option<String>,
        models: Option<Arc<dyn ModelSource>>,
    ) -> Self {
        let home = home(&folder);
        let (stop, stopped) = watch::channel(false);
        let (ready_sender, ready) = oneshot::channel();
        let serving = std::thread::spawn({
            let home = home.clone();
            move || {
                let runtime = Builder::new_current_thread().enable_all().build().unwrap();
                let handle = runtime.handle().clone();
                runtime.block_on(async {
                    let (listening, gateway, token) = start_gateway(home, limits, variables, models).await;
                    ready_sender.send((handle, listening.port, Arc::clone(&gateway), token)).ok().unwrap();
                    serve(listening, gateway, stopped).await
                })
            }
        });
        let (runtime, port, gateway, token) = ready.await.unwrap();
        let url = format!("ws://127.0.0.1:{port}");
        Self { gateway, home, url, port, token, stop, runtime, serving, folder }
    }

    /// Puts a program that does nothing on PATH.
    pub fn install(&self, name: &str) {
        self.program(name, "");
    }

    /// Puts a shell script on PATH.
    pub fn program(&self, name: &str, script: &str) {
        let folder = self.home.state_dir().join("bin");
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    /// Adds a skill for all agents.
    pub fn put_skill(&self, name: &str, metadata: &Value) {
        let folder = self.home.state_dir().join("skills").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let text = format!("---\nname: {name}\ndescription: A skill.\nmetadata: {metadata}\n---\n\nDo it.\n");
        std::fs::write(folder.join("SKILL.md"), text).unwrap();
    }

    /// A connected command line with these scopes.
    pub async fn client(&self, scopes: &[&str]) -> Client {
        let mut client = Client::expect(&self.url, &[]).await;
        client.challenge().await;
        let hello = client.connect(&device::command_line(&self.token, 4, scopes)).await.frame();
        assert_eq!(hello["ok"], true, "{hello}");
        client
    }

    pub async fn admin(&self) -> Client {
        self.client(&["operator.read", "operator.write", "operator.admin"]).await
    }

    /// A page that connects with its device, and the reply.
    pub async fn page(&self, device: &Device, token: &str) -> (Client, Value) {
        let origin = format!("http://localhost:{}", self.port);
        let mut client = Client::expect(&self.url, &[("origin", &origin)]).await;
        let nonce = client.challenge().await;
        let params = device.signed(2, device::page(token), &nonce, Clock::system().wall_ms());
        let reply = client.connect(&params).await.frame();
        (client, reply)
    }

    /// Stops the gateway; returns the outcome.
    pub async fn stop(self) -> ShutdownOutcome {
        self.stop.send_replace(true);
        join(self.serving).await
    }

    /// Stops and starts again on the same home.
    pub async fn restart(self) -> Self {
        let Self { gateway, stop, serving, folder, .. } = self;
        let limits = gateway.limits;
        stop.send_replace(true);
        assert_eq!(join(serving).await, ShutdownOutcome::Graceful);
        // The last tasks of its sockets release it.
        while Arc::strong_count(&gateway) > 1 {
            tokio::task::yield_now().await;
        }
        drop(gateway);
        Self::on(folder, limits, |_| None).await
    }
}

async fn join(serving: JoinHandle<ShutdownOutcome>) -> ShutdownOutcome {
    tokio::task::spawn_blocking(move || serving.join().unwrap()).await.unwrap()
}

async fn start_gateway(
    home: Home,
    limits: Limits,
    variables: fn(&str) -> Option<String>,
    models: Option<Arc<dyn ModelSource>>,
) -> (LoopbackListener, Arc<Gateway>, String) {
    // Some tests start with a broken file.
    let view = ConfigFile::for_home(&home).load(&variables).map(|loaded| loaded.view).unwrap_or_default();
    let credentials = Credentials::resolve(&view.gateway, &home, &variables).unwrap();
    let token = credentials.secret().map(|secret| secret.expose().to_owned()).unwrap_or_default();
    let listening = LoopbackListener::bind(0).await.unwrap();
    let clock = Clock::system();
    let running = RunningGateway { pid: 1, addresses: listening.addresses(), ready_at: clock.monotonic() };
    let programs = home.state_dir().join("bin");
    let context = GatewayContext {
        clock,
        audit: Arc::new(Audit::open(&home, Some(AuditAnchor::for_home(&home))).unwrap()),
        home,
        variables: Box::new(variables),
        programs: Box::new(move || SearchPath::new(programs.as_os_str(), Some(".EXE".as_ref()))),
        environment: Vec::new(),
        language: Language::English,
        agent: None,
        models,
    };
    let access = Access::new(listening.port, view.gateway.control_ui.allowed_origins.clone(), credentials);
    let gateway = Gateway::new(context, running, access, limits).unwrap();
    (listening, Arc::new(gateway), token)
}

/// Resources of the gateway's thread and this process while no client is connected.
#[derive(Debug, Clone, Copy)]
pub struct ResourceUsage {
    descriptors: usize,
    tasks: usize,
    resident_kib: usize,
}

impl ResourceUsage {
    fn now(server: &Server) -> Self {
        let descriptors = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next());
        Self {
            descriptors,
            tasks: server.runtime.metrics().num_alive_tasks(),
            resident_kib: resident.and_then(|kib| kib.parse().ok()).unwrap_or(0),
        }
    }
}

/// Resources in use after one client has connected, sent a request and disconnected.
pub async fn idle_usage(server: &Server) -> ResourceUsage {
    let mut client = server.admin().await;
    client.call_ok::<Health>(&HealthParams { probe: None }).await;
    client.close().await;
    while !server.gateway.events.presence().is_empty() {
        tokio::task::yield_now().await;
    }
    ResourceUsage::now(server)
}

/// Waits until no more resources are in use than before; a leak runs into the test's timeout. Allocators keep memory,
/// so only a growth that they do not explain is a failure.
pub async fn assert_no_leak(server: &Server, before: ResourceUsage) {
    // The store keeps at most four connections for readers, of three files each.
    const READER_FILES: usize = 4 * 3;
    const ALLOCATOR_KIB: usize = 48 * 1024;
    let is_more = || {
        let now = ResourceUsage::now(server);
        now.descriptors > before.descriptors + READER_FILES || now.tasks > before.tasks
    };
    while is_more() || !server.gateway.events.presence().is_empty() {
        tokio::task::yield_now().await;
    }
    let now = ResourceUsage::now(server);
    assert!(now.resident_kib < before.resident_kib + ALLOCATOR_KIB, "before {before:?}, now {now:?}");
}

fn home(folder: &TempDir) -> Home {
    let choice = HomeOptions {
        state_flag: Some(folder.path().join(".openclaw")),
        user_home: Some(folder.path().to_path_buf()),
        ..HomeOptions::default()
    };
    Home::locate(&choice).unwrap()
}
