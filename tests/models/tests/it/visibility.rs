//! What a session shows besides its replies: `/reasoning`, `/verbose`, and text that a late `<final>` takes back.

use serde_json::{Value, json};
use tarsus_agent::{RunEventKind, RunOutcome};
use tarsus_home::config::Config;
use tarsus_protocol::rpc::chat::AgentResult;
use tarsus_protocol::{Block, Message, Role};
use tarsus_store::{HistoryQuery, report};
use tarsus_test_models::{Chunk, Gate, Reply};

use crate::scene::{Scene, Setup, answer, main, outcome, wait_until_reached};

const THOUGHT: &str = "the user greets me";
const RESULT: &str = "milk and eggs";

/// Thinks twice and reads a file.
fn thinking_replies() -> [Reply; 2] {
    let call = Chunk::call("c1", "read", &json!({ "path": "list.txt" }));
    [
        Reply::answer([Chunk::reasoning(THOUGHT), call]),
        Reply::answer([Chunk::text(format!("<think>again, {THOUGHT}</think>Hel")), Chunk::text("lo.")]),
    ]
}

fn scene(turns: usize, more: Value) -> Scene {
    let config = json!({ "models": { "providers": { "test": more } } });
    let files = vec![("list.txt", RESULT.to_owned())];
    let replies = std::iter::repeat_with(thinking_replies).take(turns).flatten();
    Scene::with(Setup { config, files, ..Setup::default() }, replies)
}

fn history(scene: &Scene) -> Vec<Message> {
    let page = report::history(&scene.store, HistoryQuery::for_session(main()), &Config::default()).unwrap();
    page.messages.into_iter().map(|item| item.message).collect()
}

fn result(scene: &Scene, run: &str) -> AgentResult {
    scene.runtime.run_result(&run.parse().unwrap()).unwrap().unwrap()
}

/// The blocks of the reply in the last event.
fn final_blocks(events: &[RunEventKind]) -> &[Block] {
    let RunOutcome::Completed { message, .. } = outcome(events) else { panic!("{events:?}") };
    &message.content
}

fn has_reasoning_delta(events: &[RunEventKind]) -> bool {
    events.iter().any(|event| matches!(event, RunEventKind::ReasoningDelta { .. }))
}

#[tokio::test]
async fn reasoning_off_shows_thoughts_nowhere() {
    let scene = scene(1, json!({}));
    let events = scene.send("a", "hi").await;
    assert_eq!(answer(&events), "Hello.");
    let shown = format!("{events:?} {:?} {:?}", history(&scene), json!(result(&scene, "a")));
    assert!(!shown.contains(THOUGHT), "{shown}");
    assert!(!format!("{:?}", scene.items()).contains(THOUGHT), "no provider needs it back");
}

#[tokio::test]
async fn reasoning_on_follows_the_reply() {
    let scene = scene(1, json!({}));
    scene.send("set", "/reasoning on").await;
    let events = scene.send("a", "hi").await;
    assert!(!has_reasoning_delta(&events));
    let [Block::Text(reply), Block::Thinking(thoughts)] = final_blocks(&events) else { panic!("{events:?}") };
    assert_eq!(reply.text, "Hello.");
    let expected = format!("{THOUGHT}\n\nagain, {THOUGHT}");
    assert_eq!(thoughts.thinking, expected);
    assert_eq!(result(&scene, "a").reasoning, Some(expected));
    assert_eq!(history(&scene).iter().filter(|message| !message.reasoning().is_empty()).count(), 2);
    scene.send("unset", "/reasoning off").await;
    assert!(!format!("{:?}", history(&scene)).contains(THOUGHT), "earlier thoughts are hidden too");
    assert_eq!(result(&scene, "a").reasoning, None);
}

