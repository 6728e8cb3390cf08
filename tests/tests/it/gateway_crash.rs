//! A gateway is killed at any step while several clients write: acknowledged writes survive,
//! and the next start works.
#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Mutex;

use serde_json::{Value, json};
use tarsus_conformance::params::{
    agent_file, agent_file_set, chat_history, chat_message, config_write, session_patch, sessions_list,
    skill_api_key,
};
use tarsus_conformance::{Client, Device, Opened, Received, device};
use tarsus_home::config;
use tarsus_home::files::crash;
use tarsus_home::secrets::SecretStore;
use tarsus_protocol::apps::{AppEntry, AppMode};
use tarsus_protocol::message::Role;
use tarsus_protocol::rpc::apps::AppSaveParams;
use tarsus_protocol::rpc::chat::ChatHistoryParams;
use tarsus_protocol::rpc::sessions::SessionPatchParams;
use tarsus_protocol::rpc::tools::ApprovalsParams;
use tarsus_protocol::rpc::{
    CallError, FieldChange, Method, NoParams, agents, apps, chat, config as config_rpc, sessions, skills,
    tools,
};
use tarsus_tests::{TestHome, amount, open_audit};

const GATEWAY: &str = env!("CARGO_BIN_EXE_tarsus-test-gateway");
const WRITERS: usize = 4;
const ROUNDS: usize = 3;
/// The signal of a process that killed itself at its step.
const ABORTED: i32 = 6;

/// Every kind of acknowledged write.
const WRITES: [&str; 8] = [
    "chat.send",
    "sessions.patch",
    "config.set",
    "agents.files.set",
    "apps.save",
    "skills.update",
    "exec.approvals.set",
    "device pairing",
];

/// Steps outside of these writes: removal of a file or an unfinished line, the reserve, files that agents change, and steps
/// of a start, such as a store that is new, of an older version or left over.
const NOT_WHILE_SERVING: [&str; 14] = [
    "append.cut",
    "move.renamed",
    "remove.unlinked",
    "reserve.filled",
    "reserve.given",
    "rewrite.folder.made",
    "rewrite.temp.written",
    "rewrite.renamed",
    "rewrite.removed",
    "store.file.made",
    "store.opened",
    "store.step.made",
    "store.migrated",
    "store.recovered",
];

/// A running gateway.
struct Gateway {
    child: Child,
    url: String,
    token: String,
}

impl Gateway {
    /// Starts one; `None` if it ends before it is ready.
    fn start(home: &TestHome, variables: &[(&str, &str)]) -> Option<Self> {
        let mut command = home.command(GATEWAY);
        command.arg(home.state_dir()).envs(variables.iter().copied());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let Some(port) = line.trim().strip_prefix("ready ") else {
            child.wait().unwrap();
            return None;
        };
        let token = fs::read_to_string(home.home().token_path()).unwrap().trim().to_owned();
        Some(Self { child, url: format!("ws://127.0.0.1:{port}"), token })
    }

    /// A client with every scope.
    async fn admin(&self) -> Result<Client, Received> {
        let scopes = ["operator.read", "operator.write", "operator.admin"];
        self.connected(|_| device::command_line(&self.token, 4, &scopes), &[]).await.map(|(client, _)| client)
    }

    /// A page with a device that presents this token; returns the token issued to the device.
    async fn page(&self, device: &Device, token: &str) -> Result<String, Received> {
        let origin = self.url.replace("ws://127.0.0.1", "http://localhost");
        let now = jiff::Timestamp::now().as_millisecond();
        let params = |nonce: &str| device.signed(3, device::page(token), nonce, now);
        let (_, hello) = self.connected(params, &[("origin", &origin)]).await?;
        Ok(hello["payload"]["auth"]["deviceToken"].as_str().unwrap().to_owned())
    }

