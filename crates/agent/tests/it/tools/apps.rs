//! The app tools: a real registry, real processes, and proposals that only the person can confirm.

use crate::tools::scene::{Scene, SceneBuilder, failure, success, text};
use serde_json::{Value, json};
use tarsus_agent::prompt::chat::ChatKind;
use tarsus_apps::Registry;
use tarsus_apps::conversation::{Conversation, ConversationEvent, Language};
use tarsus_apps::manager::{AppManager, ConversationOptions, Requester};
use tarsus_host::Clock;

const REGISTRY: &str = ".openclaw/registries/application_registry.json";

fn with_registry(registry: &Value) -> Scene {
    let builder = SceneBuilder::new();
    builder.write(REGISTRY, registry.to_string());
    builder.open()
}

fn mixed() -> Scene {
    with_registry(&json!({
        "Last Z": { "launch_path": "/no/such/last-z", "process_name": "no-such-last-z", "mode": "full", "allowed_agents": [] },
        "Last Word": { "launch_path": "/no/such/word", "mode": "allowlist", "allowed_agents": ["writer"] },
        "Steam": { "launch_path": "/no/such/steam", "mode": "off", "allowed_agents": [] },
    }))
}

#[tokio::test]
async fn app_list_shows_what_the_agent_may_do() {
    let outcome = mixed().call("apps_list", json!({})).await;
    let expected = "\
Last Z: you may launch it; not running
Last Word: you may not launch it (the agent main is not on the allowlist of Last Word); nothing is stored to tell whether it is running
Steam: you may not launch it (Steam is off: nobody may launch or stop it); nothing is stored to tell whether it is running";
    assert_eq!(success(&outcome), expected);
    assert_eq!(outcome.details.unwrap()["apps"].as_array().unwrap().len(), 3);
    let empty = with_registry(&json!({})).call("apps_list", json!({})).await;
    assert_eq!(success(&empty), "no app is registered");
}

#[tokio::test]
async fn app_status_includes_the_registry_entry() {
    let scene = mixed();
    let expected = "\
Last Z: you may launch it; not running
launch_path: /no/such/last-z
process_name: no-such-last-z
mode: full";
    assert_eq!(success(&scene.call("app_status", json!({"name": "last z"})).await), expected);
    assert_eq!(
        success(&scene.call("app_status", json!({})).await),
        "no registered app is known to be running"
    );
}

#[tokio::test]
async fn unknown_and_ambiguous_app_names_are_reported() {
    let scene = mixed();
    let table = [
        ("notepad", "no app is registered as \"notepad\"", "do not guess a path"),
        ("last", "\"last\" may be Last Z, Last Word", "ask the person which one is meant"),
        ("Steem", "no app is registered as \"Steem\"", "similar: Steam"),
    ];
    for tool in ["app_launch", "app_stop", "app_status"] {
        for (name, error, also) in table {
            let outcome = scene.call(tool, json!({"name": name})).await;
            assert_eq!(failure(&outcome), error, "{tool}");
            assert!(text(&outcome).contains(also), "{}", text(&outcome));
        }
    }
    let unknown = text(&scene.call("app_launch", json!({"name": "notepad"})).await);
    assert!(unknown.contains("\"application manager\"") && unknown.contains("app_propose"), "{unknown}");
}

