//! The program at a real terminal, driven by key presses.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, ExitStatus, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::{TestHome, tarsus};

/// A command with its own terminal.
#[derive(Debug)]
pub struct Terminal {
    keys: File,
    child: Child,
    /// Output that was not waited for yet.
    shown: String,
}

impl Terminal {
    /// Starts `tarsus` with these arguments.
    ///
    /// # Panics
    /// If the system provides no terminal.
    #[must_use]
    pub fn start(home: &TestHome, arguments: &[&str]) -> Self {
        let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&keys).unwrap();
        unlockpt(&keys).unwrap();
        let name = ptsname(&keys, Vec::new()).unwrap();
        let end =
            rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
        let stdio = || Stdio::from(end.try_clone().unwrap());
        // A new session with this terminal, so that its keys reach the program as signals.
        let mut command = home.command("setsid");
        command.arg("--ctty").arg(tarsus()).args(arguments);
        let child = command.stdin(stdio()).stdout(stdio()).stderr(stdio()).spawn().unwrap();
        Self { keys: keys.into(), child, shown: String::new() }
    }

    /// Waits for a text on the screen, after the previous one; returns what was shown up to its end.
    ///
    /// # Panics
    /// If the program ends without it.
    pub fn wait_for(&mut self, text: &str) -> String {
        let end = loop {
            if let Some(at) = self.shown.find(text) {
                break at + text.len();
            }
            assert!(self.read(), "no {text:?} in\n{}", self.shown);
        };
        self.shown.drain(..end).collect()
    }

    /// Reads more output; false if the program has ended.
    fn read(&mut self) -> bool {
        let mut piece = [0; 4096];
        // Reading a terminal that its program has closed fails.
        let length = self.keys.read(&mut piece).unwrap_or(0);
        self.shown.push_str(&String::from_utf8_lossy(&piece[..length]));
        length > 0
    }

    /// Types a text.
    ///
    /// # Panics
    /// If nobody reads.
    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for the end; returns the exit status and the remaining output.
    ///
    /// # Panics
    /// If it cannot be waited for.
    #[must_use]
    pub fn end(mut self) -> (ExitStatus, String) {
        while self.read() {}
        (self.child.wait().unwrap(), self.shown)
    }
}
