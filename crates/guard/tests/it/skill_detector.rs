//! Detection of used skills.

use std::path::{Path, PathBuf};

use crate::fixture::id;
use serde_json::json;
use tarsus_guard::{Activation, ActivationCause, DetectableSkill, PathBases, SkillDetector};
use tarsus_protocol::capability::TrustTier;

/// An absolute path in the system's own form.
fn absolute(path: &str) -> PathBuf {
    let root = if cfg!(windows) { "C:\\" } else { "/" };
    path.split('/').fold(PathBuf::from(root), |whole, part| whole.join(part))
}

fn detector() -> SkillDetector {
    let (workspace, home) = (absolute("h/p/space"), absolute("h/p"));
    let path_bases = PathBases { workspace: &workspace, home: Some(&home) };
    let watched = |name: &str, folder: &str, command: Option<&str>| DetectableSkill {
        skill: id(name),
        tier: TrustTier::Community,
        folder: absolute(folder),
        command: command.map(str::to_owned),
    };
    let skills = vec![
        watched("weather", "h/p/.openclaw/skills/weather", Some("weather")),
        watched("weather-pro", "h/p/.openclaw/skills/weather-pro", Some("wpro")),
        watched("notes", "h/p/space/skills/notes", None),
        watched("日本", "srv/日本", None),
        watched("my notes", "h/p/.openclaw/skills/my-notes", None),
        watched("Foo", "h/p/.openclaw/skills/foo1", Some("Foo")),
        watched("foo", "h/p/.openclaw/skills/foo2", Some("foo")),
        watched("a:b", "h/p/.openclaw/skills/ab", None),
    ];
    SkillDetector::new(skills, path_bases)
}

fn detected(detect: impl FnOnce(&SkillDetector, &mut Activation)) -> Vec<(String, ActivationCause)> {
    let mut active = Activation::default();
    detect(&detector(), &mut active);
    assert!(!active.has_unknown());
    let found = active
        .skills()
        .flat_map(|(skill, active)| active.causes.iter().map(|how| (skill.name.clone(), *how)));
    found.collect()
}

#[test]
fn message_activates_commands_and_mentions() {
    let table: [(&str, &[(&str, ActivationCause)]); 22] = [
        ("/weather in Rome", &[("weather", ActivationCause::Command)]),
        ("  /WPRO", &[("weather-pro", ActivationCause::Command)]),
        ("/skill notes and more", &[("notes", ActivationCause::Named)]),
        ("/skill weather-pro", &[("weather-pro", ActivationCause::Named)]),
        ("use $weather, please", &[("weather", ActivationCause::Named)]),
        ("use $Weather.", &[("weather", ActivationCause::Named)]),
        ("use $weather-pro", &[("weather-pro", ActivationCause::Named)]),
        ("$日本 $notes", &[("notes", ActivationCause::Named), ("日本", ActivationCause::Named)]),
        ("/weather@our_bot in Rome", &[("weather", ActivationCause::Command)]),
        ("/weather: Rome", &[("weather", ActivationCause::Command)]),
        ("/skill my notes, please", &[("my notes", ActivationCause::Named)]),
        ("/skill@our_bot My Notes", &[("my notes", ActivationCause::Named)]),
        ("/skill:notes", &[("notes", ActivationCause::Named)]),
        (
            "look into $my notes and $a:b",
            &[("a:b", ActivationCause::Named), ("my notes", ActivationCause::Named)],
        ),
        // Names that differ in case alone are told apart by nobody.
        ("/foo", &[("Foo", ActivationCause::Command), ("foo", ActivationCause::Command)]),
        ("$FOO", &[("Foo", ActivationCause::Named), ("foo", ActivationCause::Named)]),
        ("/skill my notesbook", &[]),
        ("the weather is /weather", &[]),
        ("/weathers", &[]),
        ("$weatherman costs 5$", &[]),
        ("/skill", &[]),
        ("", &[]),
    ];
    for (text, expected) in table {
        let expected: Vec<_> = expected.iter().map(|(name, how)| ((*name).to_owned(), *how)).collect();
        assert_eq!(detected(|detector, active| detector.detect_in_message(text, active)), expected, "{text}");
    }
}

/// Returns the skills that a text activates as output and as an argument of a tool.
fn touched(text: &str) -> (Vec<String>, Vec<String>) {
    let names = |found: Vec<(String, ActivationCause)>| -> Vec<String> {
        assert!(found.iter().all(|(_, how)| *how == ActivationCause::Touched));
        found.into_iter().map(|(name, _)| name).collect()
    };
    let out = names(detected(|detector, active| detector.detect_in_output(text, active)));
    let arguments = json!({"list": [1, null, {"deep": text}]});
    let into = names(detected(|detector, active| detector.detect_in_arguments(&arguments, active)));
    let keys = json!({ text: true });
    assert_eq!(
        names(detected(|detector, active| detector.detect_in_arguments(&keys, active))),
        into,
        "{text}"
    );
    (out, into)
}

