//! Proposals of somebody else than the person: shown, left to a yes that follows at once, and out of the way otherwise.

use std::collections::BTreeSet;

use tarsus_apps::Mode;
use tarsus_apps::conversation::{
    Action, Conversation, Effect, Language, Reply, Said, Screen, Wished, World, propose,
};
use tarsus_protocol::{ErrorCode, Problem};

use super::desk::{Desk, MIXED, SHOWN};

fn wished(action: Action, name: &str) -> Wished {
    Wished {
        action,
        name: name.to_owned(),
        launch_path: None,
        runtime_exe: None,
        process_name: None,
        mode: None,
        agents: None,
    }
}

/// Proposes in the conversation as it stands; what is proposed is kept there.
fn put(desk: &mut Desk, wished: Wished, missing: &[&str]) -> Result<Reply, Problem> {
    let loaded = desk.registry.load().map_err(Problem::from);
    let world = World {
        registry: loaded.as_ref(),
        path: SHOWN,
        running: &BTreeSet::new(),
        agent: "main",
        person: true,
        model: true,
        locale: Language::English,
        typed_path: None,
    };
    let missing = missing.iter().map(|path| (*path).to_owned()).collect();
    let (conversation, reply) = propose(&desk.conversation, wished, missing, desk.at_ms, &world)?;
    // It survives a restart.
    let kept = serde_json::to_value(&conversation).unwrap();
    assert_eq!(serde_json::from_value::<Conversation>(kept).unwrap(), conversation);
    desk.conversation = conversation;
    Ok(reply)
}

fn off() -> Wished {
    Wished { mode: Some(Mode::Off), ..wished(Action::Policy, "firefox") }
}

#[test]
fn a_yes_saves_what_was_shown_and_ends_the_conversation() {
    let mut desk = Desk::with(MIXED);
    let reply = put(&mut desk, off(), &["/gone"]).unwrap();
    assert_eq!(reply.said, [Said::PathMissing { path: "/gone".to_owned() }]);
    let Some(Screen::Proposal { action: Action::Policy, before: Some(before), after: Some(after) }) =
        reply.screen
    else {
        panic!("{reply:?}")
    };
    assert_eq!((before.fields.mode, after.fields.mode), (Some(Mode::Full), Some(Mode::Off)));
    let before = desk.file();
    let stepped = desk.say("yes");
    assert_eq!(stepped.reply.said, [Said::Saved { action: Action::Policy, name: "Firefox".to_owned() }]);
    assert!(!desk.conversation.is_open() && stepped.reply.screen.is_none());
    assert_ne!(desk.file(), before);
}

#[test]
fn anything_but_a_yes_saves_nothing_and_is_heard_as_if_nothing_had_been_asked() {
    for (line, said, passed_on) in [
        ("no", vec![Said::NothingDone], false),
        ("back", vec![Said::NothingDone], false),
        ("quit", vec![Said::Goodbye], false),
        ("what would that do?", vec![], true),
        ("yes, but why?", vec![], true),
    ] {
        let mut desk = Desk::with(MIXED);
        desk.model = true;
        put(&mut desk, off(), &[]).unwrap();
        let stepped = desk.say(line);
        assert_eq!((stepped.reply.said, stepped.effect == Effect::PassOn), (said, passed_on), "{line}");
        assert!(!desk.conversation.is_open(), "{line}");
        assert_eq!(desk.file(), MIXED, "{line}");
        desk.say("yes");
        assert_eq!(desk.file(), MIXED, "a late yes is a yes to something else");
    }
}

#[test]
fn a_registry_that_changed_meanwhile_is_shown_again_before_a_yes_counts() {
    let mut desk = Desk::with(MIXED);
    put(&mut desk, off(), &[]).unwrap();
    desk.write(&MIXED.replace("/usr/bin/firefox", "/opt/firefox"));
    let stepped = desk.say("yes");
    assert_eq!(stepped.reply.said, [Said::ChangedMeanwhile]);
    assert!(matches!(stepped.reply.screen, Some(Screen::Proposal { .. })));
    desk.say("yes");
    assert!(!desk.conversation.is_open() && desk.file().contains("/opt/firefox"));
}

#[test]
fn a_person_who_is_being_asked_is_not_interrupted() {
    let mut desk = Desk::with(MIXED);
    desk.open();
    put(&mut desk, off(), &[]).unwrap();
    let busy = put(&mut desk, wished(Action::Delete, "Steam"), &[]).unwrap_err();
    assert_eq!(busy.code, ErrorCode::Busy);
    // Nobody has answered for so long that nobody will.
    desk.at_ms += 16 * 60 * 1_000;
    put(&mut desk, wished(Action::Delete, "Steam"), &[]).unwrap();
}

#[test]
fn a_state_of_before_there_were_such_proposals_is_one_of_the_menu() {
    let mut desk = Desk::with(MIXED);
    desk.open();
    for line in ["policy", "2", "3"] {
        desk.say(line);
    }
    let mut kept = serde_json::to_value(&desk.conversation).unwrap();
    assert_eq!(kept["step"].as_object_mut().unwrap().remove("menu"), Some(true.into()));
    assert_eq!(serde_json::from_value::<Conversation>(kept).unwrap(), desk.conversation);
}

#[test]
fn an_empty_text_takes_an_optional_value_away() {
    let mut desk = Desk::with(MIXED);
    let wish = Wished { process_name: Some(" ".to_owned()), ..wished(Action::Edit, "Firefox") };
    put(&mut desk, wish, &[]).unwrap();
    desk.say("yes");
    assert!(!desk.file().contains(r#""process_name": "firefox""#), "{}", desk.file());
}
