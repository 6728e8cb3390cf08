//! `tarsus sessions` and `tarsus backup`, with and without a gateway.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};
use tarsus_store::{
    Durability, NewItem, NewMessage, RequestUsage, RunEnd, RunId, SessionKey, SessionPatch, SessionQuery,
    Store,
};
use tarsus_tests::{TestHome, printed};

const CANARY: &str = "canary-0123456789";

fn key(text: &str) -> SessionKey {
    text.parse().unwrap()
}

fn message(value: Value) -> tarsus_protocol::Message {
    serde_json::from_value(value).unwrap()
}

/// A home with two agents and three sessions: one was reset, and one belongs to a removed agent.
fn home() -> TestHome {
    let home = TestHome::in_memory();
    fs::create_dir_all(home.state_dir()).unwrap();
    let config = "{ agents: { list: [{ id: 'main' }, { id: 'ops' }] }, gateway: { auth: { token: 'k' } } }\n";
    fs::write(home.home().config_path(), config).unwrap();
    let store = Store::open(home.home()).unwrap();
    let ask = |session: &str, run: &str, text: &str, at_ms: i64| {
        let message = message(json!({"role": "user", "content": text, "timestamp": at_ms}));
        let new = NewMessage { session: key(session), run: run.parse().unwrap(), message, at_ms };
        store.accept(new).wait().unwrap();
    };
    let add = |session: &str, run: &str, value: Value, at_ms: i64| {
        let run = Some(run.parse().unwrap());
        let item = NewItem { session: key(session), run, message: message(value), at_ms };
        store.append(item, Durability::KillSafe).wait().unwrap();
    };
    let end = |run: &str, at_ms| {
        let run: RunId = run.parse().unwrap();
        store.finish(run, RunEnd::Finished, at_ms, Durability::KillSafe).wait().unwrap();
    };
    let hour = 3_600_000;
    ask("agent:main:main", "first", "hello", hour);
    end("first", hour);
    store.reset(key("agent:main:main"), hour + 1).wait().unwrap();
    let usage = RequestUsage {
        run: "first".parse().unwrap(),
        model: "local/small".parse().unwrap(),
        input: 7,
        output: 1,
        cache_read: 0,
        cache_write: 0,
        cost_nano_usd: None,
        at_ms: hour,
    };
    store.add_usage(usage, Durability::KillSafe).wait().unwrap();
    ask("agent:gone:main", "gone", "anybody?", 2 * hour);
    end("gone", 2 * hour);
    ask("agent:ops:cron:nightly", "cron", "look after 天气 \u{1b}[31mred\u{1b}[0m", 3 * hour);
    end("cron", 3 * hour);
    ask("agent:main:main", "second", "what is in a.md?", 4 * hour);
    add(
        "agent:main:main",
        "second",
        json!({"role": "assistant", "timestamp": 4 * hour + 1_000, "content": [
            {"type": "thinking", "thinking": "I look."},
            {"type": "text", "text": "One moment."},
            {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "a.md"}},
        ]}),
        4 * hour + 1_000,
    );
    add(
        "agent:main:main",
        "second",
        json!({"role": "toolResult", "toolCallId": "c", "toolName": "read", "isError": true, "content": "no such file",
            "timestamp": 4 * hour + 2_000}),
        4 * hour + 2_000,
    );
    add(
        "agent:main:main",
        "second",
        json!({"role": "assistant", "timestamp": 4 * hour + 3_000, "content": "There is none.\n\nShall I make it?"}),
        4 * hour + 3_000,
    );
    end("second", 4 * hour + 3_000);
    let label = SessionPatch { label: Some(Some("Notes".parse().unwrap())), ..SessionPatch::default() };
    store.patch(key("agent:main:main"), label, 4 * hour + 3_000).wait().unwrap();
    home
}

fn run(home: &TestHome, arguments: &[&str]) -> Output {
    home.tarsus(arguments).env("TZ", "UTC").current_dir(home.path()).output().unwrap()
}

