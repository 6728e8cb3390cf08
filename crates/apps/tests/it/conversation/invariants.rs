//! Properties of any input in any state, in both languages.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tarsus_apps::conversation::{
    Confirmation, ConversationEvent, ConversationReply, Effect, LINE_LIMIT, Language, Notice, Screen,
    StartScreen, Transition,
};
use tarsus_apps::{RegistryChange, authorize_launch};
use unicode_normalization::UnicodeNormalization;

use super::fixture::{Fixture, MIXED};
use super::rules::through_json;

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
        "launch 2",
        "stop 3",
        "run a",
        "run the test suite",
        "是",
        "否",
        "返回",
    ]);
    prop_oneof![
        8 => known.prop_map(str::to_owned),
        1 => "[1-9]",
        1 => "(open|stop|edit|please|the|app|last|z|1|yes|quit now| |，){1,6}",
        1 => "(打开|关闭|请|一下|应用|微信|添加|是|不|1| ){1,6}",
        1 => "\\PC{0,40}",
        1 => any::<String>(),
        1 => Just("x".repeat(LINE_LIMIT + 1)),
    ]
}

/// A change by another process between a screen and its answer.
#[derive(Debug, Clone, Copy)]
enum OtherChange {
    Nothing,
    InsertFirst,
    DeleteFirst,
    RenameFirst,
    Reverse,
    AllOff,
    Break,
}

fn other_change() -> impl Strategy<Value = OtherChange> {
    use OtherChange::{AllOff, Break, DeleteFirst, InsertFirst, Nothing, RenameFirst, Reverse};
    prop_oneof![
        12 => Just(Nothing),
        1 => Just(InsertFirst),
        1 => Just(DeleteFirst),
        1 => Just(RenameFirst),
        1 => Just(Reverse),
        1 => Just(AllOff),
        1 => Just(Break),
    ]
}

impl OtherChange {
    fn with(self, fixture: &Fixture) {
        // The next change repairs a broken file; a missing file stays missing.
        let text = if fixture.path().exists() { fixture.file() } else { return };
        let apps: Map<String, Value> =
            serde_json::from_str(&text).unwrap_or_else(|_| serde_json::from_str(MIXED).unwrap());
        let new = json!({ "launch_path": "/new", "mode": "full", "allowed_agents": [] });
        let mut apps: Vec<(String, Value)> = apps.into_iter().collect();
        match self {
            Self::Nothing => return,
            Self::Break => return fixture.write("{\"Last Z\": "),
            Self::InsertFirst => apps.insert(0, (format!("New {}", apps.len()), new)),
            Self::DeleteFirst => drop(apps.drain(..apps.len().min(1))),
            Self::RenameFirst => {
                if let Some((name, _)) = apps.first_mut() {
                    name.push('!');
                }
            }
            Self::Reverse => apps.reverse(),
            Self::AllOff => {
                for (_, entry) in &mut apps {
                    *entry = json!({ "launch_path": "/x", "mode": "off", "allowed_agents": [] });
                }
            }
        }
        fixture.write(&Value::Object(apps.into_iter().collect()).to_string());
    }
}

fn shows_the_proposal_of(reply: &ConversationReply, change: &RegistryChange) -> bool {
    match &reply.screen {
        Some(Screen::Proposal { before, after, .. }) => {
            before.as_ref().or(after.as_ref()).map(|app| app.name.as_str()) == change.name()
        }
        Some(Screen::Confirm(Confirmation::Create)) => *change == RegistryChange::Create,
        Some(Screen::Start { .. }) => *change == RegistryChange::Create,
        _ => false,
    }
}

/// Every way to say yes.
const YES: [&str; 8] = ["yes", "y", "是", "是的", "好", "好的", "确认", "确定"];

/// A line without case, kind of character and punctuation.
fn word(line: &str) -> String {
    line.nfkc().flat_map(char::to_lowercase).filter(|letter| letter.is_alphanumeric()).collect()
}

