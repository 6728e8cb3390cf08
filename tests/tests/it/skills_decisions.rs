//! Decisions about skills: bound to what was shown, revocable, and active at once.

use std::fs;

use serde_json::{Value, json};
use tarsus_tests::skills::{HARM, Skills};
use tarsus_tests::{Running, printed};

fn asking_for(capabilities: &str) -> String {
    format!(
        "name: clock\ndescription: Says the time\nmetadata: {{\"openclaw\": {{\"capabilities\": {capabilities}}}}}"
    )
}

fn effective(skills: &Skills) -> Value {
    skills.info("clock")["capabilities"]["effective"].clone()
}

#[cfg(target_os = "linux")]
#[test]
fn approval_covers_only_the_shown_folder() {
    use tarsus_tests::terminal::Terminal;
    for with_gateway in [false, true] {
        let skills = Skills::none();
        skills.skill("skills/clock", &asking_for(r#"["network"]"#), "Say the time.");
        let running = with_gateway.then(|| Running::up(&skills.0));
        let mut terminal = Terminal::start(&skills.0, &["skills", "enable", "clock"]);
        terminal.wait_for("Approve these capabilities? (yes/no) ");
        skills.skill("skills/clock", &asking_for(r#"["network", "shell"]"#), "Say the time.");
        terminal.press("yes\n");
        terminal.wait_for("the folder of clock changed since it was shown");
        assert_eq!(terminal.end().0.code(), Some(1));
        assert_eq!(effective(&skills), json!([]));
        drop(running);
    }
}

#[test]
fn revoking_works_without_the_audit_log() {
    let skills = Skills::none();
    skills.skill("skills/clock", &asking_for(r#"["network"]"#), "Say the time.");
    skills.stdout(&["skills", "enable", "clock", "--yes"]);
    skills.stdout(&["skills", "grant", "clock", "shell"]);
    assert_eq!(effective(&skills), json!(["shell", "network"]));
    fs::remove_file(skills.0.state_dir().join("tarsus/audit.key")).unwrap();
    assert_eq!(skills.exit(&["skills", "grant", "clock", "browser"]), 1);

    let revoked = skills.run(&["skills", "revoke", "clock"]);
    assert_eq!(revoked.status.code(), Some(0), "{}", printed(&revoked));
    let note = String::from_utf8(revoked.stderr).unwrap();
    assert!(note.starts_with("note: this is not in the audit log: "), "{note}");
    assert_eq!(effective(&skills), json!([]));

    let removed = skills.run(&["skills", "remove", "clock", "--yes"]);
    assert_eq!(removed.status.code(), Some(0), "{}", printed(&removed));
    assert!(!skills.0.state_dir().join("skills/clock").exists());
}

#[test]
fn approvals_and_grants_of_deleted_skills_can_be_revoked() {
    let skills = Skills::none();
    skills.skill("skills/clock", &asking_for(r#"["network", "shell"]"#), "Say the time.");
    skills.stdout(&["skills", "enable", "clock", "--yes"]);
    let revoked = skills.json(&["skills", "revoke", "clock", "shell"]);
    assert_eq!(
        (&revoked["changed"], &revoked["capabilities"]["effective"]),
        (&json!(true), &json!(["network"]))
    );
    assert_eq!(skills.audit("skill.revoke").len(), 1);

    let (place, elsewhere) = (skills.0.state_dir().join("skills/clock"), skills.0.path().join("clock"));
    fs::rename(&place, &elsewhere).unwrap();
    assert_eq!(skills.json(&["skills", "revoke", "clock"])["changed"], true);
    assert_eq!(skills.exit(&["skills", "revoke", "nobody"]), 4);
    fs::rename(&elsewhere, &place).unwrap();
    assert_eq!(effective(&skills), json!([]));
}

#[test]
fn skill_with_hidden_characters_can_be_decided_about() {
    let skills = Skills::none();
    skills.skill(
        "skills/odd",
        "name: \"c\\u200block\\e[31m$(reboot)\"\ndescription: \"Says\\u202e it\"",
        "Say it.",
    );
    for arguments in [
        &["skills", "list"][..],
        &["skills", "info", "clock$(reboot)"],
        &["skills", "grant", "clock$(reboot)", "shell"],
        &["skills", "check"],
        &["skills", "trust", "clock$(reboot)", "community"],
        &["skills", "remove", "clock$(reboot)", "--yes"],
        &["skills", "restore", "--json"],
        &["skills", "restore"],
    ] {
        let output = skills.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?} {}", printed(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains(['\u{1b}', '\u{200b}', '\u{202e}']), "{arguments:?} {text:?}");
        // In single quotes, where a shell runs nothing.
        assert_eq!(
            text.matches("`tarsus").count(),
            text.matches("'clock$(reboot)'`").count() + text.matches("'clock$(reboot)' ").count(),
            "{text}"
        );
    }
}

#[test]
fn installation_is_active_in_a_running_gateway() {
    for mode in ["hot", "off"] {
        let skills = Skills::none();
        skills.config(&format!(
            "{{ gateway: {{ reload: {{ mode: \"{mode}\" }} }}, skills: {{ allowBundled: [\"none\"] }} }}"
        ));
        skills.skill("../from/clock", &asking_for(r#"["network"]"#), "Say the time.");
        let running = Running::up(&skills.0);
        skills.stdout(&["skills", "install", "from/clock", "--yes"]);
        assert_eq!(effective(&skills), json!(["network"]), "{mode}");
        skills.stdout(&["skills", "grant", "clock", "shell"]);
        skills.stdout(&["skills", "remove", "clock", "--yes"]);
        skills.stdout(&["skills", "restore", "clock"]);
        let clock = skills.info("clock");
        assert_eq!(
            (&clock["capabilities"]["granted"], &clock["capabilities"]["effective"]),
            (&json!([]), &json!([]))
        );
        drop(running);
    }
}

#[test]
fn manual_settings_edit_is_recorded_once() {
    let skills = Skills::none();
    skills.skill("skills/clock", "name: clock\ndescription: Says the time", "Say the time.");
    let hash = skills.info("clock")["scan"]["hash"].as_str().unwrap().to_owned();
    skills.write(
        "tarsus/tarsus.json5",
        &format!(
            "{{ skills: {{ security: {{ enforcement: \"off\", trust: {{ clock: {{ tier: \"local\", hash: \"{hash}\" }} }} }} }} }}"
        ),
    );
    for _ in 0..2 {
        drop(Running::up(&skills.0));
    }
    assert_eq!(skills.audit("enforcement.off").len(), 1);
    assert_eq!(skills.audit("skill.trust").len(), 1);
}

#[test]
fn scan_covers_skills_that_would_not_load() {
    let skills = Skills::none();
    skills.skill("../many/good", "name: good\ndescription: Says it", "Say it.");
    let long = format!("{HARM}\n{}", "word ".repeat(80_000));
    skills.skill("../many/large", "name: large\ndescription: Says it", &long);
    skills.skill("../many/.hidden/in", "name: hidden\ndescription: Says it", HARM);
    skills.skill("../many/1/2/3/4/5/6/7/8/deep", "name: deep\ndescription: Says it", HARM);
    skills.write("../many/broken/Skill.md", HARM);
    let output = skills.run(&["skills", "scan", "many"]);
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    let text = String::from_utf8(output.stdout).unwrap().replace('\\', "/");
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("  many/")).collect();
    let word = |line: &&str| line.split("  ").next().unwrap().trim().to_owned();
    let mut words: Vec<String> = lines.iter().map(word).collect();
    words.sort();
    assert_eq!(words, ["+ clean", "x blocked", "x blocked", "x blocked", "x blocked"], "{text}");
}

#[test]
fn blocked_skill_is_named_with_its_finding_everywhere() {
    let skills = Skills::none();
    skills.skill("skills/bad", "name: bad\ndescription: Says the time", HARM);
    skills.write("tarsus/README", "There was a start before.\n");
    // The first who looks writes it down, whoever that is.
    let status = skills.stdout(&["status"]);
    assert!(
        status.contains("1 blocked") && status.contains("bad: remote execution (SKILL.md:6)"),
        "{status}"
    );
    assert!(status.contains("guard    enforcement active, "), "{status}");
    let check = skills.stdout(&["skills", "check"]);
    assert!(check.contains("\nBlocked\n  bad  remote execution (SKILL.md:6)\n"), "{check}");
    assert_eq!(skills.audit("scan.blocked").len(), 1);
}
