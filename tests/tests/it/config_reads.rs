//! A command reads the configuration once: it acts on one version of it, and does not pay twice.
#![cfg(target_os = "linux")]

use std::fs;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;
use tarsus_tests::apps::Apps;
use tarsus_tests::{Running, printed};

/// Counts how often a file is opened.
struct OpenCounter(OwnedFd);

impl OpenCounter {
    fn watch(file: &Path) -> Self {
        let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
        // Equal events in a row become one, so the end of each use is watched, too.
        inotify::add_watch(&events, file, WatchFlags::OPEN | WatchFlags::CLOSE_NOWRITE).unwrap();
        Self(events)
    }

    /// Returns the number since the last call.
    fn take(&self) -> usize {
        let mut buffer = [const { MaybeUninit::uninit() }; 4096];
        let mut reader = inotify::Reader::new(&self.0, &mut buffer);
        let mut opened = 0;
        loop {
            match reader.next() {
                Ok(event) => opened += usize::from(event.events().contains(ReadFlags::OPEN)),
                Err(Errno::AGAIN) => return opened,
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// Commands, and how often a running gateway reads the file while it answers.
const COMMANDS: &[(&[&str], usize)] = &[
    (&["status"], 1),
    (&["doctor"], 1),
    (&["security", "audit"], 1),
    (&["apps", "list"], 0),
    (&["apps", "launch", "Last Z"], 0),
    (&["apps", "stop", "Last Z"], 0),
    (&["skills", "list"], 0),
    (&["skills", "check"], 0),
    (&["skills", "refresh"], 1),
    (&["models", "list"], 0),
    (&["models", "status"], 0),
    (&["sessions", "list"], 0),
    (&["config", "get", "agents"], 1),
    (&["config", "validate"], 0),
    (&["prompt", "show"], 0),
];

#[test]
fn command_reads_the_configuration_once() {
    let apps = Apps::with("full", &[]);
    let config = apps.home.home().config_path().to_path_buf();
    fs::write(&config, "{ agents: { list: [{ id: 'main', default: true }] } }").unwrap();
    let mut gateway = None;
    for is_running in [false, true] {
        gateway = is_running.then(|| Running::up(&apps.home)).or(gateway);
        for (command, by_gateway) in COMMANDS {
            let allowed = if is_running { 1 + by_gateway } else { 1 };
            let read = || {
                let counter = OpenCounter::watch(&config);
                let output = apps.home.tarsus(*command).output().unwrap();
                assert!(output.status.success(), "{command:?}: {}", printed(&output));
                counter.take()
            };
            // A gateway that has just started reads the file by itself, too; what a command reads, it reads each time.
            let least = (0..5).map(|_| read()).find(|opened| *opened <= allowed);
            assert!(least.is_some(), "{command:?}, gateway {is_running}: read more than {allowed} times");
        }
    }
}
