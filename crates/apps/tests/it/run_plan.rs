//! The command for a launch path on every system, planned on each of them.

use std::ffi::OsString;
use std::path::PathBuf;

use tarsus_apps::run::{
    DesktopEntry, LaunchError, LaunchFacts, LaunchPlan, LaunchStep, LaunchSystem, PathContent, plan_launch,
};

fn facts(system: LaunchSystem) -> LaunchFacts {
    let (home, cmd, opener) = match system {
        LaunchSystem::Windows => (r"C:\Users\greg", Some(r"C:\Windows\System32\cmd.exe"), None),
        LaunchSystem::Wsl => {
            ("/home/greg", Some("/mnt/c/Windows/System32/cmd.exe"), Some("/usr/bin/xdg-open"))
        }
        LaunchSystem::MacOs => ("/Users/greg", None, Some("/usr/bin/open")),
        LaunchSystem::Linux => ("/home/greg", None, Some("/usr/bin/xdg-open")),
    };
    LaunchFacts {
        system,
        home: home.into(),
        cmd: cmd.map(PathBuf::from),
        opener: opener.map(PathBuf::from),
        terminal: Some(words(&["/usr/bin/x-terminal-emulator", "-e"])),
    }
}

fn words(argv: &[&str]) -> Vec<OsString> {
    argv.iter().map(OsString::from).collect()
}

fn step(argv: &[&str], cwd: &str, hands_over: bool) -> LaunchStep {
    LaunchStep { argv: words(argv), line: None, variable: None, cwd: cwd.into(), hands_over }
}

/// Tried once, as it is.
fn only(first: LaunchStep) -> LaunchPlan {
    LaunchPlan { first, stable: None }
}

fn planned(path: &str, system: LaunchSystem, found: PathContent) -> LaunchPlan {
    plan_launch(path, &facts(system), || Ok(found)).unwrap()
}

fn windows_start(path: &str, cwd: &str, line: &str) -> LaunchStep {
    let argv = [r"C:\Windows\System32\cmd.exe", "/c", "start", "", path];
    LaunchStep { line: Some(line.into()), ..step(&argv, cwd, true) }
}

