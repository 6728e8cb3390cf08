//! Real files, systems that cannot watch, and systems that lose events.
#![allow(clippy::disallowed_methods, reason = "tests make their own files")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};

use notify::event::Flag;
use notify::{ErrorKind, EventKind, NullWatcher};

use super::active_watches::Handler;
use super::*;

/// The next value. The timeout is long enough for any machine.
fn next<T>(from: &Receiver<T>) -> Option<T> {
    from.recv_timeout(Duration::from_secs(60)).ok()
}

#[derive(Debug, PartialEq)]
enum Report {
    /// The content of the file.
    Says(Option<String>),
    Polling(String),
}

/// Reports the content of a file whenever it changed.
struct FileReader {
    file: PathBuf,
    last: Option<String>,
    tell: Sender<Report>,
}

impl WatchHandler for FileReader {
    fn targets(&self) -> Vec<WatchTarget> {
        vec![WatchTarget::File(self.file.clone())]
    }

    fn on_change(&mut self, _: &ChangedPaths) {
        let says = fs::read_to_string(&self.file).ok();
        if says != self.last {
            self.last.clone_from(&says);
            // The test has ended.
            let _ = self.tell.send(Report::Says(says));
        }
    }

    fn on_polling(&mut self, why: &str) {
        let _ = self.tell.send(Report::Polling(why.to_owned()));
    }
}

fn watch(system: System, file: &Path) -> (Watcher, Receiver<Report>) {
    let (tell, reports) = channel();
    let handler = FileReader { file: file.to_path_buf(), last: None, tell };
    let timing = WatchTiming::with_settle(Duration::from_millis(10));
    (Watcher::start_on(system, "test", Clock::system(), timing, handler).unwrap(), reports)
}

/// Waits until the file has this content. An editor's steps may be seen one by one.
fn wait_for(reports: &Receiver<Report>, says: Option<&str>) {
    let expected = Report::Says(says.map(str::to_owned));
    while next(reports).unwrap_or_else(|| panic!("{expected:?} is never seen")) != expected {}
}

#[test]
fn file_is_followed_however_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let state = top.join("a/state");
    let file = state.join("file");
    let (_watcher, reports) = watch(active_watches::this_system(), &file);
    // Its folders appear later.
    fs::create_dir_all(&state).unwrap();
    fs::write(&file, "one").unwrap();
    wait_for(&reports, Some("one"));
    fs::write(&file, "two").unwrap();
    wait_for(&reports, Some("two"));
    // As editors save: beside it and over it; or the old one aside, and a new one.
    fs::write(state.join(".file.swp"), "three").unwrap();
    fs::rename(state.join(".file.swp"), &file).unwrap();
    wait_for(&reports, Some("three"));
    fs::rename(&file, state.join("file~")).unwrap();
    fs::write(&file, "four").unwrap();
    wait_for(&reports, Some("four"));
    fs::remove_file(&file).unwrap();
    wait_for(&reports, None);
    fs::write(&file, "five").unwrap();
    wait_for(&reports, Some("five"));
    // A folder above it goes and comes back; Windows moves none that is in use.
    #[cfg(unix)]
    {
        fs::rename(top.join("a"), top.join("b")).unwrap();
        wait_for(&reports, None);
        fs::rename(top.join("b"), top.join("a")).unwrap();
        wait_for(&reports, Some("five"));
    }
    fs::write(&file, "six").unwrap();
    wait_for(&reports, Some("six"));
}

#[test]
fn folder_created_while_arming_is_watched() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().canonicalize().unwrap().join("state");
    let file = state.join("file");
    let (appears, mut real) = (file.clone(), active_watches::this_system());
    // Between choosing what to watch and watching it.
    let system: System = Box::new(move |handler| {
        fs::create_dir_all(&state).unwrap();
        fs::write(&appears, "zero").unwrap();
        real(handler)
    });
    let (_watcher, reports) = watch(system, &file);
    // Seen when everything is looked at, once the watches are set.
    wait_for(&reports, Some("zero"));
    fs::write(&file, "one").unwrap();
    wait_for(&reports, Some("one"));
}

#[cfg(unix)]
#[test]
fn link_targets_are_watched_after_retargeting() {
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
    let (_watcher, reports) = watch(active_watches::this_system(), &link);
    wait_for(&reports, Some("here"));
    fs::write(top.join("here/real"), "edited here").unwrap();
    wait_for(&reports, Some("edited here"));
    point_at("there/real");
    wait_for(&reports, Some("there"));
    fs::write(top.join("there/real"), "edited there").unwrap();
    wait_for(&reports, Some("edited there"));
}

#[test]
fn polling_is_reported_once_and_finds_changes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let refusing: System = Box::new(|_| Err(notify::Error::new(ErrorKind::MaxFilesWatch)));
    let (watcher, reports) = watch(refusing, &file);
    assert!(matches!(next(&reports).unwrap(), Report::Polling(why) if why.contains("limit")));
    fs::write(&file, "one").unwrap();
    wait_for(&reports, Some("one"));
    watcher.rearm();
    fs::write(&file, "two").unwrap();
    wait_for(&reports, Some("two"));
}

#[test]
fn lost_events_cause_full_check_and_rearm() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let (hand_over, handlers): (Sender<Handler>, Receiver<Handler>) = channel();
    let silent: System = Box::new(move |handler| {
        hand_over.send(handler).unwrap();
        Ok(Box::new(NullWatcher))
    });
    let (_watcher, reports) = watch(silent, &file);
    let lost: [fn() -> notify::Result<notify::Event>; 2] = [
        || Ok(notify::Event::new(EventKind::Other).set_flag(Flag::Rescan)),
        || Err(notify::Error::generic("cut off")),
    ];
    for (number, event) in lost.into_iter().enumerate() {
        let mut handler = next(&handlers).unwrap();
        let text = number.to_string();
        fs::write(&file, &text).unwrap();
        handler(event());
        wait_for(&reports, Some(&text));
    }
    assert!(next(&handlers).is_some(), "watched anew");
}

#[test]
fn rearm_returns_when_the_watcher_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let system: System = Box::new(|_| panic!("a defect of the system's library"));
    let (watcher, reports) = watch(system, &folder.path().join("file"));
    watcher.rearm();
    assert!(next(&reports).is_none());
}