fn text_of(home: &TestHome, arguments: &[&str]) -> String {
    let output = run(home, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", printed(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn json_of(home: &TestHome, arguments: &[&str]) -> Value {
    let text = text_of(home, arguments);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn sessions_commands_create_no_store() {
    let home = TestHome::in_memory();
    assert_eq!(
        text_of(&home, &["sessions"]),
        "No sessions yet: the first message to an agent creates one.\n"
    );
    assert_eq!(json_of(&home, &["sessions", "list", "--json"])["totalCount"], 0);
    for command in ["show", "export", "delete"] {
        let output = run(&home, &["sessions", command, "main"]);
        assert_eq!(output.status.code(), Some(4), "{}", printed(&output));
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "error: there is no session agent:main:main\n  `tarsus sessions list` shows them\n"
        );
    }
    assert!(!home.home().store_path().exists());
}

#[test]
fn sessions_are_listed_and_shown_as_text() {
    let home = home();
    insta::assert_snapshot!("list", text_of(&home, &["sessions"]));
    insta::assert_snapshot!("list_two", text_of(&home, &["sessions", "list", "--limit", "2"]));
    insta::assert_snapshot!("list_ops", text_of(&home, &["sessions", "list", "--agent", "ops"]));
    insta::assert_snapshot!("show_main", text_of(&home, &["sessions", "show", "main"]));
    insta::assert_snapshot!("show_last", text_of(&home, &["sessions", "show", "main", "--limit", "1"]));
    insta::assert_snapshot!(
        "show_cron",
        text_of(&home, &["sessions", "show", "cron:nightly", "--agent", "ops"])
    );
}

#[test]
fn misspelt_session_suggests_similar_ones() {
    let home = home();
    let table = [
        (
            &["sessions", "show", "nightly"][..],
            "did you mean `agent:ops:cron:nightly`? `tarsus sessions list` shows all",
        ),
        (&["sessions", "show", "note"], "did you mean `agent:main:main`? `tarsus sessions list` shows all"),
        (
            &["sessions", "show", "agent:nobody:main"],
            "did you mean `agent:main:main` or `agent:gone:main`? `tarsus sessions list` shows all",
        ),
        (&["sessions", "delete", "zzz", "--yes"], "`tarsus sessions list` shows them"),
    ];
    for (arguments, hint) in table {
        let output = run(&home, arguments);
        assert_eq!(output.status.code(), Some(4), "{}", printed(&output));
        assert!(printed(&output).ends_with(&format!("\n  {hint}\n")), "{}", printed(&output));
    }
    for (arguments, code) in [
        (&["sessions", "show", "agent:a b:c"][..], 2),
        (&["sessions", "show", ""], 2),
        (&["sessions", "list", "--limit", "0"], 2),
        (&["sessions", "list", "--agent", "nobody"], 4),
    ] {
        let output = run(&home, arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", printed(&output));
    }
}

#[test]
fn export_has_every_transcript_and_keeps_files() {
    let home = home();
    let lines =
        |text: &str| -> Vec<Value> { text.lines().map(|line| serde_json::from_str(line).unwrap()).collect() };
    let printed_lines = lines(&text_of(&home, &["sessions", "export", "main"]));
    let told: Vec<_> =
        printed_lines.iter().map(|line| (line["number"].clone(), line["role"].clone())).collect();
    let roles = [(1, "user"), (4, "user"), (5, "assistant"), (6, "toolResult"), (7, "assistant")];
    assert_eq!(told, roles.map(|(number, role)| (json!(number), json!(role))));
    assert_ne!(printed_lines[0]["sessionId"], printed_lines[1]["sessionId"]);
    assert_eq!(printed_lines[2]["content"][1]["arguments"], json!({"path": "a.md"}));

    let out = home.path().join("main.jsonl");
    let exported = json_of(&home, &["sessions", "export", "main", "--out", "main.jsonl", "--json"]);
    let path = out.display().to_string();
    assert_eq!(exported, json!({"key": "agent:main:main", "path": path, "transcripts": 2, "items": 5}));
    assert_eq!(lines(&fs::read_to_string(&out).unwrap()), printed_lines);
    fs::write(&out, "mine").unwrap();
    let refused = run(&home, &["sessions", "export", "main", "--out", "main.jsonl"]);
    assert_eq!(refused.status.code(), Some(2), "{}", printed(&refused));
    assert_eq!(fs::read_to_string(&out).unwrap(), "mine");
    text_of(&home, &["sessions", "export", "main", "--out", "main.jsonl", "--force"]);
    assert_eq!(lines(&fs::read_to_string(&out).unwrap()), printed_lines);
}

#[test]
fn export_reads_all_pages() {
    let home = TestHome::in_memory();
    {
        let store = Store::open(home.home()).unwrap();
        store.patch(key("agent:main:main"), SessionPatch::default(), 1).wait().unwrap();
        let add = |number: usize| {
            let message = message(json!({"role": "user", "content": number.to_string()}));
            let item = NewItem { session: key("agent:main:main"), run: None, message, at_ms: 1 };
            store.append(item, Durability::KillSafe)
        };
        for answer in (1..=601).map(add).collect::<Vec<_>>() {
            answer.wait().unwrap();
        }
    }
    let text = text_of(&home, &["sessions", "export", "main"]);
    let numbers: Vec<u64> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["number"].as_u64().unwrap())
        .collect();
    assert!(numbers.into_iter().eq(1..=601));
}

#[test]
fn delete_needs_confirmation_and_keeps_usage() {
    let home = home();
    let unconfirmed = run(&home, &["sessions", "delete", "main"]);
    assert_eq!(unconfirmed.status.code(), Some(2), "{}", printed(&unconfirmed));
    assert_eq!(json_of(&home, &["sessions", "list", "--json"])["totalCount"], 3);
    assert_eq!(
        text_of(&home, &["sessions", "delete", "main", "--yes"]),
        "deleted agent:main:main (2 transcripts, 5 items); its cost stays in the statistics\n"
    );
    let gone = json_of(&home, &["sessions", "delete", "agent:gone:main", "--yes", "--json"]);
    assert_eq!(gone, json!({"ok": true, "key": "agent:gone:main", "deleted": true}));
    let store = Store::open(home.home()).unwrap();
    let left: Vec<_> = store.sessions(&SessionQuery::default()).unwrap().sessions;
    assert_eq!(
        left.iter().map(|session| session.key.as_str()).collect::<Vec<_>>(),
        ["agent:ops:cron:nightly"]
    );
    assert_eq!(store.usage_since(0, None).unwrap().input, 7);
    drop(store);
    let inside = home
        .tarsus(["sessions", "delete", "agent:ops:cron:nightly", "--yes"])
        .env("TARSUS_AGENT", "main")
        .output()
        .unwrap();
    assert_eq!(inside.status.code(), Some(3), "{}", printed(&inside));
}

#[cfg(target_os = "linux")]
#[test]
fn delete_on_a_terminal_needs_a_typed_yes() {
    use tarsus_tests::terminal::Terminal;
    for (answer, left) in [("no\n", 3), ("yes\n", 2)] {
        let home = home();
        let mut terminal = Terminal::start(&home, &["sessions", "delete", "main"]);
        terminal.wait_for("Delete agent:main:main (2 transcripts, 5 items) permanently?");
        terminal.press(answer);
        let (status, _) = terminal.end();
        assert_eq!(status.success(), left == 2);
        assert_eq!(json_of(&home, &["sessions", "list", "--json"])["totalCount"], left);
    }
}

#[cfg(unix)]
#[test]
fn sessions_output_is_the_same_with_a_gateway() {
    use tarsus_tests::Running;
    let home = home();
    let commands: &[&[&str]] = &[
        &["sessions"],
        &["sessions", "list", "--limit", "1"],
        &["sessions", "list", "--agent", "ops"],
        &["sessions", "list", "--agent", "nobody"],
        &["sessions", "show", "main"],
        &["sessions", "show", "main", "--limit", "2"],
        &["sessions", "show", "agent:gone:main"],
        &["sessions", "show", "nightly"],
        &["sessions", "show", "agent:nobody:main"],
        &["sessions", "export", "main"],
        &["sessions", "export", "agent:gone:main"],
        &["sessions", "delete", "zzz", "--yes"],
        &["sessions", "delete", "main"],
    ];
    let all = || -> Vec<(String, Option<i32>, String)> {
        let mut answers = Vec::new();
        for command in commands {
            for form in [[].as_slice(), &["--json"]] {
                let command = [*command, form].concat();
                let output = run(&home, &command);
                // The time of the request differs.
                let text: Vec<_> = printed(&output)
                    .lines()
                    .filter(|line| !line.contains("\"ts\":"))
                    .map(str::to_owned)
                    .collect();
                let text = text.join("\n");
                answers.push((command.join(" "), output.status.code(), text));
            }
        }
        answers
    };
    let without = all();
    let up = Running::up(&home);
    for (with, without) in all().iter().zip(&without) {
        assert_eq!(with, without);
    }
    let deleted = text_of(&home, &["sessions", "delete", "agent:gone:main", "--yes"]);
    assert_eq!(deleted, "deleted agent:gone:main (1 transcript, 1 item); its cost stays in the statistics\n");
    assert_eq!(json_of(&home, &["sessions", "list", "--json"])["totalCount"], 2);
    drop(up);
}

/// Puts a canary into every secret, and content into every file of a backup.
fn furnish(home: &TestHome) {
    let write = |path: PathBuf, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let state = home.state_dir();
    for secret in ["tarsus/secrets.json", "tarsus/gateway.token", "tarsus/hash.key", "exec-approvals.json"] {
        write(state.join(secret), CANARY);
    }
    write(state.join("tarsus/tarsus.json5"), "{}\n");
    write(state.join("registries/application_registry.json"), "{}\n");
    write(state.join("workspace/AGENTS.md"), "rules\n");
    write(state.join("workspace/notes.txt"), CANARY);
    write(state.join("workspace/memory/2026-11-16.md"), "what happened\n");
    write(state.join("workspace-ops/MEMORY.md"), "what lasts\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink(state.join("tarsus/secrets.json"), state.join("workspace/link.md")).unwrap();
}

/// All files below a folder with their paths, sorted.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/");
                found.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[cfg(unix)]
fn texts(store: &Store) -> Vec<(u64, String)> {
    use tarsus_store::{HistoryQuery, HistoryStart};

    let wanted = HistoryQuery {
        start: HistoryStart::After(0),
        limit: 1_000,
        ..HistoryQuery::for_session(key("agent:main:main"))
    };
    let page = store.history(&wanted).unwrap().unwrap();
    page.items.iter().map(|item| (item.number, item.message.text())).collect()
}

/// Checks a backup of a populated home, and restores it in another one.
fn check_backup(home: &TestHome, report: &Value) {
    let folder = PathBuf::from(report["folder"].as_str().unwrap());
    let found = files(&folder);
    let expected = [
        "backup.json",
        "openclaw.json",
        "registries/application_registry.json",
        "tarsus/store.db",
        "tarsus/tarsus.json5",
        "workspace-ops/MEMORY.md",
        "workspace/AGENTS.md",
        "workspace/memory/2026-11-16.md",
    ];
    assert_eq!(found.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), expected);
    for (name, bytes) in &found {
        assert!(!bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes()), "{name}");
        assert_eq!(tarsus_home::files::open_to_others(&folder.join(name)).unwrap(), None, "{name}");
    }
    assert_eq!(tarsus_home::files::open_to_others(&folder).unwrap(), None);
    let mut listed: Vec<_> = report["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["path"].as_str().unwrap().to_owned(), file["bytes"].as_u64().unwrap()))
        .collect();
    listed.sort();
    let there: Vec<_> = found[1..].iter().map(|(name, bytes)| (name.clone(), bytes.len() as u64)).collect();
    assert_eq!(listed, there);
    let own: Value = serde_json::from_slice(&found[0].1).unwrap();
    assert_eq!(&own, report);

    let other = TestHome::in_memory();
    for (name, bytes) in found {
        let place = other.state_dir().join(name);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, bytes).unwrap();
    }
    for command in [&["sessions", "list"][..], &["sessions", "show", "main"]] {
        assert_eq!(text_of(home, command), text_of(&other, command));
    }
}

