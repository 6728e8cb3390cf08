//! The tools about apps: a real registry, real processes, and proposals that only a person's yes saves.

use crate::tools::scene::{Scene, Start, done, failed, text};
use serde_json::{Value, json};
use tarsus_agent::prompt::chat::ChatKind;
use tarsus_apps::Registry;
use tarsus_apps::conversation::{Conversation, Event, Language};
use tarsus_apps::desk::{Asker, Desk, Surface};
use tarsus_host::Clock;

const REGISTRY: &str = ".openclaw/registries/application_registry.json";

fn with_registry(registry: &Value) -> Scene {
    let start = Start::new();
    start.write(REGISTRY, registry.to_string());
    start.open()
}

fn mixed() -> Scene {
    with_registry(&json!({
        "Last Z": { "launch_path": "/no/such/last-z", "process_name": "no-such-last-z", "mode": "full", "allowed_agents": [] },
        "Last Word": { "launch_path": "/no/such/word", "mode": "allowlist", "allowed_agents": ["writer"] },
        "Steam": { "launch_path": "/no/such/steam", "mode": "off", "allowed_agents": [] },
    }))
}

#[tokio::test]
async fn apps_are_listed_with_what_the_agent_may_do() {
    let outcome = mixed().call("apps_list", json!({})).await;
    let expected = "\
Last Z: you may launch it; not running
Last Word: you may not launch it (the agent main is not on the allowlist of Last Word); nothing is stored to tell whether it runs
Steam: you may not launch it (Steam is off: nobody may launch or stop it); nothing is stored to tell whether it runs";
    assert_eq!(done(&outcome), expected);
    assert_eq!(outcome.details.unwrap()["apps"].as_array().unwrap().len(), 3);
    let empty = with_registry(&json!({})).call("apps_list", json!({})).await;
    assert_eq!(done(&empty), "no app is registered");
}

#[tokio::test]
async fn the_state_of_one_app_comes_with_what_is_stored() {
    let scene = mixed();
    let expected = "\
Last Z: you may launch it; not running
launch_path: /no/such/last-z
process_name: no-such-last-z
mode: full";
    assert_eq!(done(&scene.call("app_status", json!({"name": "last z"})).await), expected);
    assert_eq!(done(&scene.call("app_status", json!({})).await), "no registered app is seen to run");
}

#[tokio::test]
async fn a_name_that_means_no_app_or_several_is_answered_and_nothing_is_guessed() {
    let scene = mixed();
    let table = [
        ("notepad", "no app is registered as \"notepad\"", "do not guess a path"),
        ("last", "\"last\" may be Last Z, Last Word", "ask the person which one is meant"),
        ("Steem", "no app is registered as \"Steem\"", "similar: Steam"),
    ];
    for tool in ["app_launch", "app_stop", "app_status"] {
        for (name, told, also) in table {
            let outcome = scene.call(tool, json!({"name": name})).await;
            assert_eq!(failed(&outcome), told, "{tool}");
            assert!(text(&outcome).contains(also), "{}", text(&outcome));
        }
    }
    let unknown = text(&scene.call("app_launch", json!({"name": "notepad"})).await);
    assert!(unknown.contains("\"application manager\"") && unknown.contains("app_propose"), "{unknown}");
}

#[tokio::test]
async fn without_a_registry_every_tool_says_so_and_offers_to_create_it() {
    let scene = Scene::with(&[]);
    for (tool, arguments) in [
        ("apps_list", json!({})),
        ("app_status", json!({})),
        ("app_launch", json!({"name": "x"})),
        ("app_stop", json!({"name": "x"})),
        ("app_propose", json!({"action": "add", "name": "x", "launch_path": "/x", "mode": "full"})),
    ] {
        let outcome = scene.call(tool, arguments).await;
        assert!(
            outcome.is_error && text(&outcome).contains("offers to create it"),
            "{tool}: {}",
            text(&outcome)
        );
    }
}

