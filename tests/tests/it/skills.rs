//! The `skills` commands of the real program, with skills in every state.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use serde_json::{Value, json};
use tarsus_tests::{TestHome, amount, printed};

/// A home with one skill in each state.
struct Skills(TestHome);

impl Skills {
    fn none() -> Self {
        Self(TestHome::new())
    }

    fn in_every_state() -> Self {
        let home = Self::none();
        home.config(
            "{\n  // mine\n  skills: {\n    entries: { \"old-notes\": { enabled: false } },\n    allowBundled: [\"weather\", \"application-manager\"],\n  },\n}\n",
        );
        home.skill(
            "workspace/skills/天气",
            "name: 天气\ndescription: 当前天气与预报\nmetadata: {\"openclaw\": {\"emoji\": \"🌐\"}}",
        );
        home.skill(
            "skills/frames",
            "name: frames\ndescription: Frames and clips from videos\nhomepage: https://frames.example\nmetadata: {\"openclaw\": {\"requires\": {\"bins\": [\"frobnicate\"], \"anyBins\": [\"one-x\", \"two-x\"]}, \"install\": [{\"kind\": \"brew\", \"formula\": \"frobnicate\", \"bins\": [\"frobnicate\"]}]}}",
        );
        home.skill(
            "skills/keyed",
            "name: keyed\ndescription: Needs a key\nmetadata: {\"openclaw\": {\"primaryEnv\": \"RENT_KEY\", \"requires\": {\"env\": [\"RENT_KEY\"], \"config\": [\"gateway.port\"]}}}",
        );
        home.skill(
            "skills/elsewhere",
            "name: elsewhere\ndescription: For another system\nmetadata: {\"openclaw\": {\"os\": [\"amiga\"]}}",
        );
        home.skill(
            "workspace/skills/old-notes",
            "name: old-notes\ndescription: Notes as they were kept before",
        );
        home.skill("skills/twice", "name: twice\ndescription: The one for everybody");
        home.skill("workspace/skills/twice", "name: twice\ndescription: The one of this workspace");
        home.skill("skills/weather", "name: weather\ndescription: Not the one that came along");
        home.skill(
            "workspace/skills/tabs",
            "name: tabs\ndescription: Sorts browser tabs\nmetadata: {\"openclaw\": {\"capabilities\": [\"browser\"]}}",
        );
        home.write("workspace/skills/meter/SKILL.md", "# Meter\n\nNo fields at all.\n");
        home.write("workspace/skills/low/skill.md", "---\nname: low\ndescription: In small letters\n---\n");
        home.skill("workspace/skills/loud", "name: loud\ndescription: \"\\e[31mred\\e[0m and \\u202eback\"");
        home
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.state_dir().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn skill(&self, folder: &str, fields: &str) {
        self.write(&format!("{folder}/SKILL.md"), &format!("---\n{fields}\n---\n\n# Title\n"));
    }

    fn config(&self, text: &str) {
        self.write("openclaw.json", text);
    }

    fn run(&self, arguments: &[&str]) -> Output {
        // A separate PATH, so that programs of this machine have no effect.
        let bin = self.0.path().join("bin");
        self.0.tarsus(arguments).env("PATH", bin).output().unwrap()
    }

    /// Returns the output with variable parts replaced. The command must not print errors.
    fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.stderr.is_empty(), "{}", printed(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        let bundled = text.split("bundled-skills").nth(1).map(|rest| rest[1..17].to_owned());
        bundled.map_or(text.clone(), |hash| text.replace(&hash, "…")).replace('\\', "/")
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", printed(&output)))
    }

    fn status(&self, name: &str) -> String {
        self.json(&["skills", "info", name])["status"].as_str().unwrap().to_owned()
    }
}

#[test]
fn list_shows_states_and_next_steps() {
    let skills = Skills::in_every_state();
    insta::assert_snapshot!("list", skills.stdout(&["skills"]));
    insta::assert_snapshot!("list_eligible", skills.stdout(&["skills", "list", "--eligible"]));
    let verbose = String::from_utf8(skills.run(&["skills", "list", "-v"]).stdout).unwrap();
    insta::assert_snapshot!("list_verbose", verbose.replace(&skills.0.path().display().to_string(), "~"));
}

#[test]
fn list_json_is_the_common_report() {
    let skills = Skills::in_every_state();
    let report = skills.json(&["skills", "list"]);
    let of = |name: &str, key: &str| {
        let rows = report["skills"].as_array().unwrap();
        rows.iter().find(|row| row["name"] == name).unwrap()[key].clone()
    };
    assert_eq!(
        of("frames", "missing"),
        json!({
            "bins": ["frobnicate"], "anyBins": ["one-x", "two-x"], "env": [], "config": [], "os": [],
        })
    );
    assert_eq!(
        of("frames", "install"),
        json!([
            { "id": "brew-0", "kind": "brew", "label": of("frames", "install")[0]["label"], "bins": ["frobnicate"], "command": ["brew", "install", "frobnicate"], "destination": "homebrew" },
        ])
    );
    assert_eq!(of("keyed", "configChecks"), json!([{ "path": "gateway.port", "satisfied": false }]));
    assert_eq!(of("elsewhere", "platformIncompatible"), json!(true));
    assert_eq!(of("loud", "description"), json!("red and back"));
    let rows = report["skills"].as_array().unwrap().iter();
    let states: Vec<(&str, &str)> = rows
        .filter(|row| row["source"] != "openclaw-bundled")
        .map(|row| (row["name"].as_str().unwrap(), row["status"].as_str().unwrap()))
        .collect();
    assert_eq!(
        states,
        [
            ("elsewhere", "unsupported"),
            ("frames", "missing"),
            ("keyed", "missing"),
            ("loud", "ready"),
            ("low", "degraded"),
            ("meter", "invalid"),
            ("old-notes", "disabled"),
            ("tabs", "unavailable"),
            ("twice", "ready"),
            ("twice", "shadowed"),
            ("weather", "ready"),
            ("天气", "ready"),
        ]
    );
    assert!(report["diagnostics"].as_array().unwrap().iter().any(|odd| odd["code"] == "covers-bundled"));
}

#[test]
fn info_shows_source_requirements_and_install_options() {
    let skills = Skills::in_every_state();
    for name in ["frames", "keyed", "meter", "low", "old-notes", "git-helper"] {
        insta::assert_snapshot!(format!("info_{name}"), skills.stdout(&["skills", "info", name]));
    }
    insta::assert_snapshot!("info_ready", skills.stdout(&["skills", "info", "天气"]));
}

#[test]
fn info_matches_any_case_and_suggests_similar_names() {
    let skills = Skills::in_every_state();
    for name in ["FRAMES", "old notes", "Old_Notes"] {
        assert_eq!(skills.run(&["skills", "info", name]).status.code(), Some(0), "{name}");
    }
    let wrong = skills.run(&["skills", "info", "wether", "--json"]);
    assert_eq!(wrong.status.code(), Some(4));
    let error: Value = serde_json::from_slice(&wrong.stdout).unwrap();
    assert_eq!(
        (&error["ok"], &error["skill"], &error["error"]["type"]),
        (&json!(false), &json!("wether"), &json!("cli_error"))
    );
    assert!(error["error"]["hint"].as_str().unwrap().contains("\"weather\""), "{error}");
}

#[test]
fn check_counts_states_and_names_reasons() {
    let skills = Skills::in_every_state();
    insta::assert_snapshot!("check", skills.stdout(&["skills", "check"]));
    let check = skills.json(&["skills", "check"]);
    assert_eq!(
        check["summary"],
        json!({
            "total": 18, "eligible": 5, "modelVisible": 5, "commandVisible": 5, "disabled": 1, "blocked": 6,
            "blockedBySecurity": 0, "agentFiltered": 0, "notInjected": 0, "missingRequirements": 3, "unavailable": 1,
            "shortened": 0, "invalid": 1, "degraded": 1, "shadowed": 2,
        })
    );
    assert_eq!(check["missingRequirements"][2]["name"], "keyed");
}

#[test]
fn enable_changes_one_value_and_takes_effect_at_once() {
    let skills = Skills::in_every_state();
    assert_eq!(
        skills.stdout(&["skills", "enable", "old-notes"]),
        "old-notes is turned on for every agent: + ready\n"
    );
    assert_eq!(skills.status("old-notes"), "ready");
    assert_eq!(
        skills.stdout(&["skills", "disable", "TWICE"]),
        "twice is turned off for every agent: - disabled\n"
    );
    assert_eq!(skills.stdout(&["skills", "disable", "twice"]), "twice is already turned off: - disabled\n");
    let file = fs::read_to_string(skills.0.home().config_path()).unwrap();
    assert!(file.contains("// mine") && file.contains("\"old-notes\": { enabled: true }"), "{file}");

    let inside = skills.0.tarsus(["skills", "enable", "twice"]).env("TARSUS_AGENT", "main").output().unwrap();
    assert_eq!(inside.status.code(), Some(3), "{}", printed(&inside));
    assert_eq!(fs::read_to_string(skills.0.home().config_path()).unwrap(), file);
    assert_eq!(skills.run(&["skills", "enable", "nothing"]).status.code(), Some(4));
}

#[test]
fn configured_key_makes_a_skill_ready_and_is_never_shown() {
    let skills = Skills::in_every_state();
    assert_eq!(skills.status("keyed"), "missing");
    skills
        .config("{ gateway: { port: 18790 }, skills: { entries: { keyed: { apiKey: \"canary-4711\" } } } }");
    assert_eq!(skills.status("keyed"), "ready");
    for arguments in
        [&["skills", "list"][..], &["skills", "info", "keyed"], &["skills", "check"], &["skills", "prompt"]]
    {
        for json in [&[][..], &["--json"]] {
            let output = skills.run(&[arguments, json].concat());
            assert!(!printed(&output).contains("canary"), "{}", printed(&output));
        }
    }
    skills.config("{ gateway: { port: 18790 } }");
    let with = skills.0.tarsus(["skills", "info", "keyed", "--json"]).env("RENT_KEY", "k").output().unwrap();
    let info: Value = serde_json::from_slice(&with.stdout).unwrap();
    assert_eq!((&info["status"], &info["missing"]["env"]), (&json!("ready"), &json!([])));
}

#[test]
fn degraded_skill_is_used_only_if_lenient() {
    let skills = Skills::in_every_state();
    assert!(!skills.stdout(&["skills", "prompt"]).contains("In small letters"));
    skills.write("tarsus/tarsus.json5", "{ skills: { load: { lenient: true } } }");
    assert_eq!(skills.status("low"), "ready");
    assert!(skills.stdout(&["skills", "prompt"]).contains("In small letters"));
    skills.write("tarsus/tarsus.json5", "{}");
    skills.config("{ skills: { load: { lenient: true } } }");
    assert_eq!(skills.status("low"), "ready");
}

#[test]
fn agent_allowlist_filters_skills() {
    let skills = Skills::none();
    skills.config(
        "{ agents: { list: [{ id: \"main\" }, { id: \"work\", skills: [\"application-manager\", \"no-such\"] }, { id: \"idle\", skills: [] }] } }",
    );
    let all = skills.stdout(&["skills", "list", "--eligible"]);
    assert!(all.starts_with("agent main (the default; --agent selects another)\n\nSkills ("), "{all}");
    let work = skills.stdout(&["skills", "list", "--eligible", "--agent", "work"]);
    assert!(work.starts_with("Skills (1/8 ready)") && work.contains("application-manager"), "{work}");
    let all = skills.stdout(&["skills", "list", "--agent", "work"]);
    assert!(all.contains("\"no-such\""), "{all}");
    let prompt = skills.stdout(&["skills", "prompt", "--agent", "work"]);
    assert_eq!(
        (prompt.matches("<skill>").count(), prompt.matches("<name>application-manager</name>").count()),
        (1, 1),
        "{prompt}"
    );
    assert_eq!(skills.stdout(&["skills", "prompt", "--agent", "idle"]), "no skill is ready for this agent\n");
    assert_eq!(skills.run(&["skills", "list", "--agent", "nobody"]).status.code(), Some(4));
}

#[test]
fn validate_checks_files_and_folders() {
    let skills = Skills::in_every_state();
    let folder = skills.0.state_dir().join("workspace/skills");
    let lines = |arguments: &[&str]| -> (Option<i32>, Vec<Value>) {
        let output = skills.run(&[&["skills", "validate", "--json"], arguments].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    };
    let (exit, all) = lines(&[folder.to_str().unwrap()]);
    let ok: Vec<(&str, bool, bool)> = all
        .iter()
        .map(|line| {
            let path = line["path"].as_str().unwrap().strip_prefix(folder.to_str().unwrap()).unwrap();
            (path, line["ok"].as_bool().unwrap(), line["degraded"].as_bool().unwrap())
        })
        .collect();
    assert_eq!(exit, Some(5));
    let path = |parts: &[&str]| {
        parts.iter().map(|part| format!("{}{part}", std::path::MAIN_SEPARATOR)).collect::<String>()
    };
    let expected: Vec<(String, bool, bool)> = [
        (&["loud", "SKILL.md"], true, false),
        (&["low", "skill.md"], false, true),
        (&["meter", "SKILL.md"], false, false),
        (&["old-notes", "SKILL.md"], true, false),
        (&["tabs", "SKILL.md"], true, false),
        (&["twice", "SKILL.md"], true, false),
        (&["天气", "SKILL.md"], true, false),
    ]
    .map(|(parts, ok, degraded)| (path(parts), ok, degraded))
    .to_vec();
    assert_eq!(
        ok,
        expected.iter().map(|(path, ok, degraded)| (path.as_str(), *ok, *degraded)).collect::<Vec<_>>()
    );

    let file = folder.join("twice/SKILL.md");
    let (exit, one) = lines(&[file.to_str().unwrap()]);
    assert_eq!(
        (exit, one[0]["name"].as_str(), one[0]["slashBase"].as_str()),
        (Some(0), Some("twice"), Some("twice"))
    );
    let (exit, gone) = lines(&["nowhere"]);
    assert_eq!((exit, gone[0]["error"]["code"].as_str()), (Some(5), Some("NOT_FOUND")));
    let (exit, strict) = lines(&["--strict", folder.join("天气").to_str().unwrap()]);
    assert_eq!((exit, strict[0]["ok"].as_bool()), (Some(5), Some(false)), "{strict:?}");
    insta::assert_snapshot!("validate", skills.stdout(&["skills", "validate", ".openclaw/workspace/skills"]));
}

/// Every skill that comes along passes both judges, so that it can serve as an example.
#[test]
fn bundled_skills_pass_both_validations() {
    let skills = Skills::none();
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "skills"].iter().collect();
    for rule in [&[][..], &["--strict"]] {
        let output =
            skills.run(&[&["skills", "validate", "--json"], rule, &[folder.to_str().unwrap()]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), 8);
    }
}

#[test]
fn refresh_reports_changes_since_the_last_time() {
    let skills = Skills::none();
    let first = skills.json(&["skills", "refresh"]);
    assert_eq!((first["total"].as_u64(), first["added"].as_array().unwrap().len()), (Some(8), 8));
    skills.skill("skills/one", "name: one\ndescription: d");
    skills.skill("skills/two", "name: two\ndescription: d");
    assert_eq!(skills.stdout(&["skills", "refresh"]), "10 skills read\n  + new  one\n  + new  two\n");
    skills.skill("skills/two", "name: two\ndescription: other");
    fs::remove_dir_all(skills.0.state_dir().join("skills/one")).unwrap();
    assert_eq!(skills.stdout(&["skills", "refresh"]), "9 skills read\n  ~ changed  two\n  - gone  one\n");
    assert_eq!(skills.stdout(&["skills", "refresh"]), "9 skills read\nnothing changed\n");
}

#[test]
fn many_skills_are_listed_and_prompt_overflow_counted() {
    let skills = Skills(TestHome::in_memory());
    let many = amount(1_000);
    for number in 0..many {
        skills.skill(
            &format!("skills/s{number}"),
            &format!("name: skill-{number}\ndescription: Number {number}"),
        );
    }
    let report = skills.json(&["skills", "list"]);
    assert_eq!(report["skills"].as_array().unwrap().len(), many + 8);
    let check = skills.json(&["skills", "check"]);
    let ready = usize::try_from(check["summary"]["modelVisible"].as_u64().unwrap()).unwrap();
    let left = check["notInjected"].as_array().unwrap().len();
    let listed = skills.stdout(&["skills", "prompt"]).matches("<skill>").count();
    assert_eq!(listed + left, ready);
    // The limit is 150; the line that names the skills of others takes the room of a few.
    assert!((140..=150).contains(&listed), "{listed}");
}

#[cfg(unix)]
#[test]
fn watch_prints_changes_until_interrupted() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    let skills = Skills::none();
    skills.config("{ skills: { load: { watchDebounceMs: 20 } } }");
    let mut watch =
        skills.0.tarsus(["skills", "watch"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().as_deref(), Some("watching; press Ctrl-C to stop"));
    // Put there as a whole: half a file would be a change of its own.
    skills.skill("made/new", "name: new\ndescription: d");
    fs::create_dir_all(skills.0.state_dir().join("skills")).unwrap();
    fs::rename(skills.0.state_dir().join("made/new"), skills.0.state_dir().join("skills/new")).unwrap();
    assert_eq!(lines.next().as_deref(), Some("  + new  new"));
    fs::rename(skills.0.state_dir().join("skills/new"), skills.0.state_dir().join("made/new")).unwrap();
    assert_eq!(lines.next().as_deref(), Some("  - gone  new"));
    let pid = watch.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(watch.wait().unwrap().code(), Some(130));
}

#[test]
fn tool_policy_makes_a_skill_unavailable_to_its_agent() {
    let skills = Skills::none();
    skills.config("{ agents: { list: [{ id: \"main\" }, { id: \"calm\", tools: { deny: [\"app_*\"] } }] } }");
    let row = |agent: &str| {
        let list = skills.stdout(&["skills", "list", "--agent", agent]);
        list.lines().find(|row| row.contains("application-manager")).unwrap().to_owned()
    };
    assert!(row("main").starts_with("+ ready"), "{}", row("main"));
    let calm = row("calm");
    assert!(calm.starts_with("x unavailable"), "{calm}");
    assert!(
        calm.ends_with("no tool app_launch, app_stop or app_propose (agents.list[calm].tools.deny)"),
        "{calm}"
    );
    let info = skills.stdout(&["skills", "info", "application-manager", "--agent", "calm"]);
    let needed = "Requirements\n  any tool  app_launch, app_stop, app_propose  x denied by agents.list[calm].tools.deny\n";
    assert!(info.starts_with("application-manager  x Unavailable (no tool for it)\n"), "{info}");
    assert!(info.contains(needed), "{info}");
    let check = skills.stdout(&["skills", "check", "--agent", "calm"]);
    assert!(
        check.contains(
            "  application-manager  needs app_launch, app_stop or app_propose, which this agent does not have because of \
             agents.list[calm].tools.deny\n"
        ),
        "{check}"
    );
    let offered = |agent: &str| skills.stdout(&["skills", "prompt", "--agent", agent]);
    assert!(offered("main").contains("<name>application-manager</name>"));
    assert!(!offered("calm").contains("<name>application-manager</name>"));
    // `status` counts the default agent's skills.
    let status = || skills.json(&["status"])["skills"].clone();
    let before = status();
    skills.config("{ tools: { deny: [\"app_*\"] } }");
    let after = status();
    let count = |status: &Value, key: &str| status[key].as_u64().unwrap();
    assert_eq!(count(&after, "unavailable"), count(&before, "unavailable") + 1);
    assert_eq!(count(&after, "ready"), count(&before, "ready") - 1);
    assert!(skills.stdout(&["status"]).contains(&format!(" · {} unavailable", after["unavailable"])));
}
