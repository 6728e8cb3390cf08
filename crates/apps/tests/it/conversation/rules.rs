//! What changes the registry, and what keeps it from changing.

use std::collections::BTreeSet;

use tarsus_apps::conversation::{Conversation, Effect, Event, LIST_LIMIT, Language, Outcome, Said, Screen};
use tarsus_apps::run;
use tarsus_protocol::message::{Menu, MenuChoice};
use tarsus_protocol::{ErrorCode, Problem};

use super::desk::{Desk, LAST_Z, MIXED};

pub fn entry(policy: &str) -> String {
    format!(r#"{{"A": {{"launch_path": "/a", "process_name": "a", {policy}}}}}"#)
}

#[test]
fn an_added_app_is_written_with_what_was_answered_and_nothing_else() {
    let mut desk = Desk::new();
    desk.open();
    for line in ["add", "yes", "微信", "/opt/微信", "skip", "", "full", "yes"] {
        desk.say(line);
    }
    let expected = "{\n  \"微信\": {\n    \"launch_path\": \"/opt/微信\",\n    \"mode\": \"full\",\n    \"allowed_agents\": []\n  }\n}\n";
    assert_eq!(desk.file(), expected);
}

#[test]
fn switching_to_full_or_off_clears_the_agents() {
    for (choice, mode) in [("1", "full"), ("3", "off")] {
        let mut desk = Desk::with(LAST_Z);
        desk.open();
        for line in ["policy", "1", choice, "yes"] {
            desk.say(line);
        }
        let app = desk.registry.load().unwrap().app("Last Z").unwrap().fields.clone();
        assert_eq!((app.mode.unwrap().as_str(), app.allowed_agents), (mode, Vec::new()));
    }
}

#[test]
fn anything_but_a_yes_saves_nothing() {
    for answer in ["no", "n", "maybe", "", "1", "save", "back", "quit", "yes please do it", "取消", "好吧"]
    {
        for way in [&["policy", "1", "3"] as &[&str], &["delete", "1"], &["edit", "1", "1", "/x"]] {
            let mut desk = Desk::with(LAST_Z);
            desk.open();
            for line in way {
                desk.say(line);
            }
            desk.say(answer);
            assert_eq!(
                (desk.file().as_str(), desk.effects.as_slice()),
                (LAST_Z, &[] as &[Effect]),
                "{answer}"
            );
        }
    }
}

#[test]
fn what_changed_before_the_yes_is_shown_and_asked_again() {
    let mut desk = Desk::with(&entry(r#""mode": "full", "allowed_agents": []"#));
    desk.open();
    for line in ["edit", "1", "1", "/new"] {
        desk.say(line);
    }
    desk.write(&entry(r#""mode": "off", "allowed_agents": [], "note": 2.50"#));
    let stepped = desk.say("yes");
    assert_eq!(stepped.reply.said, [Said::ChangedMeanwhile]);
    let Some(Screen::Proposal { after: Some(after), .. }) = stepped.reply.screen else {
        panic!("a proposal")
    };
    assert_eq!(
        (after.fields.launch_path.as_deref(), after.fields.mode.unwrap().as_str()),
        (Some("/new"), "off")
    );
    desk.say("yes");
    let file = desk.file();
    // The answer is in, and what the other hand wrote is still there.
    assert!(file.contains("\"/new\"") && file.contains("\"off\"") && file.contains("2.50"), "{file}");
}

#[test]
fn what_changed_between_the_yes_and_the_save_is_shown_and_asked_again() {
    let mut desk = Desk::with(&entry(r#""mode": "full", "allowed_agents": []"#));
    desk.interloper = Some(entry(r#""mode": "allowlist", "allowed_agents": ["x"]"#));
    desk.open();
    for line in ["delete", "1"] {
        desk.say(line);
    }
    let stepped = desk.say("yes");
    assert_eq!(stepped.reply.said, [Said::ChangedMeanwhile]);
    assert!(matches!(stepped.reply.screen, Some(Screen::Proposal { .. })));
    assert!(desk.file().contains("\"x\""));
    desk.say("yes");
    assert_eq!(desk.file().trim(), "{}");
}

#[test]
fn an_app_that_goes_or_comes_meanwhile_stops_the_change() {
    let mut desk = Desk::with(LAST_Z);
    desk.open();
    for line in ["edit", "1", "1", "/new"] {
        desk.say(line);
    }
    desk.write("{}");
    let stepped = desk.say("yes");
    assert_eq!(stepped.reply.said, [Said::ChangedMeanwhile, Said::Gone { name: "Last Z".to_owned() }]);

    let mut desk = Desk::with("{}");
    desk.open();
    for line in ["add", "last z", "/new", "", "", "full"] {
        desk.say(line);
    }
    desk.write(LAST_Z);
    desk.say("yes");
    assert_eq!(desk.file(), LAST_Z);
}

#[test]
fn a_number_means_the_name_that_was_shown_whatever_changed_meanwhile() {
    let mut desk = Desk::with(MIXED);
    desk.open();
    desk.write(LAST_Z);
    let stepped = desk.say("2");
    assert_eq!(stepped.reply.said, [Said::Gone { name: "Firefox".to_owned() }]);
    assert_eq!(desk.effects, []);
}

#[test]
fn a_file_broken_in_the_middle_of_a_change_is_left_alone() {
    let mut desk = Desk::with(LAST_Z);
    desk.open();
    for line in ["delete", "1"] {
        desk.say(line);
    }
    desk.write("{ broken");
    desk.say("yes");
    assert_eq!((desk.file().as_str(), desk.effects.as_slice()), ("{ broken", &[] as &[Effect]));
    assert!(desk.transcript.contains("Status: cannot be read"));
}

#[test]
fn a_failed_effect_is_told_and_the_start_screen_follows() {
    let mut desk = Desk::with(LAST_Z);
    desk.open();
    for line in ["delete", "1"] {
        desk.say(line);
    }
    desk.step(Event::Line("yes"));
    let problem = Problem::new(ErrorCode::DiskFull, "no space is left");
    let stepped = desk.step(Event::Done(Outcome::Failed(problem.clone())));
    assert_eq!(stepped.reply.said, [Said::Failed(problem)]);
    assert!(matches!(stepped.reply.screen, Some(Screen::Start { .. })));
}

#[test]
fn a_restart_during_an_effect_is_told_and_repeats_nothing() {
    let mut desk = Desk::with(LAST_Z);
    desk.agent = "system_engineer";
    desk.open();
    let stepped = desk.step(Event::Line("1"));
    assert!(matches!(stepped.effect, Effect::Launch { .. }));
    desk.conversation = through_json(&desk.conversation);
    let stepped = desk.step(Event::Line("1"));
    assert_eq!((stepped.reply.said, stepped.effect), (vec![Said::OutcomeUnknown], Effect::Nothing));
}

#[test]
fn an_agent_may_not_stop_what_is_off_and_a_person_only_after_a_yes() {
    let mut desk = Desk { person: false, ..Desk::with(MIXED) };
    let stepped = desk.say("stop steam");
    assert!(matches!(stepped.effect, Effect::Refused { .. }));
    let mut desk = Desk::with(MIXED);
    desk.say("stop steam");
    assert_eq!(desk.effects, []);
    desk.say("no");
    assert_eq!(desk.effects, []);
    desk.say("stop steam");
    desk.say("yes");
    assert!(matches!(desk.effects.as_slice(), [Effect::Stop { .. }]));
}

#[test]
fn the_end_of_input_and_quit_end_it_from_anywhere() {
    for lines in [
        &[] as &[&str],
        &["add"],
        &["add", "New"],
        &["edit", "1"],
        &["policy", "1", "3"],
        &["delete", "1"],
        &["stop steam"],
    ] {
        for quit in [Event::Ended, Event::Line("quit"), Event::Line("退出")] {
            let mut desk = Desk::with(MIXED);
            desk.open();
            for line in lines {
                desk.say(line);
            }
            let stepped = desk.step(quit);
            assert_eq!((stepped.reply.said, stepped.reply.screen), (vec![Said::Goodbye], None), "{lines:?}");
            assert!(!desk.conversation.is_open());
        }
    }
}

#[test]
fn back_leads_to_the_step_before() {
    let mut desk = Desk::with(LAST_Z);
    desk.open();
    let edit = ["edit", "1", "4", "allowlist"];
    for line in edit {
        desk.say(line);
    }
    let kinds: Vec<&str> = std::iter::repeat_with(|| match desk.say("back").reply.screen {
        Some(Screen::Question { .. }) => "question",
        Some(Screen::Edit(_)) => "edit",
        Some(Screen::Pick { .. }) => "pick",
        Some(Screen::Start { .. }) => "start",
        _ => "other",
    })
    .take(4)
    .collect();
    assert_eq!(kinds, ["question", "edit", "pick", "start"]);
}

#[test]
fn every_choice_that_a_screen_offers_is_taken() {
    let ways: &[&[&str]] = &[
        &[],
        &["edit"],
        &["edit", "1"],
        &["edit", "1", "2"],
        &["edit", "1", "4"],
        &["policy"],
        &["policy", "1"],
        &["policy", "2", "4"],
        &["delete", "3"],
        &["add"],
        &["add", "New", "/new"],
        &["add", "New", "/new", ""],
        &["add", "New", "/new", "", ""],
        &["open weixin"],
    ];
    for way in ways {
        let arrive = || {
            let mut desk = Desk::with(MIXED);
            let mut stepped = desk.open();
            for line in *way {
                stepped = desk.say(line);
            }
            (desk, stepped.reply.page().choices)
        };
        let (_, choices) = arrive();
        assert!(!choices.is_empty(), "{way:?}");
        for choice in choices {
            let (mut desk, _) = arrive();
            let said = desk.say(&choice.reply).reply.said;
            let understood = !said.iter().any(|said| {
                matches!(
                    said,
                    Said::NotAChoice { .. }
                        | Said::NoSuchNumber { .. }
                        | Said::AnswerYesOrNo
                        | Said::Required
                )
            });
            assert!(understood, "{way:?} {choice:?} {said:?}");
        }
    }
}

#[test]
fn a_long_registry_is_cut_on_the_screen_and_reached_by_name() {
    let entries: Vec<String> = (1..=LIST_LIMIT + 50)
        .map(|number| {
            format!(r#""App {number}x": {{"launch_path": "/a", "mode": "full", "allowed_agents": []}}"#)
        })
        .collect();
    let mut desk = Desk::with(&format!("{{{}}}", entries.join(",")));
    desk.open();
    assert!(
        desk.transcript.contains("200. App 200x\n… and 50 more; type `open` and the name to launch one\n")
    );
    desk.say("201");
    assert_eq!(desk.effects, []);
    desk.say("open app 201x");
    assert!(matches!(desk.effects.as_slice(), [Effect::Launch { name, .. }] if name == "App 201x"));
    let stepped = desk.say("edit");
    assert!(matches!(stepped.reply.screen, Some(Screen::Pick { more: 50, .. })));
    let stepped = desk.say("app 250X");
    assert!(matches!(stepped.reply.screen, Some(Screen::Edit(app)) if app.name == "App 250x"));
}

#[test]
fn names_and_values_from_the_file_cannot_break_the_screen() {
    let mut desk = Desk::with(
        r#"{"a\u001b[31m\nCommands\n- evil\u202e": {"launch_path": "/a\r\nb", "mode": "full", "allowed_agents": []}}"#,
    );
    let page = desk.open().reply.page().to_string();
    assert!(page.contains("1. a\u{fffd}[31m\u{fffd}Commands\u{fffd}- evil\u{fffd}\n"), "{page}");
    desk.say("show 1");
    assert!(desk.transcript.contains("- launch_path: /a\u{fffd}\u{fffd}b\n"), "{}", desk.transcript);
}

pub fn through_json(conversation: &Conversation) -> Conversation {
    serde_json::from_str(&serde_json::to_string(conversation).unwrap()).unwrap()
}

#[test]
fn in_chinese_a_failure_says_what_happened_and_keeps_the_exact_error() {
    let mut desk = Desk { locale: Language::Chinese, ..Desk::with(MIXED) };
    desk.open();
    desk.step(Event::Line("2"));
    let missing = run::LaunchError::Missing { path: "/f".into() };
    let launched =
        run::Launched { launcher: Vec::new(), retry_of: None, outcome: run::Outcome::Failed(missing) };
    let outcome = Outcome::Launched { name: "Firefox", launched: &launched };
    assert_eq!(
        desk.step(Event::Done(outcome)).reply.page().notices,
        ["无法启动“Firefox”：找不到所需的内容（\"/f\" cannot be launched: there is no such file）"]
    );
    let problem = Problem::new(ErrorCode::DiskFull, "cannot write it").note("No space left on device");
    assert_eq!(
        desk.step(Event::Done(Outcome::Failed(problem))).reply.page().notices,
        [
            "失败：磁盘空间不足",
            "  详情：cannot write it; No space left on device",
            "  下一步：未做任何更改；请释放空间后重试",
        ]
    );
}

/// Everything that a menu draws, in any order.
fn drawn(menu: &Menu) -> BTreeSet<String> {
    let mut lines = BTreeSet::from([menu.title.clone()]);
    lines.extend(menu.notices.iter().chain(&menu.lines).chain(&menu.hints).cloned());
    for MenuChoice { label, reply, badge, group } in &menu.choices {
        let badge = badge.as_ref().map(|badge| format!(" ({badge})")).unwrap_or_default();
        let is_number = reply.parse::<usize>().is_ok();
        lines.insert(if is_number { format!("{reply}. {label}{badge}") } else { format!("- {label}") });
        lines.extend(group.clone());
    }
    lines.remove("");
    lines
}

#[test]
fn a_menu_shows_what_the_text_shows() {
    let ways: &[&[&str]] = &[
        &[],
        &["edit"],
        &["edit", "1"],
        &["edit", "1", "2"],
        &["policy", "1"],
        &["policy", "1", "3"],
        &["add"],
        &["delete", "1"],
        &["no such thing"],
        &["应用程序管理器", "policy"],
    ];
    for way in ways {
        let mut desk = Desk::with(MIXED);
        let mut stepped = desk.open();
        for line in *way {
            stepped = desk.say(line);
        }
        let page = stepped.reply.page();
        let menu = page.menu().unwrap_or_else(|| panic!("{way:?} shows no screen: {page}"));
        let text = page.to_string();
        let printed: BTreeSet<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        let drawn = drawn(&menu);
        // Words that a sentence names have no line of their own.
        let missing: Vec<&&str> = printed.iter().filter(|line| !drawn.contains(**line)).collect();
        let extra = drawn.iter().filter(|line| !printed.contains(line.as_str()) && !line.starts_with("- "));
        assert!(missing.is_empty(), "{way:?} {missing:?} {menu:#?}");
        assert_eq!(extra.collect::<Vec<_>>(), Vec::<&String>::new(), "{way:?}");
    }
}

#[test]
fn a_reply_without_a_screen_has_no_menu() {
    let mut desk = Desk::with(MIXED);
    desk.open();
    assert_eq!(desk.say("quit").reply.page().menu(), None);
}
