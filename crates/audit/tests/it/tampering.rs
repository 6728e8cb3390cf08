//! An anchored chain: whatever is removed, renamed or replaced is found, nothing is recorded until a reset, and an older
//! chain is adopted once.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use tarsus_audit::{Anchor, Audit, AuditEntry, AuditError, Head, RecordFilter, RecordSeverity};
use tarsus_home::files::Durability;
use tarsus_home::{Home, HomeOptions};
use tarsus_protocol::{ErrorCode, Problem};
use tempfile::TempDir;

/// An anchor in memory.
#[derive(Debug, Default)]
struct Memory {
    head: Mutex<Option<Head>>,
    fails: Mutex<bool>,
}

impl Anchor for Memory {
    fn load(&self) -> Result<Option<Head>, Problem> {
        Ok(*self.head.lock().unwrap())
    }

    fn save(&self, head: &Head, _: Durability) -> Result<(), Problem> {
        if *self.fails.lock().unwrap() {
            return Err(Problem::new(ErrorCode::Io, "the anchor cannot be written"));
        }
        *self.head.lock().unwrap() = Some(*head);
        Ok(())
    }

    fn path(&self) -> &Path {
        Path::new("store.db")
    }
}

struct Scene {
    _dir: TempDir,
    home: Home,
    anchor: Arc<Memory>,
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn event(name: &str) -> AuditEntry {
    AuditEntry::security(name, RecordSeverity::Info)
}

impl Scene {
    fn empty() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let choice = HomeOptions { state_flag: Some(dir.path().join("state")), ..HomeOptions::default() };
        Self { home: Home::locate(&choice).unwrap(), _dir: dir, anchor: Arc::default() }
    }

    /// Two records in November and two in December.
    fn new() -> Self {
        let scene = Self::empty();
        let audit = scene.open();
        for moment in ["2026-11-15T12:00:00Z", "2026-11-16T12:00:00Z", "2026-12-01T00:00:00Z", NOW] {
            audit.record(event(moment), at(moment)).unwrap();
        }
        scene
    }

    /// As an earlier version left it: the key in the folder, and no anchor.
    fn unadopted() -> Self {
        let scene = Self::new();
        fs::rename(scene.home.audit_key_path(), scene.file("key")).unwrap();
        *scene.anchor.head.lock().unwrap() = None;
        scene
    }

    fn open(&self) -> Audit {
        Audit::open(&self.home, Some(Arc::clone(&self.anchor) as Arc<dyn Anchor>)).unwrap()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.audit_dir().join(name)
    }

    fn events(&self) -> Vec<String> {
        let tail = self.open().tail(&RecordFilter::default()).unwrap();
        tail.records.into_iter().map(|record| record.entry.event).collect()
    }
}

const NOW: &str = "2026-12-02T00:00:00Z";

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

fn remove(paths: &[PathBuf]) {
    paths.iter().for_each(|path| fs::remove_file(path).unwrap());
}

type Tamper = fn(&Scene);

