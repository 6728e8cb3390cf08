//! Laws that hold for any input in any state, in both languages.

use proptest::prelude::*;
use tarsus_apps::conversation::{Effect, Event, LINE_LIMIT, Language, Reply, Screen, YesNo};
use tarsus_apps::{Change, may_launch};

use crate::desk::{Desk, MIXED};
use crate::rules::through_json;

/// Lines that get far into the menu, and lines that nobody would write.
fn line() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "add",
        "edit",
        "delete",
        "policy",
        "validate",
        "create",
        "yes",
        "yes",
        "yes",
        "no",
        "back",
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "7",
        "0",
        "99",
        "skip",
        "keep",
        "clear",
        "",
        "full",
        "allowlist",
        "off",
        "main",
        "a, b",
        "Last Z",
        "New",
        "/path",
        "show 1",
        "open last z",
        "open steam",
        "open half",
        "stop steam",
        "stop firefox",
        "打开微信",
        "打开 steam",
        "关闭微信",
        "详情 微信",
        "open weixin",
        "application manager",
        "应用程序管理器",
        "添加应用程序",
        "更改应用程序策略",
        "谁可以运行此应用",
        "是",
        "否",
        "返回",
    ]);
    prop_oneof![
        8 => known.prop_map(str::to_owned),
        1 => "\\PC{0,40}",
        1 => any::<String>(),
        1 => Just("x".repeat(LINE_LIMIT + 1)),
    ]
}

fn shows_the_proposal_of(reply: &Reply, change: &Change) -> bool {
    match &reply.screen {
        Some(Screen::Proposal { before, after, .. }) => {
            before.as_ref().or(after.as_ref()).map(|app| app.name.as_str()) == change.name()
        }
        Some(Screen::YesNo(YesNo::Create)) => *change == Change::Create,
        Some(Screen::Start { .. }) => *change == Change::Create,
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_lines_in_any_state_save_only_after_a_yes_and_launch_only_what_may_be(
        lines in prop::collection::vec(line(), 1..24),
        exists in any::<bool>(),
        model in any::<bool>(),
        person in any::<bool>(),
        chinese in any::<bool>(),
        meddle in prop::option::of(0usize..24),
    ) {
        let locale = if chinese { Language::Chinese } else { Language::English };
        let start = if exists { Desk::with(MIXED) } else { Desk::new() };
        let mut desk = Desk { model, person, locale, ..start };
        let mut shown = desk.open().reply;
        for (at, line) in lines.iter().enumerate() {
            if meddle == Some(at) {
                desk.write(r#"{"Firefox": {"launch_path": "/f", "mode": "off", "allowed_agents": []}}"#);
            }
            let before = desk.file();
            let apps = desk.registry.load().unwrap();
            let effects = desk.effects.len();
            let stepped = desk.say(line);

            for effect in &desk.effects[effects..] {
                match effect {
                    Effect::Save { change, .. } => {
                        prop_assert!(shows_the_proposal_of(&shown, change), "{change:?} after {shown:?}");
                        let agreed = ["yes", "是"].contains(&line.as_str()) || (line == "create" && *change == Change::Create);
                        prop_assert!(agreed, "{line}");
                    }
                    Effect::Launch { name, .. } => {
                        prop_assert!(may_launch(apps.app(name).unwrap(), desk.agent).is_ok(), "{name}");
                    }
                    _ => {}
                }
            }
            let saved = desk.effects[effects..].iter().any(|effect| matches!(effect, Effect::Save { .. }));
            prop_assert!(saved || desk.file() == before, "{line} changed the file");

            let page = stepped.reply.page();
            let answered = !page.said.is_empty() || page.title.is_some() || stepped.effect == Effect::PassOn;
            prop_assert!(answered, "{line} got no answer");
            prop_assert!(page.to_string().chars().count() < 200_000);
            prop_assert_eq!(&through_json(&desk.conversation), &desk.conversation);
            // What was passed on left the screen as it was.
            if stepped.effect != Effect::PassOn {
                shown = stepped.reply;
            }
        }
        desk.step(Event::Line("quit"));
        prop_assert!(!desk.conversation.is_open());
    }
}
