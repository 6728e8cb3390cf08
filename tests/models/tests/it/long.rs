//! Conversations that outgrow the context window: what is summarised, sent and kept.

use crate::scene;

use serde_json::json;
use tarsus_agent::{RunEventKind, RunOutcome};
use tarsus_models::Usage;
use tarsus_protocol::Role;
use tarsus_test_models::{Chunk, Gate, Reply, Script};

use scene::{Scene, Setup, answer, main, outcome, texts, wait_until_reached};

/// Context window in tokens, of which a request may use 12,000.
const WINDOW: u32 = 16_000;

fn setup() -> Setup {
    let config = json!({ "models": { "providers": { "test": { "models": [
        { "id": "one", "contextWindow": WINDOW }
    ] } } } });
    Setup { config, ..Setup::default() }
}

fn text_reply(text: &str) -> Reply {
    Reply::answer([Chunk::text(text)])
}

/// An answer that reports this many input tokens.
fn reply_with_usage(input: u32, chunk: Chunk) -> Reply {
    let usage = Usage { input, output: 10, cache_read: 0, cache_write: 0 };
    Reply::script(Script { usage, ..Script::new([chunk]) })
}

/// A message of about 2,000 tokens.
fn long(name: &str) -> String {
    format!("{name}: {}", "and so on. ".repeat(720))
}

/// Four turns, before the last of which the model is full.
async fn fill_window(scene: &Scene) -> Vec<RunEventKind> {
    for run in ["one", "two", "three"] {
        scene.send(run, &long(run)).await;
    }
    scene.send("four", &long("four")).await
}

fn replies(summary: Reply) -> Vec<Reply> {
    vec![
        text_reply("1"),
        text_reply("2"),
        reply_with_usage(12_500, Chunk::text("3")),
        summary,
        text_reply("4"),
        text_reply("5"),
    ]
}