/// What is done, the fault that is named, and its file.
const CASES: &[(&str, Tamper, &str, &str)] = &[
    (
        "months and head removed",
        |scene| remove(&["2026-11.jsonl", "2026-12.jsonl", "head.json"].map(|name| scene.file(name))),
        "the files of the audit log were removed",
        "audit",
    ),
    (
        "the folder removed",
        |scene| fs::remove_dir_all(scene.home.audit_dir()).unwrap(),
        "the files of the audit log were removed",
        "audit",
    ),
    (
        "the folder and the key removed",
        |scene| {
            fs::remove_dir_all(scene.home.audit_dir()).unwrap();
            remove(&[scene.home.audit_key_path()]);
        },
        "the files of the audit log were removed",
        "audit",
    ),
    (
        "the folder and the anchor removed",
        |scene| {
            fs::remove_dir_all(scene.home.audit_dir()).unwrap();
            *scene.anchor.head.lock().unwrap() = None;
        },
        "the store has no anchor",
        "store.db",
    ),
    (
        "the anchor removed",
        |scene| *scene.anchor.head.lock().unwrap() = None,
        "the store has no anchor",
        "store.db",
    ),
    (
        "the key removed",
        |scene| remove(&[scene.home.audit_key_path()]),
        "the key file is missing",
        "audit.key",
    ),
    (
        "the key and the anchor removed",
        |scene| {
            remove(&[scene.home.audit_key_path()]);
            *scene.anchor.head.lock().unwrap() = None;
        },
        "the key file is missing",
        "audit.key",
    ),
    (
        "the key cut short",
        |scene| fs::write(scene.home.audit_key_path(), b"short").unwrap(),
        "the key file was changed",
        "audit.key",
    ),
    (
        "another key",
        |scene| fs::write(scene.home.audit_key_path(), [7; 32]).unwrap(),
        "the line was changed, or sealed with another key",
        "2026-11.jsonl",
    ),
    ("the head removed", |scene| remove(&[scene.file("head.json")]), "the head file is missing", "head.json"),
    (
        "the first month removed",
        |scene| remove(&[scene.file("2026-11.jsonl")]),
        "expected number 1, found 3",
        "2026-12.jsonl",
    ),
    (
        "the last month removed",
        |scene| remove(&[scene.file("2026-12.jsonl")]),
        "the chain ends at number 2, the head file says 4",
        "2026-12.jsonl",
    ),
    (
        "the first month renamed",
        |scene| fs::rename(scene.file("2026-11.jsonl"), scene.file("2026-10.jsonl")).unwrap(),
        "the line is of 2026-11",
        "2026-10.jsonl",
    ),
    (
        "the last month renamed",
        |scene| fs::rename(scene.file("2026-12.jsonl"), scene.file("2027-01.jsonl")).unwrap(),
        "the line is of 2026-12",
        "2027-01.jsonl",
    ),
    (
        "the months joined",
        |scene| {
            let whole = ["2026-11.jsonl", "2026-12.jsonl"].map(|name| fs::read(scene.file(name)).unwrap());
            fs::write(scene.file("2026-11.jsonl"), whole.concat()).unwrap();
            remove(&[scene.file("2026-12.jsonl")]);
        },
        "the line is of 2026-12",
        "2026-11.jsonl",
    ),
    (
        "a month cut off, with a head that fits",
        |scene| {
            let whole = fs::read(scene.file("2026-12.jsonl")).unwrap();
            let first = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
            fs::write(scene.file("2026-12.jsonl"), &whole[..first]).unwrap();
            fs::copy(scene.file("head.before"), scene.file("head.json")).unwrap();
        },
        "the audit log ends at 3, the store has seen record 4",
        "audit",
    ),
    (
        "an older copy of the folder",
        |scene| {
            fs::remove_dir_all(scene.home.audit_dir()).unwrap();
            fs::rename(scene.home.own_dir().join("older"), scene.home.audit_dir()).unwrap();
        },
        "the audit log ends at 3, the store has seen record 4",
        "audit",
    ),
    (
        "a longer chain with the same key",
        |scene| {
            let key = fs::read(scene.home.audit_key_path()).unwrap();
            let other = Scene::empty();
            other.open().establish(at(NOW)).unwrap();
            fs::write(other.home.audit_key_path(), key).unwrap();
            // Sealed anew with that key.
            remove(&[other.file("head.json")]);
            let audit = other.open();
            for _ in 0..9 {
                audit.record(event("forged"), at(NOW)).unwrap();
            }
            fs::remove_dir_all(scene.home.audit_dir()).unwrap();
            copy_folder(&other.home.audit_dir(), &scene.home.audit_dir());
        },
        "record 4 is not the one that the store has seen",
        "2026-12.jsonl",
    ),
];

