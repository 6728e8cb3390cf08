//! Launching and stopping real processes on Linux.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tarsus_apps::run::{
    self, Desktop, DesktopFileError, LaunchError, LaunchOutcome, Launched, ProcessEnd, Processes, StopError,
    Stopped, StoppedProcess,
};
use tarsus_apps::{AppEntry, AppMode};
use tarsus_host::platform::Platform;
use tarsus_host::process::{ProcessError, ProcessExit};
use tarsus_host::processes::{self, ListProcessesError};

use crate::proof::{allow_launch, allow_stop};

/// A folder with apps. Processes that are still running from there at the end of the test are killed.
struct TestFolder(tempfile::TempDir);

impl TestFolder {
    fn new() -> Self {
        let dir = Self(tempfile::tempdir().unwrap());
        fs::create_dir(dir.path("bin")).unwrap();
        dir
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn file(&self, name: &str, content: &str, mode: u32) -> String {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), content).unwrap();
        fs::set_permissions(self.path(name), PermissionsExt::from_mode(mode)).unwrap();
        self.text(name)
    }

    fn script(&self, name: &str, body: &str) -> String {
        self.file(name, &format!("#!/bin/sh\n{body}\n"), 0o755)
    }

    /// A program that runs until it is ended, when it is given `1000`.
    fn program(&self, name: &str) -> String {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::copy("/bin/sleep", self.path(name)).unwrap();
        self.text(name)
    }

    /// An application: a script that becomes a program of this name, which lies beside it.
    fn application(&self, script: &str, name: &str) -> String {
        let beside = Path::new(script).with_file_name(name);
        self.program(beside.to_str().unwrap());
        let quoted = format!("'{}'", name.replace('\'', r"'\''"));
        self.script(script, &format!("cd /; exec \"${{0%/*}}/\"{quoted} 1000"))
    }

    fn desktop(&self) -> Desktop {
        self.desktop_with(&[])
    }

    fn desktop_with(&self, more: &[(&str, &str)]) -> Desktop {
        let path = format!("{}:/usr/bin:/bin", self.text("bin"));
        let home = self.text("");
        let ours = [("PATH", path.as_str()), ("HOME", &home), ("SECRET_API_KEY", "s3cret")];
        let ours = ours.iter().chain(more).map(|(name, value)| (name.into(), value.into()));
        Desktop::new(&linux(), ours.collect::<Vec<(OsString, OsString)>>())
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let here = self.path("");
        let from_here =
            |process: &processes::ProcessInfo| process.exe.as_ref().is_some_and(|exe| exe.starts_with(&here));
        for process in processes::list().unwrap().iter().filter(|process| from_here(process)) {
            let _already_ended = processes::kill(process.identity);
        }
    }
}

fn linux() -> Platform {
    Platform { os: "linux", arch: "x86_64", wsl: false, container: false }
}

fn target(launch_path: &str, exe: Option<&str>, name: Option<&str>) -> AppEntry {
    AppEntry {
        runtime_exe: exe.map(str::to_owned),
        process_name: name.map(str::to_owned),
        ..AppEntry::new(launch_path, AppMode::Full, [""; 0])
    }
}

fn named(launch_path: &str, name: &str) -> AppEntry {
    target(launch_path, None, Some(name))
}

async fn launch(entry: &AppEntry, desktop: &Desktop) -> Launched {
    run::launch(&allow_launch(entry), desktop).await
}

async fn stop(entry: &AppEntry) -> Result<Stopped, ListProcessesError> {
    run::stop(&allow_stop(entry), None).await
}

/// The processes of a launch that must have worked.
fn started(launched: Launched) -> Vec<u32> {
    match launched {
        Launched { outcome: LaunchOutcome::Started { pids }, retry_of: None, .. } => pids,
        other => panic!("not started: {other:?}"),
    }
}

fn failed(launched: Launched) -> LaunchError {
    match launched.outcome {
        LaunchOutcome::Failed(error) => error,
        other => panic!("not failed: {other:?}"),
    }
}

