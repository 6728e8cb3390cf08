//! Rules for changing the registry and for navigating the menu.

use std::collections::BTreeSet;
use std::sync::Arc;

use tarsus_apps::conversation::{
    Conversation, ConversationEvent, Effect, EffectResult, LIST_LIMIT, Language, Notice, Screen,
};
use tarsus_apps::run::{LaunchError, LaunchOutcome, Launched};
use tarsus_protocol::message::{Menu, MenuChoice};
use tarsus_protocol::{ErrorCode, Problem};

use super::fixture::{Fixture, LAST_Z, MIXED};

pub fn entry(policy: &str) -> String {
    format!(r#"{{"A": {{"launch_path": "/a", "process_name": "a", {policy}}}}}"#)
}

#[test]
fn added_app_has_only_the_given_values() {
    let mut fixture = Fixture::new();
    fixture.open();
    for line in ["add", "yes", "微信", "/opt/微信", "skip", "", "full", "yes"] {
        fixture.say(line);
    }
    let expected = "{\n  \"微信\": {\n    \"launch_path\": \"/opt/微信\",\n    \"mode\": \"full\",\n    \"allowed_agents\": []\n  }\n}\n";
    assert_eq!(fixture.file(), expected);
}

#[test]
fn switching_to_full_or_off_clears_the_agents() {
    for (choice, mode) in [("1", "full"), ("3", "off")] {
        let mut fixture = Fixture::with(LAST_Z);
        fixture.open();
        for line in ["policy", "1", choice, "yes"] {
            fixture.say(line);
        }
        let app = fixture.registry.load().unwrap().app("Last Z").unwrap().clone();
        assert_eq!((app.mode.unwrap().as_str(), app.allowed_agents), (mode, Vec::new()));
    }
}

#[test]
fn only_a_yes_saves() {
    for answer in ["no", "n", "maybe", "", "1", "save", "back", "quit", "yes please do it", "取消", "好吧"]
    {
        for way in [&["policy", "1", "3"] as &[&str], &["delete", "1"], &["edit", "1", "1", "/x"]] {
            let mut fixture = Fixture::with(LAST_Z);
            fixture.open();
            for line in way {
                fixture.say(line);
            }
            fixture.say(answer);
            assert_eq!(
                (fixture.file().as_str(), fixture.effects.as_slice()),
                (LAST_Z, &[] as &[Effect]),
                "{answer}"
            );
        }
    }
}

#[test]
fn change_before_the_confirmation_is_shown_and_asked_again() {
    let mut fixture = Fixture::with(&entry(r#""mode": "full", "allowed_agents": []"#));
    fixture.open();
    for line in ["edit", "1", "1", "/new"] {
        fixture.say(line);
    }
    fixture.write(&entry(r#""mode": "off", "allowed_agents": [], "note": 2.50"#));
    let transition = fixture.say("yes");
    assert_eq!(transition.reply.notices, [Notice::ChangedMeanwhile]);
    let Some(Screen::Proposal { after: Some(after), .. }) = transition.reply.screen else {
        panic!("a proposal")
    };
    assert_eq!((after.launch_path.as_deref(), after.mode.unwrap().as_str()), (Some("/new"), "off"));
    fixture.say("yes");
    let file = fixture.file();
    // The answer is in, and what the other hand wrote is still there.
    assert!(file.contains("\"/new\"") && file.contains("\"off\"") && file.contains("2.50"), "{file}");
}

#[test]
fn change_before_the_save_is_shown_and_asked_again() {
    let mut fixture = Fixture::with(&entry(r#""mode": "full", "allowed_agents": []"#));
    fixture.concurrent_write = Some(entry(r#""mode": "allowlist", "allowed_agents": ["x"]"#));
    fixture.open();
    for line in ["delete", "1"] {
        fixture.say(line);
    }
    let transition = fixture.say("yes");
    assert_eq!(transition.reply.notices, [Notice::ChangedMeanwhile]);
    assert!(matches!(transition.reply.screen, Some(Screen::Proposal { .. })));
    assert!(fixture.file().contains("\"x\""));
    fixture.say("yes");
    assert_eq!(fixture.file().trim(), "{}");
}

#[test]
fn app_that_appears_or_disappears_stops_the_change() {
    let mut fixture = Fixture::with(LAST_Z);
    fixture.open();
    for line in ["edit", "1", "1", "/new"] {
        fixture.say(line);
    }
    fixture.write("{}");
    let transition = fixture.say("yes");
    assert_eq!(
        transition.reply.notices,
        [Notice::ChangedMeanwhile, Notice::Gone { name: "Last Z".to_owned() }]
    );

    let mut fixture = Fixture::with("{}");
    fixture.open();
    for line in ["add", "last z", "/new", "", "", "full"] {
        fixture.say(line);
    }
    fixture.write(LAST_Z);
    fixture.say("yes");
    assert_eq!(fixture.file(), LAST_Z);
}

#[test]
fn number_means_the_name_that_was_shown() {
    let mut fixture = Fixture::with(MIXED);
    fixture.open();
    fixture.write(LAST_Z);
    let transition = fixture.say("2");
    assert_eq!(transition.reply.notices, [Notice::Gone { name: "Firefox".to_owned() }]);
    assert_eq!(fixture.effects, []);
}

#[test]
fn file_broken_during_a_change_is_left_alone() {
    let mut fixture = Fixture::with(LAST_Z);
    fixture.open();
    for line in ["delete", "1"] {
        fixture.say(line);
    }
    fixture.write("{ broken");
    fixture.say("yes");
    assert_eq!((fixture.file().as_str(), fixture.effects.as_slice()), ("{ broken", &[] as &[Effect]));
    assert!(fixture.transcript.contains("Status: cannot be read"));
}

#[test]
fn failed_effect_is_reported_before_the_start_screen() {
    let mut fixture = Fixture::with(LAST_Z);
    fixture.open();
    for line in ["delete", "1"] {
        fixture.say(line);
    }
    fixture.step(ConversationEvent::Line("yes"));
    let problem = Problem::new(ErrorCode::DiskFull, "no space is left");
    let transition = fixture.step(ConversationEvent::Done(EffectResult::Failed(problem.clone())));
    assert_eq!(transition.reply.notices, [Notice::Failed(problem)]);
    assert!(matches!(transition.reply.screen, Some(Screen::Start { .. })));
}

#[test]
fn restart_during_an_effect_is_reported_and_not_repeated() {
    let mut fixture = Fixture::with(LAST_Z);
    fixture.agent = "system_engineer";
    fixture.open();
    let transition = fixture.step(ConversationEvent::Line("1"));
    assert!(matches!(transition.effect, Effect::Launch(_)));
    fixture.conversation = through_json(&fixture.conversation);
    let transition = fixture.step(ConversationEvent::Line("1"));
    assert_eq!(
        (transition.reply.notices, transition.effect),
        (vec![Notice::OutcomeUnknown], Effect::Nothing)
    );
}

#[test]
fn app_that_is_off_is_stopped_only_by_a_confirming_person() {
    let mut fixture = Fixture { person: false, ..Fixture::with(MIXED) };
    let transition = fixture.say("stop steam");
    assert!(matches!(transition.effect, Effect::Refused { .. }));
    let mut fixture = Fixture::with(MIXED);
    fixture.say("stop steam");
    assert_eq!(fixture.effects, []);
    fixture.say("no");
    assert_eq!(fixture.effects, []);
    fixture.say("stop steam");
    fixture.say("yes");
    assert!(matches!(fixture.effects.as_slice(), [Effect::Stop(_)]));
}

#[test]
fn quit_and_end_of_input_work_everywhere() {
    for lines in [
        &[] as &[&str],
        &["add"],
        &["add", "New"],
        &["edit", "1"],
        &["policy", "1", "3"],
        &["delete", "1"],
        &["stop steam"],
    ] {
        for quit in
            [ConversationEvent::Ended, ConversationEvent::Line("quit"), ConversationEvent::Line("退出")]
        {
            let mut fixture = Fixture::with(MIXED);
            fixture.open();
            for line in lines {
                fixture.say(line);
            }
            let transition = fixture.step(quit);
            assert_eq!(
                (transition.reply.notices, transition.reply.screen),
                (vec![Notice::Goodbye], None),
                "{lines:?}"
            );
            assert!(!fixture.conversation.is_open());
        }
    }
}

#[test]
fn back_leads_to_the_step_before() {
    let mut fixture = Fixture::with(LAST_Z);
    fixture.open();
    let edit = ["edit", "1", "4", "allowlist"];
    for line in edit {
        fixture.say(line);
    }
    let kinds: Vec<&str> = std::iter::repeat_with(|| match fixture.say("back").reply.screen {
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
fn every_offered_choice_is_accepted() {
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
            let mut fixture = Fixture::with(MIXED);
            let mut transition = fixture.open();
            for line in *way {
                transition = fixture.say(line);
            }
            (fixture, transition.reply.page().choices)
        };
        let (_, choices) = arrive();
        assert!(!choices.is_empty(), "{way:?}");
        for choice in choices {
            let (mut fixture, _) = arrive();
            let notices = fixture.say(&choice.reply).reply.notices;
            let understood = !notices.iter().any(|notice| {
                matches!(
                    notice,
                    Notice::NotAChoice { .. }
                        | Notice::NoSuchNumber { .. }
                        | Notice::AnswerYesOrNo
                        | Notice::Required
                )
            });
            assert!(understood, "{way:?} {choice:?} {notices:?}");
        }
    }
}

#[test]
fn long_registry_is_cut_and_reachable_by_name() {
    let entries: Vec<String> = (1..=LIST_LIMIT + 50)
        .map(|number| {
            format!(r#""App {number}x": {{"launch_path": "/a", "mode": "full", "allowed_agents": []}}"#)
        })
        .collect();
    let mut fixture = Fixture::with(&format!("{{{}}}", entries.join(",")));
    fixture.open();
    assert!(
        fixture
            .transcript
            .contains("200. App 200x\n… and 50 more; type \"open\" and the name to launch one\n")
    );
    fixture.say("201");
    assert_eq!(fixture.effects, []);
    fixture.say("open app 201x");
    assert!(matches!(fixture.effects.as_slice(), [Effect::Launch(allowed)] if allowed.app() == "App 201x"));
    let transition = fixture.say("edit");
    assert!(matches!(transition.reply.screen, Some(Screen::Pick { more: 50, .. })));
    let transition = fixture.say("app 250X");
    assert!(matches!(transition.reply.screen, Some(Screen::Edit(app)) if app.name == "App 250x"));
}

#[test]
fn values_from_the_file_cannot_break_the_screen() {
    let mut fixture = Fixture::with(
        r#"{"a\u001b[31m\nCommands\n- evil\u202e": {"launch_path": "/a\r\nb", "mode": "full", "allowed_agents": []}}"#,
    );
    let page = fixture.open().reply.page().to_string();
    assert!(page.contains("1. a\u{fffd}[31m\u{fffd}Commands\u{fffd}- evil\u{fffd}\n"), "{page}");
    fixture.say("show 1");
    assert!(fixture.transcript.contains("- launch_path: /a\u{fffd}\u{fffd}b\n"), "{}", fixture.transcript);
}

pub fn through_json(conversation: &Conversation) -> Conversation {
    serde_json::from_str(&serde_json::to_string(conversation).unwrap()).unwrap()
}

#[test]
fn chinese_failure_keeps_texts_of_the_system() {
    let mut fixture = Fixture { locale: Language::Chinese, ..Fixture::with(MIXED) };
    fixture.open();
    fixture.step(ConversationEvent::Line("2"));
    let outcome = LaunchOutcome::Failed(LaunchError::Missing { path: "/f".into() });
    let launched = Arc::new(Launched { launcher: Vec::new(), retry_of: None, outcome });
    let result = EffectResult::Launched { app: "Firefox".to_owned(), launched };
    assert_eq!(
        fixture.step(ConversationEvent::Done(result)).reply.page().notices,
        ["无法启动“Firefox”: \"/f\" 不存在"]
    );
    let problem = Problem::new(ErrorCode::DiskFull, "cannot write it").note("No space left on device");
    assert_eq!(
        fixture.step(ConversationEvent::Done(EffectResult::Failed(problem))).reply.page().notices,
        [
            "失败: 磁盘空间不足",
            "  详情: cannot write it; No space left on device",
            "  下一步: 未做任何更改；请释放空间后重试",
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
fn menu_shows_what_the_text_shows() {
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
        let mut fixture = Fixture::with(MIXED);
        let mut transition = fixture.open();
        for line in *way {
            transition = fixture.say(line);
        }
        let page = transition.reply.page();
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
fn reply_without_a_screen_has_no_menu() {
    let mut fixture = Fixture::with(MIXED);
    fixture.open();
    assert_eq!(fixture.say("quit").reply.page().menu(), None);
}

#[test]
fn valid_json_of_the_wrong_shape_is_called_that() {
    let broken = "{\n  \"a\" 1\n}";
    for (text, english, chinese) in [
        (
            "[1]",
            ["the application registry is valid JSON, but not an object", "expected `{`, found a list"],
            ["应用程序注册表是有效的 JSON，但不是对象", "此处应为 `{`，但实际是列表"],
        ),
        (
            "{\"a\": {}, \"a\": {}}",
            [
                "the application registry is valid JSON, but has a key twice",
                "the key \"a\" is already set at line 1, column 2",
            ],
            ["应用程序注册表是有效的 JSON，但有重复的键", "键 \"a\" 已在第 1 行第 2 列出现过"],
        ),
        (
            broken,
            ["the application registry is not valid JSON", "expected `:` after the key \"a\""],
            ["应用程序注册表不是有效的 JSON", "键 \"a\" 之后应为 `:`"],
        ),
        (
            "{\"a\": {},}",
            ["the application registry is not valid JSON", "JSON has no comma after the last value"],
            ["应用程序注册表不是有效的 JSON", "JSON 的最后一个值之后不能有逗号"],
        ),
    ] {
        for (locale, failed, nothing_changed, [what, why]) in [
            (Language::English, "Failed", "Nothing was changed.", english),
            (Language::Chinese, "失败", "未做任何更改。", chinese),
        ] {
            let mut fixture = Fixture { locale, ..Fixture::with(text) };
            let page = fixture.open().reply.page();
            let expected = [format!("{failed}: {what}"), format!("  {why}"), format!("  {nothing_changed}")];
            for line in &expected {
                assert!(page.lines.contains(line), "{text}: {line}\n{page}");
            }
        }
    }
}

#[test]
fn both_languages_give_the_same_reason_for_a_missing_field() {
    let apps = r#"{"A": {}, "B": {"launch_path": "", "mode": "full", "allowed_agents": []}}"#;
    let check = |locale| {
        let mut fixture = Fixture { locale, ..Fixture::with(apps) };
        fixture.open();
        fixture.say("validate").reply.page().notices
    };
    let english = check(Language::English);
    assert!(
        english.contains(
            &"- A: launch_path is missing or empty; mode is missing; allowed_agents is missing".to_owned()
        ),
        "{english:?}"
    );
    assert!(english.contains(&"- B: launch_path is missing or empty".to_owned()), "{english:?}");
    let chinese = check(Language::Chinese);
    assert!(
        chinese.contains(&"- A: 缺少 launch_path，或其为空；缺少 mode；缺少 allowed_agents".to_owned()),
        "{chinese:?}"
    );
    assert!(chinese.contains(&"- B: 缺少 launch_path，或其为空".to_owned()), "{chinese:?}");
}
