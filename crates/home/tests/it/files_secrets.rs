//! The secret store and the runtime lock.

use std::fs;

use tarsus_home::runtime_lock::{self, Holder, NotTaken, RuntimeLock};
use tarsus_home::secrets::{SecretRef, SecretSource, SecretStore};
use tarsus_home::{Home, HomeOptions, Secret, files};
use tarsus_protocol::{ErrorCode, Problem};
use tempfile::TempDir;

fn home() -> (TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    let choice = HomeOptions { state_flag: Some(dir.path().join("state")), ..HomeOptions::default() };
    let home = Home::locate(&choice).unwrap();
    (dir, home)
}

#[test]
fn secrets_are_stored_replaced_and_removed() {
    let (_dir, home) = home();
    let store = SecretStore::for_home(&home);
    assert_eq!(store.get("a").unwrap(), None);
    assert_eq!(store.ids().unwrap(), [""; 0]);
    store.set("skills/weather/apiKey", Secret::new("one")).unwrap();
    store.set("a", Secret::new("line\n\"quoted\" \u{1F511}")).unwrap();
    store.set("skills/weather/apiKey", Secret::new("two")).unwrap();
    assert_eq!(store.get("skills/weather/apiKey").unwrap(), Some(Secret::new("two")));
    assert_eq!(store.get("a").unwrap(), Some(Secret::new("line\n\"quoted\" \u{1F511}")));
    assert_eq!(store.ids().unwrap(), ["a", "skills/weather/apiKey"]);
    assert_eq!(files::open_to_others(&home.secrets_path()).unwrap(), None);
    assert!(store.remove("a").unwrap());
    assert!(!store.remove("a").unwrap());
    assert_eq!(store.ids().unwrap(), ["skills/weather/apiKey"]);
}

#[test]
fn swap_is_atomic_and_can_be_undone() {
    let (_dir, home) = home();
    let store = SecretStore::for_home(&home);
    let swap = |id: &str, value: Option<&str>| (id.to_owned(), value.map(Secret::new));
    let all = |store: &SecretStore| -> Vec<(String, Secret)> {
        store.ids().unwrap().into_iter().map(|id| (id.clone(), store.get(&id).unwrap().unwrap())).collect()
    };
    assert_eq!(store.swap(Vec::new()).unwrap(), []);
    assert!(!home.secrets_path().exists(), "nothing to do leaves nothing behind");
    store.swap(vec![swap("a", Some("1")), swap("b", Some("2"))]).unwrap();
    let before = all(&store);
    let too_much = "x".repeat(60_000);
    for refused in
        [vec![swap("a", Some("3")), swap("", Some("4"))], vec![swap("b", None), swap("c", Some(&too_much))]]
    {
        store.swap(refused).unwrap_err();
        assert_eq!(all(&store), before);
    }
    let earlier = store.swap(vec![swap("a", Some("3")), swap("b", None), swap("c", Some("4"))]).unwrap();
    assert_eq!(store.ids().unwrap(), ["a", "c"]);
    store.swap_on_a_full_disk(&earlier).unwrap();
    assert_eq!(all(&store), before);
}

#[test]
fn a_malformed_store_is_an_error_without_its_contents() {
    let (_dir, home) = home();
    files::make_private_dir(&home.own_dir()).unwrap();
    let store = SecretStore::for_home(&home);
    let table: [(&[u8], u32, u32); 6] = [
        (b"", 1, 1),
        (b"{\n  \"a\": \"hush\"\n  \"b\": 1}", 3, 3),
        (b"{\"a\": [\"hush\"]}", 1, 6),
        (b"\"hush\"", 1, 6),
        (b"{\"a\": \"hush", 1, 11),
        (b"{\"a\": \"hush\xff\"}", 1, 12),
    ];
    for (bytes, line, column) in table {
        fs::write(home.secrets_path(), bytes).unwrap();
        for error in [
            store.get("a").unwrap_err(),
            store.ids().unwrap_err(),
            store.set("a", Secret::new("new")).unwrap_err(),
            store.remove("a").map(drop).unwrap_err(),
        ] {
            let shown = format!("{error} {error:?}");
            assert!(!shown.contains("hush"), "{shown}");
            let problem = Problem::from(error);
            let place = problem.location.unwrap();
            assert_eq!(
                (problem.code, place.line, place.column),
                (ErrorCode::Malformed, Some(line), Some(column))
            );
        }
        assert_eq!(fs::read(home.secrets_path()).unwrap(), bytes);
    }
}