    async fn connected(
        &self,
        params: impl Fn(&str) -> Value,
        headers: &[(&str, &str)],
    ) -> Result<(Client, Value), Received> {
        let Ok(Opened::Socket(mut client)) = Client::try_open(&self.url, headers).await else {
            return Err(Received::Gone);
        };
        let challenge = frame(client.receive().await)?;
        let nonce = challenge["payload"]["nonce"].as_str().unwrap();
        let hello = frame(client.connect(&params(nonce)).await)?;
        assert_eq!(hello["ok"], true, "{hello}");
        Ok((*client, hello))
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // Already ended is fine.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn frame(received: Received) -> Result<Value, Received> {
    match received {
        Received::Frame(frame) => Ok(frame),
        end => Err(end),
    }
}

/// The initial state folder of every gateway here: an agent and a skill per writer.
fn home() -> TestHome {
    let home = TestHome::in_memory();
    let agents: Vec<_> =
        (0..WRITERS).map(|writer| json!({ "id": format!("a{writer}"), "name": "round 0" })).collect();
    fs::create_dir_all(home.state_dir().join("registries")).unwrap();
    fs::write(home.home().config_path(), json!({ "agents": { "list": agents } }).to_string()).unwrap();
    fs::write(home.state_dir().join("registries/application_registry.json"), "{}\n").unwrap();
    for writer in 0..WRITERS {
        let folder = home.state_dir().join(format!("skills/skill-{writer}"));
        fs::create_dir_all(&folder).unwrap();
        let metadata = json!({ "openclaw": { "primaryEnv": "KEY", "requires": { "env": ["KEY"] } } });
        let text = format!(
            "---\nname: skill-{writer}\ndescription: A skill.\nmetadata: {metadata}\n---\n\nDo it.\n"
        );
        fs::write(folder.join("SKILL.md"), text).unwrap();
    }
    home
}

/// The writes of one writer that the gateway acknowledged.
#[derive(Default)]
struct Acknowledged {
    /// The last acknowledged round of each kind of write.
    rounds: BTreeMap<&'static str, usize>,
    devices: Vec<(Device, String)>,
}

/// Writes everything, round after round, until the gateway is gone.
async fn write(gateway: &Gateway, writer: usize) -> Acknowledged {
    let mut acks = Acknowledged::default();
    if let Ok(mut client) = gateway.admin().await {
        // The process shows how it ended.
        write_all(gateway, &mut client, writer, &mut acks).await.ok();
    }
    acks
}

async fn write_all(
    gateway: &Gateway,
    client: &mut Client,
    writer: usize,
    acks: &mut Acknowledged,
) -> Result<(), Received> {
    for round in 1..=ROUNDS {
        for what in 0..WRITES.len() {
            // Each writer begins with another kind, so that they meet at different steps.
            let what = WRITES[(what + 2 * writer) % WRITES.len()];
            if what == "device pairing" {
                let device = Device::numbered((100 * writer + round) as u64);
                let token = gateway.page(&device, &gateway.token).await?;
                acks.devices.push((device, token));
            } else {
                write_one(client, what, writer, round).await?;
            }
            acks.rounds.insert(what, round);
        }
    }
    Ok(())
}

async fn write_one(client: &mut Client, what: &str, writer: usize, round: usize) -> Result<(), Received> {
    let (agent, session) = (format!("a{writer}"), format!("agent:a{writer}:main"));
    let text = format!("round {round}");
    match what {
        "chat.send" => {
            let key = format!("{writer}-{round}");
            succeed::<chat::Send>(client, &chat_message(&session, &text, &key)).await
        }
        "sessions.patch" => {
            let label = Some(FieldChange::Set(format!("{agent} round {round}")));
            let patch = SessionPatchParams { label, ..session_patch(&session) };
            succeed::<sessions::Patch>(client, &patch).await
        }
        "config.set" => {
            compare_and_set::<config_rpc::Get, config_rpc::Set>(client, |seen| {
                let mut config = seen.config.clone();
                config["agents"]["list"][writer]["name"] = json!(text);
                config_write(config, &seen.hash)
            })
            .await
        }
        "agents.files.set" => {
            succeed::<agents::FilesSet>(client, &agent_file_set(&agent, "MEMORY.md", &text)).await
        }
        "apps.save" => {
            compare_and_set::<apps::List, apps::Save>(client, |seen| {
                let entry = AppEntry::new(format!("/opt/{round}"), AppMode::Off, [""; 0]);
                AppSaveParams {
                    name: format!("App {writer}"),
                    entry: AppEntry { allowed_agents: None, ..entry },
                    base_hash: seen.registry.hash.clone(),
                }
            })
            .await
        }
        "skills.update" => {
            let key = skill_api_key(&format!("skill-{writer}"), &text);
            succeed::<skills::Update>(client, &key).await
        }
        "exec.approvals.set" => {
            compare_and_set::<tools::ApprovalsGet, tools::ApprovalsSet>(client, |seen| {
                let mut file = seen.file.clone();
                file.agents.get_or_insert_default().insert(agent.clone(), json!({ "ask": text }));
                ApprovalsParams { file, base_hash: Some(seen.hash.clone()) }
            })
            .await
        }
        other => panic!("no such write: {other}"),
    }
}

async fn succeed<M: Method>(client: &mut Client, params: &M::Params) -> Result<(), Received> {
    let reply = client.try_call::<M>(params).await?;
    reply.unwrap_or_else(|error| panic!("{}: {error}", M::NAME));
    Ok(())
}

/// Reads, changes and writes; retries if another client was faster.
async fn compare_and_set<Read, Write>(
    client: &mut Client,
    change: impl Fn(&Read::Result) -> Write::Params,
) -> Result<(), Received>
where
    Read: Method<Params = NoParams>,
    Write: Method,
{
    loop {
        let seen = client.try_call::<Read>(&NoParams {}).await?;
        let seen = seen.unwrap_or_else(|error| panic!("{}: {error}", Read::NAME));
        match client.try_call::<Write>(&change(&seen)).await? {
            Ok(_) => return Ok(()),
            Err(CallError::Refused(error)) if error.message.contains("changed since") => {}
            Err(error) => panic!("{}: {error}", Write::NAME),
        }
    }
}

/// Acknowledged writes are there; an unacknowledged one may be the next round, and nothing else.
async fn check(home: &TestHome, gateway: &Gateway, acks: &[Acknowledged], context: &str) {
    let mut client = gateway.admin().await.unwrap();
    let config = client.call_ok::<config_rpc::Get>(&NoParams {}).await.config;
    let apps = client.call_ok::<apps::List>(&NoParams {}).await.apps;
    let approvals = client.call_ok::<tools::ApprovalsGet>(&NoParams {}).await.file.agents.unwrap_or_default();
    let sessions = client.call_ok::<sessions::List>(&sessions_list()).await.sessions;
    for (writer, acks) in acks.iter().enumerate() {
        let (agent, session) = (format!("a{writer}"), format!("agent:a{writer}:main"));
        let page = ChatHistoryParams { limit: Some(1000), ..chat_history(&session) };
        let history = client.call_ok::<chat::History>(&page).await;
        let (questions, answers): (Vec<_>, Vec<_>) =
            history.messages.iter().partition(|item| item.message.role == Role::User);
        let texts: Vec<_> = questions.iter().map(|item| item.message.text()).collect();
        let expected: Vec<_> = (1..=questions.len()).map(|round| format!("round {round}")).collect();
        assert_eq!(texts, expected, "{context}: each message once, in order");
        assert_eq!(answers.len(), questions.len(), "{context}: each message has an answer or an error");
        let file = client.call_ok::<agents::FilesGet>(&agent_file(&agent, "MEMORY.md")).await.file;
        let id = format!("skills/skill-{writer}/apiKey");
        let secret = SecretStore::for_home(home.home()).get(&id).unwrap();
        let reference = config["skills"]["entries"][format!("skill-{writer}")]["apiKey"]["id"].as_str();
        for what in WRITES {
            let found = match what {
                "chat.send" => Some(questions.len()),
                "sessions.patch" => {
                    let entry = sessions.iter().find(|entry| entry.key == session);
                    entry.and_then(|entry| round(entry.display_name.as_deref()?))
                }
                "config.set" => {
                    let agents = config["agents"]["list"].as_array().into_iter().flatten();
                    let entry = agents.into_iter().find(|entry| entry["id"] == agent);
                    entry.and_then(|entry| round(entry["name"].as_str()?))
                }
                "agents.files.set" => file.content.as_deref().and_then(round),
                "apps.save" => {
                    let app = apps.iter().find(|app| app.name == format!("App {writer}"));
                    app.and_then(|app| round(app.launch_path.as_deref()?))
                }
                "skills.update" => reference
                    .filter(|reference| *reference == id)
                    .and_then(|_| round(secret.as_ref()?.expose())),
                "exec.approvals.set" => {
                    approvals.get(&agent).and_then(|policy| round(policy["ask"].as_str()?))
                }
                "device pairing" => Some(acks.devices.len()),
                other => panic!("no such write: {other}"),
            };
            let acknowledged = acks.rounds.get(what).copied().unwrap_or(0);
            let found = found.unwrap_or(0);
            assert!(
                (acknowledged..=acknowledged + 1).contains(&found),
                "{context}: {what} of writer {writer}: round {acknowledged} was acknowledged, {found} is there"
            );
        }
        for (device, token) in &acks.devices {
            let again = gateway.page(device, token).await;
            assert_eq!(again.as_ref(), Ok(token), "{context}: a device was forgotten");
        }
    }
    let verification = open_audit(home.home()).unwrap().verify().unwrap();
    assert_eq!((verification.first_bad, verification.torn), (None, 0), "{context}");
}

/// The number at the end of a text.
fn round(text: &str) -> Option<usize> {
    text.rsplit([' ', '/']).next()?.parse().ok()
}

/// Whether every write of every writer was acknowledged.
fn is_done(acks: &[Acknowledged]) -> bool {
    acks.iter().all(|acks| WRITES.iter().all(|what| acks.rounds.get(what) == Some(&ROUNDS)))
}

/// The number of times each step was passed.
fn passages(trace: &Path) -> BTreeMap<String, usize> {
    let mut passages = BTreeMap::new();
    for line in fs::read_to_string(trace).unwrap_or_default().lines() {
        *passages.entry(line.to_owned()).or_default() += 1;
    }
    passages
}

fn load(gateway: &Gateway) -> Vec<Acknowledged> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (a, b, c, d) =
            tokio::join!(write(gateway, 0), write(gateway, 1), write(gateway, 2), write(gateway, 3));
        vec![a, b, c, d]
    })
}

