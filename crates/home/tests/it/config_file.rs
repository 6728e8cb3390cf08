//! The configuration file on disk: edits, backups and hostile files.

use std::fs;

use serde_json::json;
use tarsus_home::config::json5::{Edit, Path};
use tarsus_home::config::{ConfigError, ConfigFile, LoadedConfig, MAX_EDITS};
use tarsus_home::{Home, HomeOptions, files};
use tarsus_protocol::{ErrorCode, Problem};
use tempfile::TempDir;

struct Scene {
    _dir: TempDir,
    home: Home,
    file: ConfigFile,
}

impl Scene {
    fn empty() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let choice = HomeOptions { state_flag: Some(dir.path().join("state")), ..HomeOptions::default() };
        let home = Home::locate(&choice).unwrap();
        let file = ConfigFile::for_home(&home);
        Self { _dir: dir, home, file }
    }

    fn with(bytes: impl AsRef<[u8]>) -> Self {
        let scene = Self::empty();
        files::make_private_dir(scene.home.state_dir()).unwrap();
        fs::write(scene.file.path(), bytes).unwrap();
        scene
    }

    fn load(&self) -> LoadedConfig {
        self.file.load(&|_| None).unwrap()
    }

    fn hash(&self) -> String {
        self.file.hash(&self.load()).unwrap()
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.file.path()).unwrap()
    }

    /// Asserts that `load` and `edit` fail with the same problem, and returns it.
    fn refuses(&self) -> Problem {
        let loading = Problem::from(self.file.load(&|_| None).unwrap_err());
        let editing = Problem::from(self.file.edit(None, &[set("gateway.port", 1)]).unwrap_err());
        assert_eq!(loading, editing);
        loading
    }

    fn backups(&self) -> Vec<String> {
        let names = files::list_names(&self.home.backups_dir(), 100).unwrap();
        names.into_iter().filter(|name| !name.starts_with('.')).collect()
    }
}

fn path(text: &str) -> Path {
    text.parse().unwrap()
}

fn set(at: &str, value: impl Into<serde_json::Value>) -> Edit {
    Edit::set(path(at), value)
}

#[test]
fn first_edit_creates_a_missing_file() {
    let scene = Scene::empty();
    let loaded = scene.load();
    assert_eq!((loaded.exists, loaded.document.text(), loaded.issues), (false, "{}\n", vec![]));
    assert!(!scene.home.own_dir().exists(), "reading writes nothing");

    let unset = scene.file.edit(None, &[Edit::Unset { path: path("gateway.port") }]).unwrap_err();
    assert_eq!(Problem::from(unset).code, ErrorCode::NotFound);
    assert!(!scene.file.path().exists());

    let edited = scene.file.edit(Some(&scene.hash()), &[set("gateway.port", 1)]).unwrap();
    assert_eq!(scene.bytes(), b"{\n  \"gateway\": {\n    \"port\": 1\n  }\n}\n");
    assert_eq!((edited.changed, edited.left_undone.clone(), edited.hash), (true, vec![], scene.hash()));
    assert_eq!(files::open_to_others(scene.file.path()).unwrap(), None);
    assert_eq!(scene.backups(), ["openclaw.json.good"]);
}

#[test]
fn a_stale_base_hash_is_rejected() {
    let scene = Scene::with("{gateway: {port: 1}}");
    let seen = scene.hash();
    assert!(seen.starts_with("hmac-sha256:v1:") && seen.len() == 15 + 43, "{seen}");
    scene.file.edit(Some(&seen), &[set("gateway.port", 2)]).unwrap();
    let problem = Problem::from(scene.file.edit(Some(&seen), &[set("gateway.port", 3)]).unwrap_err());
    assert_eq!(
        (problem.code, problem.message.as_str()),
        (ErrorCode::Stale, "config changed since last load; re-run config.get and retry")
    );
    assert_eq!(scene.bytes(), b"{gateway: {port: 2}}");

    let other = Scene::with("{gateway: {port: 2}}");
    assert_ne!(scene.hash(), other.hash(), "the same bytes have another hash in another home");
}

#[test]
fn an_edit_without_a_difference_writes_nothing() {
    let scene = Scene::with("{gateway: {port: 1.0}}");
    let edited = scene.file.edit(None, &[set("gateway.port", 1)]).unwrap();
    assert_eq!((edited.changed, edited.hash), (false, scene.hash()));
    assert_eq!(scene.backups(), [""; 0]);
}

