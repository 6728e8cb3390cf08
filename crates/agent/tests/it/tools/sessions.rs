//! `session_status` and `agents_list`.

use serde_json::json;

use crate::tools::scene::{Scene, Start, begin, done, failed};

fn with_model() -> Scene {
    Start::new().config("{ agents: { defaults: { model: 'openai/usual' } } }").open()
}

#[tokio::test]
async fn the_card_is_that_of_the_session_that_is_asked_about() {
    let scene = with_model();
    let other = "agent:main:cron:nightly".parse().unwrap();
    begin(&scene.store, &other);
    let first = |card: String| card.lines().take(2).map(str::to_owned).collect::<Vec<_>>();
    let card = done(&scene.call("session_status", json!({})).await);
    assert_eq!(first(card), ["Session: agent:main:main", "Model: openai/usual"]);
    let card = done(&scene.call("session_status", json!({"sessionKey": "agent:main:cron:nightly"})).await);
    assert_eq!(first(card), ["Session: agent:main:cron:nightly", "Model: openai/usual"]);
    let table = [
        ("agent:writer:main", "agent:writer:main is a session of another agent"),
        ("agent:main:none", "there is no session agent:main:none"),
        ("main", "a session key is `agent:<agent id>:<name>` with at most 512 printable characters"),
    ];
    for (key, told) in table {
        assert_eq!(failed(&scene.call("session_status", json!({"sessionKey": key})).await), told);
    }
}

#[tokio::test]
async fn a_model_is_chosen_for_the_session_and_taken_back() {
    let scene = with_model();
    let model = || scene.store.session(&scene.session).unwrap().unwrap().settings.model;
    let card = done(&scene.call("session_status", json!({"model": "anthropic/claude-x"})).await);
    assert!(card.contains("\nModel: anthropic/claude-x (chosen for this session)\n"), "{card}");
    assert_eq!(model().unwrap().as_str(), "anthropic/claude-x");
    for (wrong, told) in [
        ("claude", "a model is named as provider/model"),
        ("nobody/x", "nobody/x has an unknown provider: models.providers has no \"nobody\""),
    ] {
        let answer = failed(&scene.call("session_status", json!({"model": wrong})).await);
        assert!(answer.starts_with(told) || answer.contains("provider/model"), "{answer}");
        assert_eq!(model().unwrap().as_str(), "anthropic/claude-x", "nothing changed");
    }
    let card = done(&scene.call("session_status", json!({"model": " Default "})).await);
    assert!(card.contains("\nModel: openai/usual\n"), "{card}");
    assert_eq!(model(), None);
}

#[tokio::test]
async fn agents_are_listed_with_the_one_that_asks() {
    let config = "{ agents: { list: [{ id: 'main' }, { id: 'writer', name: 'Ada' }, { id: 'ops', identity: { name: 'Ops' } }] } }";
    let scene = Start::new().config(config).open();
    let outcome = scene.call("agents_list", json!({})).await;
    assert_eq!(done(&outcome), "main (you)\nwriter: Ada\nops: Ops");
    let row =
        |id: &str, name: Option<&str>, current: bool| json!({ "id": id, "name": name, "current": current });
    let agents = [row("main", None, true), row("writer", Some("Ada"), false), row("ops", Some("Ops"), false)];
    assert_eq!(outcome.details, Some(json!({ "requester": "main", "agents": agents })));
}