/// A scene with what the cases need to look back.
fn prepared() -> Scene {
    let scene = Scene::empty();
    let audit = scene.open();
    for moment in ["2026-11-15T12:00:00Z", "2026-11-16T12:00:00Z", "2026-12-01T00:00:00Z"] {
        audit.record(event(moment), at(moment)).unwrap();
    }
    copy_folder(&scene.home.audit_dir(), &scene.home.own_dir().join("older"));
    fs::copy(scene.file("head.json"), scene.file("head.before")).unwrap();
    audit.record(event(NOW), at(NOW)).unwrap();
    scene
}

#[test]
fn every_removal_rename_and_replacement_is_found_and_refused() {
    for (what, tamper, why, file) in CASES {
        let scene = prepared();
        let running = scene.open();
        tamper(&scene);
        // A program that only wants to record finds it, too.
        let refused = scene.open().record(event("new"), at(NOW)).unwrap_err();
        assert_eq!(Problem::from(refused).code, ErrorCode::Tampered, "{what}");
        for audit in [&running, &scene.open()] {
            let fault = audit.verify().unwrap().first_bad.unwrap_or_else(|| panic!("{what} is not found"));
            assert!(fault.why.contains(why), "{what}: {fault}");
            assert_eq!(fault.path.file_name().unwrap(), *file, "{what}: {fault}");
            assert_eq!(audit.verify_if_changed().unwrap().first_bad, Some(fault), "{what}");
            let refused = audit.record(event("new"), at(NOW)).unwrap_err();
            assert!(matches!(refused, AuditError::Tampered(_)), "{what}: {refused}");
            assert_eq!((audit.record_best_effort(event("deny"), at(NOW)), audit.lost()), (None, 1), "{what}");
        }
        let known = Audit::open_existing(&scene.home, Some(scene.anchor.clone() as Arc<dyn Anchor>));
        assert!(known.unwrap().is_some(), "{what}");
    }
}

#[test]
fn a_reset_keeps_the_old_files_and_starts_anew() {
    for (what, tamper, why, _) in CASES {
        let scene = prepared();
        let running = scene.open();
        tamper(&scene);
        let before = lines_below(&scene.home.audit_dir());
        let done = scene.open().reset("a test", "the owner", at(NOW)).unwrap();
        assert!(done.fault.why.contains(why), "{what}: {}", done.fault);
        assert_eq!((done.head.seq, *scene.anchor.head.lock().unwrap()), (1, Some(done.head)), "{what}");
        let first = &running.tail(&RecordFilter::default()).unwrap().records[0];
        assert_eq!(first.entry.event, "audit.reset", "{what}");
        assert_eq!(first.entry.reason.as_deref(), Some("a test"), "{what}");
        assert_eq!(first.entry.detail["by"], "the owner", "{what}");
        assert_eq!(first.entry.detail["oldHeight"], done.old_height, "{what}");
        assert_eq!(first.entry.detail["fault"], done.fault.to_string(), "{what}");
        // Nothing is lost, and one that was open goes on with the new key.
        let after = lines_below(&scene.home.audit_dir());
        assert!(before.iter().all(|line| after.contains(line)), "{what}");
        assert_eq!(running.record(event("next"), at(NOW)).unwrap().seq, 2, "{what}");
        assert_eq!(running.verify().unwrap().first_bad, None, "{what}");
        assert_eq!(scene.open().verify().unwrap().lines, 2, "{what}");
    }
}

/// All lines of files of months below a folder.
fn lines_below(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut lines = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            lines.extend(lines_below(&path));
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            lines.extend(fs::read_to_string(path).unwrap().lines().map(str::to_owned));
        }
    }
    lines
}

#[test]
fn an_intact_chain_is_not_reset() {
    let scene = Scene::new();
    let error = scene.open().reset("a test", "the owner", at(NOW)).unwrap_err();
    assert!(matches!(error, AuditError::Intact), "{error}");
    assert_eq!(scene.events().len(), 4);
}