#[test]
fn ids_and_the_store_have_size_limits() {
    let (_dir, home) = home();
    let store = SecretStore::for_home(&home);
    let long = "x".repeat(257);
    for id in ["", "a\nb", long.as_str()] {
        let problem = Problem::from(store.set(id, Secret::new("s")).unwrap_err());
        assert_eq!(problem.code, ErrorCode::Usage);
    }
    store.set("a", Secret::new("s")).unwrap();
    let before = fs::read(home.secrets_path()).unwrap();
    let problem = Problem::from(store.set("b", Secret::new("s".repeat(50_000))).unwrap_err());
    assert_eq!(problem.code, ErrorCode::TooLarge);
    assert_eq!(fs::read(home.secrets_path()).unwrap(), before);
}

#[test]
fn secret_references_serialise_as_in_the_config() {
    let reference = SecretRef::stored("skills/weather/apiKey");
    let json = r#"{"source":"file","provider":"tarsus","id":"skills/weather/apiKey"}"#;
    assert_eq!(serde_json::to_string(&reference).unwrap(), json);
    assert_eq!(serde_json::from_str::<SecretRef>(json).unwrap(), reference);
    assert!(reference.is_stored());
    let env: SecretRef = serde_json::from_str(r#"{"source":"env","provider":"default","id":"KEY"}"#).unwrap();
    assert_eq!((env.source, env.is_stored()), (SecretSource::Env, false));
}

fn holder(pid: u32) -> Holder {
    Holder {
        pid,
        start: Some(1),
        boot_id: "boot".to_owned(),
        port: None,
        started_at: "2026-11-15T12:00:00Z".parse().unwrap(),
    }
}

#[test]
fn the_runtime_lock_is_exclusive_and_names_its_holder() {
    let (_dir, home) = home();
    assert_eq!(runtime_lock::holder(&home).unwrap(), None);
    assert!(!home.own_dir().exists(), "asking makes nothing");
    let mut first = RuntimeLock::take(&home, holder(7)).unwrap();
    assert_eq!(runtime_lock::holder(&home).unwrap(), Some(holder(7)));
    first.set_port(18_789).unwrap();
    let with_port = Holder { port: Some(18_789), ..holder(7) };
    assert_eq!(
        (first.holder(), runtime_lock::holder(&home).unwrap().as_ref()),
        (&with_port, Some(&with_port))
    );
    let refused = RuntimeLock::take(&home, holder(8)).unwrap_err();
    assert!(matches!(&refused, NotTaken::Held { holder } if holder.as_ref() == Some(&with_port)));
    let problem = Problem::from(refused);
    assert_eq!(problem.code, ErrorCode::Busy);
    assert_eq!(problem.message, "this state folder is in use by process 7, on port 18789");
    drop(first);
    assert_eq!(runtime_lock::holder(&home).unwrap(), None);
    assert_eq!(files::list_names(&home.own_dir(), 9).unwrap(), ["runtime.lock"]);
    drop(RuntimeLock::take(&home, holder(8)).unwrap());
}

#[test]
fn leftovers_of_a_killed_holder_are_ignored() {
    let (_dir, home) = home();
    files::make_private_dir(&home.own_dir()).unwrap();
    let contents = home.own_dir().join("runtime.json");
    fs::write(&contents, serde_json::to_vec(&holder(7)).unwrap()).unwrap();
    assert_eq!(runtime_lock::holder(&home).unwrap(), None);
    let lock = RuntimeLock::take(&home, holder(8)).unwrap();
    assert_eq!(runtime_lock::holder(&home).unwrap(), Some(holder(8)));
    // The lock counts even if the description of its holder cannot be parsed.
    fs::write(&contents, b"{").unwrap();
    let refused = RuntimeLock::take(&home, holder(9)).unwrap_err();
    assert!(matches!(refused, NotTaken::Held { holder: None }));
    drop(lock);
}