#[tokio::test]
async fn reasoning_stream_is_published_as_it_comes() {
    let scene = scene(1, json!({}));
    scene.send("set", "/reasoning stream").await;
    let events = scene.send("a", "hi").await;
    let deltas: String = events
        .iter()
        .filter_map(|event| match event {
            RunEventKind::ReasoningDelta { new, .. } => Some(new.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(deltas.trim(), format!("{THOUGHT}again, {THOUGHT}"), "between tags too");
    assert!(matches!(final_blocks(&events), [Block::Text(_)]), "it is not shown twice");
}

#[tokio::test]
async fn signed_thoughts_go_back_to_the_provider_alone() {
    let call = Chunk::call("c1", "read", &json!({ "path": "list.txt" }));
    let signed = [Chunk::reasoning(THOUGHT), Chunk::Signature("sealed".to_owned()), call];
    let config = json!({
        "models": { "providers": { "test": {
            "api": "anthropic-messages",
            "models": [{ "id": "one", "contextWindow": 64_000, "reasoning": true }],
        } } },
    });
    let files = vec![("list.txt", RESULT.to_owned())];
    let scene = Scene::with(
        Setup { config, files, ..Setup::default() },
        [Reply::answer(signed), Reply::answer([Chunk::text("Hello.")])],
    );
    scene.send("set", "/think low").await;
    let events = scene.send("a", "hi").await;
    let shown = format!("{events:?} {:?} {:?}", history(&scene), json!(result(&scene, "a")));
    assert!(!shown.contains(THOUGHT) && !shown.contains("sealed"), "{shown}");
    let sent = scene.requests()[1].to_string();
    assert!(sent.contains(THOUGHT) && sent.contains("sealed"), "{sent}");
}

#[tokio::test]
async fn verbose_decides_what_is_shown_of_tool_calls() {
    let scene = scene(4, json!({}));
    for (level, shows_calls, shows_results) in
        [("default", true, true), ("off", false, false), ("on", true, false), ("full", true, true)]
    {
        scene.send(&format!("set-{level}"), &format!("/verbose {level}")).await;
        let events = scene.send(level, "hi").await;
        let has = |is: fn(&RunEventKind) -> bool| events.iter().any(is);
        assert_eq!(has(|event| matches!(event, RunEventKind::ToolStarted(_))), shows_calls, "{level}");
        assert_eq!(has(|event| matches!(event, RunEventKind::ToolFinished { .. })), shows_calls, "{level}");
        assert_eq!(format!("{events:?}").contains(RESULT), shows_results, "{level}");
        assert_eq!(format!("{events:?}").contains("list.txt"), shows_calls, "{level}");
        let page = history(&scene);
        assert_eq!(format!("{page:?}").contains(RESULT), shows_results, "{level}");
        assert_eq!(format!("{page:?}").contains("list.txt"), shows_calls, "{level}");
        let calls = result(&scene, level).tool_calls;
        let text = |text: &str, is_shown: bool| (is_shown && level != "default").then(|| text.to_owned());
        assert_eq!(calls[0].title, text("read list.txt", shows_calls), "{level}");
        assert_eq!(calls[0].result.is_some(), level == "full", "{level}");
    }
    let items = scene.items().into_iter().filter(|item| matches!(item.message.role, Role::ToolResult { .. }));
    assert_eq!(
        items.filter(|item| item.message.text().contains(RESULT)).count(),
        4,
        "the model has them all"
    );
}

#[tokio::test]
async fn late_final_takes_back_streamed_text() {
    let gate = Gate::closed();
    let chunks = ["Let me see. ", "<final>Hey", ".</final>"].map(Chunk::text);
    let scene = Scene::with_replies([Reply::answer(chunks).held_before(2, &gate)]);
    scene.start("a", "hi").await;
    wait_until_reached(&gate).await;
    let shown = scene.wait_for(|event| matches!(event, RunEventKind::TextDelta { .. })).await;
    assert!(format!("{shown:?}").contains("Let me see."), "text without tags is streamed at once");
    gate.open();
    scene.runtime.idle().await;
    let events = scene.take_events();
    let withdrawn = events.iter().position(|event| *event == RunEventKind::TextWithdrawn).unwrap();
    let later = format!("{:?}", &events[withdrawn..]);
    assert!(!later.contains("Let me see."), "{later}");
    assert_eq!(answer(&events), "Hey.");
    assert!(!format!("{:?}", history(&scene)).contains("Let me see."));
}

#[tokio::test]
async fn status_card_has_the_real_values() {
    let scene = scene(1, json!({}));
    for (run, text) in [("a", "/reasoning stream"), ("b", "/verbose full"), ("c", "/think low"), ("d", "hi")]
    {
        scene.send(run, text).await;
    }
    let card = answer(&scene.send("e", "/status").await);
    for line in [
        "Model: test/one",
        "Usage: 2 requests, 24 tokens in, 10 out",
        "Context: 17 of 64,000 tokens (0 %)",
        "Queue: 1 message in progress, none waiting",
        "linux (x86_64), channel webchat",
        "Thinking: low · Reasoning: stream · Verbose: full",
    ] {
        assert!(card.contains(line), "{line} in\n{card}");
    }
}
