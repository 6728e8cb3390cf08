//! The runtime on a real store and real files: accepted messages, the order of events, cancellation.

use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

use serde_json::json;
use tarsus_agent::prompt::Machine;
use tarsus_agent::tools::Toolbox;
use tarsus_agent::{
    AbortedRuns, AcceptedRun, Channel, Inbound, MAX_WAITING_TURNS, NoModelSource, RunEvent, RunEventKind,
    RunOutcome, Runtime, RuntimeError, RuntimeHost, Services,
};
use tarsus_apps::conversation::Language;
use tarsus_audit::{Audit, RecordFilter};
use tarsus_home::config::{Config, ConfigFile};
use tarsus_home::{Home, HomeOptions, Secret, Settings, files};
use tarsus_host::Clock;
use tarsus_host::path::SearchPath;
use tarsus_host::platform::Platform;
use tarsus_protocol::Role;
use tarsus_skills::Library;
use tarsus_skills::eligibility::MachineState;
use tarsus_skills::snapshot::EvaluationInputs;
use tarsus_store::{
    Accepted, Durability, HistoryQuery, NewCall, NewItem, NewMessage, RunId, RunState, SessionKey, Store,
};
use tempfile::TempDir;
use tokio::sync::mpsc;

/// When everything of a session is called off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Begun,
    Said,
}

struct Scene {
    home: Home,
    runtime: Arc<Runtime>,
    stop_at: Arc<Mutex<Option<Moment>>>,
    stopped: Arc<Mutex<Option<AbortedRuns>>>,
    store: Arc<Store>,
    events: Mutex<mpsc::UnboundedReceiver<RunEvent>>,
    _folder: TempDir,
}

/// An empty configuration, without a client that decides approvals.
struct Host(Box<dyn Fn(RunEvent) + Send + Sync>);

impl RuntimeHost for Host {
    fn config(&self) -> Arc<Config> {
        Arc::default()
    }

    fn settings(&self) -> Settings {
        Settings::default()
    }

    fn refresh_skills(&self) {}

    fn secrets(&self) -> Vec<Secret> {
        Vec::new()
    }

    fn publish(&self, event: RunEvent) {
        (self.0)(event);
    }

    fn has_approver(&self) -> bool {
        false
    }
}

fn home(folder: &TempDir) -> Home {
    let choice = HomeOptions {
        state_flag: Some(folder.path().join(".openclaw")),
        user_home: Some(folder.path().to_path_buf()),
        ..HomeOptions::default()
    };
    Home::locate(&choice).unwrap()
}

impl Scene {
    fn new() -> Self {
        Self::on(TempDir::new().unwrap())
    }

    fn on(folder: TempDir) -> Self {
        let home = home(&folder);
        let clock = Clock::fixed(1_000_000).0;
        let store = Arc::new(Store::open(&home).unwrap());
        let inputs = EvaluationInputs {
            home: home.clone(),
            config: ConfigFile::for_home(&home).load(&|_| None).unwrap(),
            settings: Settings::default(),
            machine: Arc::new(MachineState {
                platform: Platform::detect().os,
                programs: SearchPath::new("".as_ref(), None),
                variables: Box::new(|_| None),
            }),
            built_tools: Toolbox::new().built(),
        };
        let (sender, events) = mpsc::unbounded_channel();
        let (stop_at, stopped) = (Arc::new(Mutex::new(None)), Arc::new(Mutex::new(None)));
        let itself = Arc::new(OnceLock::<Weak<Runtime>>::new());
        let stop = {
            let (stop_at, stopped, itself) =
                (Arc::clone(&stop_at), Arc::clone(&stopped), Arc::clone(&itself));
            move |event: &RunEvent| {
                let moment = match event.kind {
                    // A turn of a model is prepared before it begins.
                    RunEventKind::Preparing(_) | RunEventKind::Started => Moment::Begun,
                    RunEventKind::TextDelta { .. } => Moment::Said,
                    _ => return,
                };
                if stop_at.lock().unwrap().take_if(|at| *at == moment).is_some() {
                    let runtime = itself.get().and_then(Weak::upgrade).unwrap();
                    *stopped.lock().unwrap() = Some(runtime.abort(&event.session, None));
                }
            }
        };
        let runtime = Runtime::new(Services {
            audit: Arc::new(Audit::open(&home, None).unwrap()),
            library: Arc::new(Library::open(inputs, None, clock.clone())),
            home: home.clone(),
            clock,
            environment: Vec::new(),
            language: Language::English,
            store: Arc::clone(&store),
            models: Arc::new(NoModelSource),
            machine: Machine { host: None, os: String::new(), shell: None, time_zone: None },
            host: Arc::new(Host(Box::new(move |event| {
                stop(&event);
                sender.send(event).unwrap();
            }))),
        });
        let runtime = Arc::new(runtime);
        itself.set(Arc::downgrade(&runtime)).unwrap();
        Self { home, runtime, stop_at, stopped, store, events: Mutex::new(events), _folder: folder }
    }

