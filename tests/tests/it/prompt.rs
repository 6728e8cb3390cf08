//! `tarsus prompt show`, and the workspace that the first start creates.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};
use tarsus_tests::{TestHome, printed};

fn run(home: &TestHome, arguments: &[&str]) -> Output {
    home.tarsus(arguments).output().unwrap()
}

fn json_of(home: &TestHome, arguments: &[&str]) -> Value {
    let output = run(home, arguments);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", printed(&output)))
}

fn names(shown: &Value) -> Vec<&str> {
    shown["parts"].as_array().unwrap().iter().map(|part| part["name"].as_str().unwrap()).collect()
}

/// A home with workspace files.
fn home(files: &[(&str, &str)]) -> TestHome {
    let home = TestHome::new();
    let workspace = home.home().default_workspace();
    fs::create_dir_all(&workspace).unwrap();
    for (name, text) in files {
        fs::write(workspace.join(name), text).unwrap();
    }
    home
}

#[test]
fn prompt_goes_to_stdout_and_sizes_to_stderr() {
    let home = home(&[("SOUL.md", "Calm.\n"), ("MEMORY.md", "The cat is called Ada.\n")]);
    let output = run(&home, &["prompt", "show"]);
    assert!(output.status.success(), "{}", printed(&output));
    let (text, sizes) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let shown = json_of(&home, &["prompt", "show", "--json"]);
    assert_eq!(format!("{}\n", shown["text"].as_str().unwrap()), text);
    assert_eq!(shown["chars"], text.trim_end().chars().count());
    assert_eq!(
        (&shown["agentId"], &shown["mode"], &shown["sessionKey"]),
        (&json!("main"), &json!("full"), &json!("agent:main:main"))
    );
    for line in [
        "# Project Context",
        "persona and tone of SOUL.md",
        "Calm.",
        "The cat is called Ada.",
        "(USER.md does not exist)",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    for name in names(&shown) {
        assert!(sizes.contains(&format!("- {name}: ")), "{name} in {sizes}");
        assert!(name == "Identity" || text.contains(name), "{name} in {text}");
    }
}

#[test]
fn session_kind_decides_the_files_in_the_prompt() {
    let home = home(&[("MEMORY.md", "private"), ("AGENTS.md", "x"), ("BOOTSTRAP.md", "hello")]);
    let files = |session: &str| {
        let shown = json_of(&home, &["prompt", "show", "--json", "--session", session]);
        let names: Vec<String> =
            names(&shown).into_iter().filter(|name| name.ends_with(".md")).map(str::to_owned).collect();
        (
            shown["mode"].as_str().unwrap().to_owned(),
            names,
            shown["text"].as_str().unwrap().contains("This is a group"),
        )
    };
    let seven =
        ["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md"];
    let eight = [&seven[..], &["MEMORY.md"]].concat();
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(files("agent:main:main"), ("full".to_owned(), owned(&eight), false));
    assert_eq!(files("agent:main:telegram:group:1"), ("full".to_owned(), owned(&seven), true));
    assert_eq!(files("agent:main:telegram:1"), ("full".to_owned(), owned(&seven), false));
    assert_eq!(
        files("agent:main:subagent:1"),
        ("minimal".to_owned(), owned(&["AGENTS.md", "TOOLS.md"]), false)
    );
}

#[test]
fn small_window_gets_a_minimal_prompt() {
    let home = home(&[("AGENTS.md", &"Be brief. ".repeat(1_000))]);
    let config = json!({
        "agents": {"defaults": {"model": "cellar/small", "userTimezone": "Asia/Shanghai"}},
        "models": {"providers": {"cellar": {
            "baseUrl": "http://192.0.2.1/v1", "apiKey": "sk-canary-0123456789",
            "models": [{"id": "small", "contextWindow": 4096}],
        }}},
    });
    fs::write(home.home().config_path(), config.to_string()).unwrap();
    let shown = json_of(&home, &["prompt", "show", "--json"]);
    assert_eq!((&shown["mode"], &shown["window"]), (&json!("minimal"), &json!(4096)));
    // With the tool schemas (about 1,250 tokens), a quarter of the window remains for the conversation.
    assert!(shown["tokens"].as_u64().unwrap() < 1_700, "{shown}");
    let agents = shown["parts"].as_array().unwrap().iter().find(|part| part["name"] == "AGENTS.md").unwrap();
    assert!(agents["leftOut"].as_u64().unwrap() > 8_000, "{agents}");
    let text = shown["text"].as_str().unwrap();
    for line in ["characters of AGENTS.md omitted", "Time zone: Asia/Shanghai", "model=cellar/small"] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(!text.contains("canary"), "{text}");
}

#[test]
fn prompt_errors_say_what_to_do() {
    let home = TestHome::new();
    for (arguments, message) in [
        (&["prompt", "show", "--session", "main"][..], "a session key is `agent:<agent id>:<name>`"),
        (&["prompt", "show", "--session", "agent:ops:main"], "add --agent ops"),
        (&["prompt", "show", "--mode", "huge"], "minimal"),
    ] {
        let output = run(&home, arguments);
        assert_eq!(output.status.code(), Some(2), "{}", printed(&output));
        assert!(String::from_utf8_lossy(&output.stderr).contains(message), "{}", printed(&output));
    }
}

#[test]
fn commands_in_the_prompt_exist() {
    let home = TestHome::new();
    let shown = json_of(&home, &["prompt", "show", "--json"]);
    let text = shown["text"].as_str().unwrap();
    let commands: Vec<&str> = text.split('`').filter_map(|code| code.strip_prefix("tarsus ")).collect();
    assert!(commands.len() >= 6, "{commands:?}");
    for command in commands {
        let mut words: Vec<&str> = command.split(' ').collect();
        if words[0] != "help" {
            words.push("--help");
        }
        let output = run(&home, &words);
        assert!(output.status.success(), "{command}: {}", printed(&output));
    }
}

#[cfg(unix)]
#[test]
fn first_start_creates_the_workspace_once() {
    use tarsus_tests::Running;

    let home = TestHome::new();
    let workspace = home.home().default_workspace();
    let up = Running::up(&home);
    assert!(up.welcome.contains("your agent's folder (AGENTS.md, SOUL.md, …)"), "{}", up.welcome);
    let has_git = std::process::Command::new("git").arg("--version").output().is_ok();
    while has_git && !workspace.join(".git/HEAD").exists() {
        std::thread::yield_now();
    }
    let shown = json_of(&home, &["prompt", "show", "--json"]);
    let text = shown["text"].as_str().unwrap();
    for line in ["# AGENTS.md - how to work here", "# BOOTSTRAP.md - the first conversation"] {
        assert!(text.contains(line), "{line} in {text}");
    }
    drop(up);
    fs::remove_file(workspace.join("BOOTSTRAP.md")).unwrap();
    fs::write(workspace.join("USER.md"), "Ada").unwrap();
    let again = Running::up(&home);
    assert!(!again.welcome.contains("created"), "{}", again.welcome);
    assert_eq!(fs::read_to_string(workspace.join("USER.md")).unwrap(), "Ada");
    assert!(!workspace.join("BOOTSTRAP.md").exists());
}
