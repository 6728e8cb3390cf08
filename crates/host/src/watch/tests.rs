//! Real files, systems that cannot watch, and systems that lose what they saw.
#![allow(clippy::disallowed_methods, reason = "tests make their own files")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};

use notify::event::Flag;
use notify::{ErrorKind, EventKind, NullWatcher};

use super::armed::Handler;
use super::*;

/// What comes next. Long enough for any machine: only what never comes takes as long.
fn next<T>(from: &Receiver<T>) -> Option<T> {
    from.recv_timeout(Duration::from_secs(60)).ok()
}

#[derive(Debug, PartialEq)]
enum Told {
    /// What the file says.
    Says(Option<String>),
    Polling(String),
}

/// Tells what a file says whenever that is another text.
struct Reading {
    file: PathBuf,
    last: Option<String>,
    tell: Sender<Told>,
}

impl Look for Reading {
    fn places(&self) -> Vec<Place> {
        vec![Place::File(self.file.clone())]
    }

    fn look(&mut self, _: &Touched) {
        let says = fs::read_to_string(&self.file).ok();
        if says != self.last {
            self.last.clone_from(&says);
            // The test has ended when nobody listens.
            let _ = self.tell.send(Told::Says(says));
        }
    }

    fn polling(&mut self, why: &str) {
        let _ = self.tell.send(Told::Polling(why.to_owned()));
    }
}

fn watch(system: System, file: &Path) -> (Watcher, Receiver<Told>) {
    let (tell, told) = channel();
    let looking = Reading { file: file.to_path_buf(), last: None, tell };
    let pace = Pace::settling_in(Duration::from_millis(10));
    (Watcher::start_on(system, "test", Clock::system(), pace, looking).unwrap(), told)
}

/// Waits until the file is seen to say this. An editor's steps may be seen one by one.
fn wait_for(told: &Receiver<Told>, says: Option<&str>) {
    let expected = Told::Says(says.map(str::to_owned));
    while next(told).unwrap_or_else(|| panic!("{expected:?} is never seen")) != expected {}
}

#[test]
fn a_file_is_followed_however_it_is_written_and_wherever_it_comes_from() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let state = top.join("a/state");
    let file = state.join("file");
    let (_watcher, told) = watch(armed::this_system(), &file);
    // Its folders appear later.
    fs::create_dir_all(&state).unwrap();
    fs::write(&file, "one").unwrap();
    wait_for(&told, Some("one"));
    fs::write(&file, "two").unwrap();
    wait_for(&told, Some("two"));
    // As editors save: beside it and over it; or the old one aside, and a new one.
    fs::write(state.join(".file.swp"), "three").unwrap();
    fs::rename(state.join(".file.swp"), &file).unwrap();
    wait_for(&told, Some("three"));
    fs::rename(&file, state.join("file~")).unwrap();
    fs::write(&file, "four").unwrap();
    wait_for(&told, Some("four"));
    fs::remove_file(&file).unwrap();
    wait_for(&told, None);
    fs::write(&file, "five").unwrap();
    wait_for(&told, Some("five"));
    // A folder above it goes and comes back; Windows moves none that is in use.
    #[cfg(unix)]
    {
        fs::rename(top.join("a"), top.join("b")).unwrap();
        wait_for(&told, None);
        fs::rename(top.join("b"), top.join("a")).unwrap();
        wait_for(&told, Some("five"));
    }
    fs::write(&file, "six").unwrap();
    wait_for(&told, Some("six"));
}

#[test]
fn a_folder_that_appears_while_the_watches_are_set_is_watched_too() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().canonicalize().unwrap().join("state");
    let file = state.join("file");
    let (appears, mut real) = (file.clone(), armed::this_system());
    // Between choosing what to watch and watching it.
    let system: System = Box::new(move |handler| {
        fs::create_dir_all(&state).unwrap();
        fs::write(&appears, "zero").unwrap();
        real(handler)
    });
    let (_watcher, told) = watch(system, &file);
    // Seen when everything is looked at, once the watches are set.
    wait_for(&told, Some("zero"));
    fs::write(&file, "one").unwrap();
    wait_for(&told, Some("one"));
}

#[cfg(unix)]
#[test]
fn where_a_link_leads_is_followed_also_when_it_leads_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    for name in ["here", "there"] {
        fs::create_dir(top.join(name)).unwrap();
        fs::write(top.join(name).join("real"), name).unwrap();
    }
    let link = top.join("link");
    let point_at = |target: &str| {
        std::os::unix::fs::symlink(top.join(target), top.join("new")).unwrap();
        fs::rename(top.join("new"), &link).unwrap();
    };
    point_at("here/real");
    let (_watcher, told) = watch(armed::this_system(), &link);
    wait_for(&told, Some("here"));
    fs::write(top.join("here/real"), "edited here").unwrap();
    wait_for(&told, Some("edited here"));
    point_at("there/real");
    wait_for(&told, Some("there"));
    fs::write(top.join("there/real"), "edited there").unwrap();
    wait_for(&told, Some("edited there"));
}

#[test]
fn where_the_system_cannot_watch_it_is_said_once_and_changes_are_found_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let refusing: System = Box::new(|_| Err(notify::Error::new(ErrorKind::MaxFilesWatch)));
    let (watcher, told) = watch(refusing, &file);
    assert!(matches!(next(&told).unwrap(), Told::Polling(why) if why.contains("limit")));
    fs::write(&file, "one").unwrap();
    wait_for(&told, Some("one"));
    watcher.rearm();
    fs::write(&file, "two").unwrap();
    wait_for(&told, Some("two"));
}

#[test]
fn after_lost_events_everything_is_looked_at_and_watched_anew() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let (hand_over, handlers): (Sender<Handler>, Receiver<Handler>) = channel();
    let silent: System = Box::new(move |handler| {
        hand_over.send(handler).unwrap();
        Ok(Box::new(NullWatcher))
    });
    let (_watcher, told) = watch(silent, &file);
    let lost: [fn() -> notify::Result<notify::Event>; 2] = [
        || Ok(notify::Event::new(EventKind::Other).set_flag(Flag::Rescan)),
        || Err(notify::Error::generic("cut off")),
    ];
    for (number, event) in lost.into_iter().enumerate() {
        let mut handler = next(&handlers).unwrap();
        let text = number.to_string();
        fs::write(&file, &text).unwrap();
        handler(event());
        wait_for(&told, Some(&text));
    }
    assert!(next(&handlers).is_some(), "watched anew");
}

#[test]
fn a_watcher_whose_reader_is_gone_makes_nobody_wait() {
    let folder = tempfile::tempdir().unwrap();
    let system: System = Box::new(|_| panic!("a defect of the system's library"));
    let (watcher, told) = watch(system, &folder.path().join("file"));
    watcher.rearm();
    assert!(next(&told).is_none());
}