#[tokio::test]
async fn a_launch_that_fails_says_why_and_is_told_to_nobody() {
    let outcome = mixed().call("app_launch", json!({"name": "Last Z"})).await;
    assert_eq!(failed(&outcome), "Last Z: that failed");
    assert!(text(&outcome).contains("/no/such/last-z"), "{}", text(&outcome));
    assert_eq!(outcome.apps, []);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_app_is_launched_seen_and_stopped() {
    use std::os::unix::fs::PermissionsExt;
    use tarsus_protocol::event::{AppsAction, AppsChanged};

    let start = Start::new();
    let program = start.path("bin/tarsus-tool-test");
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::fs::copy("/bin/sleep", &program).unwrap();
    let script = start.path("bin/run.sh");
    std::fs::write(&script, format!("#!/bin/sh\ncd /; exec {} 1000\n", program.display())).unwrap();
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
    let entry = json!({ "launch_path": script, "runtime_exe": program, "mode": "allowlist", "allowed_agents": ["main"] });
    start.write(REGISTRY, json!({ "Sleeper": entry }).to_string());
    let scene = start.open();

    let launched = scene.call("app_launch", json!({"name": "sleeper"})).await;
    assert!(done(&launched).starts_with("Done. Sleeper is open now (pid "), "{}", text(&launched));
    let hash = Registry::of(&scene.home).load().unwrap().hash;
    let told = |action| [AppsChanged { action, name: Some("Sleeper".to_owned()), hash: hash.clone() }];
    assert_eq!(launched.apps, told(AppsAction::Launch));

    let running = done(&scene.call("app_status", json!({})).await);
    assert!(running.starts_with("Sleeper: pid "), "{running}");
    let stopped = scene.call("app_stop", json!({"name": "Sleeper"})).await;
    assert!(done(&stopped).starts_with("Done. Sleeper is closed now (pid "), "{}", text(&stopped));
    assert_eq!(stopped.apps, told(AppsAction::Stop));
    let again = scene.call("app_stop", json!({"name": "Sleeper"})).await;
    assert_eq!((done(&again).as_str(), again.apps.len()), ("Sleeper is not running", 0));
}

/// What the person says next in the session, and what the registry is then.
async fn say(scene: &Scene, line: &str) -> (String, bool, Value) {
    let asker = Asker { agent: "main".to_owned(), session: None };
    let desk = Desk::new(&scene.home, Ok(scene.audit.clone()), Clock::fixed(1_000_000).0, asker, Vec::new());
    let surface =
        Surface { registry_path: "~/r".to_owned(), person: true, model: true, locale: Language::English };
    let state = scene.store.conversation(&scene.session).unwrap().unwrap().state;
    let before: Conversation = serde_json::from_value(state).unwrap();
    let talked = desk.talk(before, Event::Line(line), &surface).await;
    let state = json!(talked.conversation);
    let durability = tarsus_store::Durability::KillSafe;
    let is_open = talked.conversation.is_open().then_some(&state);
    scene.store.set_conversation(scene.session.clone(), is_open, 0, durability).wait().unwrap();
    assert!(!talked.conversation.is_open(), "{}", talked.text());
    (talked.text(), talked.passed_on, registry(scene))
}

fn registry(scene: &Scene) -> Value {
    serde_json::from_slice(&std::fs::read(Registry::of(&scene.home).path()).unwrap()).unwrap()
}

#[tokio::test]
async fn a_proposal_is_shown_and_only_a_yes_that_follows_saves_it() {
    let new = json!({
        "action": "add", "name": "Notes", "launch_path": "/no/such/notes",
        "mode": "allowlist", "allowed_agents": ["main"],
    });
    let saved = json!({ "launch_path": "/no/such/notes", "mode": "allowlist", "allowed_agents": ["main"] });
    for (line, is_saved, passed_on) in
        [("yes", true, false), ("no", false, false), ("back", false, false), ("what is that?", false, true)]
    {
        let scene = with_registry(&json!({}));
        let outcome = scene.call("app_propose", new.clone()).await;
        let told = done(&outcome);
        let page = outcome.page.unwrap();
        let replies: Vec<_> = page.menu().unwrap().choices.into_iter().map(|choice| choice.reply).collect();
        assert_eq!(replies, ["yes", "no"]);
        let shows = page.to_string().trim_end().to_owned();
        assert!(shows.contains("Notes") && shows.contains("/no/such/notes"), "{shows}");
        assert!(told.ends_with(&shows) && told.contains("you cannot agree for them"), "{told}");
        assert_eq!(registry(&scene), json!({}), "nothing is saved by proposing");
        let (answer, was_passed_on, after) = say(&scene, line).await;
        let expected = if is_saved { json!({ "Notes": saved }) } else { json!({}) };
        assert_eq!((after, was_passed_on), (expected, passed_on), "{line}: {answer}");
        assert_eq!(scene.store.conversation(&scene.session).unwrap(), None, "{line}");
    }
}

#[tokio::test]
async fn a_second_proposal_waits_for_the_answer_to_the_first() {
    let scene = mixed();
    done(&scene.call("app_propose", json!({"action": "delete", "name": "steam"})).await);
    let second = scene.call("app_propose", json!({"action": "delete", "name": "Last Z"})).await;
    assert_eq!(failed(&second), "the person is being asked something else already");
    let (_, _, after) = say(&scene, "yes").await;
    assert_eq!(after.as_object().unwrap().keys().collect::<Vec<_>>(), ["Last Z", "Last Word"]);
}

#[tokio::test]
async fn what_cannot_be_proposed_is_an_error_that_asks_nobody() {
    let scene = mixed();
    let table = [
        (
            json!({"action": "add", "name": "LAST z", "launch_path": "/x", "mode": "full"}),
            "\"Last Z\" is registered already",
        ),
        (json!({"action": "add", "name": "New", "mode": "full"}), "the entry of \"New\" lacks launch_path"),
        (json!({"action": "add", "name": "New", "launch_path": "/x"}), "the entry of \"New\" lacks mode"),
        (
            json!({"action": "add", "name": "New", "launch_path": "/x", "mode": "allowlist"}),
            "the entry of \"New\" lacks allowed_agents",
        ),
        (json!({"action": "add", "name": " ", "launch_path": "/x", "mode": "full"}), "an app needs a name"),
        (json!({"action": "edit", "name": "None", "mode": "off"}), "no app named \"None\" is registered"),
        (json!({"action": "policy", "name": "Steam", "mode": "off"}), "\"Steam\" is so already"),
        (json!({"action": "policy", "name": "Steam"}), "\"Steam\" is so already"),
        (
            json!({"action": "policy", "name": "Steam", "launch_path": "/x"}),
            "\"launch_path\" has no meaning with the action policy",
        ),
        (
            json!({"action": "delete", "name": "Steam", "mode": "off"}),
            "\"mode\" has no meaning with the action delete",
        ),
        (
            json!({"action": "edit", "name": "Steam", "mode": "full", "allowed_agents": ["main"]}),
            "\"allowed_agents\" has a meaning only with the mode allowlist",
        ),
        (json!({"action": "launch", "name": "Steam"}), "the arguments of app_propose do not fit"),
    ];
    let before = registry(&scene);
    for (arguments, told) in table {
        let outcome = scene.call("app_propose", arguments.clone()).await;
        assert_eq!(failed(&outcome), told, "{arguments}");
        assert_eq!(
            (outcome.page, scene.store.conversation(&scene.session).unwrap()),
            (None, None),
            "{arguments}"
        );
    }
    let alone = scene.context_with(|context| context.chat = ChatKind::Cron);
    let outcome = scene.call_in(&alone, "app_propose", json!({"action": "delete", "name": "Steam"})).await;
    assert_eq!(failed(&outcome), "nobody is here who could agree to it");
    assert_eq!(registry(&scene), before);
}