    /// The events since the last call, with their runs, once every message is answered.
    async fn events(&self) -> Vec<(String, RunEventKind)> {
        self.runtime.idle().await;
        let mut events = self.events.lock().unwrap();
        std::iter::from_fn(|| events.try_recv().ok())
            .map(|event| (event.run.to_string(), event.kind))
            .collect()
    }

    /// How runs ended, in the order in which they did.
    async fn endings(&self) -> Vec<(String, String)> {
        let over = |(run, what)| match what {
            RunEventKind::Finished(RunOutcome::Completed { message, .. }) => Some((run, message.text())),
            RunEventKind::Finished(RunOutcome::Aborted { .. }) => Some((run, "called off".to_owned())),
            RunEventKind::Finished(RunOutcome::Failed { why, .. }) => Some((run, why)),
            _ => None,
        };
        self.events().await.into_iter().filter_map(over).collect()
    }
}

fn key(name: &str) -> SessionKey {
    format!("agent:main:{name}").parse().unwrap()
}

fn inbound(session: &str, run: &str, text: &str) -> Inbound {
    let (session, run, text) = (key(session), run.parse().unwrap(), text.to_owned());
    Inbound {
        session,
        run,
        text,
        attachments: Vec::new(),
        channel: Channel::Webchat,
        may_change_apps: true,
        is_by_agent: false,
        may_approve: true,
        model: None,
    }
}

fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(run, end)| ((*run).to_owned(), (*end).to_owned())).collect()
}

#[tokio::test]
async fn reply_precedes_the_first_event() {
    let scene = Scene::new();
    let sent = scene.runtime.send(inbound("main", "run", "/stop")).await.unwrap();
    assert_eq!(sent.run.state, RunState::Started);
    scene.runtime.wait(&sent.run.id, Duration::ZERO).await;
    let waited = scene.store.run(&sent.run.id).unwrap().unwrap();
    assert_eq!(waited.state, RunState::Started);
    assert!(scene.events.lock().unwrap().try_recv().is_err());
    let id = sent.run.id.clone();
    sent.start_turn();
    scene.runtime.wait(&id, Duration::from_secs(60)).await;
    let over = scene.store.run(&id).unwrap().unwrap();
    assert_eq!(over.state, RunState::Finished);
    assert_eq!(scene.endings().await, owned(&[("run", "No run was in progress.")]));
}

#[tokio::test]
async fn waiting_runs_are_aborted_in_order() {
    let scene = Scene::new();
    let mut held = Vec::new();
    for run in ["a", "b", "c"] {
        held.push(scene.runtime.send(inbound("main", run, "/skills")).await.unwrap());
    }
    let other = scene.runtime.send(inbound("other", "d", "/stop")).await.unwrap();
    let b: RunId = "b".parse().unwrap();
    let only_b = AbortedRuns { runs: vec![b.clone()], finishing: Vec::new() };
    assert_eq!(scene.runtime.abort(&key("main"), Some(&b)), only_b);
    let stop = scene.runtime.send(inbound("main", "e", "/stop")).await.unwrap();
    drop(other);
    drop(stop);
    drop(held);
    let mut endings = scene.endings().await;
    endings.retain(|(run, _)| run != "d");
    let expected = [("a", "called off"), ("b", "called off"), ("c", "called off"), ("e", "Aborted 2 runs.")];
    assert_eq!(endings, owned(&expected));
    let run = scene.store.run(&b).unwrap().unwrap();
    assert_eq!(run.state, RunState::Aborted);
    assert_eq!(scene.runtime.abort(&key("main"), None), AbortedRuns::default());
}

