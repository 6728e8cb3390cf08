//! Results of a launch and a stop in words: English, then Chinese.

use std::io;
use std::sync::Arc;

use tarsus_apps::conversation::{ConversationEvent, EffectResult, Language};
use tarsus_apps::run::{
    LaunchError, LaunchOutcome, Launched, ProcessEnd, StopError, Stopped, StoppedProcess,
};
use tarsus_host::process::{ProcessError, ProcessExit};

use super::fixture::{Fixture, MIXED};

fn assert_notices(result: &EffectResult, expected: [&[&str]; 2]) {
    let notices = [Language::English, Language::Chinese].map(|locale| {
        let mut fixture = Fixture { locale, ..Fixture::with(MIXED) };
        fixture.open();
        fixture.step(ConversationEvent::Done(result.clone())).reply.page().notices
    });
    let expected = expected.map(|lines| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
    assert_eq!(notices, expected);
}

#[test]
fn launch_is_reported_with_pids_command_and_error() {
    let launched = |launcher: &[&str], outcome| Launched {
        launcher: launcher.iter().map(Into::into).collect(),
        retry_of: None,
        outcome,
    };
    let no_program = ProcessError::Start { program: "/f".into(), source: io::Error::other("no program") };
    let failed = LaunchError::ExitedEarly {
        program: "/usr/bin/xdg-open".into(),
        exit: ProcessExit::Code(3),
        printed: vec!["no method available for opening '/f'".to_owned()],
    };
    let opened: &[&str] = &["/usr/bin/xdg-open", "/f"];
    let table: [(&str, Launched, [&[&str]; 2]); 6] = [
        (
            "Firefox",
            launched(&["/f"], LaunchOutcome::Started { pids: vec![7, 8] }),
            [&["\"Firefox\" started, pid 7, 8.", "Ran: /f"], &["“Firefox”已启动，pid 7, 8。", "已执行: /f"]],
        ),
        (
            "Firefox",
            launched(&["/f"], LaunchOutcome::Requested { process: Some("firefox".to_owned()) }),
            [
                &["Start of \"Firefox\" requested; no process firefox seen after 5 s.", "Ran: /f"],
                &["已请求启动“Firefox”；5 秒后仍未看到进程 firefox。", "已执行: /f"],
            ],
        ),
        (
            "微信",
            Launched {
                retry_of: Some(no_program.into()),
                ..launched(opened, LaunchOutcome::Requested { process: None })
            },
            [
                &[
                    "Start of \"微信\" requested.",
                    "The first attempt to start it failed: cannot start /f: no program",
                    "Ran: /usr/bin/xdg-open /f",
                ],
                &[
                    "已请求启动“微信”。",
                    "第一次启动尝试失败: 无法启动 /f: no program",
                    "已执行: /usr/bin/xdg-open /f",
                ],
            ],
        ),
        (
            "Firefox",
            launched(&["/f"], LaunchOutcome::AlreadyRunning { pids: vec![7] }),
            [
                &[
                    "\"Firefox\" is already running, pid 7. It was asked to come forward; no other copy was started.",
                    "Ran: /f",
                ],
                &["“Firefox”已在运行，pid 7。已请求它显示到前台，没有启动新的副本。", "已执行: /f"],
            ],
        ),
        (
            "Firefox",
            launched(&["/f"], LaunchOutcome::StartedAnother { pids: vec![8, 9], before: vec![7] }),
            [
                &[
                    "\"Firefox\" was already running, pid 7. Another copy of it was started, pid 8, 9.",
                    "Ran: /f",
                ],
                &["“Firefox”此前已在运行，pid 7。又启动了一个副本，pid 8, 9。", "已执行: /f"],
            ],
        ),
        (
            "Firefox",
            launched(opened, LaunchOutcome::Failed(failed)),
            [
                &[
                    "\"Firefox\" could not be launched: /usr/bin/xdg-open failed with exit code 3: no method available for opening '/f'",
                    "Ran: /usr/bin/xdg-open /f",
                ],
                &[
                    "无法启动“Firefox”: /usr/bin/xdg-open 失败，退出代码为 3: no method available for opening '/f'",
                    "已执行: /usr/bin/xdg-open /f",
                ],
            ],
        ),
    ];
    for (name, launched, expected) in table {
        let result = EffectResult::Launched { app: name.to_owned(), launched: Arc::new(launched) };
        assert_notices(&result, expected);
    }
}

#[test]
fn stop_is_reported_with_each_process_and_its_error() {
    let processes = vec![
        StoppedProcess { pid: 1, end: ProcessEnd::Closed },
        StoppedProcess { pid: 2, end: ProcessEnd::Killed },
        StoppedProcess { pid: 3, end: ProcessEnd::StillRunning(StopError::Tarsus { pid: 3 }) },
    ];
    let table: [(Stopped, [&[&str]; 2]); 3] = [
        (Stopped::NotRunning, [&["\"Firefox\" is not running."], &["“Firefox”未在运行。"]]),
        (
            Stopped::NoStopData,
            [
                &[
                    "\"Firefox\" can be launched, but not enough is stored to stop it. To add process_name or runtime_exe, say `edit application`.",
                ],
                &[
                    "“Firefox”可以启动，但存储的信息不足以停止它。如要添加 process_name 或 runtime_exe，请发送“编辑应用程序”。",
                ],
            ],
        ),
        (
            Stopped::Processes(processes),
            [
                &[
                    "\"Firefox\" closed, pid 1.",
                    "\"Firefox\" did not close and was killed, pid 2.",
                    "\"Firefox\" is still running, pid 3: process 3 is Tarsus, or a program that Tarsus runs in, and is not stopped",
                ],
                &[
                    "“Firefox”已关闭，pid 1。",
                    "“Firefox”没有自行关闭，已被强制结束，pid 2。",
                    "“Firefox”仍在运行，pid 3: 进程 3 是 Tarsus 或其所在的程序，不会被停止",
                ],
            ],
        ),
    ];
    for (stopped, expected) in table {
        let result = EffectResult::Stopped { app: "Firefox".to_owned(), stopped: Arc::new(stopped) };
        assert_notices(&result, expected);
    }
}
