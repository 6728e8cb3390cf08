//! Messages that come while a turn is on its way.

use crate::scene;

use serde_json::{Value, json};
use tarsus_agent::{RunEventKind, RunOutcome};
use tarsus_store::RunState;
use tarsus_test_models::{Gate, Reply, Say};

use scene::{Scene, Setup, reached, said};

fn steering(mode: &str) -> Setup {
    let config = json!({ "messages": { "queue": { "mode": mode } } });
    Setup { config, files: vec![("notes.md", "one\n".to_owned())], ..Setup::default() }
}

fn says(text: &str) -> Reply {
    Reply::says([Say::text(text)])
}

/// Asks for a file once the gate is open.
fn looks(gate: &Gate) -> Reply {
    Reply::says([Say::call("c1", "read", &json!({"path": "notes.md"}))]).held_before(1, gate)
}

/// Says something, and more while the model is busy with that.
async fn interrupted(scene: &Scene, gate: &Gate, later: &[(&str, &str)]) -> Vec<RunEventKind> {
    scene.begin("a", "look").await;
    reached(gate).await;
    for (run, text) in later {
        scene.begin(run, text).await;
    }
    gate.open();
    scene.runtime.idle().await;
    scene.told()
}

/// The roles of a request's messages, with what people said.
fn told(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().unwrap().iter().skip(1);
    let word = |message: &Value| match message["role"].as_str().unwrap() {
        "user" => format!("user: {}", message["content"].as_str().unwrap()),
        role => role.to_owned(),
    };
    messages.map(word).collect()
}

#[tokio::test]
async fn messages_are_told_between_two_requests_and_are_over_with_the_turn() {
    let gate = Gate::shut();
    let scene = Scene::with(steering("steer"), [looks(&gate), says("Both."), says("Later.")]);
    let heard = interrupted(&scene, &gate, &[("b", "only the first line"), ("c", "in French")]).await;
    let requests = scene.requests();
    let taken_in = ["user: look", "assistant", "tool", "user: only the first line\nin French"];
    assert_eq!(told(&requests[1]), taken_in);
    assert_eq!(requests.len(), 2, "neither has a turn of its own");
    assert_eq!(["a", "b", "c"].map(|run| scene.run(run).state), [RunState::Finished; 3]);
    let endings: Vec<bool> = heard
        .iter()
        .filter_map(|what| match what {
            RunEventKind::Finished(RunOutcome::Completed { is_silent, .. }) => Some(*is_silent),
            _ => None,
        })
        .collect();
    assert_eq!(endings, [false, true, true], "they are answered with the turn that took them in");

    scene.say("d", "and then?").await;
    let next = told(&scene.requests()[2]);
    assert_eq!(
        next,
        [&taken_in[..], &["assistant", "user: and then?"]].concat(),
        "what was sent stays as it was"
    );
    let words: Vec<String> = said(&scene.items()).into_iter().map(|(_, text)| text).collect();
    assert_eq!(words[..2], ["look", "only the first line"], "people find them where they said them");
}

#[tokio::test]
async fn unless_it_is_wanted_each_waits_for_its_own_turn() {
    for mode in ["queue", "followup", "collect", "interrupt"] {
        let gate = Gate::shut();
        let scene = Scene::with(steering(mode), [looks(&gate), says("One."), says("Two.")]);
        interrupted(&scene, &gate, &[("b", "and two?")]).await;
        let requests = scene.requests();
        assert_eq!(told(&requests[1]), ["user: look", "assistant", "tool"], "{mode}");
        assert_eq!(told(&requests[2]).last().unwrap(), "user: and two?", "{mode}");
    }
}

#[tokio::test]
async fn what_one_of_us_answers_waits_and_nothing_overtakes_it() {
    for ours in ["/status", "application manager"] {
        let gate = Gate::shut();
        let scene = Scene::with(steering("steer"), [looks(&gate), says("One."), says("Two.")]);
        interrupted(&scene, &gate, &[("b", ours), ("c", "and two?")]).await;
        let requests = scene.requests();
        assert_eq!(told(&requests[1]), ["user: look", "assistant", "tool"], "{ours}");
        assert_eq!(told(&requests[2]).last().unwrap(), "user: and two?", "{ours}");
        assert_eq!(["a", "b", "c"].map(|run| scene.run(run).state), [RunState::Finished; 3], "{ours}");
    }
}

#[tokio::test]
async fn what_was_called_off_while_it_waited_is_not_taken_in() {
    let gate = Gate::shut();
    let scene = Scene::with(steering("steer"), [looks(&gate), says("One.")]);
    scene.begin("a", "look").await;
    reached(&gate).await;
    scene.begin("b", "forget it").await;
    scene.runtime.abort(&scene::main(), Some(&"b".parse().unwrap()));
    gate.open();
    scene.runtime.idle().await;
    assert_eq!(told(&scene.requests()[1]), ["user: look", "assistant", "tool"]);
    assert_eq!(scene.run("b").state, RunState::Aborted);
}