#[test]
fn folders_are_detected_in_any_spelling() {
    let home = absolute("h/p");
    let whole = |rest: &str| format!("{}{rest}", home.display()).replace('/', std::path::MAIN_SEPARATOR_STR);
    let table = [
        (whole("/.openclaw/skills/weather/run.sh"), vec!["weather"]),
        (whole("/.openclaw/skills/weather-pro"), vec!["weather-pro"]),
        ("cat ~/.openclaw/skills/weather/SKILL.md".to_owned(), vec!["weather"]),
        ("cat $HOME/.OpenClaw/Skills/Weather".to_owned(), vec!["weather"]),
        ("cat \"${HOME}/.openclaw/skills/weather\"".to_owned(), vec!["weather"]),
        ("cat ../.openclaw/skills/weather/run.sh".to_owned(), vec!["weather"]),
        ("cat ../skills/weather/run.sh".to_owned(), vec!["weather"]),
        ("cd ~/.openclaw && cat skills/weather/run.sh".to_owned(), vec!["weather"]),
        ("cat ~/.openclaw//skills///weather/run.sh".to_owned(), vec!["weather"]),
        ("cat ~/.openclaw/skills/./weather/run.sh".to_owned(), vec!["weather"]),
        ("cat $OPENCLAW_STATE_DIR/skills/weather/run.sh".to_owned(), vec!["weather"]),
        ("cd skills; cat ./weather/SKILL.md".to_owned(), vec!["weather"]),
        ("{\\\"path\\\":\\\".openclaw\\/skills\\/weather\\\"}".to_owned(), vec!["weather"]),
        ("python skills/notes/add.py".to_owned(), vec!["notes"]),
        ("python .\\skills\\notes\\add.py".to_owned(), vec!["notes"]),
        ("skills/notes ~/.openclaw/skills/weather-pro.".to_owned(), vec!["notes", "weather-pro"]),
        ("ls /srv/日本".to_owned(), vec!["日本"]),
        ("myskills/notes".to_owned(), vec![]),
        ("skills/notes2".to_owned(), vec![]),
        ("notes/today.md and weather/climate".to_owned(), vec![]),
        (String::new(), vec![]),
    ];
    for (text, expected) in table {
        let (out, into) = touched(&text);
        assert_eq!(out, expected, "{text}");
        assert_eq!(into, expected, "{text}");
    }
}

#[test]
fn parent_folder_or_glob_activates_all_its_skills() {
    let managed = ["Foo", "a:b", "foo", "my notes", "weather", "weather-pro"];
    let with_notes = ["Foo", "a:b", "foo", "my notes", "notes", "weather", "weather-pro"];
    let table: [(&str, &[&str]); 12] = [
        ("cat ~/.openclaw/skills/*/SKILL.md", &managed),
        ("cat ~/.openclaw/skills/w*/run.sh", &managed),
        ("cd ~/.openclaw/skills && cat */SKILL.md", &managed),
        ("cd '/h/p/.openclaw/skills/' && sh */run.sh", &managed),
        ("for s in ~/.openclaw/skills/$n/run.sh", &managed),
        ("cat $OPENCLAW_STATE_DIR/skills/*/run.sh", &with_notes),
        ("cd ~/.openclaw; cat skills/*/run.sh", &with_notes),
        // Not these folders, or only one of them.
        ("ls ~/src/skills", &[]),
        ("https://example.org/skills", &[]),
        ("ls skills", &[]),
        ("mkdir ~/.openclaw/skills/other", &[]),
        ("the skills/{name} of a page", &[]),
    ];
    for (text, expected) in table {
        let (out, into) = touched(text);
        assert_eq!(into, expected, "{text}");
        assert_eq!(out, [""; 0], "{text}");
    }
}

#[test]
fn read_file_activates_the_skill_around_it() {
    let read = |path: &Path| detected(|detector, active| detector.detect_read(path, active));
    assert_eq!(
        read(&absolute("h/p/space/skills/notes/a/b.md")),
        [("notes".to_owned(), ActivationCause::Read)]
    );
    assert_eq!(read(&absolute("h/p/space/skills/notes2/b.md")), []);
    assert_eq!(read(&absolute("h/p/space")), []);
}

#[test]
fn dispatched_command_activates_its_skill() {
    let dispatched = detected(|detector, active| {
        detector.activate_by_name("weather", ActivationCause::Dispatched, active)
    });
    assert_eq!(dispatched, [("weather".to_owned(), ActivationCause::Dispatched)]);
    assert_eq!(
        detected(|detector, active| detector.activate_by_name("nobody", ActivationCause::Dispatched, active)),
        []
    );
}

/// Repetitive texts; a quadratic search would not finish.
#[test]
fn long_texts_are_searched_in_one_pass() {
    let home = absolute("h/p");
    let watched = |number: usize| DetectableSkill {
        skill: id(&format!("s{number}")),
        tier: TrustTier::Local,
        folder: absolute(&format!("h/p/.openclaw/skills/s{number}")),
        command: None,
    };
    let detector = SkillDetector::new(
        (0..200).map(watched).collect(),
        PathBases { workspace: &home, home: Some(&home) },
    );
    for (text, found) in [("skills.", 0), (".openclaw/skills ", 200), ("skills/s1 ", 1), ("/skills/", 0)] {
        let mut active = Activation::default();
        detector.detect_in_arguments(&json!(text.repeat(10_000)), &mut active);
        assert_eq!(active.skills().count(), found, "{text}");
    }
}

#[test]
fn detector_without_skills_finds_nothing() {
    let workspace = absolute("w");
    let detector = SkillDetector::new(Vec::new(), PathBases { workspace: &workspace, home: None });
    let mut active = Activation::default();
    detector.detect_in_message("/skill x $y", &mut active);
    detector.detect_in_output("anything", &mut active);
    assert!(active.is_empty());
}
