//! What is run for a launch path, for every system, on each.

use std::ffi::OsString;
use std::path::PathBuf;

use tarsus_apps::run::{Application, Facts, Found, LaunchError, Plan, Step, System, plan};

fn facts(system: System) -> Facts {
    let (home, cmd, opener) = match system {
        System::Windows => (r"C:\Users\greg", Some(r"C:\Windows\System32\cmd.exe"), None),
        System::Wsl => ("/home/greg", Some("/mnt/c/Windows/System32/cmd.exe"), Some("/usr/bin/xdg-open")),
        System::MacOs => ("/Users/greg", None, Some("/usr/bin/open")),
        System::Linux => ("/home/greg", None, Some("/usr/bin/xdg-open")),
    };
    Facts {
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

fn step(argv: &[&str], cwd: &str, hands_over: bool) -> Step {
    Step { argv: words(argv), line: None, variable: None, cwd: cwd.into(), hands_over }
}

/// Tried once, as it is.
fn only(first: Step) -> Plan {
    Plan { first, stable: None }
}

fn planned(path: &str, system: System, found: Found) -> Plan {
    plan(path, &facts(system), || Ok(found)).unwrap()
}

fn windows_start(path: &str, cwd: &str, line: &str) -> Step {
    let argv = [r"C:\Windows\System32\cmd.exe", "/c", "start", "", path];
    Step { line: Some(line.into()), ..step(&argv, cwd, true) }
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
            planned(path, System::Windows, Found::Other),
            only(windows_start(path, cwd, &line)),
            "{path}"
        );
    }
}

#[test]
fn a_windows_path_with_a_percent_sign_is_started_directly_and_then_through_a_variable() {
    let path = r"C:\100% %PATH%\app.lnk";
    let line = r#"/c start "" "%TARSUS_LAUNCH_PATH%""#;
    let stable = Step {
        variable: Some(("TARSUS_LAUNCH_PATH", path.into())),
        ..windows_start(path, r"C:\100% %PATH%", line)
    };
    let first = step(&[path], r"C:\100% %PATH%", false);
    assert_eq!(planned(path, System::Windows, Found::Other), Plan { first, stable: Some(stable) });

    let address = "https://example.org/a%20b";
    let first = Step {
        variable: Some(("TARSUS_LAUNCH_PATH", address.into())),
        ..windows_start(address, r"C:\Users\greg", line)
    };
    assert_eq!(planned(address, System::Windows, Found::NotLookedAt), only(first));
}

#[test]
fn what_cannot_be_handed_to_a_launcher_safely_is_refused() {
    let long = format!(r"C:\{}.exe", "x".repeat(8_000));
    for (system, path) in [
        (System::Windows, r#"C:\a".exe" & calc & ".exe"#),
        (System::Windows, "C:\\a\rb.exe"),
        (System::Windows, "C:\\a\nb.exe"),
        (System::Windows, "C:\\a\0b.exe"),
        (System::Windows, "/b"),
        (System::Windows, &long),
        (System::Wsl, r#"C:\a".exe"#),
        (System::Wsl, "C:\\a\nb.exe"),
        (System::Wsl, r"C:\a&calc.exe"),
        (System::Wsl, r"C:\a^b.exe"),
        (System::Wsl, r"C:\100% of it.exe"),
        (System::MacOs, "/Applications/a\0b"),
        (System::Linux, "/opt/a\0b"),
    ] {
        let refused = plan(path, &facts(system), || panic!("it was looked at"));
        assert!(matches!(refused, Err(LaunchError::Unsafe { .. })), "{system:?} {path:?}: {refused:?}");
    }
}

#[test]
fn linux_inside_windows_hands_windows_paths_to_cmd_and_its_own_to_itself() {
    let cmd = "/mnt/c/Windows/System32/cmd.exe";
    for path in
        [r"C:\Games\LastZ.lnk", r"C:\Program Files (x86)\R&D ^\a.exe", r"D:\程序.exe", r"\\server\s\x.exe"]
    {
        let expected = only(step(&[cmd, "/c", "start", "", path], "/mnt/c/Windows/System32", true));
        assert_eq!(planned(path, System::Wsl, Found::NotLookedAt), expected, "{path}");
    }
    let own = planned("/opt/app", System::Wsl, Found::Program("/opt/app".into()));
    assert_eq!(own, planned("/opt/app", System::Linux, Found::Program("/opt/app".into())));
}

#[test]
fn macos_opens_everything() {
    for path in ["/Applications/My App.app", "/Users/greg/a & b.txt", "https://example.org"] {
        let expected = only(step(&["/usr/bin/open", path], "/Users/greg", true));
        assert_eq!(planned(path, System::MacOs, Found::Other), expected, "{path}");
    }
}

#[test]
fn linux_starts_a_program_itself_and_opens_it_if_it_is_none() {
    let open = |path| step(&["/usr/bin/xdg-open", path], "/home/greg", true);
    let path = "/opt/my app/run & 100%";
    let expected = Plan { first: step(&[path], "/opt/my app", false), stable: Some(open(path)) };
    assert_eq!(planned(path, System::Linux, Found::Program(path.into())), expected);

    for path in ["/home/greg/a picture.png", "steam://rungameid/570"] {
        assert_eq!(planned(path, System::Linux, Found::Other), only(open(path)), "{path}");
    }
}

#[test]
fn linux_runs_what_a_desktop_file_says() {
    let application = |cwd: Option<&str>, in_terminal| {
        let argv = words(&["/usr/bin/vim", "a b"]);
        Found::Application(Application { argv, cwd: cwd.map(PathBuf::from), in_terminal })
    };
    let path = "/usr/share/applications/vim.desktop";
    assert_eq!(
        planned(path, System::Linux, application(Some("/srv"), false)),
        only(step(&["/usr/bin/vim", "a b"], "/srv", false))
    );
    let in_terminal = ["/usr/bin/x-terminal-emulator", "-e", "/usr/bin/vim", "a b"];
    assert_eq!(
        planned(path, System::Linux, application(None, true)),
        only(step(&in_terminal, "/home/greg", false))
    );
}

#[test]
fn a_launcher_that_is_not_there_is_named() {
    let nothing = |system| Facts { cmd: None, opener: None, terminal: None, ..facts(system) };
    let application = Application { argv: words(&["/usr/bin/vim"]), cwd: None, in_terminal: true };
    for (system, path, found, needed) in [
        (System::Windows, r"C:\x.exe", Found::Other, "cmd.exe"),
        (System::Wsl, r"C:\x.exe", Found::NotLookedAt, "cmd.exe"),
        (System::MacOs, "/x", Found::Other, "open"),
        (System::Linux, "/x", Found::Other, "xdg-open"),
        (System::Linux, "/x", Found::Application(application), "a terminal (xdg-terminal-exec)"),
    ] {
        let refused = plan(path, &nothing(system), || Ok(found));
        assert!(
            matches!(refused, Err(LaunchError::NoTool { tool, .. }) if tool == needed),
            "{system:?} {path}"
        );
    }
    let program = plan("/x", &nothing(System::Linux), || Ok(Found::Program("/x".into()))).unwrap();
    assert_eq!(program, only(step(&["/x"], "/", false)));
}