#[test]
fn backup_has_user_data_and_no_secrets() {
    let home = home();
    furnish(&home);
    let report = json_of(&home, &["backup", "--to", "copies", "--json"]);
    assert!(report["folder"].as_str().unwrap().starts_with(home.path().join("copies").to_str().unwrap()));
    #[cfg(unix)]
    assert_eq!(report["leftOut"].as_array().unwrap().len(), 1, "the link leads out: {report}");
    check_backup(&home, &report);
    let text = text_of(&home, &["backup"]);
    assert!(text.contains("tarsus/store.db") && text.contains("the secret store"), "{text}");
    let made: Vec<_> = fs::read_dir(home.home().backups_dir())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("tarsus-"))
        .collect();
    assert!(made.len() == 1 && made[0].starts_with("tarsus-"), "{made:?}");
    let inside = home.tarsus(["backup"]).env("TARSUS_AGENT", "main").output().unwrap();
    assert_eq!(inside.status.code(), Some(3), "{}", printed(&inside));
}

#[test]
fn external_and_shared_workspaces_are_backed_up_once() {
    let home = home();
    let config = "{ agents: { list: [{ id: 'main', workspace: '~/.openclaw/../shared' }, { id: 'b', workspace: '~/own' },
        { id: 'ops', workspace: '~/.openclaw/../shared' }] } }";
    fs::write(home.home().config_path(), config).unwrap();
    for folder in ["shared", "own"] {
        fs::create_dir_all(home.path().join(folder)).unwrap();
        fs::write(home.path().join(folder).join("SOUL.md"), folder).unwrap();
    }
    let report = json_of(&home, &["backup", "--to", "copies", "--json"]);
    let folder = PathBuf::from(report["folder"].as_str().unwrap());
    let notes: Vec<_> = files(&folder).into_iter().filter(|(name, _)| name.ends_with(".md")).collect();
    let expected =
        [("workspaces-elsewhere/b/SOUL.md", "own"), ("workspaces-elsewhere/main/SOUL.md", "shared")];
    assert_eq!(notes, expected.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())));
}

