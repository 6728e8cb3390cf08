//! Launching and stopping real processes on Windows. The applications are copies of this test: a copy that is
//! run, with whatever arguments, notes them beside itself and waits until it is ended.
#![cfg(windows)]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "the tests are the programs they launch"
)]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;
use std::time::Duration;

use tarsus_apps::run::{
    self, Desktop, LaunchError, LaunchOutcome, Launched, ProcessEnd, Processes, Stopped, StoppedProcess,
};
use tarsus_apps::{AppEntry, AppMode};
use tarsus_host::platform::Platform;
use tarsus_host::process::ProcessError;
use tarsus_host::processes::{self, ListProcessesError};

use self::proof::{allow_launch, allow_stop};

#[path = "it/proof.rs"]
mod proof;

/// A window, for what has one.
#[allow(unsafe_code, reason = "only the Windows API makes a window")]
mod window {
    use std::ptr::{null, null_mut};

    use windows_sys::Win32::UI::WindowsAndMessaging::{CreateWindowExW, GetMessageW, MSG, WM_CLOSE};
    use windows_sys::w;

    /// Opens a window that never takes a message from its queue.
    pub fn open() {
        // SAFETY: the class is one of the system's own, and the other pointers may be null.
        let window = unsafe {
            CreateWindowExW(
                0,
                w!("STATIC"),
                null(),
                0,
                0,
                0,
                9,
                9,
                null_mut(),
                null_mut(),
                null_mut(),
                null(),
            )
        };
        assert!(!window.is_null(), "{}", std::io::Error::last_os_error());
    }

    /// Takes messages until one asks to close.
    pub fn wait_for_close() {
        let mut message = MSG::default();
        while message.message != WM_CLOSE {
            // SAFETY: the place is ours for the call.
            unsafe { GetMessageW(&raw mut message, null_mut(), 0, 0) };
        }
    }
}

/// Lies beside a copy and makes it one.
const MARK: &str = "application";

/// A folder with applications in it. What still runs from there at the end of the test is killed.
struct TestFolder(tempfile::TempDir);

