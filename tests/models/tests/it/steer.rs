//! Messages that arrive during a turn.

use crate::scene;

use serde_json::{Value, json};
use tarsus_agent::{RunEventKind, RunOutcome};
use tarsus_store::RunState;
use tarsus_test_models::{Chunk, Gate, Reply};

use scene::{Scene, Setup, texts, wait_until_reached};

fn steering(mode: &str) -> Setup {
    let config = json!({ "messages": { "queue": { "mode": mode } } });
    Setup { config, files: vec![("notes.md", "one\n".to_owned())], ..Setup::default() }
}

fn text_reply(text: &str) -> Reply {
    Reply::answer([Chunk::text(text)])
}

/// Calls `read` once the gate is open.
fn read_reply(gate: &Gate) -> Reply {
    Reply::answer([Chunk::call("c1", "read", &json!({"path": "notes.md"}))]).held_before(1, gate)
}

/// Sends a message, and more while the model is busy with it.
async fn send_during_turn(scene: &Scene, gate: &Gate, later: &[(&str, &str)]) -> Vec<RunEventKind> {
    scene.start("a", "look").await;
    wait_until_reached(gate).await;
    for (run, text) in later {
        scene.start(run, text).await;
    }
    gate.open();
    scene.runtime.idle().await;
    scene.take_events()
}

/// The roles of a request's messages, with the text of users.
fn message_texts(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().unwrap().iter().skip(1);
    let word = |message: &Value| match message["role"].as_str().unwrap() {
        "user" => format!("user: {}", message["content"].as_str().unwrap()),
        role => role.to_owned(),
    };
    messages.map(word).collect()
}

#[tokio::test]
async fn steered_messages_join_the_running_turn() {
    let gate = Gate::closed();
    let scene =
        Scene::with(steering("steer"), [read_reply(&gate), text_reply("Both."), text_reply("Later.")]);
    let events = send_during_turn(&scene, &gate, &[("b", "only the first line"), ("c", "in French")]).await;
    let requests = scene.requests();
    let included = ["user: look", "assistant", "tool", "user: only the first line\nin French"];
    assert_eq!(message_texts(&requests[1]), included);
    assert_eq!(requests.len(), 2, "neither has a turn of its own");
    assert_eq!(["a", "b", "c"].map(|run| scene.run(run).state), [RunState::Finished; 3]);
    let endings: Vec<bool> = events
        .iter()
        .filter_map(|event| match event {
            RunEventKind::Finished(RunOutcome::Completed { is_silent, .. }) => Some(*is_silent),
            _ => None,
        })
        .collect();
    assert_eq!(endings, [false, true, true], "they are answered by the turn that includes them");

    scene.send("d", "and then?").await;
    let next = message_texts(&scene.requests()[2]);
    assert_eq!(
        next,
        [&included[..], &["assistant", "user: and then?"]].concat(),
        "what was sent stays as it was"
    );
    let words: Vec<String> = texts(&scene.items()).into_iter().map(|(_, text)| text).collect();
    assert_eq!(
        words[..2],
        ["look", "only the first line"],
        "messages are stored in the order in which they were sent"
    );
}

#[tokio::test]
async fn without_steering_messages_wait_for_their_turn() {
    for mode in ["queue", "followup", "collect", "interrupt"] {
        let gate = Gate::closed();
        let scene = Scene::with(steering(mode), [read_reply(&gate), text_reply("One."), text_reply("Two.")]);
        send_during_turn(&scene, &gate, &[("b", "and two?")]).await;
        let requests = scene.requests();
        assert_eq!(message_texts(&requests[1]), ["user: look", "assistant", "tool"], "{mode}");
        assert_eq!(message_texts(&requests[2]).last().unwrap(), "user: and two?", "{mode}");
    }
}

#[tokio::test]
async fn commands_wait_and_are_not_overtaken() {
    for ours in ["/status", "application manager"] {
        let gate = Gate::closed();
        let scene =
            Scene::with(steering("steer"), [read_reply(&gate), text_reply("One."), text_reply("Two.")]);
        send_during_turn(&scene, &gate, &[("b", ours), ("c", "and two?")]).await;
        let requests = scene.requests();
        assert_eq!(message_texts(&requests[1]), ["user: look", "assistant", "tool"], "{ours}");
        assert_eq!(message_texts(&requests[2]).last().unwrap(), "user: and two?", "{ours}");
        assert_eq!(["a", "b", "c"].map(|run| scene.run(run).state), [RunState::Finished; 3], "{ours}");
    }
}

#[tokio::test]
async fn aborted_waiting_message_does_not_join() {
    let gate = Gate::closed();
    let scene = Scene::with(steering("steer"), [read_reply(&gate), text_reply("One.")]);
    scene.start("a", "look").await;
    wait_until_reached(&gate).await;
    scene.start("b", "forget it").await;
    scene.runtime.abort(&scene::main(), Some(&"b".parse().unwrap()));
    gate.open();
    scene.runtime.idle().await;
    assert_eq!(message_texts(&scene.requests()[1]), ["user: look", "assistant", "tool"]);
    assert_eq!(scene.run("b").state, RunState::Aborted);
}