#[test]
fn backup_works_with_a_broken_configuration() {
    let home = home();
    fs::write(home.home().config_path(), "{ broken").unwrap();
    let output = run(&home, &["backup", "--to", "copies", "--json"]);
    assert!(output.status.success(), "{}", printed(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let folder = PathBuf::from(report["folder"].as_str().unwrap());
    assert_eq!(fs::read_to_string(folder.join("openclaw.json")).unwrap(), "{ broken");
    assert!(String::from_utf8_lossy(&output.stderr).contains("only the default workspace is included"));
}

#[test]
fn unwritable_backup_leaves_nothing() {
    let home = home();
    fs::write(home.path().join("copies"), "a file").unwrap();
    let output = run(&home, &["backup", "--to", "copies"]);
    assert!(!output.status.success());
    assert!(printed(&output).contains("copies"), "{}", printed(&output));
    assert_eq!(fs::read_to_string(home.path().join("copies")).unwrap(), "a file");
}

#[cfg(unix)]
#[test]
fn gateway_backup_has_acknowledged_writes() {
    use tarsus_tests::Running;
    let home = home();
    furnish(&home);
    fs::write(home.state_dir().join("tarsus/gateway.token"), CANARY).unwrap();
    // The secret store has to be readable.
    fs::remove_file(home.state_dir().join("tarsus/secrets.json")).unwrap();
    fs::remove_file(home.state_dir().join("tarsus/hash.key")).unwrap();
    let up = Running::up(&home);
    let params =
        json!({"sessionKey": "main", "message": "/help", "idempotencyKey": "while it runs"}).to_string();
    text_of(&home, &["gateway", "call", "chat.send", "--params", &params]);
    let report = json_of(&home, &["backup", "--to", "copies", "--json"]);
    let folder = PathBuf::from(report["folder"].as_str().unwrap());
    drop(up);
    let other = TestHome::in_memory();
    fs::create_dir_all(other.home().own_dir()).unwrap();
    fs::copy(folder.join("tarsus/store.db"), other.home().store_path()).unwrap();
    let (copied, there) =
        (texts(&Store::open(other.home()).unwrap()), texts(&Store::open(home.home()).unwrap()));
    assert!(copied.iter().any(|(_, text)| text == "/help"), "{copied:?}");
    assert_eq!(copied, there[..copied.len()], "it is the beginning of what is there");
    let relative = json!({"to": "copies"}).to_string();
    let up = Running::up(&home);
    let refused = run(&home, &["gateway", "call", "backup.make", "--params", &relative]);
    assert!(printed(&refused).contains("must be an absolute path"), "{}", printed(&refused));
    drop(up);
}