#[tokio::test]
async fn abort_waits_for_an_action_in_progress() {
    let scene = Scene::new();
    let register = |name: &str| {
        let registry = scene.home.state_dir().join("registries").join("application_registry.json");
        files::make_private_dir(registry.parent().unwrap()).unwrap();
        let text = format!(
            r#"{{ "{name}": {{ "launch_path": "/nowhere/{name}", "mode": "full", "allowed_agents": [] }} }}"#
        );
        std::fs::write(registry, text).unwrap();
    };
    register("Notes");
    // At the start of each run, or after its answer, everything of the session is aborted.
    let table = [
        ("menu", "application manager", Moment::Begun, "called off"),
        ("launch", "open Notes", Moment::Begun, "called off"),
        ("command", "/think high", Moment::Begun, "called off"),
        ("nobody", "how are you", Moment::Begun, "called off"),
        ("late", "/help", Moment::Said, "/help: "),
    ];
    for (run, text, moment, expected) in table {
        *scene.stop_at.lock().unwrap() = Some(moment);
        drop(scene.runtime.send(inbound("main", run, text)).await.unwrap());
        let endings = scene.endings().await;
        assert_eq!(endings.len(), 1, "{endings:?}");
        assert!(endings[0].1.starts_with(expected), "{run}: {endings:?}");
        let (called_off, state) = match moment {
            Moment::Begun => ((vec![run], Vec::new()), RunState::Aborted),
            Moment::Said => ((Vec::new(), vec![run]), RunState::Finished),
        };
        let ids = |names: Vec<&str>| names.into_iter().map(|name| name.parse().unwrap()).collect();
        let expected = AbortedRuns { runs: ids(called_off.0), finishing: ids(called_off.1) };
        assert_eq!(scene.stopped.lock().unwrap().take(), Some(expected), "{run}");
        let stored = scene.store.run(&run.parse().unwrap()).unwrap().unwrap();
        assert_eq!(stored.state, state, "{run}");
    }
    assert_eq!(scene.store.conversation(&key("main")).unwrap(), None, "no menu is open that was never sent");
    let audit = Audit::open(&scene.home, None).unwrap().tail(&RecordFilter::default()).unwrap();
    assert_eq!(audit.records, [], "nothing was launched");
    let page = scene.store.history(&HistoryQuery::for_session(key("main"))).unwrap().unwrap();
    let answers = page.items.iter().filter(|item| item.message.role == Role::Assistant).count();
    assert_eq!((page.items.len(), answers), (6, 1), "each message, and the one answer");
    let session = scene.store.session(&key("main")).unwrap().unwrap();
    assert_eq!(session.settings.thinking_level, None, "the command was not carried out");
}

#[tokio::test]
async fn items_are_published_in_number_order() {
    let scene = Scene::new();
    let mut sent = Vec::new();
    for number in 0..20 {
        sent.push(scene.runtime.send(inbound("main", &format!("run-{number}"), "/help")).await.unwrap());
        // The first is answered while others come.
        if number % 3 == 0 {
            sent.clear();
        }
    }
    drop(sent);
    let numbers: Vec<u64> = scene
        .events()
        .await
        .into_iter()
        .filter_map(|(_, what)| match what {
            RunEventKind::ItemAppended { number, .. } => Some(number),
            _ => None,
        })
        .collect();
    assert_eq!(numbers, (1..=40).collect::<Vec<_>>());
}

