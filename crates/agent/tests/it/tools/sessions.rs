//! `session_status` and `agents_list`.

use serde_json::json;
use tarsus_agent::prompt::chat::ChatKind;

use crate::tools::scene::{Scene, SceneBuilder, create_session, failure, success};

fn with_model() -> Scene {
    SceneBuilder::new().config("{ agents: { defaults: { model: 'openai/usual' } } }").open()
}

#[tokio::test]
async fn status_card_is_of_the_requested_session() {
    let scene = with_model();
    let other = "agent:main:cron:nightly".parse().unwrap();
    create_session(&scene.store, &other);
    let first = |card: String| card.lines().take(2).map(str::to_owned).collect::<Vec<_>>();
    let card = success(&scene.call("session_status", json!({})).await);
    assert_eq!(first(card), ["Session: agent:main:main", "Model: openai/usual"]);
    let card = success(&scene.call("session_status", json!({"sessionKey": "agent:main:cron:nightly"})).await);
    assert_eq!(first(card), ["Session: agent:main:cron:nightly", "Model: openai/usual"]);
    let table = [
        ("agent:writer:main", "agent:writer:main is a session of another agent"),
        ("agent:main:none", "there is no session agent:main:none"),
        ("main", "a session key is `agent:<agent id>:<name>` with at most 512 printable characters"),
    ];
    for (key, error) in table {
        assert_eq!(failure(&scene.call("session_status", json!({"sessionKey": key})).await), error);
    }
}

#[tokio::test]
async fn session_model_can_be_set_and_reset() {
    let scene = with_model();
    let model = || scene.store.session(&scene.session).unwrap().unwrap().settings.model;
    let card = success(&scene.call("session_status", json!({"model": "anthropic/claude-haiku-4-5"})).await);
    assert!(card.contains("\nModel: anthropic/claude-haiku-4-5 (chosen for this session)\n"), "{card}");
    assert_eq!(model().unwrap().as_str(), "anthropic/claude-haiku-4-5");
    for (wrong, error) in [
        ("claude", "a model is named as provider/model"),
        ("openai/evil", "openai/evil is not a known model"),
        ("nobody/x", "nobody/x has an unknown provider: models.providers has no \"nobody\""),
    ] {
        let answer = failure(&scene.call("session_status", json!({"model": wrong})).await);
        assert!(answer.starts_with(error) || answer.contains("provider/model"), "{answer}");
        assert_eq!(model().unwrap().as_str(), "anthropic/claude-haiku-4-5", "nothing changed");
    }
    let card = success(&scene.call("session_status", json!({"model": " Default "})).await);
    assert!(card.contains("\nModel: openai/usual\n"), "{card}");
    assert_eq!(model(), None);
}

#[tokio::test]
async fn model_of_another_session_or_of_a_group_is_not_set() {
    let scene = with_model();
    let other = "agent:main:other".parse().unwrap();
    create_session(&scene.store, &other);
    let model = |session| scene.store.session(session).unwrap().unwrap().settings.model;
    let set = json!({"model": "openai/gpt-5"});
    let with_key = json!({"model": "openai/gpt-5", "sessionKey": "agent:main:other"});
    let error = failure(&scene.call("session_status", with_key).await);
    assert_eq!(error, "the model of another session is not set from here");
    for chat in [ChatKind::Group, ChatKind::Cron, ChatKind::Subagent] {
        let context = scene.context_with(|context| context.chat = chat);
        let error = failure(&scene.call_in(&context, "session_status", set.clone()).await);
        assert_eq!(error, "the model is not set from groups and scheduled work");
    }
    let guest = scene.context_with(|context| context.from_owner = false);
    let error = failure(&scene.call_in(&guest, "session_status", set.clone()).await);
    assert!(error.ends_with("needs the scope operator.admin"), "{error}");
    assert_eq!((model(&other), model(&scene.session)), (None, None));
    success(&scene.call("session_status", set).await);
    assert_eq!(model(&scene.session).unwrap().as_str(), "openai/gpt-5");
}

#[tokio::test]
async fn agent_list_marks_the_caller() {
    let config = "{ agents: { list: [{ id: 'main' }, { id: 'writer', name: 'Ada' }, { id: 'ops', identity: { name: 'Ops' } }] } }";
    let scene = SceneBuilder::new().config(config).open();
    let outcome = scene.call("agents_list", json!({})).await;
    assert_eq!(success(&outcome), "main (you)\nwriter: Ada\nops: Ops");
    let row =
        |id: &str, name: Option<&str>, current: bool| json!({ "id": id, "name": name, "current": current });
    let agents = [row("main", None, true), row("writer", Some("Ada"), false), row("ops", Some("Ops"), false)];
    assert_eq!(outcome.details, Some(json!({ "requester": "main", "agents": agents })));
}