#[test]
fn an_anchor_that_is_behind_is_no_fault_and_catches_up() {
    let scene = Scene::empty();
    let audit = scene.open();
    audit.record(event("first"), at(NOW)).unwrap();
    *scene.anchor.fails.lock().unwrap() = true;
    // The record stands; the next one needs the anchor.
    assert_eq!(audit.record(event("second"), at(NOW)).unwrap().seq, 2);
    assert_eq!(audit.verify().unwrap().first_bad, None);
    let error = audit.record(event("third"), at(NOW)).unwrap_err();
    assert!(matches!(error, AuditError::Anchor(_)), "{error}");
    assert_eq!(scene.events(), ["first", "second"]);
    *scene.anchor.fails.lock().unwrap() = false;
    assert_eq!(audit.record(event("third"), at(NOW)).unwrap().seq, 3);
    assert_eq!(scene.anchor.head.lock().unwrap().unwrap().seq, 3);
    // An older anchor, as after a power cut or from a backup of the store, is in the chain.
    let third = *scene.anchor.head.lock().unwrap();
    for number in 4..9 {
        audit.record(event("more"), at(NOW)).unwrap();
        *scene.anchor.head.lock().unwrap() = third;
        assert_eq!(audit.verify().unwrap().first_bad, None, "{number}");
    }
    assert_eq!(audit.record(event("last"), at("2027-01-01T00:00:00Z")).unwrap().seq, 9);
    *scene.anchor.head.lock().unwrap() = third;
    assert_eq!(audit.record(event("after"), at("2027-01-01T00:00:00Z")).unwrap().seq, 10);
}

#[test]
fn an_older_anchor_of_another_record_is_a_fault() {
    let scene = Scene::new();
    let mut anchor = scene.anchor.head.lock().unwrap().unwrap();
    anchor.seq = 3;
    *scene.anchor.head.lock().unwrap() = Some(anchor);
    assert!(scene.open().verify().unwrap().first_bad.is_some());
    assert!(matches!(scene.open().record(event("x"), at(NOW)), Err(AuditError::Tampered(_))));
}

#[test]
fn an_established_chain_can_be_missed_before_its_first_record() {
    let scene = Scene::empty();
    assert!(
        Audit::open_existing(&scene.home, Some(scene.anchor.clone() as Arc<dyn Anchor>)).unwrap().is_none()
    );
    scene.open().establish(at(NOW)).unwrap();
    let found = scene.open().verify().unwrap();
    assert_eq!((found.lines, found.first_bad, found.anchor), (0, None, Some(0)));
    fs::remove_file(scene.home.audit_key_path()).unwrap();
    assert!(scene.open().verify().unwrap().first_bad.is_some());
}

#[test]
fn a_chain_of_an_earlier_version_is_adopted_once() {
    let scene = Scene::unadopted();
    assert_eq!(scene.open().verify().unwrap().first_bad, None);
    scene.open().establish(at(NOW)).unwrap();
    assert!(scene.home.audit_key_path().exists() && !scene.file("key").exists());
    assert_eq!(scene.open().record(event("next"), at(NOW)).unwrap().seq, 6);
    scene.open().establish(at(NOW)).unwrap();
    let events = scene.events();
    assert_eq!(events[4..], ["audit.adopted", "next"]);
    assert_eq!(scene.open().verify().unwrap().anchor, Some(6));
}

#[test]
fn a_key_without_records_of_an_earlier_version_is_adopted() {
    let scene = Scene::empty();
    fs::create_dir_all(scene.home.audit_dir()).unwrap();
    fs::write(scene.file("key"), [7; 32]).unwrap();
    assert_eq!(scene.open().record(event("first"), at(NOW)).unwrap().seq, 2);
    assert_eq!(fs::read(scene.home.audit_key_path()).unwrap(), [7; 32]);
    assert!(!scene.file("key").exists());
    assert_eq!(scene.events(), ["audit.adopted", "first"]);
}