/// The names that a reply shows beside numbers.
fn numbered(reply: &ConversationReply) -> Vec<String> {
    match &reply.screen {
        Some(Screen::Start { start: StartScreen::Apps { apps, .. }, .. }) => {
            apps.iter().map(|(name, _)| name.clone()).collect()
        }
        Some(Screen::Pick { names, .. } | Screen::Which { names, .. }) => names.clone(),
        _ => Vec::new(),
    }
}

/// The apps that a transition is about.
fn is_about(effects: &[Effect], transition: &Transition) -> Vec<String> {
    let by_effect = effects.iter().filter_map(|effect| match effect {
        Effect::Launch(allowed) => Some(allowed.app().to_owned()),
        Effect::Stop(allowed) => Some(allowed.app().to_owned()),
        Effect::Refused { denied, .. } => Some(denied.app.clone()),
        Effect::Save { change, .. } => change.name().map(str::to_owned),
        Effect::Nothing | Effect::PassOn => None,
    });
    let by_words = transition.reply.notices.iter().filter_map(|notice| match notice {
        Notice::Gone { name } => Some(name.clone()),
        _ => None,
    });
    let by_screen = transition.reply.screen.iter().filter_map(|screen| match screen {
        Screen::Edit(app) | Screen::Policy(app) => Some(app.name.clone()),
        Screen::Proposal { before, .. } => before.as_ref().map(|app| app.name.clone()),
        _ => None,
    });
    by_effect.chain(by_words).chain(by_screen).collect()
}

/// Files are slow where Windows is only played.
const CASES: u32 = if cfg!(windows) { 12 } else { 96 };

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_lines_save_only_when_confirmed_and_launch_only_allowed(
        lines in prop::collection::vec((other_change(), line()), 1..24),
        exists in any::<bool>(),
        model in any::<bool>(),
        person in any::<bool>(),
        chinese in any::<bool>(),
    ) {
        let locale = if chinese { Language::Chinese } else { Language::English };
        let start = if exists { Fixture::with(MIXED) } else { Fixture::new() };
        let mut fixture = Fixture { model, person, locale, ..start };
        let mut shown = fixture.open().reply;
        for (other_change, line) in &lines {
            other_change.with(&fixture);
            let before = fixture.file();
            let apps = fixture.registry.load();
            let effects = fixture.effects.len();
            let transition = fixture.say(line);
            let effects = &fixture.effects[effects..];

            for effect in effects {
                match effect {
                    Effect::Save { change, .. } => {
                        prop_assert!(shows_the_proposal_of(&shown, change), "{change:?} after {shown:?}");
                        let created = word(line) == "create" && *change == RegistryChange::Create;
                        prop_assert!(created || YES.contains(&word(line).as_str()), "{line}");
                    }
                    Effect::Launch(allowed) => {
                        let name = allowed.app();
                        let app = apps.as_ref().unwrap().app(name).unwrap();
                        prop_assert!(authorize_launch(app, fixture.agent).is_ok(), "{name}");
                    }
                    _ => {}
                }
            }
            if let (Ok(number), names) = (line.parse::<usize>(), numbered(&shown)) {
                let meant = number.checked_sub(1).and_then(|place| names.get(place));
                for name in is_about(effects, &transition).iter().filter(|_| !names.is_empty()) {
                    prop_assert_eq!(Some(name), meant, "{} of {:?}", number, names);
                }
            }
            let saved = effects.iter().any(|effect| matches!(effect, Effect::Save { .. }));
            prop_assert!(saved || fixture.file() == before, "{line} changed the file");

            let page = transition.reply.page();
            let answered = !page.notices.is_empty() || page.title.is_some() || transition.effect == Effect::PassOn;
            prop_assert!(answered, "{line} got no answer");
            prop_assert!(page.to_string().chars().count() < 200_000);
            prop_assert_eq!(&through_json(&fixture.conversation), &fixture.conversation);
            // What was passed on left the screen as it was.
            if transition.effect != Effect::PassOn {
                shown = transition.reply;
            }
        }
        fixture.step(ConversationEvent::Line("quit"));
        prop_assert!(!fixture.conversation.is_open());
    }
}
