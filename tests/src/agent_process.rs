//! Processes that an agent started, made as the runtime makes them.
#![cfg(unix)]
#![allow(clippy::missing_panics_doc, reason = "a test stops at the first surprise")]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Output};
use std::time::Duration;

use tarsus_host::process::{DetachedCommand, Env, LaunchArgs, ProcessExit, launch};

/// What a process of an agent does with its environment before it runs a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disguise {
    /// It keeps what it was given.
    None,
    /// It removes TARSUS_AGENT.
    Removed,
    /// It sets TARSUS_AGENT to another agent.
    As(&'static str),
}

impl Disguise {
    fn script(self) -> String {
        match self {
            Self::None => String::new(),
            Self::Removed => "unset TARSUS_AGENT; ".to_owned(),
            Self::As(agent) => format!("export TARSUS_AGENT={agent}; "),
        }
    }
}

/// Runs a command in a process that `agent` started, without input, and waits for its end.
///
/// Must not be called inside a tokio runtime.
#[must_use]
pub fn run_as_agent(agent: &str, disguise: Disguise, command: &Command) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let (out, err) = (folder.path().join("out"), folder.path().join("err"));
    let script = format!("{}exec \"$@\" >'{}' 2>'{}'", disguise.script(), out.display(), err.display());
    let mut env = Env::empty();
    for (name, value) in command.get_envs() {
        value.map(|value| env.set(name, value));
    }
    let mut args = vec!["-c".into(), script.into(), "sh".into(), command.get_program().to_owned()];
    args.extend(command.get_args().map(ToOwned::to_owned));
    let detached = DetachedCommand {
        program: "/bin/sh".into(),
        args: LaunchArgs::Each(args),
        env,
        cwd: command.get_current_dir().unwrap().to_owned(),
        agent: Some(agent.to_owned()),
        drain: Vec::new(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let exit = runtime.block_on(async {
        let mut process = launch(&detached).unwrap();
        let ended = tokio::time::timeout(Duration::from_secs(60), process.exit()).await;
        ended.unwrap_or_else(|_| panic!("{command:?} does not end")).unwrap()
    });
    let status = match exit {
        ProcessExit::Code(code) => ExitStatus::from_raw(code << 8),
        ProcessExit::Signal(signal) => ExitStatus::from_raw(signal),
    };
    let read = |path| fs::read(path).unwrap_or_default();
    Output { status, stdout: read(out), stderr: read(err) }
}