#[test]
fn windows_gets_one_line_with_the_path_in_quotes() {
    for (path, cwd) in [
        (r"C:\Games\Last Z.lnk", r"C:\Games"),
        (r"C:\a&b\c^d\(1)!.exe", r"C:\a&b\c^d"),
        (r"C:\程序\游戏.exe", r"C:\程序"),
        (r"C:\x.exe", r"C:\"),
        ("C:/x/y.exe", "C:/x"),
        (r"\\server\share\x.exe", r"C:\Users\greg"),
        ("steam://rungameid/570", r"C:\Users\greg"),
        ("notepad", r"C:\Users\greg"),
    ] {
        let line = format!(r#"/c start "" "{path}""#);
        assert_eq!(
            planned(path, LaunchSystem::Windows, PathContent::Other),
            only(windows_start(path, cwd, &line)),
            "{path}"
        );
    }
}

#[test]
fn windows_path_with_percent_is_started_directly_then_by_variable() {
    let path = r"C:\100% %PATH%\app.lnk";
    let line = r#"/c start "" "%TARSUS_LAUNCH_PATH%""#;
    let stable = LaunchStep {
        variable: Some(("TARSUS_LAUNCH_PATH", path.into())),
        ..windows_start(path, r"C:\100% %PATH%", line)
    };
    let first = step(&[path], r"C:\100% %PATH%", false);
    assert_eq!(
        planned(path, LaunchSystem::Windows, PathContent::Other),
        LaunchPlan { first, stable: Some(stable) }
    );

    let address = "https://example.org/a%20b";
    let first = LaunchStep {
        variable: Some(("TARSUS_LAUNCH_PATH", address.into())),
        ..windows_start(address, r"C:\Users\greg", line)
    };
    assert_eq!(planned(address, LaunchSystem::Windows, PathContent::Unchecked), only(first));
}

#[test]
fn unsafe_path_is_refused() {
    let long = format!(r"C:\{}.exe", "x".repeat(8_000));
    for (system, path) in [
        (LaunchSystem::Windows, r#"C:\a".exe" & calc & ".exe"#),
        (LaunchSystem::Windows, "C:\\a\rb.exe"),
        (LaunchSystem::Windows, "C:\\a\nb.exe"),
        (LaunchSystem::Windows, "C:\\a\0b.exe"),
        (LaunchSystem::Windows, "/b"),
        (LaunchSystem::Windows, &long),
        (LaunchSystem::Wsl, r#"C:\a".exe"#),
        (LaunchSystem::Wsl, "C:\\a\nb.exe"),
        (LaunchSystem::Wsl, r"C:\a&calc.exe"),
        (LaunchSystem::Wsl, r"C:\a^b.exe"),
        (LaunchSystem::Wsl, r"C:\100% of it.exe"),
        (LaunchSystem::MacOs, "/Applications/a\0b"),
        (LaunchSystem::Linux, "/opt/a\0b"),
    ] {
        let refused = plan_launch(path, &facts(system), || panic!("it was looked at"));
        assert!(matches!(refused, Err(LaunchError::Unsafe { .. })), "{system:?} {path:?}: {refused:?}");
    }
}

#[test]
fn wsl_passes_windows_paths_to_cmd_only() {
    let cmd = "/mnt/c/Windows/System32/cmd.exe";
    for path in
        [r"C:\Games\LastZ.lnk", r"C:\Program Files (x86)\R&D ^\a.exe", r"D:\程序.exe", r"\\server\s\x.exe"]
    {
        let expected = only(step(&[cmd, "/c", "start", "", path], "/mnt/c/Windows/System32", true));
        assert_eq!(planned(path, LaunchSystem::Wsl, PathContent::Unchecked), expected, "{path}");
    }
    let own = planned("/opt/app", LaunchSystem::Wsl, PathContent::Program("/opt/app".into()));
    assert_eq!(own, planned("/opt/app", LaunchSystem::Linux, PathContent::Program("/opt/app".into())));
}

#[test]
fn macos_opens_everything() {
    for path in ["/Applications/My App.app", "/Users/greg/a & b.txt", "https://example.org"] {
        let expected = only(step(&["/usr/bin/open", path], "/Users/greg", true));
        assert_eq!(planned(path, LaunchSystem::MacOs, PathContent::Other), expected, "{path}");
    }
}

#[test]
fn linux_starts_a_program_and_opens_other_files() {
    let open = |path| step(&["/usr/bin/xdg-open", path], "/home/greg", true);
    let path = "/opt/my app/run & 100%";
    let expected = LaunchPlan { first: step(&[path], "/opt/my app", false), stable: Some(open(path)) };
    assert_eq!(planned(path, LaunchSystem::Linux, PathContent::Program(path.into())), expected);

    for path in ["/home/greg/a picture.png", "steam://rungameid/570"] {
        assert_eq!(planned(path, LaunchSystem::Linux, PathContent::Other), only(open(path)), "{path}");
    }
}

#[test]
fn linux_runs_what_a_desktop_file_says() {
    let application = |cwd: Option<&str>, in_terminal| {
        let argv = words(&["/usr/bin/vim", "a b"]);
        PathContent::DesktopEntry(DesktopEntry { argv, cwd: cwd.map(PathBuf::from), in_terminal })
    };
    let path = "/usr/share/applications/vim.desktop";
    assert_eq!(
        planned(path, LaunchSystem::Linux, application(Some("/srv"), false)),
        only(step(&["/usr/bin/vim", "a b"], "/srv", false))
    );
    let in_terminal = ["/usr/bin/x-terminal-emulator", "-e", "/usr/bin/vim", "a b"];
    assert_eq!(
        planned(path, LaunchSystem::Linux, application(None, true)),
        only(step(&in_terminal, "/home/greg", false))
    );
}

#[test]
fn a_launcher_that_is_not_there_is_named() {
    let nothing = |system| LaunchFacts { cmd: None, opener: None, terminal: None, ..facts(system) };
    let application = DesktopEntry { argv: words(&["/usr/bin/vim"]), cwd: None, in_terminal: true };
    for (system, path, found, needed) in [
        (LaunchSystem::Windows, r"C:\x.exe", PathContent::Other, "cmd.exe"),
        (LaunchSystem::Wsl, r"C:\x.exe", PathContent::Unchecked, "cmd.exe"),
        (LaunchSystem::MacOs, "/x", PathContent::Other, "open"),
        (LaunchSystem::Linux, "/x", PathContent::Other, "xdg-open"),
        (LaunchSystem::Linux, "/x", PathContent::DesktopEntry(application), "a terminal (xdg-terminal-exec)"),
    ] {
        let refused = plan_launch(path, &nothing(system), || Ok(found));
        assert!(
            matches!(refused, Err(LaunchError::MissingTool { tool, .. }) if tool == needed),
            "{system:?} {path}"
        );
    }
    let program =
        plan_launch("/x", &nothing(LaunchSystem::Linux), || Ok(PathContent::Program("/x".into()))).unwrap();
    assert_eq!(program, only(step(&["/x"], "/", false)));
}
