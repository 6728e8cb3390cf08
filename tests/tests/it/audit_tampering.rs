//! An audit log that was tampered with, as a user of the program meets it: every report says so, nothing new is done,
//! stopping works, and a reset recovers.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use tarsus_tests::apps::Apps;
use tarsus_tests::{Running, printed};

/// A folder with an app that was launched, and what looking back needs.
struct Scene(Apps);

impl Scene {
    fn new() -> Self {
        let scene = Self(Apps::with("full", &[]));
        assert_eq!(scene.0.json(&["launch", "Last Z"], 0)["outcome"], "started");
        copy_folder(&scene.folder(), &scene.older());
        assert_eq!(scene.0.json(&["stop", "Last Z"], 0)["outcome"], "stopped");
        assert_eq!(scene.0.json(&["launch", "Last Z"], 0)["outcome"], "started");
        scene
    }

    fn folder(&self) -> PathBuf {
        self.0.home.home().audit_dir()
    }

    /// A copy of the folder, from before the last records.
    fn older(&self) -> PathBuf {
        self.0.home.path().join("older")
    }

    /// The file of the only month.
    fn month(&self) -> PathBuf {
        let names = fs::read_dir(self.folder()).unwrap().map(|entry| entry.unwrap().path());
        names.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "jsonl")).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.0.home.tarsus(arguments).output().unwrap()
    }

    fn json(&self, arguments: &[&str], exit: i32) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(exit), "{arguments:?}\n{}", printed(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Checks every report: each names the fault and what to do next.
    fn is_tampered(&self, what: &str, why: &str) {
        let verify = self.run(&["audit", "verify"]);
        let text = printed(&verify);
        assert_eq!(verify.status.code(), Some(1), "{what}: {text}");
        assert!(text.contains(why) && text.contains("tarsus audit reset --reason"), "{what}: {text}");
        let verify = self.json(&["audit", "verify"], 1);
        assert_eq!(verify["ok"], false, "{what}: {verify}");
        assert!(verify["first_bad"].is_object() || verify["firstBad"].is_object(), "{what}: {verify}");

        let status = self.json(&["status"], 0);
        assert_eq!(status["audit"]["verified"], false, "{what}: {status}");
        assert!(status["audit"]["fault"].as_str().unwrap().contains(why), "{what}: {status}");
        let status = printed(&self.run(&["status"]));
        assert!(status.contains(why) && status.contains("tarsus audit reset"), "{what}: {status}");
        for command in [&["doctor"][..], &["security", "audit"]] {
            let report = self.json(command, 1);
            let checks = report["checks"].as_array().unwrap();
            let audit = checks.iter().find(|check| check["id"] == "audit").unwrap();
            assert_eq!(audit["level"], "error", "{what}: {report}");
            assert!(audit["message"].as_str().unwrap().contains(why), "{what}: {audit}");
            assert!(audit["fix"].as_str().unwrap().contains("tarsus audit reset"), "{what}: {audit}");
        }
    }

    /// Checks that nothing is done that has to be recorded, and that stopping works.
    fn only_takes_away(&self, what: &str) {
        let registry = self.0.text();
        for arguments in [&["launch", "Last Z"][..], &["policy", "Last Z", "--mode", "off", "--yes"]] {
            let refused = self.0.json(arguments, 1);
            assert_eq!(refused["error"]["code"], "tampered", "{what}: {refused}");
        }
        assert_eq!((self.0.text(), self.0.pids().len()), (registry, 1), "{what}");
        assert_eq!(self.0.json(&["stop", "Last Z"], 0)["outcome"], "stopped", "{what}");
    }

    /// Resets the log, and checks that everything works again.
    fn recovers(&self, what: &str) {
        let done = self.json(&["audit", "reset", "--reason", "a test", "--yes"], 0);
        assert_eq!(done["head"]["seq"], 1, "{what}: {done}");
        assert!(Path::new(done["kept"].as_str().unwrap()).is_dir(), "{what}: {done}");
        let tail = self.json(&["audit", "tail", "-n", "100"], 0);
        let first = &tail["records"][0];
        assert_eq!((&first["event"], &first["reason"]), (&"audit.reset".into(), &"a test".into()), "{what}");
        assert_eq!(first["detail"]["oldHeight"], done["oldHeight"], "{what}: {first}");
        assert_eq!(self.json(&["audit", "verify"], 0)["ok"], true, "{what}");
        assert_eq!(self.json(&["status"], 0)["audit"]["verified"], true, "{what}");
        assert_eq!(self.0.json(&["launch", "Last Z"], 0)["outcome"], "started", "{what}");
        assert_eq!(self.0.json(&["stop", "Last Z"], 0)["outcome"], "stopped", "{what}");
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

type Tamper = fn(&Scene);

const CASES: &[(&str, Tamper, &str)] = &[
    (
        "the month and the head are deleted",
        |scene| {
            fs::remove_file(scene.month()).unwrap();
            fs::remove_file(scene.folder().join("head.json")).unwrap();
        },
        "the files of the audit log were removed",
    ),
    (
        "the folder is deleted",
        |scene| fs::remove_dir_all(scene.folder()).unwrap(),
        "the files of the audit log were removed",
    ),
    (
        "the folder and the store are deleted",
        |scene| {
            fs::remove_dir_all(scene.folder()).unwrap();
            fs::remove_file(scene.0.home.home().store_path()).unwrap();
        },
        "the store has no anchor",
    ),
    (
        "the month is renamed",
        |scene| fs::rename(scene.month(), scene.folder().join("2020-01.jsonl")).unwrap(),
        "the file was renamed",
    ),
    (
        "the month is cut off",
        |scene| {
            let whole = fs::read_to_string(scene.month()).unwrap();
            let kept: String = whole.split_inclusive('\n').take(2).collect();
            fs::write(scene.month(), kept).unwrap();
        },
        "lines are missing at the end",
    ),
    (
        "the folder is an older copy",
        |scene| {
            fs::remove_dir_all(scene.folder()).unwrap();
            fs::rename(scene.older(), scene.folder()).unwrap();
        },
        "records were removed",
    ),
    (
        "the key is deleted",
        |scene| fs::remove_file(scene.0.home.home().audit_key_path()).unwrap(),
        "the key file is missing",
    ),
];

#[test]
fn tampering_is_reported_refused_and_reset() {
    std::thread::scope(|scope| {
        for (what, tamper, why) in CASES {
            scope.spawn(move || {
                let scene = Scene::new();
                tamper(&scene);
                scene.is_tampered(what, why);
                scene.only_takes_away(what);
                scene.is_tampered(what, why);
                scene.recovers(what);
            });
        }
    });
}

#[test]
fn running_gateway_reports_tampering_and_uses_the_new_log() {
    let scene = Scene::new();
    let gateway = Running::up(&scene.0.home);
    fs::remove_dir_all(scene.folder()).unwrap();
    scene.is_tampered("with a gateway", "the files of the audit log were removed");
    scene.only_takes_away("with a gateway");
    scene.recovers("with a gateway");
    drop(gateway);
}

#[test]
fn reset_asks_for_a_reason_a_yes_and_the_owner() {
    let scene = Scene::new();
    let exit = |arguments: &[&str]| scene.run(arguments).status.code();
    // Nothing is wrong.
    assert_eq!(exit(&["audit", "reset", "--reason", "a test", "--yes"]), Some(1));
    fs::remove_file(scene.folder().join("head.json")).unwrap();
    assert_eq!(exit(&["audit", "reset", "--yes"]), Some(2));
    assert_eq!(exit(&["audit", "reset", "--reason", " ", "--yes"]), Some(2));
    let unconfirmed = scene.json(&["audit", "reset", "--reason", "a test"], 2);
    assert_eq!(unconfirmed["error"]["code"], "not-confirmed", "{unconfirmed}");
    let reset = ["audit", "reset", "--reason", "a test", "--yes"];
    let inside = scene.0.home.tarsus(reset).env("TARSUS_AGENT", "main").output().unwrap();
    assert_ne!(inside.status.code(), Some(0), "{}", printed(&inside));
    scene.is_tampered("after refusals", "the head file is missing");
    assert_eq!(exit(&reset), Some(0));
}

#[test]
fn log_of_an_earlier_version_is_adopted_without_asking() {
    let scene = Scene::new();
    let home = scene.0.home.home();
    fs::rename(home.audit_key_path(), scene.folder().join("key")).unwrap();
    fs::remove_file(home.store_path()).unwrap();
    assert_eq!(scene.json(&["audit", "verify"], 0)["ok"], true);
    assert_eq!(scene.0.json(&["stop", "Last Z"], 0)["outcome"], "stopped");
    drop(Running::up(&scene.0.home));
    let events = scene.0.audit();
    assert_eq!(events.iter().filter(|line| line.starts_with("audit.adopted")).count(), 1, "{events:?}");
    assert_eq!(scene.0.json(&["launch", "Last Z"], 0)["outcome"], "started");
    assert!(home.audit_key_path().exists() && !scene.folder().join("key").exists());
    fs::remove_dir_all(scene.folder()).unwrap();
    scene.is_tampered("after the adoption", "the files of the audit log were removed");
}

#[test]
fn removed_records_of_an_earlier_version_are_reported() {
    let scene = Scene::new();
    let home = scene.0.home.home();
    fs::remove_file(home.store_path()).unwrap();
    fs::rename(home.audit_key_path(), scene.0.home.path().join("key")).unwrap();
    fs::remove_dir_all(scene.folder()).unwrap();
    fs::create_dir(scene.folder()).unwrap();
    fs::rename(scene.0.home.path().join("key"), scene.folder().join("key")).unwrap();
    let verified = scene.json(&["audit", "verify"], 0);
    assert_eq!((&verified["lines"], &verified["onlyEarlierKey"]), (&0.into(), &true.into()), "{verified}");
    let said = scene.0.home.tarsus(["audit", "verify"]).output().unwrap();
    assert!(printed(&said).contains("an earlier version left its key"), "{}", printed(&said));
    drop(Running::up(&scene.0.home));
    let events = scene.0.audit();
    assert!(events[0].starts_with("audit.adopted"), "{events:?}");
}
