//! The questions of Add, Edit and Policy: what each asks for, and which answers it takes.

use tarsus_apps::AppMode;
use tarsus_apps::conversation::{Confirmation, EntryField, Language, Notice, Screen, TypedPath};

use super::fixture::{Fixture, LAST_Z};
use super::rules::entry;

#[test]
fn every_edit_choice_asks_its_questions() {
    use EntryField::{Agents, LaunchPath, ProcessName, RuntimeExe};
    let table: &[(&str, &str, &[EntryField])] = &[
        ("edit", "1", &[LaunchPath]),
        ("edit", "2", &[RuntimeExe]),
        ("edit", "3", &[ProcessName]),
        ("edit", "4", &[EntryField::Mode, Agents]),
        ("edit", "5", &[Agents]),
        ("edit", "6", &[LaunchPath, RuntimeExe, ProcessName, EntryField::Mode, Agents]),
        ("policy", "1", &[]),
        ("policy", "2", &[Agents]),
        ("policy", "3", &[]),
        ("policy", "4", &[Agents]),
    ];
    for (command, choice, expected) in table {
        let mut fixture = Fixture::with(LAST_Z);
        fixture.open();
        fixture.say(command);
        fixture.say("1");
        let mut questions = Vec::new();
        let mut transition = fixture.say(choice);
        // What is stored is kept, and an allowlist has its agents asked for.
        while let Some(Screen::Question { field, .. }) = transition.reply.screen {
            questions.push(field);
            transition = fixture.say("");
        }
        assert_eq!(questions, *expected, "{command} {choice}");
    }
}

#[test]
fn editing_agents_in_another_mode_offers_to_switch() {
    for (command, choice) in [("edit", "5"), ("policy", "4")] {
        for mode in [AppMode::Full, AppMode::Off] {
            let mut fixture = Fixture::with(&entry(&format!(r#""mode": "{mode}", "allowed_agents": []"#)));
            fixture.open();
            let chosen = [command, "1"].map(|line| fixture.say(line).reply.screen)[1].clone();
            let offer =
                Some(Screen::Confirm(Confirmation::Switch { name: "A".to_owned(), mode: Some(mode) }));
            assert_eq!(fixture.say(choice).reply.screen, offer, "{command} {mode}");
            assert_eq!(fixture.say("no").reply.screen, chosen, "{command} {mode}");
            for line in [choice, "yes", "b"] {
                fixture.say(line);
            }
            assert_eq!(fixture.effects, []);
            fixture.say("yes");
            let app = fixture.registry.load().unwrap().app("A").unwrap().clone();
            assert_eq!((app.mode, app.allowed_agents), (Some(AppMode::Allowlist), vec!["b".to_owned()]));
        }
    }
}

#[test]
fn allowlist_needs_an_agent() {
    let ways: &[&[&str]] =
        &[&["add", "B", "/b", "", "", "allowlist"], &["edit", "1", "4", "allowlist"], &["policy", "1", "2"]];
    for way in ways {
        for no_agents in ["", " , ，", "keep"] {
            let mut fixture = Fixture::with(&entry(r#""mode": "full", "allowed_agents": []"#));
            fixture.open();
            for line in *way {
                fixture.say(line);
            }
            let reply = fixture.say(no_agents).reply;
            assert_eq!(reply.notices, [Notice::AgentsNeeded], "{way:?} {no_agents:?}");
            assert!(
                matches!(reply.screen, Some(Screen::Question { field: EntryField::Agents, .. })),
                "{way:?}"
            );
        }
    }
}

#[test]
fn impossible_agent_id_is_warned_about() {
    let mut fixture = Fixture::with(LAST_Z);
    fixture.open();
    for line in ["policy", "1", "4"] {
        fixture.say(line);
    }
    let page = fixture.say("main, Main, two words").reply.page().to_string();
    assert!(page.contains("- allowed_agents: main, Main, two words\n"), "{page}");
    assert!(page.contains("Warning: no agent can have the id Main, two words."), "{page}");
    fixture.say("back");
    fixture.say("4");
    let page = fixture.say("main").reply.page().to_string();
    assert!(!page.contains("Warning"), "{page}");
}

#[test]
fn missing_path_is_warned_about() {
    let typed_path = Some(TypedPath { exists: false, shortcut_target: None });
    for (path, locale, expected) in [
        (
            "/no/z",
            Language::English,
            "Warning: /no/z does not exist on this machine. It is kept as you wrote it.",
        ),
        (
            "~/z",
            Language::English,
            "Warning: ~/z is not a full path, so nothing can be launched there. It is kept as you wrote it.",
        ),
        ("./z", Language::Chinese, "警告: ./z 不是完整路径，因此无法启动。将按你输入的内容保留。"),
    ] {
        let mut fixture = Fixture { typed_path: typed_path.clone(), locale, ..Fixture::with("{}") };
        fixture.open();
        for line in ["add", "Z"] {
            fixture.say(line);
        }
        assert_eq!(fixture.say(path).reply.page().notices, [expected], "{path}");
    }
}

#[test]
fn a_name_that_no_app_may_have_is_asked_for_again() {
    let long = "x".repeat(201);
    let table = [
        ("", Notice::Required),
        ("\" \"", Notice::Required),
        (long.as_str(), Notice::TooLong { limit: 200 }),
        ("a\u{1b}[31m", Notice::OneLine),
    ];
    for (name, expected) in table {
        let mut fixture = Fixture::with("{}");
        fixture.open();
        fixture.say("add");
        let reply = fixture.say(name).reply;
        assert_eq!(reply.notices, [expected], "{name:?}");
        assert!(matches!(reply.screen, Some(Screen::Question { field: EntryField::Name, .. })), "{name:?}");
    }
}
