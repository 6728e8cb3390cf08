//! On a full disk, every change fails with an error and without effect; what must work still works.
//!
//! The disk is a small one in memory, mounted in its own namespace (`unshare -rm`), so that nothing is
//! left behind. Without that permission these tests fail, unless TARSUS_NO_MOUNT=1 leaves them out. One test is about a
//! limit on the size of files instead, which needs no permission.
#![cfg(target_os = "linux")]

use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tarsus_audit::{Audit, AuditEntry, RecordSeverity};
use tarsus_home::config::ConfigFile;
use tarsus_home::config::json5::Edit;
use tarsus_home::files::{self, Reserve};
use tarsus_home::secrets::SecretStore;
use tarsus_home::{Home, Secret};
use tarsus_models::Dialect;
use tarsus_protocol::{Block, ErrorCode, Message, Problem, Role};
use tarsus_store::{NewMessage, RunState, SessionQuery, Store};
use tarsus_test_models::{Chunk, Reply, Server};
use tarsus_tests::{Running, TestHome, open_audit, printed};

const DISK: &str = "TARSUS_TEST_DISK";
const NO_MOUNT: &str = "TARSUS_NO_MOUNT";
const LIMITED: &str = "TARSUS_TEST_LIMITED";

/// Runs this test again; `$0` is its program and `$1` the folder of the disk, of `$3` bytes.
const SMALL_DISK: &str = r#"mount -t tmpfs -o size="$3" none "$1" && exec "$0" --exact "$2" --nocapture"#;
const SMALL_FILES: &str = r#"trap '' XFSZ; ulimit -f 16; exec "$0" --exact "$2" --nocapture"#;

/// Runs `scene` with a home on a disk that can be filled.
fn on_a_small_disk(test: &str, scene: fn(&TestHome)) {
    on_a_disk_of("1m", test, scene);
}

fn on_a_disk_of(size: &str, test: &str, scene: fn(&TestHome)) {
    if let Some(disk) = env::var_os(DISK) {
        return scene(&TestHome::within(Path::new(&disk)));
    }
    if env::var_os(NO_MOUNT).is_some_and(|value| value == "1") {
        eprintln!("left out: {NO_MOUNT}=1");
        return;
    }
    assert!(
        may_mount(),
        "`unshare -rm` may not mount a small disk here; {NO_MOUNT}=1 leaves these tests out"
    );
    run_anew(Command::new("unshare").args(["-rm", "sh", "-c", SMALL_DISK]), test, size);
}

/// Runs `scene` with a home whose files cannot exceed 8 KiB.
fn with_small_files(test: &str, scene: fn(&TestHome)) {
    if env::var_os(LIMITED).is_some() {
        return scene(&TestHome::new());
    }
    run_anew(Command::new("sh").args(["-c", SMALL_FILES]).env(LIMITED, "1"), test, "");
}