/// The result for each process of an app that must have been running.
fn ended(stopped: Stopped) -> Vec<(u32, ProcessEnd)> {
    match stopped {
        Stopped::Processes(processes) => {
            processes.into_iter().map(|StoppedProcess { pid, end }| (pid, end)).collect()
        }
        other => panic!("nothing was stopped: {other:?}"),
    }
}

/// Waits for a condition, for far longer than it ever needs.
async fn eventually(what: &str, condition: impl Fn() -> bool) {
    let wait = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), wait)
        .await
        .unwrap_or_else(|_| panic!("waited in vain for {what}"));
}

/// Lets the timers see that much time pass at once.
async fn time_passes(by: Duration) {
    tokio::time::pause();
    tokio::time::advance(by).await;
    tokio::time::resume();
}

fn exe(pid: u32) -> PathBuf {
    fs::read_link(format!("/proc/{pid}/exe")).unwrap()
}

#[tokio::test]
async fn script_under_any_name_is_started_and_stopped() {
    let dir = TestFolder::new();
    let desktop = dir.desktop();
    for folder in [
        "plain",
        "two words",
        "it's \"quoted\"",
        "a & b; c | d",
        "100% %PATH% %f",
        "$HOME ${HOME} `id`",
        "程序 目录",
        "-x",
        "line\nbreak",
    ] {
        let script = dir.application(&format!("{folder}/{folder}"), &format!("{folder} runs"));
        let name = format!("{folder} runs");
        let app = named(&script, &name);
        let launched = launch(&app, &desktop).await;
        assert_eq!(launched.launcher, [OsString::from(&script)]);
        let pids = started(launched);
        assert_eq!(pids.iter().map(|pid| exe(*pid)).collect::<Vec<_>>(), [dir.path(folder).join(&name)]);

        let ended = ended(stop(&app).await.unwrap());
        assert!(matches!(ended[..], [(pid, ProcessEnd::Closed)] if [pid] == pids[..]), "{folder}: {ended:?}");
        assert!(matches!(stop(&app).await.unwrap(), Stopped::NotRunning), "{folder}");
    }
}

#[tokio::test]
async fn long_process_name_is_found_by_its_full_name_only() {
    let dir = TestFolder::new();
    let name = "a-program-with-a-name-of-more-than-fifteen-bytes";
    let app = dir.application("app", name);
    let pids = started(launch(&named(&app, name), &dir.desktop()).await);
    assert_eq!(Processes::now().unwrap().of_entry(&named(&app, name)).unwrap()[0].pid, pids[0]);
    assert!(matches!(stop(&named(&app, "a-program-with-b")).await.unwrap(), Stopped::NotRunning));
    assert!(matches!(ended(stop(&named(&app, name)).await.unwrap())[..], [(_, ProcessEnd::Closed)]));
}

#[tokio::test]
async fn program_is_found_by_argv0_and_by_a_link() {
    let dir = TestFolder::new();
    let real = dir.program("real-program-7391");
    symlink(&real, dir.path("alias-7391")).unwrap();
    let script = dir.script("start", "exec \"${0%/*}/alias-7391\" 1000");
    let (desktop, alias) = (dir.desktop(), dir.text("alias-7391"));
    let pids = started(launch(&named(&script, "alias-7391"), &desktop).await);
    for app in [
        named(&script, "real-program-7391"),
        target(&script, Some(&alias), None),
        target(&script, Some(&real), None),
    ] {
        let found = Processes::now().unwrap().of_entry(&app).unwrap();
        assert_eq!(found.iter().map(|process| process.pid).collect::<Vec<_>>(), pids, "{app:?}");
    }
}