/// Records that were removed with the head cannot be told from none that were written: both reports and the log say so.
#[test]
fn a_chain_of_an_earlier_version_without_its_records_is_reported() {
    let scene = Scene::unadopted();
    remove(&["2026-11.jsonl", "2026-12.jsonl", "head.json"].map(|name| scene.file(name)));
    let known = Audit::open_existing(&scene.home, Some(scene.anchor.clone() as Arc<dyn Anchor>)).unwrap();
    let found = known.expect("the key tells of a log").verify().unwrap();
    assert_eq!((found.lines, found.only_earlier_key, found.first_bad), (0, true, None));
    scene.open().establish(at(NOW)).unwrap();
    let [adopted] = &scene.open().tail(&RecordFilter::default()).unwrap().records[..] else { panic!() };
    assert_eq!(
        (adopted.entry.event.as_str(), adopted.entry.severity),
        ("audit.adopted", RecordSeverity::Warning)
    );
    assert_eq!(adopted.entry.detail["records"], 0);
    assert!(!scene.open().verify().unwrap().only_earlier_key);
}

#[test]
fn a_broken_chain_of_an_earlier_version_is_not_adopted() {
    let table: [(&str, Tamper); 3] = [
        ("cut off", |scene| fs::write(scene.file("2026-12.jsonl"), b"").unwrap()),
        ("a month removed", |scene| remove(&[scene.file("2026-11.jsonl")])),
        ("a month renamed", |scene| {
            fs::rename(scene.file("2026-11.jsonl"), scene.file("2026-10.jsonl")).unwrap();
        }),
    ];
    for (what, tamper) in table {
        let scene = Scene::unadopted();
        tamper(&scene);
        let audit = scene.open();
        assert!(matches!(audit.establish(at(NOW)), Err(AuditError::Tampered(_))), "{what}");
        assert!(matches!(audit.record(event("x"), at(NOW)), Err(AuditError::Tampered(_))), "{what}");
        assert_eq!(*scene.anchor.head.lock().unwrap(), None, "{what}");
        assert_eq!(audit.reset("a test", "the owner", at(NOW)).unwrap().head.seq, 1, "{what}");
        assert!(!scene.file("key").exists(), "{what}");
        assert_eq!(scene.open().record(event("next"), at(NOW)).unwrap().seq, 2, "{what}");
    }
}

#[test]
fn adoption_does_not_take_a_chain_that_was_cut_off() {
    // The anchor still knows more than what is put in place as if it were of an earlier version.
    let scene = prepared();
    fs::remove_dir_all(scene.home.audit_dir()).unwrap();
    fs::rename(scene.home.own_dir().join("older"), scene.home.audit_dir()).unwrap();
    fs::rename(scene.home.audit_key_path(), scene.file("key")).unwrap();
    assert!(scene.open().verify().unwrap().first_bad.is_some());
    assert!(matches!(scene.open().record(event("x"), at(NOW)), Err(AuditError::Tampered(_))));
    // The key outside of the folder tells of a chain even if the anchor is gone.
    let scene = prepared();
    fs::remove_dir_all(scene.home.audit_dir()).unwrap();
    fs::create_dir_all(scene.home.audit_dir()).unwrap();
    fs::write(scene.file("key"), [7; 32]).unwrap();
    *scene.anchor.head.lock().unwrap() = None;
    assert!(matches!(scene.open().record(event("x"), at(NOW)), Err(AuditError::Tampered(_))));
}

#[test]
fn a_fault_that_a_verification_found_stops_records() {
    let scene = Scene::new();
    let audit = scene.open();
    let path = scene.file("2026-11.jsonl");
    let whole = fs::read(&path).unwrap();
    let mut changed = whole.clone();
    changed[20] ^= 1;
    fs::write(&path, changed).unwrap();
    assert!(audit.verify_if_changed().unwrap().first_bad.is_some());
    assert!(matches!(audit.record(event("x"), at(NOW)), Err(AuditError::Tampered(_))));
    fs::write(&path, whole).unwrap();
    assert_eq!(audit.verify_if_changed().unwrap().first_bad, None);
    audit.record(event("x"), at(NOW)).unwrap();
}