#[tokio::test]
async fn messages_after_new_belong_to_the_new_session() {
    let scene = Scene::new();
    let before = scene.runtime.send(inbound("main", "a", "application manager")).await.unwrap();
    let new = scene.runtime.send(inbound("main", "b", "/new")).await.unwrap();
    let after = scene.runtime.send(inbound("main", "c", "/help")).await.unwrap();
    [before, new, after].into_iter().for_each(AcceptedRun::start_turn);
    assert_eq!(scene.endings().await.len(), 3);
    let page = scene.store.history(&HistoryQuery::for_session(key("main"))).unwrap().unwrap();
    let runs: Vec<_> = page.items.iter().map(|item| item.run.as_ref().map(ToString::to_string)).collect();
    assert_eq!(runs, [Some("c"), None, Some("c")].map(|run| run.map(str::to_owned)));
    assert!(page.items[1].message.text().starts_with("A new session has started."));
    assert_eq!(scene.store.conversation(&key("main")).unwrap(), None, "the menu of before is not open");
    // A repeated message starts no run.
    assert!(!scene.runtime.send(inbound("main", "b", "/new")).await.unwrap().is_new());
    assert_eq!(scene.store.session(&key("main")).unwrap().unwrap().session_id, page.session_id);
}

#[tokio::test]
async fn sender_without_admin_scope_cannot_change_apps() {
    let scene = Scene::new();
    let registry = scene.home.state_dir().join("registries").join("application_registry.json");
    for (number, text) in ["application manager", "yes", "create"].into_iter().enumerate() {
        for may_change_apps in [false, true] {
            let session = if may_change_apps { "owner" } else { "guest" };
            let inbound =
                Inbound { may_change_apps, ..inbound(session, &format!("{session}-{number}"), text) };
            drop(scene.runtime.send(inbound).await.unwrap());
            scene.runtime.idle().await;
            assert!(may_change_apps || number > 1 || !registry.exists(), "a guest made it with {text:?}");
        }
    }
    assert!(registry.exists(), "the owner made it with the same words");
    let lines = Audit::open(&scene.home, None).unwrap().tail(&RecordFilter::default()).unwrap().records;
    let denied = lines.iter().filter(|line| line.entry.decision.as_deref() == Some("denied"));
    let sessions: Vec<_> = denied.map(|line| line.entry.session_key.clone().unwrap()).collect();
    assert_eq!(sessions, ["agent:main:guest"], "{lines:?}");
}

#[tokio::test]
async fn reset_waits_for_the_run_in_progress() {
    let scene = Scene::new();
    let first = scene.runtime.send(inbound("main", "a", "application manager")).await.unwrap();
    let before = scene.store.session(&key("main")).unwrap().unwrap().session_id;
    let mut reset = Box::pin(scene.runtime.reset(key("main")));
    let is_done = tokio::select! {
        biased;
        _ = &mut reset => true,
        () = std::future::ready(()) => false,
    };
    assert!(!is_done, "it waits for its turn, after it has called off what waits");
    first.start_turn();
    let session = reset.await.unwrap();
    assert_eq!((session.session_id != before, session.items), (true, 0));
    assert_eq!(scene.endings().await, owned(&[("a", "called off")]));
}

#[tokio::test]
async fn message_beyond_the_limit_is_refused() {
    let scene = Scene::new();
    let mut held = Vec::new();
    for number in 0..MAX_WAITING_TURNS {
        let inbound = inbound(&format!("s{number}"), &format!("run-{number}"), "/stop");
        held.push(scene.runtime.send(inbound).await.unwrap());
    }
    let refused = scene.runtime.send(inbound("main", "more", "hello")).await.unwrap_err();
    assert!(matches!(refused, RuntimeError::Busy));
    assert_eq!(scene.store.run(&"more".parse().unwrap()).unwrap(), None);
    let refused = scene.runtime.send(inbound("main", "empty", " \n")).await.unwrap_err();
    assert!(matches!(refused, RuntimeError::EmptyMessage));
    drop(held);
    assert_eq!(scene.endings().await.len(), MAX_WAITING_TURNS);
    assert!(scene.runtime.send(inbound("main", "more", "hello")).await.is_ok());
}