impl TestFolder {
    /// Every test begins here, and goes no further in a copy.
    fn new() -> Self {
        static NOTED: Once = Once::new();
        let us = std::env::current_exe().unwrap();
        if us.with_file_name(MARK).exists() {
            NOTED.call_once(|| {
                let name = us.file_stem().unwrap();
                if name == "stubborn" || name == "polite" {
                    window::open();
                }
                let args: Vec<String> = std::env::args().skip(1).collect();
                let note = format!("{args:?}\n{}", std::env::current_dir().unwrap().display());
                fs::write(us.with_file_name("note.part"), note).unwrap();
                fs::rename(us.with_file_name("note.part"), us.with_file_name("note")).unwrap();
                if name == "polite" {
                    window::wait_for_close();
                    std::process::exit(0);
                }
            });
            loop {
                std::thread::park();
            }
        }
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// An application in a folder of its own.
    fn application(&self, folder: &str, name: &str) -> String {
        let folder = self.path(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(MARK), "").unwrap();
        fs::copy(std::env::current_exe().unwrap(), folder.join(name)).unwrap();
        folder.join(name).to_str().unwrap().to_owned()
    }

    /// A shortcut to an application, with an argument that is also part of a test's name: a copy runs the tests that its arguments select.
    fn shortcut(&self, folder: &str, name: &str, to: &str) -> String {
        fs::create_dir_all(self.path(folder)).unwrap();
        let shortcut = self.path(folder).join(name).to_str().unwrap().to_owned();
        let text = |text: &str| {
            let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
            format!("\"{}\"", units.collect::<String>())
        };
        let script = format!(
            "var s = new ActiveXObject('WScript.Shell').CreateShortcut({});\n\
             s.TargetPath = {}; s.Arguments = {}; s.WorkingDirectory = {}; s.Save();\n",
            text(&shortcut),
            text(to),
            text("\"two words\" shortcut_opens"),
            text(self.0.path().to_str().unwrap()),
        );
        fs::write(self.path("make.js"), script).unwrap();
        let made = Command::new("cscript.exe").arg("//nologo").arg(self.path("make.js")).status().unwrap();
        assert!(made.success() && Path::new(&shortcut).exists(), "cscript made no shortcut: {made}");
        shortcut
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let here = self.0.path().to_str().unwrap().to_lowercase();
        let from_here = |exe: &Path| exe.to_string_lossy().to_lowercase().starts_with(&here);
        let list = processes::list().unwrap();
        for process in list.iter().filter(|process| process.exe.as_deref().is_some_and(from_here)) {
            let _already_ended = processes::kill(process.identity);
        }
    }
}

async fn launch(entry: &AppEntry, desktop: &Desktop) -> Launched {
    run::launch(&allow_launch(entry), desktop).await
}

async fn stop(entry: &AppEntry) -> Result<Stopped, ListProcessesError> {
    run::stop(&allow_stop(entry), None).await
}

fn desktop() -> Desktop {
    Desktop::new(&Platform::detect(), std::env::vars_os())
}

fn by_path(launch_path: &str, exe: &str) -> AppEntry {
    AppEntry { runtime_exe: Some(exe.to_owned()), ..AppEntry::new(launch_path, AppMode::Full, [""; 0]) }
}

/// The processes of a launch that must have worked.
fn started(launched: Launched) -> Vec<u32> {
    match launched.outcome {
        LaunchOutcome::Started { pids } => pids,
        other => panic!("not started by {:?}: {other:?}", launched.launcher),
    }
}

fn ended(stopped: Stopped) -> Vec<(u32, ProcessEnd)> {
    match stopped {
        Stopped::Processes(processes) => {
            processes.into_iter().map(|StoppedProcess { pid, end }| (pid, end)).collect()
        }
        other => panic!("nothing was stopped: {other:?}"),
    }
}

fn running(entry: &AppEntry) -> Vec<u32> {
    Processes::now().unwrap().of_entry(entry).unwrap().iter().map(|process| process.pid).collect()
}

fn start_line(path: &str) -> Vec<OsString> {
    let cmd = PathBuf::from(std::env::var_os("SystemRoot").unwrap()).join("System32").join("cmd.exe");
    [cmd.as_os_str(), "/c".as_ref(), "start".as_ref(), "".as_ref(), path.as_ref()].map(Into::into).into()
}

/// The arguments that the started copy wrote beside itself.
async fn note(beside: &str) -> String {
    let note = Path::new(beside).with_file_name("note");
    let wait = async {
        loop {
            match fs::read_to_string(&note) {
                Ok(note) => return note,
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(120), wait).await.unwrap()
}

/// Lets the timers see that much time pass at once.
async fn time_passes(by: Duration) {
    tokio::time::pause();
    tokio::time::advance(by).await;
    tokio::time::resume();
}

#[tokio::test]
async fn a_program_under_any_name_is_started_and_stopped() {
    let place = TestFolder::new();
    for name in
        ["plain", "two words", "程序 游戏", "a&b", "c^d", "(1) !x! it's", "100%", "p%PATH%q", "%TEMP%"]
    {
        let path = place.application(name, &format!("{name}.exe"));
        let app = by_path(&path, &path);
        let launched = launch(&app, &desktop()).await;
        let direct = name.contains('%').then(|| vec![OsString::from(&path)]);
        assert_eq!(launched.launcher, direct.unwrap_or_else(|| start_line(&path)), "{name}");
        let pids = started(launched);
        assert_eq!(running(&app), pids, "{name}");
        let folder = place.path(name);
        assert_eq!(note(&path).await, format!("[]\n{}", folder.display()), "{name}");

        let ended = ended(stop(&app).await.unwrap());
        assert!(matches!(ended[..], [(pid, ProcessEnd::Killed)] if [pid] == pids[..]), "{name}: {ended:?}");
        assert!(matches!(stop(&app).await.unwrap(), Stopped::NotRunning), "{name}");
    }
}

#[tokio::test]
async fn process_name_ignores_case_and_extension() {
    let place = TestFolder::new();
    let path = place.application("game", "Survival-3318.exe");
    let named = |name: &str| AppEntry {
        process_name: Some(name.to_owned()),
        ..AppEntry::new(path.as_str(), AppMode::Full, [""; 0])
    };
    let pids = started(launch(&named("survival-3318"), &desktop()).await);
    for name in ["Survival-3318.exe", "SURVIVAL-3318.EXE", "survival-3318"] {
        assert_eq!(running(&named(name)), pids, "{name}");
    }
    assert_eq!(running(&named("survival-331")), Vec::<u32>::new());
    assert!(matches!(ended(stop(&named("SURVIVAL-3318")).await.unwrap())[..], [(_, ProcessEnd::Killed)]));
}

#[tokio::test]
async fn second_copy_of_a_running_application_is_reported() {
    let place = TestFolder::new();
    let path = place.application("app", "single.exe");
    let app = by_path(&path, &path);
    let first = started(launch(&app, &desktop()).await);
    match launch(&app, &desktop()).await.outcome {
        LaunchOutcome::StartedAnother { before, .. } => assert_eq!(before, first),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn missing_or_unsafe_path_is_not_launched() {
    let place = TestFolder::new();
    let other = place.application("other", "other.exe");
    for name in [r"missing.exe".to_owned(), r"no folder\missing.exe".into(), format!("nope&{other}")] {
        let path = place.path(&name).to_str().unwrap().to_owned();
        let launched = launch(&by_path(&path, &other), &desktop()).await;
        assert_eq!(launched.launcher, Vec::<OsString>::new());
        let outcome = launched.outcome;
        assert!(
            matches!(
                &outcome,
                LaunchOutcome::Failed(LaunchError::Missing { .. } | LaunchError::Unreadable { .. })
            ),
            "{path}: {outcome:?}"
        );
    }
    for path in [format!(r#"C:\nope" & "{other}"#), format!("C:\\nope\r\n{other}"), "C:\\no\0pe".into()] {
        let outcome = launch(&by_path(&path, &other), &desktop()).await.outcome;
        assert!(
            matches!(&outcome, LaunchOutcome::Failed(LaunchError::Unsafe { .. })),
            "{path:?}: {outcome:?}"
        );
    }
    assert_eq!(running(&by_path(&other, &other)), Vec::<u32>::new());
}

#[tokio::test]
async fn shortcut_opens_its_target_with_arguments() {
    let place = TestFolder::new();
    let exe = place.application("my app", "target.exe");
    let shortcut = place.shortcut("快捷 方式", "我的 & app.lnk", &exe);
    let launched = launch(&by_path(&shortcut, &exe), &desktop()).await;
    assert_eq!(launched.launcher, start_line(&shortcut));
    started(launched);
    let expected = format!("{:?}\n{}", ["two words", "shortcut_opens"], place.0.path().display());
    assert_eq!(note(&exe).await, expected);
}

#[tokio::test]
async fn shortcut_that_cannot_be_executed_is_opened_once() {
    let place = TestFolder::new();
    let exe = place.application("app", "target.exe");
    let shortcut = place.shortcut("100% %PATH%", "app.lnk", &exe);
    let launched = launch(&by_path(&shortcut, &exe), &desktop()).await;
    assert_eq!(launched.launcher, start_line(&shortcut));
    match &launched.retry_of {
        Some(LaunchError::Start(ProcessError::Start { source, .. })) => {
            assert_eq!(source.raw_os_error(), Some(193))
        }
        other => panic!("{other:?}"),
    }
    started(launched);
}

#[tokio::test]
async fn stopping_by_path_leaves_a_namesake_alone() {
    let place = TestFolder::new();
    let paths = ["one", "two"].map(|folder| place.application(folder, "namesake.exe"));
    let apps = [by_path(&paths[0], &paths[0]), by_path(&paths[1], &paths[1])];
    let first = started(launch(&apps[0], &desktop()).await);
    let second = started(launch(&apps[1], &desktop()).await);
    let stopped = ended(stop(&apps[0]).await.unwrap());
    assert!(matches!(stopped[..], [(pid, ProcessEnd::Killed)] if [pid] == first[..]), "{stopped:?}");
    assert_eq!(running(&apps[1]), second);
}

#[tokio::test]
async fn a_window_that_closes_when_asked_is_not_killed() {
    let place = TestFolder::new();
    let path = place.application("app", "polite.exe");
    let app = by_path(&path, &path);
    let pids = started(launch(&app, &desktop()).await);
    note(&path).await;
    let stopped = ended(stop(&app).await.unwrap());
    assert!(matches!(stopped[..], [(pid, ProcessEnd::Closed)] if [pid] == pids[..]), "{stopped:?}");
}

#[tokio::test]
async fn a_close_request_that_is_ignored_is_followed_by_a_kill() {
    let place = TestFolder::new();
    let path = place.application("app", "stubborn.exe");
    let app = by_path(&path, &path);
    let pids = started(launch(&app, &desktop()).await);
    note(&path).await;
    let (stopped, ()) = tokio::join!(stop(&app), time_passes(Duration::from_secs(5)));
    let stopped = ended(stopped.unwrap());
    assert!(matches!(stopped[..], [(pid, ProcessEnd::Killed)] if [pid] == pids[..]), "{stopped:?}");
    assert!(matches!(stop(&app).await.unwrap(), Stopped::NotRunning));
}
