//! The questions of Add, Edit and Policy: what each asks for, and which answers it takes.

use tarsus_apps::Mode;
use tarsus_apps::conversation::{Field, Language, Said, Screen, TypedPath, YesNo};

use super::desk::{Desk, LAST_Z};
use super::rules::entry;

#[test]
fn every_choice_of_edit_and_policy_asks_for_what_it_says() {
    use Field::{Agents, LaunchPath, ProcessName, RuntimeExe};
    let table: &[(&str, &str, &[Field])] = &[
        ("edit", "1", &[LaunchPath]),
        ("edit", "2", &[RuntimeExe]),
        ("edit", "3", &[ProcessName]),
        ("edit", "4", &[Field::Mode, Agents]),
        ("edit", "5", &[Agents]),
        ("edit", "6", &[LaunchPath, RuntimeExe, ProcessName, Field::Mode, Agents]),
        ("policy", "1", &[]),
        ("policy", "2", &[Agents]),
        ("policy", "3", &[]),
        ("policy", "4", &[Agents]),
    ];
    for (command, choice, expected) in table {
        let mut desk = Desk::with(LAST_Z);
        desk.open();
        desk.say(command);
        desk.say("1");
        let mut asked = Vec::new();
        let mut stepped = desk.say(choice);
        // What is stored is kept, and an allowlist has its agents asked for.
        while let Some(Screen::Question { field, .. }) = stepped.reply.screen {
            asked.push(field);
            stepped = desk.say("");
        }
        assert_eq!(asked, *expected, "{command} {choice}");
    }
}

#[test]
fn the_agents_alone_offer_to_switch_in_another_mode_than_allowlist() {
    for (command, choice) in [("edit", "5"), ("policy", "4")] {
        for mode in [Mode::Full, Mode::Off] {
            let mut desk = Desk::with(&entry(&format!(r#""mode": "{mode}", "allowed_agents": []"#)));
            desk.open();
            let chosen = [command, "1"].map(|line| desk.say(line).reply.screen)[1].clone();
            let offer = Some(Screen::YesNo(YesNo::Switch { name: "A".to_owned(), mode: Some(mode) }));
            assert_eq!(desk.say(choice).reply.screen, offer, "{command} {mode}");
            assert_eq!(desk.say("no").reply.screen, chosen, "{command} {mode}");
            for line in [choice, "yes", "b"] {
                desk.say(line);
            }
            assert_eq!(desk.effects, []);
            desk.say("yes");
            let fields = desk.registry.load().unwrap().app("A").unwrap().fields.clone();
            assert_eq!((fields.mode, fields.allowed_agents), (Some(Mode::Allowlist), vec!["b".to_owned()]));
        }
    }
}

#[test]
fn an_allowlist_needs_an_agent_wherever_it_is_chosen() {
    let ways: &[&[&str]] =
        &[&["add", "B", "/b", "", "", "allowlist"], &["edit", "1", "4", "allowlist"], &["policy", "1", "2"]];
    for way in ways {
        for nobody in ["", " , ，", "keep"] {
            let mut desk = Desk::with(&entry(r#""mode": "full", "allowed_agents": []"#));
            desk.open();
            for line in *way {
                desk.say(line);
            }
            let reply = desk.say(nobody).reply;
            assert_eq!(reply.said, [Said::AgentsNeeded], "{way:?} {nobody:?}");
            assert!(matches!(reply.screen, Some(Screen::Question { field: Field::Agents, .. })), "{way:?}");
        }
    }
}

#[test]
fn an_id_that_no_agent_can_have_is_warned_about_before_the_yes() {
    let mut desk = Desk::with(LAST_Z);
    desk.open();
    for line in ["policy", "1", "4"] {
        desk.say(line);
    }
    let page = desk.say("main, Main, two words").reply.page().to_string();
    assert!(page.contains("- allowed_agents: main, Main, two words\n"), "{page}");
    assert!(page.contains("Warning: no agent can have the id Main, two words."), "{page}");
    desk.say("back");
    desk.say("4");
    let page = desk.say("main").reply.page().to_string();
    assert!(!page.contains("Warning"), "{page}");
}

#[test]
fn a_path_that_leads_nowhere_is_warned_about_in_words_that_fit() {
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
            "Warning: ~/z is not a full path, so nothing will be found there. It is kept as you wrote it.",
        ),
        (
            "./z",
            Language::Chinese,
            "警告：./z 不是完整路径，因此在那里找不到任何内容。将按您输入的内容保留。",
        ),
    ] {
        let mut desk = Desk { typed_path: typed_path.clone(), locale, ..Desk::with("{}") };
        desk.open();
        for line in ["add", "Z"] {
            desk.say(line);
        }
        assert_eq!(desk.say(path).reply.page().notices, [expected], "{path}");
    }
}

#[test]
fn a_name_that_no_app_may_have_is_asked_for_again() {
    let long = "x".repeat(201);
    let table = [
        ("", Said::Required),
        ("\" \"", Said::Required),
        (long.as_str(), Said::TooLong { limit: 200 }),
        ("a\u{1b}[31m", Said::OneLine),
    ];
    for (name, expected) in table {
        let mut desk = Desk::with("{}");
        desk.open();
        desk.say("add");
        let reply = desk.say(name).reply;
        assert_eq!(reply.said, [expected], "{name:?}");
        assert!(matches!(reply.screen, Some(Screen::Question { field: Field::Name, .. })), "{name:?}");
    }
}