#[tokio::test]
async fn missing_registry_is_reported_by_every_tool() {
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
async fn failed_launch_is_reported_without_an_event() {
    let outcome = mixed().call("app_launch", json!({"name": "Last Z"})).await;
    assert_eq!(failure(&outcome), "Last Z: that failed");
    assert!(text(&outcome).contains("/no/such/last-z"), "{}", text(&outcome));
    assert_eq!(outcome.apps, []);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn app_is_launched_listed_and_stopped() {
    use std::os::unix::fs::PermissionsExt;
    use tarsus_protocol::event::{AppsAction, AppsChanged};

    let builder = SceneBuilder::new();
    let program = builder.path("bin/tarsus-tool-test");
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::fs::copy("/bin/sleep", &program).unwrap();
    let script = builder.path("bin/run.sh");
    std::fs::write(&script, format!("#!/bin/sh\ncd /; exec {} 1000\n", program.display())).unwrap();
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
    let entry = json!({ "launch_path": script, "runtime_exe": program, "mode": "allowlist", "allowed_agents": ["main"] });
    builder.write(REGISTRY, json!({ "Sleeper": entry }).to_string());
    let scene = builder.open();

    let launched = scene.call("app_launch", json!({"name": "sleeper"})).await;
    assert!(success(&launched).starts_with("Done. Sleeper is open now (pid "), "{}", text(&launched));
    let hash = Registry::for_home(&scene.home).load().unwrap().hash;
    let error = |action| [AppsChanged { action, name: Some("Sleeper".to_owned()), hash: hash.clone() }];
    assert_eq!(launched.apps, error(AppsAction::Launch));

    let running = success(&scene.call("app_status", json!({})).await);
    assert!(running.starts_with("Sleeper: pid "), "{running}");
    let stopped = scene.call("app_stop", json!({"name": "Sleeper"})).await;
    assert!(success(&stopped).starts_with("Done. Sleeper is closed now (pid "), "{}", text(&stopped));
    assert_eq!(stopped.apps, error(AppsAction::Stop));
    let again = scene.call("app_stop", json!({"name": "Sleeper"})).await;
    assert_eq!((success(&again).as_str(), again.apps.len()), ("Sleeper is not running", 0));
}

/// The user's next message in the session, and the registry after it.
async fn say(scene: &Scene, line: &str) -> (String, bool, Value) {
    let requester = Requester { agent: "main".to_owned(), session: None };
    let desk = AppManager::new(
        &scene.home,
        Ok(scene.audit.clone()),
        Clock::fixed(1_000_000).0,
        requester,
        Vec::new(),
    );
    let options = ConversationOptions {
        registry_path: "~/r".to_owned(),
        person: true,
        model: true,
        locale: Language::English,
    };
    let state = scene.store.conversation(&scene.session).unwrap().unwrap().state;
    let before: Conversation = serde_json::from_value(state).unwrap();
    let update = desk.handle(before, ConversationEvent::Line(line), &options).await;
    let state = json!(update.conversation);
    let durability = tarsus_store::Durability::KillSafe;
    let is_open = update.conversation.is_open().then_some(&state);
    scene.store.set_conversation(scene.session.clone(), is_open, 0, durability).wait().unwrap();
    assert!(!update.conversation.is_open(), "{}", update.text());
    (update.text(), update.passed_on, registry(scene))
}

fn registry(scene: &Scene) -> Value {
    serde_json::from_slice(&std::fs::read(Registry::for_home(&scene.home).path()).unwrap()).unwrap()
}

#[tokio::test]
async fn proposal_is_saved_only_after_the_users_yes() {
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
        let error = success(&outcome);
        let page = outcome.page.unwrap();
        let replies: Vec<_> = page.menu().unwrap().choices.into_iter().map(|choice| choice.reply).collect();
        assert_eq!(replies, ["yes", "no"]);
        let shows = page.to_string().trim_end().to_owned();
        assert!(shows.contains("Notes") && shows.contains("/no/such/notes"), "{shows}");
        assert!(error.ends_with(&shows) && error.contains("you cannot agree for them"), "{error}");
        assert_eq!(registry(&scene), json!({}), "nothing is saved by proposing");
        let (answer, was_passed_on, after) = say(&scene, line).await;
        let expected = if is_saved { json!({ "Notes": saved }) } else { json!({}) };
        assert_eq!((after, was_passed_on), (expected, passed_on), "{line}: {answer}");
        assert_eq!(scene.store.conversation(&scene.session).unwrap(), None, "{line}");
    }
}

#[tokio::test]
async fn second_proposal_waits_for_the_first_answer() {
    let scene = mixed();
    success(&scene.call("app_propose", json!({"action": "delete", "name": "steam"})).await);
    let second = scene.call("app_propose", json!({"action": "delete", "name": "Last Z"})).await;
    assert_eq!(failure(&second), "another question to the person is still open");
    let (_, _, after) = say(&scene, "yes").await;
    assert_eq!(after.as_object().unwrap().keys().collect::<Vec<_>>(), ["Last Z", "Last Word"]);
}

#[tokio::test]
async fn invalid_proposal_is_an_error_without_a_question() {
    let scene = mixed();
    let table = [
        (
            json!({"action": "add", "name": "LAST z", "launch_path": "/x", "mode": "full"}),
            "\"Last Z\" is already registered",
        ),
        (json!({"action": "add", "name": "New", "mode": "full"}), "the entry of \"New\" lacks launch_path"),
        (json!({"action": "add", "name": "New", "launch_path": "/x"}), "the entry of \"New\" lacks mode"),
        (
            json!({"action": "add", "name": "New", "launch_path": "/x", "mode": "allowlist"}),
            "the entry of \"New\" lacks allowed_agents",
        ),
        (json!({"action": "add", "name": " ", "launch_path": "/x", "mode": "full"}), "an app needs a name"),
        (json!({"action": "edit", "name": "None", "mode": "off"}), "no app named \"None\" is registered"),
        (json!({"action": "policy", "name": "Steam", "mode": "off"}), "\"Steam\" already has these values"),
        (json!({"action": "policy", "name": "Steam"}), "\"Steam\" already has these values"),
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
    for (arguments, error) in table {
        let outcome = scene.call("app_propose", arguments.clone()).await;
        assert_eq!(failure(&outcome), error, "{arguments}");
        assert_eq!(
            (outcome.page, scene.store.conversation(&scene.session).unwrap()),
            (None, None),
            "{arguments}"
        );
    }
    let alone = scene.context_with(|context| context.chat = ChatKind::Cron);
    let outcome = scene.call_in(&alone, "app_propose", json!({"action": "delete", "name": "Steam"})).await;
    assert_eq!(failure(&outcome), "no person is present to confirm it");
    assert_eq!(registry(&scene), before);
}
