//! What the owner decides about skills holds for what was shown, can always be taken back, and is in force at once.

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
fn a_yes_counts_for_what_was_on_the_screen() {
    use tarsus_tests::terminal::Terminal;
    for with_gateway in [false, true] {
        let skills = Skills::none();
        skills.skill("skills/clock", &asking_for(r#"["network"]"#), "Say the time.");
        let running = with_gateway.then(|| Running::up(&skills.0));
        let mut terminal = Terminal::start(&skills.0, &["skills", "enable", "clock"]);
        terminal.wait_for("May it use these? (yes/no) ");
        skills.skill("skills/clock", &asking_for(r#"["network", "shell"]"#), "Say the time.");
        terminal.press("yes\n");
        terminal.wait_for("the folder of clock changed since it was shown");
        assert_eq!(terminal.end().0.code(), Some(1));
        assert_eq!(effective(&skills), json!([]));
        drop(running);
    }
}

#[test]
fn taking_away_works_when_the_audit_chain_cannot_be_used() {
    let skills = Skills::none();
    skills.skill("skills/clock", &asking_for(r#"["network"]"#), "Say the time.");
    skills.shown(&["skills", "enable", "clock", "--yes"]);
    skills.shown(&["skills", "grant", "clock", "shell"]);
    assert_eq!(effective(&skills), json!(["shell", "network"]));
    fs::remove_file(skills.0.state_dir().join("tarsus/audit/key")).unwrap();
    assert_eq!(skills.exit(&["skills", "grant", "clock", "browser"]), 1);

    let revoked = skills.run(&["skills", "revoke", "clock"]);
    assert_eq!(revoked.status.code(), Some(0), "{}", printed(&revoked));
    let note = String::from_utf8(revoked.stderr).unwrap();
    assert!(note.starts_with("note: this is not in the audit record: "), "{note}");
    assert_eq!(effective(&skills), json!([]));

    let removed = skills.run(&["skills", "remove", "clock", "--yes"]);
    assert_eq!(removed.status.code(), Some(0), "{}", printed(&removed));
    assert!(!skills.0.state_dir().join("skills/clock").exists());
}

#[test]
fn what_was_seen_can_be_taken_back_and_so_can_what_a_lost_skill_was_given() {
    let skills = Skills::none();
    skills.skill("skills/clock", &asking_for(r#"["network", "shell"]"#), "Say the time.");
    skills.shown(&["skills", "enable", "clock", "--yes"]);
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
fn a_name_that_hides_something_can_be_decided_about_and_drives_no_terminal() {
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
fn an_installation_is_in_force_in_a_running_gateway_when_the_command_ends() {
    for mode in ["hot", "off"] {
        let skills = Skills::none();
        skills.config(&format!(
            "{{ gateway: {{ reload: {{ mode: \"{mode}\" }} }}, skills: {{ allowBundled: [\"none\"] }} }}"
        ));
        skills.skill("../from/clock", &asking_for(r#"["network"]"#), "Say the time.");
        let running = Running::up(&skills.0);
        skills.shown(&["skills", "install", "from/clock", "--yes"]);
        assert_eq!(effective(&skills), json!(["network"]), "{mode}");
        skills.shown(&["skills", "grant", "clock", "shell"]);
        skills.shown(&["skills", "remove", "clock", "--yes"]);
        skills.shown(&["skills", "restore", "clock"]);
        let clock = skills.info("clock");
        assert_eq!(
            (&clock["capabilities"]["granted"], &clock["capabilities"]["effective"]),
            (&json!([]), &json!([]))
        );
        drop(running);
    }
}

#[test]
fn what_is_decided_by_hand_in_the_settings_is_on_record_once() {
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
fn a_folder_of_skills_is_looked_into_whole_whether_they_would_load_or_not() {
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
fn what_is_blocked_is_named_with_its_finding_wherever_skills_are_counted() {
    let skills = Skills::none();
    skills.skill("skills/bad", "name: bad\ndescription: Says the time", HARM);
    skills.write("tarsus/README", "There was a start before.\n");
    // The first who looks writes it down, whoever that is.
    let status = skills.shown(&["status"]);
    assert!(
        status.contains("1 blocked") && status.contains("bad: remote execution (SKILL.md:6)"),
        "{status}"
    );
    assert!(status.contains("guard    enforcement active, "), "{status}");
    let check = skills.shown(&["skills", "check"]);
    assert!(check.contains("\nBlocked\n  bad  remote execution (SKILL.md:6)\n"), "{check}");
    assert_eq!(skills.audit("scan.blocked").len(), 1);
}