/// Runs a whole load and returns the steps that it passes, spread over their passages.
fn steps() -> Vec<String> {
    let home = home();
    let trace = home.path().join("trace");
    let gateway = Gateway::start(&home, &[("TARSUS_CRASH_TRACE", trace.to_str().unwrap())]).unwrap();
    let before = passages(&trace);
    assert!(is_done(&load(&gateway)));
    let after = passages(&trace);
    let named: BTreeSet<&str> = crash::POINTS
        .iter()
        .chain(config::CRASH_POINTS)
        .chain(tarsus_store::CRASH_POINTS)
        .chain(&["anchor.saved"])
        .copied()
        .filter(|point| !NOT_WHILE_SERVING.contains(point))
        .collect();
    let mut steps = Vec::new();
    let mut passed = BTreeSet::new();
    for (step, last) in &after {
        let first = before.get(step).copied().unwrap_or(0) + 1;
        if first <= *last {
            passed.insert(step.as_str());
            let span = last - first;
            // The last passages are not reached if another run groups its changes differently.
            steps.extend([first, first + span / 2].map(|passage| format!("{step}#{passage}")));
        }
    }
    assert_eq!(passed, named, "the steps of a gateway that serves");
    steps.dedup();
    steps
}

#[test]
fn acknowledged_writes_survive_a_kill_at_every_step() {
    let steps = steps();
    let left = Mutex::new(steps.iter().cycle().take(steps.len() * amount(1)));
    let ended = Mutex::new(0);
    let next = || left.lock().unwrap().next();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(step) = next() {
                    *ended.lock().unwrap() += usize::from(end_at(step));
                }
            });
        }
    });
    let ended = ended.into_inner().unwrap();
    assert!(ended >= steps.len() * amount(1) * 3 / 4, "only {ended} of {} were cut short", steps.len());
}

/// Kills a gateway at a step and starts the next one on the remaining files; returns whether the step was reached.
fn end_at(step: &str) -> bool {
    let home = home();
    let mut gateway = Gateway::start(&home, &[("TARSUS_CRASH_POINT", step)]).unwrap();
    let acks = load(&gateway);
    if is_done(&acks) {
        // This run does not reach the step: it is killed after everything was acknowledged.
        gateway.child.kill().unwrap();
    }
    let ended = gateway.child.wait().unwrap().signal() == Some(ABORTED);
    let next = Gateway::start(&home, &[]).unwrap_or_else(|| panic!("{step}: the next start fails"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(check(&home, &next, &acks, step));
    ended
}