fn may_mount() -> bool {
    let mut command = Command::new("unshare");
    command.args(["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]);
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn run_anew(command: &mut Command, test: &str, size: &str) {
    let disk = tempfile::tempdir().unwrap();
    let output = command
        .arg(env::current_exe().unwrap())
        .arg(disk.path())
        .args([format!("disk_full::{test}"), size.to_owned()])
        .env(DISK, disk.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", printed(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{}", printed(&output));
}

/// A home with a configuration, a secret, two records and the reserve.
fn furnish(home: &Home) -> (SecretStore, Audit) {
    ConfigFile::for_home(home).edit(None, &[Edit::set("gateway.port".parse().unwrap(), 1)]).unwrap();
    let secrets = SecretStore::for_home(home);
    secrets.set("id", Secret::new("old")).unwrap();
    let audit = open_audit(home).unwrap();
    for event in ["first", "second"] {
        audit.record(entry(event), moment()).unwrap();
    }
    Reserve::at(home.reserve_path()).ensure().unwrap();
    (secrets, audit)
}

fn entry(event: &str) -> AuditEntry {
    AuditEntry::security(event, RecordSeverity::Info)
}

fn moment() -> jiff::Timestamp {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

/// Fills the disk, and returns the file that does.
fn fill(home: &TestHome) -> PathBuf {
    fill_disk(&home.path().join("filler"))
}

fn fill_disk(path: &Path) -> PathBuf {
    let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
    for piece in [vec![0xa5; 64 * 1024], vec![0xa5; 512]] {
        while file.write_all(&piece).is_ok() {}
    }
    path.to_path_buf()
}

/// Every file of a folder with its content, for comparison.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for name in files::list_names(folder, 100).unwrap() {
        // Shared memory: where each connection reads.
        if name.ends_with("-shm") {
            continue;
        }
        let path = folder.join(name);
        if path.is_dir() {
            found.extend(contents(&path));
        } else {
            found.push((path.clone(), fs::read(path).unwrap()));
        }
    }
    found
}

fn assert_full(problem: impl Into<Problem>, message: &str) {
    let problem = problem.into();
    assert_eq!((problem.code, problem.message.as_str()), (ErrorCode::DiskFull, message));
    assert!(problem.next_step().contains("free some space"), "{}", problem.next_step());
}

#[test]
fn a_change_says_that_the_disk_is_full_and_changes_nothing() {
    on_a_small_disk("a_change_says_that_the_disk_is_full_and_changes_nothing", |home| {
        let (secrets, audit) = furnish(home.home());
        fill(home);
        let before = contents(home.state_dir());
        let edit = Edit::set("gateway.port".parse().unwrap(), 2);
        let error = ConfigFile::for_home(home.home()).edit(None, &[edit]).unwrap_err();
        assert_full(error, "cannot write openclaw.json.1");
        assert_full(secrets.set("new", Secret::new("value")).unwrap_err(), "cannot write secrets.json");
        assert_full(audit.record(entry("third"), moment()).unwrap_err(), "cannot write head.json");
        assert_eq!(contents(home.state_dir()), before);
        assert_eq!(audit.verify().unwrap().first_bad, None);
    });
}

#[test]
fn a_denial_is_recorded_on_a_full_disk() {
    on_a_small_disk("a_denial_is_recorded_on_a_full_disk", |home| {
        let (_, audit) = furnish(home.home());
        let filler = fill(home);
        assert_eq!(audit.record_best_effort(entry("deny"), moment()).unwrap().seq, 3);
        assert_eq!((audit.verify().unwrap().lines, audit.lost()), (3, 0));
        // Beyond full: now it can only be counted.
        fill(home);
        assert!(!home.home().reserve_path().exists());
        assert_eq!((audit.record_best_effort(entry("stop"), moment()), audit.lost()), (None, 1));
        fs::remove_file(filler).unwrap();
        audit.record_best_effort(entry("deny"), moment()).unwrap();
        assert!(home.home().reserve_path().exists(), "made again at the next chance");
        let verification = audit.verify().unwrap();
        assert_eq!((verification.lines, verification.first_bad), (4, None));
    });
}

#[test]
fn a_secret_is_revoked_on_a_full_disk() {
    on_a_small_disk("a_secret_is_revoked_on_a_full_disk", |home| {
        let (secrets, _) = furnish(home.home());
        secrets.set("large", Secret::new("x".repeat(40_000))).unwrap();
        fill(home);
        assert!(secrets.remove("id").unwrap());
        assert_eq!(secrets.ids().unwrap(), ["large"]);
    });
}

#[test]
fn a_chain_can_be_opened_and_read_on_a_full_disk() {
    on_a_small_disk("a_chain_can_be_opened_and_read_on_a_full_disk", |home| {
        furnish(home.home());
        fill(home);
        let audit = open_audit(home.home()).unwrap();
        assert_eq!(audit.verify().unwrap().lines, 2);
        assert_eq!(audit.tail(&tarsus_audit::RecordFilter::default()).unwrap().records.len(), 2);
    });
}

#[test]
fn a_limit_on_the_size_of_files_is_a_full_disk_too() {
    with_small_files("a_limit_on_the_size_of_files_is_a_full_disk_too", |home| {
        let secrets = SecretStore::for_home(home.home());
        secrets.set("id", Secret::new("old")).unwrap();
        let before = fs::read(home.home().secrets_path()).unwrap();
        let large = Secret::new("x".repeat(10_000));
        assert_full(secrets.set("new", large).unwrap_err(), "cannot write secrets.json");
        assert_eq!(fs::read(home.home().secrets_path()).unwrap(), before);

        // A store with the anchor would be larger than the limit.
        let audit = Audit::open(home.home(), None).unwrap();
        let error = (0..100).find_map(|_| audit.record(entry("event"), moment()).err()).unwrap();
        assert_full(error, "cannot write 2026-11.jsonl");
        let verification = audit.verify().unwrap();
        assert_eq!((verification.torn, verification.first_bad), (0, None));
        assert_eq!(verification.head.unwrap().seq, verification.lines);
    });
}

#[test]
fn full_disk_refuses_a_message_and_the_store_goes_on() {
    on_a_small_disk("full_disk_refuses_a_message_and_the_store_goes_on", |home| {
        let store = Store::open(home.home()).unwrap();
        let accept = |run: &str, bytes: usize| {
            let content = vec![Block::text("x".repeat(bytes))];
            let message = Message { role: Role::User, content, timestamp: None };
            let session = "agent:main:main".parse().unwrap();
            store.accept(NewMessage { session, run: run.parse().unwrap(), message, at_ms: 2 }).wait()
        };
        let items = || store.sessions(&SessionQuery::default()).unwrap().sessions[0].items;
        accept("first", 10).unwrap();
        let filler = fill(home);
        assert_full(accept("large", 200_000).unwrap_err(), "store.db cannot be written");
        assert_eq!((items(), store.run(&"large".parse().unwrap()).unwrap()), (1, None));
        fs::remove_file(filler).unwrap();
        accept("large", 200_000).unwrap();
        assert_eq!(items(), 2);
    });
}

#[test]
fn run_ends_when_the_disk_fills_up_while_it_goes_on() {
    on_a_disk_of("6m", "run_ends_when_the_disk_fills_up_while_it_goes_on", |home| {
        let filler = home.path().join("filler");
        let server = Server::with_handler({
            let filler = filler.clone();
            let mut requests = 0;
            move |_| {
                requests += 1;
                if requests == 1 {
                    fill_disk(&filler);
                }
                Reply::answer([Chunk::text("All done.")])
            }
        });
        fs::create_dir_all(home.state_dir()).unwrap();
        let provider = json!({
            "baseUrl": server.base_url(Dialect::OpenaiCompletions), "api": "openai-completions", "apiKey": "k",
            "models": [{ "id": "m", "contextWindow": 16_000 }],
        });
        let config = json!({
            "agents": { "defaults": { "model": "cellar/m" } },
            "models": { "providers": { "cellar": provider } },
        });
        fs::write(home.home().config_path(), config.to_string()).unwrap();
        let run = |arguments: &[&str]| home.tarsus(arguments).output().unwrap();
        let gateway = Running::up(home);

        // Without an end of the run, this command never ends.
        let failed = run(&["agent", "-m", "hello", "--json"]);
        let result: Value = serde_json::from_slice(&failed.stdout).unwrap();
        assert_eq!((failed.status.code(), &result["status"]), (Some(1), &json!("error")), "{result}");
        let why = result["error"].as_str().unwrap();
        assert!(why.starts_with("store.db cannot be written\n") && why.contains("free some space"), "{why}");
        let id = result["runId"].as_str().unwrap();
        let params = json!({ "runId": id, "timeoutMs": 60_000 }).to_string();
        let waited = run(&["gateway", "call", "agent.wait", "--params", &params]);
        let waited: Value = serde_json::from_slice(&waited.stdout).unwrap();
        assert_eq!((&waited["status"], &waited["error"]), (&json!("error"), &json!(why)), "{waited}");
        let stored = || {
            let db = rusqlite::Connection::open(home.home().store_path()).unwrap();
            let state = "SELECT state FROM runs WHERE id = ?1";
            db.query_row(state, [id], |row| row.get::<_, String>(0)).unwrap()
        };
        assert_eq!(stored(), "started");

        fs::remove_file(&filler).unwrap();
        let next = run(&["agent", "-m", "and now?"]);
        assert_eq!(String::from_utf8_lossy(&next.stdout), "All done.\n", "{}", printed(&next));
        gateway.signal("TERM");
        assert_eq!(gateway.wait().0, Some(0));
        let run = Store::open(home.home()).unwrap().run(&id.parse().unwrap()).unwrap().unwrap();
        assert_eq!((run.state, run.error.as_deref()), (RunState::Failed, Some(why)));
    });
}