#[tokio::test]
async fn unwritable_reply_is_published_as_a_failure() {
    let scene = Scene::new();
    let sent = scene.runtime.send(inbound("main", "a", "/help")).await.unwrap();
    assert!(scene.store.delete(key("main")).await.unwrap());
    sent.start_turn();
    let endings = scene.endings().await;
    assert_eq!(endings.len(), 1);
    assert!(endings[0].1.contains("agent:main:main"), "{endings:?}");
}

#[tokio::test]
async fn interrupted_runs_are_closed_at_start() {
    let folder = TempDir::new().unwrap();
    let ask = |store: &Store, run: &str| {
        let message = serde_json::from_str(r#"{"role":"user","content":"hello"}"#).unwrap();
        let new = NewMessage { session: key("main"), run: run.parse().unwrap(), message, at_ms: 1 };
        assert!(matches!(store.accept(new).wait().unwrap(), Accepted::New { .. }));
    };
    {
        let store = Store::open(&home(&folder)).unwrap();
        ask(&store, "silent");
        ask(&store, "busy");
        let calls = json!([
            {"type": "toolCall", "id": "ran", "name": "write", "arguments": {}},
            {"type": "toolCall", "id": "waited", "name": "write", "arguments": {}},
        ]);
        let message = serde_json::from_value(json!({"role": "assistant", "content": calls})).unwrap();
        let run: RunId = "busy".parse().unwrap();
        let item = NewItem { session: key("main"), run: Some(run.clone()), message, at_ms: 2 };
        let call = |id: &str, begun| NewCall { id: id.to_owned(), tool: "write".to_owned(), begun };
        let calls = vec![call("ran", true), call("waited", false)];
        store.append_answer(item, calls, None, Durability::PowerSafe).wait().unwrap();
        store.append_draft(run, "Half a sen".to_owned(), 3).wait().unwrap();
    }
    let scene = Scene::on(folder);
    let page = scene.store.history(&HistoryQuery::for_session(key("main"))).unwrap().unwrap();
    let events: Vec<_> = page.items[2..]
        .iter()
        .map(|item| (item.run.as_ref().unwrap().as_str(), item.message.role.clone(), item.message.text()))
        .collect();
    let result = |id: &str| Role::ToolResult {
        tool_call_id: id.to_owned(),
        tool_name: "write".to_owned(),
        is_error: true,
        details: None,
    };
    let remark = Role::remark("run-interrupted");
    let words = |text: &str| text.to_owned();
    let expected = [
        ("busy", Role::Assistant, words("")),
        (
            "busy",
            result("ran"),
            words(
                "This call may have run: its turn ended before its result was known. Check its effects before you call \
                 it again.",
            ),
        ),
        ("busy", result("waited"), words("This call was not run: its turn ended before it started.")),
        ("busy", Role::Assistant, words("Half a sen")),
        (
            "busy",
            remark.clone(),
            words("Tarsus stopped while it answered this message. Everything until then is above."),
        ),
        ("silent", remark, words("Tarsus stopped before it answered this message. Send it again.")),
    ];
    assert_eq!(events, expected);
    for run in ["silent", "busy"].map(|run| run.parse().unwrap()) {
        scene.runtime.wait(&run, Duration::from_secs(60)).await;
        let waited = scene.store.run(&run).unwrap();
        assert_eq!(waited.map(|run| run.state), Some(RunState::Interrupted));
    }
}

#[tokio::test]
async fn delete_waits_for_the_run_in_progress() {
    let scene = Scene::new();
    let first = scene.runtime.send(inbound("main", "a", "/help")).await.unwrap();
    let mut delete = Box::pin(scene.runtime.delete(key("main")));
    let is_done = tokio::select! {
        biased;
        _ = &mut delete => true,
        () = std::future::ready(()) => false,
    };
    assert!(!is_done, "it waits for its turn, after it has called off what waits");
    first.start_turn();
    assert!(delete.await.unwrap());
    assert_eq!(scene.endings().await, owned(&[("a", "called off")]));
    assert_eq!(scene.store.session(&key("main")).unwrap(), None);
    assert!(!scene.runtime.delete(key("main")).await.unwrap());
}