#[tokio::test]
async fn app_gets_its_own_session_and_none_of_our_keys() {
    let dir = TestFolder::new();
    let program = dir.program("held-1846");
    let script = dir.script("app", &format!("env > env; pwd > pwd; exec {program} 1000"));
    let desktop = dir.desktop_with(&[("DISPLAY", ":7"), ("OPENCLAW_STATE_DIR", "/x")]);
    let pids = started(launch(&named(&script, "held-1846"), &desktop).await);

    let env = fs::read_to_string(dir.path("env")).unwrap();
    let mut names: Vec<&str> = env.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    names.retain(|name| !["PWD", "OLDPWD", "_", "SHLVL"].contains(name));
    names.sort_unstable();
    assert_eq!(names, ["DISPLAY", "HOME", "PATH"], "the shell adds some of its own, which are left out");
    assert_eq!(fs::read_to_string(dir.path("pwd")).unwrap().trim_end(), dir.text("").trim_end_matches('/'));

    let stat = fs::read_to_string(format!("/proc/{}/stat", pids[0])).unwrap();
    let session: u32 = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(3).unwrap().parse().unwrap();
    assert_eq!(session, pids[0]);
}

#[tokio::test]
async fn app_without_stop_data_is_started_but_cannot_be_stopped() {
    let dir = TestFolder::new();
    let program = dir.application("app", "quiet-5520");
    let app = target(&program, None, None);
    let pids = started(launch(&app, &dir.desktop()).await);
    eventually("the script to become the program", || exe(pids[0]) == dir.path("quiet-5520")).await;
    assert!(matches!(stop(&app).await.unwrap(), Stopped::NoStopData));
    assert_eq!(Processes::now().unwrap().of_entry(&app), None);
}

#[tokio::test]
async fn program_that_fails_early_is_not_started() {
    let dir = TestFolder::new();
    let script = dir.script("app", "exit 3");
    for app in [target(&script, None, None), named(&script, "never-there-9931")] {
        let error = failed(launch(&app, &dir.desktop()).await);
        assert!(matches!(&error, LaunchError::ExitedEarly { exit: ProcessExit::Code(3), .. }), "{error:?}");
        assert_eq!(error.reason(), format!("{script} failed with exit code 3"));
    }
}

#[tokio::test]
async fn unseen_process_is_only_requested() {
    let dir = TestFolder::new();
    let script = dir.script("app", "exit 0");
    tokio::time::pause();
    let begin = tokio::time::Instant::now();
    let launched = launch(&named(&script, "never-there-9932"), &dir.desktop()).await;
    assert!(matches!(launched.outcome, LaunchOutcome::Requested { .. }), "{launched:?}");
    let waited = begin.elapsed();
    assert!((5_000..5_500).contains(&waited.as_millis()), "{waited:?} of the test's own time");
}

