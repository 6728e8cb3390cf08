//! Errors of launching and stopping in the language of the conversation. Texts of the system and of programs stay as they
//! are.

use tarsus_host::process::{ProcessError, ProcessExit};
use tarsus_host::processes::TerminateError;

use super::language::Language;
use crate::run::{DesktopFileError, LaunchError, StopError, UnsafePath};

/// Why an app was not launched, in one line.
pub(super) fn launch_error(error: &LaunchError, language: Language) -> String {
    match language {
        Language::English => error.reason(),
        Language::Chinese => chinese_launch_error(error),
    }
}

/// Why a process was not stopped, in one line.
pub(super) fn stop_error(error: &StopError, language: Language) -> String {
    match language {
        Language::English => error.reason(),
        Language::Chinese => chinese_stop_error(error),
    }
}

fn chinese_launch_error(error: &LaunchError) -> String {
    match error {
        LaunchError::Unsafe { path, reason } => format!("{path:?} {}", unsafe_path(*reason)),
        LaunchError::NotAbsolute { path } => format!("{path:?} 既不是完整路径，也不是 PATH 中的程序"),
        LaunchError::WindowsPath { path } => format!("{path:?} 是 Windows 路径，而本机运行的不是 Windows"),
        LaunchError::Missing { path } => format!("{path:?} 不存在"),
        LaunchError::Unreadable { path, source } => format!("无法读取 {path:?}: {source}"),
        LaunchError::DesktopFile { path, source } => format!("{path:?}: {}", desktop_file(source)),
        LaunchError::MissingTool { path, tool } => format!("打开 {path:?} 需要 {tool}，但 PATH 中没有它"),
        LaunchError::Start(error) => process_error(error),
        LaunchError::ExitedEarly { program, exit, printed } => {
            let program = program.display();
            let ended = match exit {
                ProcessExit::Code(code) => format!("{program} 失败，退出代码为 {code}"),
                ProcessExit::Signal(signal) => format!("{program} 被信号 {signal} 终止"),
            };
            printed.iter().fold(ended, |text, line| format!("{text}: {line}"))
        }
        LaunchError::ExitUnknown { program, source } => {
            format!("{} 已启动，但无法得知其退出状态: {source}", program.display())
        }
        LaunchError::List(_) => format!("无法列出本机的进程: {}", error.reason()),
    }
}

const fn unsafe_path(reason: UnsafePath) -> &'static str {
    match reason {
        UnsafePath::Nul => "含有 NUL 字符，无法启动",
        UnsafePath::QuoteOrLineBreak => "含有双引号或换行符，无法安全地交给 cmd.exe",
        UnsafePath::LooksLikeOption => "会被 cmd.exe 当作选项，无法启动",
        UnsafePath::TooLong => "超过了 cmd.exe 一行的长度，无法启动",
        UnsafePath::SpecialFromLinux => "含有 % 或未加引号的特殊字符，无法从 Linux 安全地交给 cmd.exe",
    }
}

fn desktop_file(error: &DesktopFileError) -> String {
    match error {
        DesktopFileError::NotUtf8 => "该 .desktop 文件不是 UTF-8 文本".to_owned(),
        DesktopFileError::TooLarge { limit } => format!("该 .desktop 文件大于 {limit} 字节"),
        DesktopFileError::NotAnApplication => "该 .desktop 文件的 Type 不是 Application".to_owned(),
        DesktopFileError::NoExec => "该 .desktop 文件没有 Exec 行".to_owned(),
        DesktopFileError::OpenQuote => "Exec 行的引号没有结束".to_owned(),
        DesktopFileError::UnknownCode { code } => format!("Exec 行中有未知的字段代码 %{code}"),
        DesktopFileError::NoProgram { program } => format!("Exec 行中的 {program:?} 不存在"),
    }
}

fn process_error(error: &ProcessError) -> String {
    match error {
        ProcessError::NotAbsolute { program } => format!("无法启动 {}，它不是完整路径", program.display()),
        ProcessError::EnvName { program, name } => {
            format!("无法启动 {}，环境变量不能命名为 {name:?}", program.display())
        }
        ProcessError::NoFolder { program, cwd } => {
            format!("无法在 {} 中启动 {}，该文件夹不存在", cwd.display(), program.display())
        }
        ProcessError::NotFound { program } => format!("无法启动 {}，该文件不存在", program.display()),
        ProcessError::Start { program, source } => format!("无法启动 {}: {source}", program.display()),
        ProcessError::Lost { program, pid, source } => {
            format!("与 {}（pid {pid}）失去联系，已将其强制结束: {source}", program.display())
        }
        ProcessError::NotEnded { program, pid } => {
            format!("{}（pid {pid}）已被强制结束，但仍未退出", program.display())
        }
    }
}

fn chinese_stop_error(error: &StopError) -> String {
    match error {
        StopError::Tarsus { pid } => format!("进程 {pid} 是 Tarsus 或其所在的程序，不会被停止"),
        StopError::StillThere { pid } => format!("进程 {pid} 已被强制结束，但仍未退出"),
        StopError::End(TerminateError::Ourselves { pid }) => {
            format!("进程 {pid} 是本程序或其父进程，不会被停止")
        }
        StopError::End(TerminateError::Gone { pid }) => format!("进程 {pid} 已经结束"),
        StopError::End(TerminateError::Refused { pid, source }) => {
            format!("系统不允许停止进程 {pid}: {source}")
        }
    }
}