#[test]
fn an_edit_may_not_add_an_issue_but_ignores_old_ones() {
    let text = "{gateway: {port: 'x', mode: 'local'}, nope: 1, agents: {list: [{id: 'a'}, {id: 5}]}}";
    let scene = Scene::with(text);
    let table = [
        (
            vec![set("gateway.mode", "lokal")],
            "invalid config: gateway.mode: expected one of \"local\", \"remote\", found \"lokal\"",
        ),
        (
            vec![set("gateway.port", 5), set("tools.exec.ask", 1)],
            "invalid config: tools.exec.ask: expected one of \"off\", \"on-miss\", \"always\", found a number",
        ),
        (
            vec![set("agents.list[0].id", 6)],
            "invalid config: agents.list[1].id: expected an agent id, found a number",
        ),
        (vec![set("gatway.port", 5)], "invalid config: <root>: Unrecognized key: \"gatway\""),
    ];
    for (edits, message) in table {
        let problem = Problem::from(scene.file.edit(None, &edits).unwrap_err());
        assert_eq!((problem.code, problem.message.as_str()), (ErrorCode::Usage, message));
        assert_eq!(scene.bytes(), text.as_bytes());
    }
    let unknown = Problem::from(scene.file.edit(None, &[set("gatway.port", 5)]).unwrap_err());
    assert_eq!(unknown.next_step(), "did you mean \"gateway\"?");

    scene.file.edit(None, &[Edit::Remove { path: path("agents.list[0]") }, set("nope", 2)]).unwrap();
    scene.file.edit(None, &[set("gateway.auth.token", "${TOKEN}"), set("gateway.bind", "${BIND}")]).unwrap();
    let many = vec![set("gateway.port", 1); MAX_EDITS + 1];
    assert!(matches!(scene.file.edit(None, &many), Err(ConfigError::TooManyEdits(1_001))));
}

#[test]
fn agree_runs_last_and_gets_both_versions() {
    let scene = Scene::with("{ gateway: { port: 1 } }");
    let before = scene.bytes();
    let mut calls = 0;
    let refused = scene.file.edit_if(None, &[set("gateway.port", 2)], |old, new| {
        calls += 1;
        assert_eq!((old.get(&path("gateway.port")).is_some(), old != new), (true, true));
        Err(Problem::new(ErrorCode::Denied, "not today"))
    });
    let problem = Problem::from(refused.unwrap_err());
    assert_eq!((problem.code, problem.message.as_str()), (ErrorCode::Denied, "not today"));
    assert_eq!((scene.bytes(), scene.backups()), (before, Vec::new()), "nothing was changed");
    // Other checks fail before `agree` is called.
    for (base, edit) in [(Some("stale"), set("gateway.port", 2)), (None, set("gateway.port", "no port"))] {
        let refused = scene.file.edit_if(base, &[edit], |_, _| {
            calls += 1;
            Ok(())
        });
        assert!(refused.is_err());
    }
    assert_eq!(calls, 1);
    // Called without a difference too: the values that the file refers to may change.
    let edited = scene.file.edit_if(None, &[set("gateway.port", 1)], |_, _| {
        calls += 1;
        Ok(())
    });
    assert_eq!((edited.unwrap().changed, calls), (false, 2));
}

#[test]
fn own_settings_keys_cannot_be_added() {
    let own = ["skills.security.enforcement", "skills.pinned", "skills.load.lenient"];
    for key in own {
        let scene = Scene::with("{ skills: { load: {} } }");
        let before = scene.bytes();
        let problem = Problem::from(scene.file.edit(None, &[set(key, "off")]).unwrap_err());
        assert!(problem.message.contains("Unrecognized key"), "{problem:?}");
        assert_eq!(scene.bytes(), before);
    }
    let scene = Scene::with("{ skills: { pinned: [], security: {} } }");
    scene.file.edit(None, &[set("gateway.port", 2)]).unwrap();
}

#[test]
fn five_backups_and_the_last_good_version_are_kept() {
    let scene = Scene::with("{gateway: {port: 1}}");
    assert_eq!(scene.file.last_good().unwrap(), None);
    for port in 2..=9 {
        scene.file.edit(None, &[set("gateway.port", port)]).unwrap();
    }
    let numbered = [4, 5, 6, 7, 8].map(|number| format!("openclaw.json.{number}"));
    assert_eq!(scene.backups()[..5], numbered);
    let oldest = fs::read_to_string(scene.home.backups_dir().join("openclaw.json.4")).unwrap();
    assert_eq!(oldest, "{gateway: {port: 4}}");

    fs::write(scene.file.path(), "{gateway: {").unwrap();
    scene.refuses();
    let good = || scene.file.last_good().unwrap().unwrap().value();
    assert_eq!(good(), json!({"gateway": {"port": 9}}));
    fs::write(scene.home.backups_dir().join("openclaw.json.good"), "{half").unwrap();
    assert_eq!(good(), json!({"gateway": {"port": 8}}), "a backup when the good one is broken too");

    fs::write(scene.file.path(), "{gateway: {port: 10}}").unwrap();
    scene.file.remember(&scene.load()).unwrap();
    assert_eq!(good(), json!({"gateway": {"port": 10}}));
}

#[test]
fn an_edit_leaves_no_temporary_file() {
    let scene = Scene::with("{gateway: {port: 1}}");
    scene.file.edit(None, &[set("gateway.port", 2)]).unwrap();
    for folder in [scene.home.state_dir().to_path_buf(), scene.home.own_dir(), scene.home.backups_dir()] {
        let names = files::list_names(&folder, 100).unwrap();
        assert!(!names.iter().any(|name| name.contains("tmp")), "{names:?}");
    }
}

