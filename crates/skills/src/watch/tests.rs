//! Systems that cannot watch, or that lose what they saw.
#![allow(clippy::disallowed_methods, reason = "tests make their own files")]

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};

use notify::event::Flag;
use notify::{ErrorKind, EventKind, NullWatcher};
use tarsus_home::config::Loaded;
use tarsus_home::config::json5::{Dialect, Document};
use tarsus_home::config::view::{AgentId, Config};
use tarsus_home::{Choice, Home, Settings};
use tarsus_host::path::SearchPath;

use super::armed::Handler;
use super::*;
use crate::snapshot::{Basis, Surroundings};

/// What comes next. Long enough for any machine: only what never comes takes as long.
fn next<T>(from: &Receiver<T>) -> Option<T> {
    from.recv_timeout(Duration::from_secs(60)).ok()
}

fn library(state: &Path) -> Arc<Library> {
    let choice = Choice { state_flag: Some(state.to_path_buf()), ..Choice::default() };
    let surroundings = Surroundings {
        platform: "linux",
        programs: SearchPath::new(OsStr::new(""), None),
        variables: Box::new(|_| None),
        nodes: Vec::new(),
    };
    let basis = Basis {
        home: Home::locate(&choice).unwrap(),
        config: Loaded {
            exists: false,
            document: Document::parse_object(b"{}", Dialect::Json5).unwrap(),
            view: Config::default(),
            issues: Vec::new(),
            warnings: Vec::new(),
        },
        settings: Settings::default(),
        surroundings: Arc::new(surroundings),
    };
    Arc::new(Library::open(basis, None, Clock::system()))
}

fn watch(system: System, library: &Arc<Library>) -> (Watcher, Receiver<Event>) {
    let (tell, told) = channel();
    let pace = Pace::settling_in(Duration::from_millis(10));
    // The test has ended when nobody listens.
    let tell = Box::new(move |event| drop(tell.send(event)));
    (Watcher::start_on(system, Arc::clone(library), Clock::system(), pace, tell).unwrap(), told)
}

fn skill(state: &Path, name: &str) {
    let dir = state.join("skills").join(name);
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("SKILL.md"), format!("---\nname: {name}\ndescription: d\n---\n")).unwrap();
}

/// The names that the next event says are new.
fn added(told: &Receiver<Event>) -> Vec<String> {
    match next(told).unwrap() {
        Event::Changed(different) => different[&AgentId::main()].added.clone(),
        Event::Polling(why) => panic!("polling because of {why}"),
    }
}

#[test]
fn where_the_system_cannot_watch_it_is_said_once_and_changes_are_found_all_the_same() {
    let state = tempfile::tempdir().unwrap();
    let library = library(state.path());
    let refusing: System = Box::new(|_| Err(notify::Error::new(ErrorKind::MaxFilesWatch)));
    let (watcher, told) = watch(refusing, &library);
    assert!(matches!(next(&told).unwrap(), Event::Polling(why) if why.contains("limit")));
    skill(state.path(), "one");
    assert_eq!(added(&told), ["one"]);
    watcher.rearm();
    skill(state.path(), "two");
    assert_eq!(added(&told), ["two"]);
}

#[test]
fn after_lost_events_everything_is_looked_at_and_watched_anew() {
    let state = tempfile::tempdir().unwrap();
    let library = library(state.path());
    let (hand_over, handlers): (Sender<Handler>, Receiver<Handler>) = channel();
    let silent: System = Box::new(move |handler| {
        hand_over.send(handler).unwrap();
        Ok(Box::new(NullWatcher))
    });
    let (_watcher, told) = watch(silent, &library);
    let lost: [fn() -> notify::Result<notify::Event>; 2] = [
        || Ok(notify::Event::new(EventKind::Other).set_flag(Flag::Rescan)),
        || Err(notify::Error::generic("cut off")),
    ];
    for (number, event) in lost.into_iter().enumerate() {
        let mut handler = next(&handlers).unwrap();
        skill(state.path(), &format!("s{number}"));
        handler(event());
        assert_eq!(added(&told), [format!("s{number}")]);
    }
    assert!(next(&handlers).is_some(), "watched anew");
}

#[test]
fn a_library_whose_reader_is_gone_makes_nobody_wait() {
    let state = tempfile::tempdir().unwrap();
    let library = library(state.path());
    let (watcher, told) = watch(Box::new(|_| panic!("a defect of the system's library")), &library);
    watcher.rearm();
    assert!(next(&told).is_none());
}
