//! A running `tarsus up` that ends with the test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::TestHome;

/// The timeout of every wait.
const PATIENCE: Duration = Duration::from_secs(30);

/// A gateway that is ready.
#[derive(Debug)]
pub struct Running {
    /// The gateway's process.
    pub child: Child,
    /// Its address.
    pub port: u16,
    /// Its output until it was ready.
    pub welcome: String,
    stdout: BufReader<ChildStdout>,
}

impl Running {
    /// Starts `tarsus up` on a free port and waits until it is ready.
    ///
    /// # Panics
    /// If it ends before.
    #[must_use]
    pub fn up(home: &TestHome) -> Self {
        Self::begun(home.tarsus(["up", "--port", "0"]))
    }

    /// Starts a given command on a free port and waits until it is ready.
    ///
    /// # Panics
    /// If it ends before.
    #[must_use]
    pub fn begun(mut command: Command) -> Self {
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("tarsus can be started");
        let mut stdout = BufReader::new(child.stdout.take().expect("its output is piped"));
        let mut welcome = String::new();
        while !welcome.contains("ready in") {
            if stdout.read_line(&mut welcome).expect("its output is text") == 0 {
                let mut why = String::new();
                child.stderr.take().map(|mut stderr| stderr.read_to_string(&mut why));
                panic!("tarsus up ended before it was ready:\n{welcome}{why}");
            }
        }
        let port = welcome
            .split("127.0.0.1:")
            .nth(1)
            .and_then(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok());
        let port = port.unwrap_or_else(|| panic!("no port in\n{welcome}"));
        Self { child, port, welcome, stdout }
    }

    /// Sends a request with these header lines and returns the whole response.
    ///
    /// # Panics
    /// If there is no response.
    #[must_use]
    pub fn get(&self, path: &str, headers: &[&str]) -> String {
        let mut stream = self.connect();
        let host = format!("Host: 127.0.0.1:{}", self.port);
        let own_host =
            if headers.iter().any(|header| header.starts_with("Host:")) { None } else { Some(host) };
        let lines: Vec<&str> = own_host.iter().map(String::as_str).chain(headers.iter().copied()).collect();
        write!(stream, "GET {path} HTTP/1.1\r\n{}\r\nConnection: close\r\n\r\n", lines.join("\r\n")).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer in time");
        answer
    }

    /// A plain connection.
    ///
    /// # Panics
    /// If nobody listens.
    #[must_use]
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the gateway listens");
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends a signal by its name, as in `TERM`.
    ///
    /// # Panics
    /// If `kill` cannot run.
    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let status = Command::new("kill").args([&format!("-{name}"), &pid]).status();
        assert!(status.expect("kill can be run").success());
    }

    /// Waits for the end; returns the exit code and the output since it was ready.
    ///
    /// # Panics
    /// If it cannot be waited for.
    #[must_use]
    pub fn wait(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).expect("its output is text");
        (self.child.wait().expect("it can be waited for").code(), rest)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Already ended is fine.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