#[tokio::test]
async fn old_messages_are_summarised_and_kept() {
    let files = vec![("AGENTS.md", "Be brief.".to_owned())];
    let scene = Scene::with(
        Setup { files, ..setup() },
        replies(text_reply("<think>short</think>They counted to three.")),
    );
    let events = fill_window(&scene).await;
    assert_eq!(answer(&events), "4");
    let published = events
        .iter()
        .filter(|event| matches!(event, RunEventKind::TextDelta { .. } | RunEventKind::ReasoningDelta { .. }))
        .count();
    assert_eq!(published, 1, "the summary is not published");
    let requests = scene.requests();
    let summary_request = &requests[3];
    assert!(
        summary_request["messages"][0]["content"]
            .as_str()
            .unwrap()
            .starts_with("You summarise a conversation")
    );
    assert_eq!(
        (summary_request.get("tools"), summary_request["messages"].as_array().unwrap().len()),
        (None, 2)
    );
    let material = summary_request["messages"][1]["content"].as_str().unwrap();
    assert!(material.contains("User: three: and so on.") && material.contains("Agent: 3"), "{material}");
    assert!(!material.contains("four: "), "recent messages are not summarised");

    let messages = requests[4]["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 2, "the rules, and the summary with the message");
    let (summary, message) =
        messages[1]["content"].as_str().unwrap().split_once("\nThey counted to three.\n").unwrap();
    assert!(summary.ends_with(" source=\"summary of earlier messages\">"), "{summary}");
    assert!(message.starts_with("</untrusted-") && message.contains(">\nfour: and so on."), "{message}");
    assert_eq!(scene.items().len(), 9, "four messages, four answers, a remark");
    let remark = "The messages before this were summarised for the model. All of them are kept here.";
    assert!(texts(&scene.items()).contains(&("compaction".to_owned(), remark.to_owned())));

    let spent = scene.store.usage_in_run(&"four".parse().unwrap()).unwrap();
    assert_eq!(spent.requests, 2, "a summary is paid for like everything else");
    let notes = std::fs::read_to_string(scene.workspace().join("memory/1970-01-01.md"));
    assert!(notes.unwrap().ends_with("summary of agent:main:main\n\nThey counted to three.\n"));

    scene.send("five", "and now?").await;
    let next = scene.requests()[5]["messages"].as_array().unwrap().clone();
    assert_eq!(next[..messages.len()], messages[..], "what was sent stays as it was from then on");
}

#[tokio::test]
async fn failed_summary_falls_back_to_a_listing() {
    let scene = Scene::with(setup(), replies(Reply::failing(400, "I am not in the mood")));
    assert_eq!(answer(&fill_window(&scene).await), "4");
    let messages = scene.requests()[4]["messages"].as_array().unwrap().clone();
    let (summary, _) = messages[1]["content"].as_str().unwrap().split_once(">\nfour: ").unwrap();
    assert!(summary.contains("User: one: and so on.") && summary.contains("\nAgent: 3\n"), "{summary}");
    assert!(summary.len() < 1_000 && messages.len() == 2);
}

#[tokio::test]
async fn too_long_request_is_compacted_and_retried() {
    let too_long = || Reply::failing(400, "This model's maximum context length is 8000 tokens");
    let replies = [text_reply("1"), text_reply("2"), too_long(), text_reply("One and two."), text_reply("3")];
    let scene = Scene::with(setup(), replies);
    for run in ["one", "two"] {
        scene.send(run, &long(run)).await;
    }
    assert_eq!(answer(&scene.send("three", &long("three")).await), "3");
    let requests = scene.requests();
    let count = |at: usize| requests[at]["messages"].as_array().unwrap().len();
    assert_eq!((count(2), count(4)), (6, 2));
}

#[tokio::test]
async fn request_that_stays_too_long_fails_with_its_reason() {
    let too_long = || Reply::failing(400, "This model's maximum context length is 8 tokens");
    let scene = Scene::with(setup(), [too_long(), text_reply("never")]);
    let events = scene.send("one", "hi").await;
    assert!(
        matches!(outcome(&events), RunOutcome::Failed { why, .. } if why.contains("maximum context length"))
    );
    assert_eq!(scene.requests().len(), 1, "there was nothing to leave out");
}

#[tokio::test]
async fn too_long_turn_is_cut_between_its_calls() {
    let files = vec![("big.md", "a line of some length\n".repeat(1_000))];
    let read = |id: &str, from: u32| {
        Chunk::call(id, "read", &json!({"path": "big.md", "offset": from, "limit": 400}))
    };
    let replies = [
        Reply::answer([read("c1", 1)]),
        Reply::answer([read("c2", 2)]),
        reply_with_usage(12_500, read("c3", 3)),
        text_reply("Two parts were read."),
        text_reply("Done."),
    ];
    let scene = Scene::with(Setup { files, ..setup() }, replies);
    assert_eq!(answer(&scene.send("one", "read it all").await), "Done.");
    let messages = scene.requests()[4]["messages"].as_array().unwrap().clone();
    let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool"]);
    assert!(
        messages[1]["content"].as_str().unwrap().ends_with("\nread it all"),
        "the question is always sent"
    );
    assert_eq!(
        messages[2]["tool_calls"][0]["id"], messages[3]["tool_call_id"],
        "a call stands with its result"
    );
    let results =
        scene.items().iter().filter(|item| matches!(item.message.role, Role::ToolResult { .. })).count();
    assert_eq!(results, 3);
}

#[tokio::test]
async fn compact_command_summarises_with_a_focus() {
    let scene = Scene::with(setup(), [text_reply("1"), text_reply("They met."), text_reply("2")]);
    assert_eq!(answer(&scene.send("zero", "/compact").await), "There is nothing to summarise.");
    scene.send("one", "hello").await;
    let events = scene.send("two", "/compact the names").await;
    assert_eq!(answer(&events), "Summarised 2 messages for the model. The transcript keeps everything.");
    let prompt = scene.requests()[1]["messages"][1]["content"].as_str().unwrap().to_owned();
    assert!(prompt.ends_with("Focus the summary on this request of the user: the names"), "{prompt}");
    scene.send("three", "go on").await;
    let messages = scene.requests()[2]["messages"].as_array().unwrap().clone();
    let text = messages[1]["content"].as_str().unwrap();
    assert!(messages.len() == 2 && text.contains("\nThey met.\n</") && text.ends_with(">\ngo on"), "{text}");
}

#[tokio::test]
async fn compaction_can_be_aborted() {
    let gate = Gate::closed();
    let scene = Scene::with(
        setup(),
        [text_reply("1"), text_reply("They met.").held_before(1, &gate), text_reply("2")],
    );
    scene.send("one", "hello").await;
    scene.start("two", "/compact").await;
    wait_until_reached(&gate).await;
    scene.runtime.abort(&main(), None);
    scene.runtime.idle().await;
    assert!(matches!(outcome(&scene.take_events()), RunOutcome::Aborted { shown: None }));
    gate.open();
    scene.send("three", "go on").await;
    let messages = scene.requests()[2]["messages"].as_array().unwrap().clone();
    assert_eq!(messages.len(), 4, "nothing was summarised");
}
