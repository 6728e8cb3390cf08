//! Noticing that a skill is used.

mod scene;

use std::path::{Path, PathBuf};

use scene::id;
use serde_json::json;
use tarsus_guard::{Activation, How, Places, Watch, Watched};
use tarsus_protocol::capability::TrustTier;

/// An absolute path on every system, in the way of the system.
fn absolute(path: &str) -> PathBuf {
    let root = if cfg!(windows) { "C:\\" } else { "/" };
    path.split('/').fold(PathBuf::from(root), |whole, part| whole.join(part))
}

fn watch() -> Watch {
    let (workspace, home) = (absolute("h/p/space"), absolute("h/p"));
    let places = Places { workspace: &workspace, home: Some(&home) };
    let watched = |name: &str, folder: &str, command: Option<&str>| Watched {
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
    Watch::new(skills, places)
}

fn found(look: impl FnOnce(&Watch, &mut Activation)) -> Vec<(String, How)> {
    let mut active = Activation::default();
    look(&watch(), &mut active);
    assert!(!active.has_unknown());
    let says = active.skills().flat_map(|(skill, say)| say.how.iter().map(|how| (skill.name.clone(), *how)));
    says.collect()
}

#[test]
fn a_message_names_skills_by_command_by_slash_skill_and_by_dollar() {
    let table: [(&str, &[(&str, How)]); 22] = [
        ("/weather in Rome", &[("weather", How::Command)]),
        ("  /WPRO", &[("weather-pro", How::Command)]),
        ("/skill notes and more", &[("notes", How::Named)]),
        ("/skill weather-pro", &[("weather-pro", How::Named)]),
        ("use $weather, please", &[("weather", How::Named)]),
        ("use $Weather.", &[("weather", How::Named)]),
        ("use $weather-pro", &[("weather-pro", How::Named)]),
        ("$日本 $notes", &[("notes", How::Named), ("日本", How::Named)]),
        ("/weather@our_bot in Rome", &[("weather", How::Command)]),
        ("/weather: Rome", &[("weather", How::Command)]),
        ("/skill my notes, please", &[("my notes", How::Named)]),
        ("/skill@our_bot My Notes", &[("my notes", How::Named)]),
        ("/skill:notes", &[("notes", How::Named)]),
        ("look into $my notes and $a:b", &[("a:b", How::Named), ("my notes", How::Named)]),
        // Names that differ in case alone are told apart by nobody.
        ("/foo", &[("Foo", How::Command), ("foo", How::Command)]),
        ("$FOO", &[("Foo", How::Named), ("foo", How::Named)]),
        ("/skill my notesbook", &[]),
        ("the weather is /weather", &[]),
        ("/weathers", &[]),
        ("$weatherman costs 5$", &[]),
        ("/skill", &[]),
        ("", &[]),
    ];
    for (text, expected) in table {
        let expected: Vec<_> = expected.iter().map(|(name, how)| ((*name).to_owned(), *how)).collect();
        assert_eq!(found(|watch, active| watch.message(text, active)), expected, "{text}");
    }
}

/// The skills that a text touches when it comes out of a tool, and when it goes into one.
fn touched(text: &str) -> (Vec<String>, Vec<String>) {
    let names = |found: Vec<(String, How)>| -> Vec<String> {
        assert!(found.iter().all(|(_, how)| *how == How::Touched));
        found.into_iter().map(|(name, _)| name).collect()
    };
    let out = names(found(|watch, active| watch.text(text, active)));
    let arguments = json!({"list": [1, null, {"deep": text}]});
    let into = names(found(|watch, active| watch.arguments(&arguments, active)));
    let keys = json!({ text: true });
    assert_eq!(names(found(|watch, active| watch.arguments(&keys, active))), into, "{text}");
    (out, into)
}

#[test]
fn a_text_touches_the_folders_that_it_spells_out_in_any_way() {
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
fn a_command_that_names_the_folder_around_skills_or_a_pattern_in_it_touches_all_of_them() {
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
fn a_file_that_is_read_belongs_to_the_skill_around_it() {
    let read = |path: &Path| found(|watch, active| watch.read(path, active));
    assert_eq!(read(&absolute("h/p/space/skills/notes/a/b.md")), [("notes".to_owned(), How::Read)]);
    assert_eq!(read(&absolute("h/p/space/skills/notes2/b.md")), []);
    assert_eq!(read(&absolute("h/p/space")), []);
}

#[test]
fn a_dispatched_command_gives_its_skill_a_say() {
    let dispatched = found(|watch, active| watch.named("weather", How::Dispatched, active));
    assert_eq!(dispatched, [("weather".to_owned(), How::Dispatched)]);
    assert_eq!(found(|watch, active| watch.named("nobody", How::Dispatched, active)), []);
}

/// A text that says the same again and again, or almost the same, takes no longer for it: it would not end.
#[test]
fn long_texts_and_many_skills_are_looked_through_once() {
    let home = absolute("h/p");
    let watched = |number: usize| Watched {
        skill: id(&format!("s{number}")),
        tier: TrustTier::Local,
        folder: absolute(&format!("h/p/.openclaw/skills/s{number}")),
        command: None,
    };
    let watch = Watch::new((0..200).map(watched).collect(), Places { workspace: &home, home: Some(&home) });
    for (text, found) in [("skills.", 0), (".openclaw/skills ", 200), ("skills/s1 ", 1), ("/skills/", 0)] {
        let mut active = Activation::default();
        watch.arguments(&json!(text.repeat(10_000)), &mut active);
        assert_eq!(active.skills().count(), found, "{text}");
    }
}

#[test]
fn without_skills_nothing_is_found() {
    let workspace = absolute("w");
    let watch = Watch::new(Vec::new(), Places { workspace: &workspace, home: None });
    let mut active = Activation::default();
    watch.message("/skill x $y", &mut active);
    watch.text("anything", &mut active);
    assert!(active.is_empty());
}
