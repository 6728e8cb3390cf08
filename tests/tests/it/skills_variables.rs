//! Variables that control programs: refused on the command line, reported and without effect in the configuration.

use tarsus_tests::printed;
use tarsus_tests::skills::Skills;

fn skill() -> Skills {
    let skills = Skills::none();
    skills.skill("workspace/skills/clock", "name: clock\ndescription: Says the time", "Say the time.");
    skills
}

#[test]
fn config_set_refuses_variables_that_control_programs() {
    let skills = skill();
    let before = std::fs::read_to_string(skills.0.state_dir().join("openclaw.json")).unwrap();
    for (key, value, name) in [
        ("skills.entries.clock.env.LD_PRELOAD", "/tmp/x.so", "LD_PRELOAD"),
        ("skills.entries.clock.env", "{ ZONE: \"a\", NODE_OPTIONS: \"-r x\" }", "NODE_OPTIONS"),
        ("skills.entries.clock", "{ env: { BASH_ENV: \"x\" } }", "BASH_ENV"),
        ("skills.entries", "{ clock: { env: { path: \"x\" } } }", "path"),
    ] {
        let refused = skills.run(&["config", "set", key, value]);
        assert_eq!(refused.status.code(), Some(3), "{}", printed(&refused));
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(said.contains(&format!("no skill may set {name}: it decides")), "{said}");
        assert_eq!(std::fs::read_to_string(skills.0.state_dir().join("openclaw.json")).unwrap(), before);
    }
    skills.stdout(&["config", "set", "skills.entries.clock.env.ZONE", "a"]);
}

#[test]
fn variable_in_the_file_is_reported_and_has_no_effect() {
    let skills = skill();
    skills.config(
        "{ skills: { allowBundled: [\"none\"], entries: { clock: { env: { LD_PRELOAD: \"x\" } } } } }",
    );
    let expected = "it decides what is loaded into every program";
    let info = skills.stdout(&["skills", "info", "clock"]);
    assert!(info.contains(&format!("the setting for LD_PRELOAD has no effect: {expected}")), "{info}");
    let validated = skills.stdout(&["config", "validate"]);
    let row = validated.lines().find(|line| line.contains("skills.entries.clock.env.LD_PRELOAD")).unwrap();
    assert!(row.ends_with(&format!("it has no effect: {expected}")), "{validated}");
    // Another change of the same file is no longer held up by it.
    skills.stdout(&["config", "set", "skills.entries.clock.enabled", "true"]);
    skills.stdout(&["config", "unset", "skills.entries.clock.env.LD_PRELOAD"]);
}