#[test]
fn concurrent_edits_lose_nothing() {
    let scene = Scene::with("{channels: {}}");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let file = &scene.file;
            scope.spawn(move || {
                for count in 0..10 {
                    file.edit(None, &[set(&format!("channels.w{writer}.k{count}"), count)]).unwrap();
                }
            });
        }
    });
    let value = scene.load().document.value();
    let ten: serde_json::Map<_, _> = (0..10).map(|count| (format!("k{count}"), json!(count))).collect();
    for writer in 0..4 {
        assert_eq!(value["channels"][format!("w{writer}")], json!(ten));
    }
}

#[test]
fn invalid_files_are_rejected_with_position() {
    let deep = "[".repeat(5_000);
    let table: [(&[u8], _, _, _); 6] = [
        (b"", ErrorCode::Malformed, (1, 1), "expected a value, found the end of the file"),
        (b"[]", ErrorCode::Malformed, (1, 1), "expected `{`, found a list"),
        (b"{\n\ta: 1\n\0}", ErrorCode::Malformed, (3, 1), "a NUL byte (byte 9)"),
        (
            b"{\n  \"\xc3\xa9\": \"\xff\"}",
            ErrorCode::Malformed,
            (2, 9),
            "byte 12 is 0xff, which is not valid UTF-8",
        ),
        (deep.as_bytes(), ErrorCode::TooLarge, (1, 129), "more than 128 nested brackets"),
        (b"{a: 1,\n a: 2}", ErrorCode::Malformed, (2, 2), "the key \"a\" is already set at line 1, column 2"),
    ];
    for (bytes, code, (line, column), label) in table {
        let scene = Scene::with(bytes);
        let problem = scene.refuses();
        let place = problem.location.unwrap();
        assert_eq!((problem.code, problem.message.as_str()), (code, "openclaw.json is not valid"));
        assert_eq!(
            (place.path.as_path(), place.line, place.column),
            (scene.file.path(), Some(line), Some(column))
        );
        assert_eq!(place.excerpt.unwrap().label, label);
        assert_eq!(scene.bytes(), bytes);
        assert_eq!(scene.backups(), [""; 0]);
    }
}

#[test]
fn error_excerpts_hide_secrets() {
    let long = "x".repeat(300);
    for text in [
        "{gateway: {auth: {\n  token: \"hush-hush\" nonsense\n}}}".to_owned(),
        format!("{{\n  apiKey: 'hush{long}hush\\u12hush{long}' }}"),
    ] {
        let excerpt = Scene::with(&text).refuses().location.unwrap().excerpt.unwrap();
        assert!(!excerpt.text.contains("hush") && excerpt.text.contains('•'), "{excerpt:?}");
    }
}

#[test]
fn a_file_over_the_limit_is_rejected_unread() {
    let scene = Scene::with("");
    let file = fs::OpenOptions::new().write(true).open(scene.file.path()).unwrap();
    file.set_len(100 * 1024 * 1024).unwrap();
    assert_eq!(scene.refuses().code, ErrorCode::TooLarge);
    assert_eq!(file.metadata().unwrap().len(), 100 * 1024 * 1024);
}

#[test]
fn a_folder_at_the_config_path_is_rejected() {
    let scene = Scene::empty();
    fs::create_dir_all(scene.file.path()).unwrap();
    let problem = scene.refuses();
    assert_eq!(problem.code, ErrorCode::Malformed);
    assert_eq!(problem.location.unwrap().path, scene.file.path());
    assert!(scene.file.path().is_dir());
}

/// Root can read everything, so the test runs again in a second process without root.
#[cfg(unix)]
#[test]
fn a_file_of_another_account_is_a_permission_error() {
    use std::os::unix::fs::PermissionsExt;
    const NAME: &str = "config_file::a_file_of_another_account_is_a_permission_error";
    const STATE: &str = "TARSUS_TEST_STATE";

    let check = |state: std::path::PathBuf| {
        let home = Home::locate(&HomeOptions { state_flag: Some(state), ..HomeOptions::default() }).unwrap();
        let problem = Problem::from(ConfigFile::for_home(&home).load(&|_| None).unwrap_err());
        assert_eq!(
            (problem.code, problem.location.unwrap().path.as_path()),
            (ErrorCode::Permission, home.config_path())
        );
    };
    if let Some(state) = std::env::var_os(STATE) {
        return check(state.into());
    }
    let scene = Scene::with("{}");
    fs::set_permissions(scene.file.path(), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(scene.file.path()).is_err() {
        return check(scene.home.state_dir().to_path_buf());
    }
    for folder in scene.home.state_dir().ancestors().take(2) {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let program = scene.home.state_dir().join("test");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let output = std::process::Command::new("setpriv")
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .arg(&program)
        .args(["--exact", NAME])
        .env(STATE, scene.home.state_dir())
        .output();
    match output {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout)),
        Err(error) => eprintln!("skipped: this is root, and setpriv cannot be run ({error})"),
    }
}
