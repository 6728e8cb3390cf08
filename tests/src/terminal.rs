//! The program at a real terminal, answered with the keys that people press.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, ExitStatus, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::{TestHome, tarsus};

/// A command with a terminal of its own.
#[derive(Debug)]
pub struct Terminal {
    keys: File,
    child: Child,
    /// What is on the screen and was not waited for yet.
    shown: String,
}

impl Terminal {
    /// Starts `tarsus` with these arguments.
    ///
    /// # Panics
    /// When the system gives no terminal.
    #[must_use]
    pub fn start(home: &TestHome, arguments: &[&str]) -> Self {
        let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&keys).unwrap();
        unlockpt(&keys).unwrap();
        let name = ptsname(&keys, Vec::new()).unwrap();
        let end =
            rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
        let stdio = || Stdio::from(end.try_clone().unwrap());
        // A new session whose terminal this is, so that its keys reach the program as signals.
        let mut command = home.command("setsid");
        command.arg("--ctty").arg(tarsus()).args(arguments);
        let child = command.stdin(stdio()).stdout(stdio()).stderr(stdio()).spawn().unwrap();
        Self { keys: keys.into(), child, shown: String::new() }
    }

    /// Waits until a text is on the screen, after what was waited for before.
    ///
    /// # Panics
    /// When the program ends without it.
    pub fn wait_for(&mut self, text: &str) {
        let end = loop {
            if let Some(at) = self.shown.find(text) {
                break at + text.len();
            }
            assert!(self.read(), "no {text:?} in\n{}", self.shown);
        };
        self.shown.drain(..end);
    }

    /// One more piece of what is shown; not when the program has ended.
    fn read(&mut self) -> bool {
        let mut piece = [0; 4096];
        // A terminal that its program has left answers with an error.
        let length = self.keys.read(&mut piece).unwrap_or(0);
        self.shown.push_str(&String::from_utf8_lossy(&piece[..length]));
        length > 0
    }

    /// Types.
    ///
    /// # Panics
    /// When nobody reads.
    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// How it ended, and what was shown since.
    ///
    /// # Panics
    /// When it cannot be waited for.
    #[must_use]
    pub fn end(mut self) -> (ExitStatus, String) {
        while self.read() {}
        (self.child.wait().unwrap(), self.shown)
    }
}