#[tokio::test]
async fn second_copy_of_a_running_app_is_reported() {
    let dir = TestFolder::new();
    let app = dir.application("app", "single-6604");
    let (app, desktop) = (named(&app, "single-6604"), dir.desktop());
    let first = started(launch(&app, &desktop).await);
    match launch(&app, &desktop).await.outcome {
        LaunchOutcome::StartedAnother { pids, before } => {
            assert_eq!((pids.len(), &before), (1, &first));
            assert_ne!(pids, before);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(ended(stop(&app).await.unwrap()).len(), 2, "all of that name are stopped");
}

#[tokio::test]
async fn running_app_that_takes_the_request_stays_the_only_copy() {
    let dir = TestFolder::new();
    dir.program("lone-6605");
    // The second start hands over to the first, as a browser does.
    let script = dir.script("app", "mkdir lock 2>/dev/null || exit 0; exec \"${0%/*}/lone-6605\" 1000");
    // A desktop knows the programs that were there when it was made.
    dir.script("bin/xdg-open", "exit 0");
    let (app, desktop) = (named(&script, "lone-6605"), dir.desktop());
    let first = started(launch(&app, &desktop).await);
    let again = launch(&app, &desktop).await.outcome;
    assert_eq!(again, LaunchOutcome::AlreadyRunning { pids: first.clone() });
    let opened = target(&dir.file("document", "", 0o644), None, Some("lone-6605"));
    tokio::time::pause();
    assert_eq!(launch(&opened, &desktop).await.outcome, LaunchOutcome::AlreadyRunning { pids: first });
}

#[tokio::test]
async fn missing_path_is_not_launched() {
    let dir = TestFolder::new();
    dir.file("file", "", 0o644);
    for path in ["missing", "missing/app", "file/app"] {
        let path = dir.text(path);
        let launched = launch(&target(&path, None, None), &dir.desktop()).await;
        assert_eq!(launched.launcher, Vec::<OsString>::new());
        assert!(matches!(failed(launched), LaunchError::Missing { path: named } if named == path));
    }
    // An entry without a launch path gets no proof, so there is nothing to try it with.
    for path in ["bin/app", "./app", "no-such-program-1"] {
        let error = failed(launch(&target(path, None, None), &dir.desktop()).await);
        assert!(matches!(&error, LaunchError::NotAbsolute { .. }), "{path:?}: {error:?}");
    }
    for path in [r"C:\Games\Z.lnk", "c:/Games/Z.exe", r"\\server\share\Z.exe"] {
        let error = failed(launch(&target(path, None, None), &dir.desktop()).await);
        assert!(matches!(&error, LaunchError::WindowsPath { .. }), "{path:?}: {error:?}");
        assert!(error.to_string().contains("it is a Windows path"), "{error}");
        assert!(!dir.desktop().has_launch_path(path), "{path}");
    }
}

#[tokio::test]
async fn bare_name_is_the_program_on_path() {
    let dir = TestFolder::new();
    let script = dir.application("bin/app-on-path", "from-path-3001");
    let launched = launch(&named("app-on-path", "from-path-3001"), &dir.desktop()).await;
    assert_eq!(launched.launcher, [OsString::from(script)]);
    started(launched);
}

#[tokio::test]
async fn desktop_file_runs_its_command() {
    let dir = TestFolder::new();
    let script = dir.application("my apps/start it", "desktop-app-8127");
    let folder = dir.text("my apps");
    let text = format!(
        "[Desktop Entry]\nType=Application\nName=My App\nPath={folder}\nExec=\"{script}\" --name %c %U 100%%\n"
    );
    let file = dir.file("我的 应用.desktop", &text, 0o644);
    let launched = launch(&named(&file, "desktop-app-8127"), &dir.desktop()).await;
    assert_eq!(launched.launcher, [script.as_str(), "--name", "My App", "100%"].map(OsString::from));
    started(launched);
}

#[tokio::test]
async fn invalid_desktop_file_is_reported() {
    let dir = TestFolder::new();
    let entry = |exec: &str| format!("[Desktop Entry]\nType=Application\nExec={exec}\n");
    let no_program = |program: &str| DesktopFileError::NoProgram { program: program.into() };
    for (text, expected) in [
        (entry("/no/such/program x"), no_program("/no/such/program")),
        (entry("no-such-program-2"), no_program("no-such-program-2")),
        (entry("\"open"), DesktopFileError::OpenQuote),
        ("x".repeat(1_100_000), DesktopFileError::TooLarge { limit: 1024 * 1024 }),
        ("[Desktop Entry]\nType=Link\n".into(), DesktopFileError::NotAnApplication),
    ] {
        let file = dir.file("app.desktop", &text, 0o755);
        let error = failed(launch(&target(&file, None, None), &dir.desktop()).await);
        assert!(
            matches!(&error, LaunchError::DesktopFile { source, .. } if *source == expected),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn path_that_is_no_program_is_opened() {
    let dir = TestFolder::new();
    let opener = dir.script("bin/xdg-open", "printf '%s' \"$1\" > \"${0%/*}/opened\"");
    let picture = dir.file("a picture & 100% 图.png", "", 0o644);
    for path in [picture.as_str(), &dir.text("bin"), "steam://rungameid/570"] {
        let launched = launch(&target(path, None, None), &dir.desktop()).await;
        assert_eq!(launched.launcher, [&opener, path].map(OsString::from));
        assert!(matches!(launched.outcome, LaunchOutcome::Requested { .. }), "{launched:?}");
        assert_eq!(fs::read_to_string(dir.path("bin/opened")).unwrap(), path);
    }
    dir.script("bin/xdg-open", "echo \"xdg-open: no method available for opening '$1'\" >&2; exit 4");
    let error = failed(launch(&target(&picture, None, None), &dir.desktop()).await);
    let printed = format!("xdg-open: no method available for opening '{picture}'");
    assert_eq!(error.reason(), format!("{opener} failed with exit code 4: {printed}"));
}

#[tokio::test]
async fn script_that_cannot_be_executed_is_opened_once() {
    let dir = TestFolder::new();
    let opener = dir.script("bin/xdg-open", "exit 0");
    let script = dir.file("app", "#!/no/such/interpreter\n", 0o755);
    let launched = launch(&target(&script, None, None), &dir.desktop()).await;
    assert_eq!(launched.launcher, [&opener, &script].map(OsString::from));
    assert!(
        matches!(launched.retry_of, Some(LaunchError::Start(ProcessError::Start { .. }))),
        "{launched:?}"
    );
    assert!(matches!(launched.outcome, LaunchOutcome::Requested { .. }));

    dir.script("bin/xdg-open", "exit 3");
    let launched = launch(&target(&script, None, None), &dir.desktop()).await;
    assert!(launched.retry_of.is_some());
    assert!(matches!(failed(launched), LaunchError::ExitedEarly { exit: ProcessExit::Code(3), .. }));
}

#[tokio::test]
async fn stopping_by_path_leaves_a_namesake_alone() {
    let dir = TestFolder::new();
    let apps = ["one", "two"].map(|folder| dir.application(&format!("{folder}/app"), "namesake-2210"));
    let exes = ["one", "two"].map(|folder| dir.text(&format!("{folder}/namesake-2210")));
    let by_path = |i: usize| target(&apps[i], Some(&exes[i]), None);
    let desktop = dir.desktop();
    let first = started(launch(&by_path(0), &desktop).await);
    let second = started(launch(&by_path(1), &desktop).await);

    let both = target(&apps[0], Some(&exes[0]), Some("namesake-2210"));
    let neither = target(&apps[0], Some(&exes[0]), Some("another-name"));
    assert!(matches!(stop(&neither).await.unwrap(), Stopped::NotRunning));
    let stopped = ended(stop(&both).await.unwrap());
    assert!(matches!(stopped[..], [(pid, ProcessEnd::Closed)] if [pid] == first[..]), "{stopped:?}");
    assert_eq!(exe(second[0]), dir.path("two/namesake-2210"));
    let stopped = ended(stop(&by_path(1)).await.unwrap());
    assert!(matches!(stopped[..], [(pid, ProcessEnd::Closed)] if [pid] == second[..]), "{stopped:?}");
}

#[tokio::test]
async fn ignored_close_request_is_followed_by_a_kill() {
    let dir = TestFolder::new();
    dir.program("stubborn-4432");
    let script = dir.script("app", "trap '' TERM; exec \"${0%/*}/stubborn-4432\" 1000");
    let app = named(&script, "stubborn-4432");
    let pids = started(launch(&app, &dir.desktop()).await);
    let begin = tokio::time::Instant::now();
    let (stopped, ()) = tokio::join!(stop(&app), time_passes(Duration::from_millis(4_500)));
    let stopped = ended(stopped.unwrap());
    assert!(matches!(stopped[..], [(pid, ProcessEnd::Killed)] if [pid] == pids[..]), "{stopped:?}");
    assert!(begin.elapsed() >= Duration::from_secs(5), "killed after {:?}", begin.elapsed());
    assert!(matches!(stop(&app).await.unwrap(), Stopped::NotRunning));
}

#[tokio::test]
async fn this_process_is_never_stopped() {
    let name = format!("me-{}", std::process::id());
    fs::write("/proc/self/comm", &name).unwrap();
    let stopped = ended(stop(&named("/x", &name)).await.unwrap());
    let us = std::process::id();
    assert_eq!(stopped, [(us, ProcessEnd::StillRunning(StopError::Tarsus { pid: us }))]);
}

#[tokio::test]
async fn runtime_and_its_parents_are_never_stopped() {
    let dir = TestFolder::new();
    let script = dir.script("parent-4712", "echo $$ > parent; \"${0%/*}/runtime-4711\" 1000 & wait");
    dir.program("runtime-4711");
    let app = named(&script, "runtime-4711");
    let runtime = started(launch(&app, &dir.desktop()).await)[0];
    let parent: u32 = fs::read_to_string(dir.path("parent")).unwrap().trim().parse().unwrap();
    for (name, pid) in [("runtime-4711", runtime), ("parent-4712", parent)] {
        let stopped = run::stop(&allow_stop(&named(&script, name)), Some(runtime)).await.unwrap();
        assert_eq!(ended(stopped), [(pid, ProcessEnd::StillRunning(StopError::Tarsus { pid }))], "{name}");
    }
    assert_eq!(ended(stop(&app).await.unwrap()), [(runtime, ProcessEnd::Closed)]);
}

#[tokio::test]
async fn cut_process_name_stops_no_longer_one() {
    let dir = TestFolder::new();
    let apps = ["averylongprocess-one", "averylongprocess-two"];
    let scripts = apps.map(|name| dir.application(&format!("start-{name}"), name));
    for (script, name) in scripts.iter().zip(apps) {
        started(launch(&named(script, name), &dir.desktop()).await);
    }
    assert_eq!(stop(&named("/x", "averylongproces")).await.unwrap(), Stopped::NotRunning);
    for name in apps {
        assert_eq!(ended(stop(&named("/x", name)).await.unwrap()).len(), 1, "{name}");
    }
}

#[tokio::test]
async fn service_manager_provides_scope_and_display() {
    let dir = TestFolder::new();
    let run = dir.script("bin/systemd-run", "while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"");
    dir.file("run/systemd/private", "", 0o600);
    dir.file("run/bus", "", 0o600);
    dir.script(
        "bin/systemctl",
        "[ \"$*\" = '--user show-environment' ] && echo DISPLAY=:5 && echo API_KEY=s3cret",
    );
    let desktop = dir.desktop_with(&[("XDG_RUNTIME_DIR", &dir.text("run"))]);
    let app = dir.application("my app", "scoped-7718");
    let launched = launch(&named(&app, "scoped-7718"), &desktop).await;
    let scope = [run.as_str(), "--user", "--scope", "--quiet", "--collect", "--", &app].map(OsString::from);
    assert_eq!(launched.launcher, scope);
    let environment = fs::read(format!("/proc/{}/environ", started(launched)[0])).unwrap();
    let environment = String::from_utf8(environment).unwrap();
    let has = |wanted: &str| environment.split('\0').any(|variable| variable.starts_with(wanted));
    assert!(has("DISPLAY=:5") && !has("API_KEY"), "{environment:?}");

    let literal = dir.application("${HOME}", "scoped-7719");
    let launched = launch(&named(&literal, "scoped-7719"), &desktop).await;
    assert_eq!(launched.launcher, [OsString::from(&literal)], "a path that it might change goes without it");
    started(launched);
}

#[tokio::test]
async fn wsl_passes_a_windows_path_to_cmd() {
    let dir = TestFolder::new();
    let cmd = dir.script("bin/cmd.exe", "printf '%s|' \"$@\" > \"${0%/*}/given\"");
    let ours = [("PATH".into(), dir.path("bin").into_os_string())];
    let desktop = Desktop::new(&Platform { wsl: true, ..linux() }, ours);
    let path = r"C:\Program Files (x86)\R&D\游戏.exe";
    let launched = launch(&target(path, None, None), &desktop).await;
    assert_eq!(launched.launcher, [cmd.as_str(), "/c", "start", "", path].map(OsString::from));
    assert!(matches!(launched.outcome, LaunchOutcome::Requested { .. }), "{launched:?}");
    assert_eq!(fs::read_to_string(dir.path("bin/given")).unwrap(), format!("/c|start||{path}|"));
}

#[test]
fn wsl_does_not_inspect_a_windows_path() {
    let windows = Desktop::new(&Platform { wsl: true, ..linux() }, []);
    for (path, taken) in [(r"C:\Games\Z.lnk", true), (r"\\server\z.exe", true), ("/no/such/z", false)] {
        let judged = [
            windows.has_launch_path(path),
            windows.has_program(path),
            TestFolder::new().desktop().has_launch_path(path),
        ];
        assert_eq!(judged, [taken, taken, false], "{path}");
    }
}
