//! Conversations that outgrow their model: what is summarised, what the model is told then, what people still find.

use crate::scene;

use serde_json::json;
use tarsus_agent::{RunEventKind, RunOutcome};
use tarsus_models::Usage;
use tarsus_protocol::Role;
use tarsus_test_models::{Gate, Reply, Say, Script};

use scene::{Scene, Setup, answer, ending, main, reached, said};

/// Tokens of the window; a request may have 12,000 of them.
const WINDOW: u32 = 16_000;

fn setup() -> Setup {
    let config = json!({ "models": { "providers": { "test": { "models": [
        { "id": "one", "contextWindow": WINDOW }
    ] } } } });
    Setup { config, ..Setup::default() }
}

fn says(text: &str) -> Reply {
    Reply::says([Say::text(text)])
}

/// An answer to a request of so many tokens.
fn counted(input: u32, says: Say) -> Reply {
    let usage = Usage { input, output: 10, cache_read: 0, cache_write: 0 };
    Reply::script(Script { usage, ..Script::new([says]) })
}

/// A message of about 2,000 tokens.
fn long(name: &str) -> String {
    format!("{name}: {}", "and so on. ".repeat(720))
}

/// Four turns, before the last of which the model is full.
async fn grown(scene: &Scene) -> Vec<RunEventKind> {
    for run in ["one", "two", "three"] {
        scene.say(run, &long(run)).await;
    }
    scene.say("four", &long("four")).await
}

fn replies(summary: Reply) -> Vec<Reply> {
    vec![says("1"), says("2"), counted(12_500, Say::text("3")), summary, says("4"), says("5")]
}

#[tokio::test]
async fn what_is_old_is_summarised_for_the_model_and_kept_for_people() {
    let files = vec![("AGENTS.md", "Be brief.".to_owned())];
    let scene =
        Scene::with(Setup { files, ..setup() }, replies(says("<think>short</think>They counted to three.")));
    let told = grown(&scene).await;
    assert_eq!(answer(&told), "4");
    let shown = told
        .iter()
        .filter(|what| matches!(what, RunEventKind::TextDelta { .. } | RunEventKind::ReasoningDelta { .. }))
        .count();
    assert_eq!(shown, 1, "nobody hears the summary");
    let requests = scene.requests();
    let asked = &requests[3];
    assert!(asked["messages"][0]["content"].as_str().unwrap().starts_with("You shorten conversations"));
    assert_eq!((asked.get("tools"), asked["messages"].as_array().unwrap().len()), (None, 2));
    let material = asked["messages"][1]["content"].as_str().unwrap();
    assert!(material.contains("Person: three: and so on.") && material.contains("Agent: 3"), "{material}");
    assert!(!material.contains("four: "), "what is new is told as it is");

    let told = requests[4]["messages"].as_array().unwrap();
    assert_eq!(told.len(), 2, "the rules, and the summary with the message");
    let (summary, message) =
        told[1]["content"].as_str().unwrap().split_once("\nThey counted to three.\n").unwrap();
    assert!(summary.ends_with(" source=\"what was said before, summarised\">"), "{summary}");
    assert!(message.starts_with("</untrusted-") && message.contains(">\nfour: and so on."), "{message}");
    assert_eq!(scene.items().len(), 9, "four messages, four answers, a remark");
    let remark = "What was said before this was summarised for the model. All of it is kept here.";
    assert!(said(&scene.items()).contains(&("compaction".to_owned(), remark.to_owned())));

    let spent = scene.store.spent_in_run(&"four".parse().unwrap()).unwrap();
    assert_eq!(spent.requests, 2, "a summary is paid for like everything else");
    let notes = std::fs::read_to_string(scene.workspace().join("memory/1970-01-01.md"));
    assert!(notes.unwrap().ends_with("(agent:main:main)\n\nThey counted to three.\n"));

    scene.say("five", "and now?").await;
    let next = scene.requests()[5]["messages"].as_array().unwrap().clone();
    assert_eq!(next[..told.len()], told[..], "what was sent stays as it was from then on");
}

#[tokio::test]
async fn a_summary_that_cannot_be_had_is_made_without_a_model() {
    let scene = Scene::with(setup(), replies(Reply::failing(400, "I am not in the mood")));
    assert_eq!(answer(&grown(&scene).await), "4");
    let told = scene.requests()[4]["messages"].as_array().unwrap().clone();
    let (summary, _) = told[1]["content"].as_str().unwrap().split_once(">\nfour: ").unwrap();
    assert!(summary.contains("Person: one: and so on.") && summary.contains("\nAgent: 3\n"), "{summary}");
    assert!(summary.len() < 1_000 && told.len() == 2);
}

#[tokio::test]
async fn a_provider_that_finds_it_too_long_is_told_less() {
    let too_long = || Reply::failing(400, "This model's maximum context length is 8000 tokens");
    let replies = [says("1"), says("2"), too_long(), says("One and two."), says("3")];
    let scene = Scene::with(setup(), replies);
    for run in ["one", "two"] {
        scene.say(run, &long(run)).await;
    }
    assert_eq!(answer(&scene.say("three", &long("three")).await), "3");
    let requests = scene.requests();
    let count = |at: usize| requests[at]["messages"].as_array().unwrap().len();
    assert_eq!((count(2), count(4)), (6, 2));
}

#[tokio::test]
async fn what_stays_too_long_is_said_with_the_words_of_the_provider() {
    let too_long = || Reply::failing(400, "This model's maximum context length is 8 tokens");
    let scene = Scene::with(setup(), [too_long(), says("never")]);
    let told = scene.say("one", "hi").await;
    assert!(
        matches!(ending(&told), RunOutcome::Failed { why, .. } if why.contains("maximum context length"))
    );
    assert_eq!(scene.requests().len(), 1, "there was nothing to leave out");
}

#[tokio::test]
async fn a_turn_that_is_too_long_by_itself_is_cut_between_its_calls() {
    let files = vec![("big.md", "a line of some length\n".repeat(1_000))];
    let read =
        |id: &str, from: u32| Say::call(id, "read", &json!({"path": "big.md", "offset": from, "limit": 400}));
    let replies = [
        Reply::says([read("c1", 1)]),
        Reply::says([read("c2", 2)]),
        counted(12_500, read("c3", 3)),
        says("Two parts were read."),
        says("Done."),
    ];
    let scene = Scene::with(Setup { files, ..setup() }, replies);
    assert_eq!(answer(&scene.say("one", "read it all").await), "Done.");
    let told = scene.requests()[4]["messages"].as_array().unwrap().clone();
    let roles: Vec<&str> = told.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool"]);
    assert!(
        told[1]["content"].as_str().unwrap().ends_with("\nread it all"),
        "the question is told in any case"
    );
    assert_eq!(told[2]["tool_calls"][0]["id"], told[3]["tool_call_id"], "a call stands with its result");
    let results =
        scene.items().iter().filter(|item| matches!(item.message.role, Role::ToolResult { .. })).count();
    assert_eq!(results, 3);
}

#[tokio::test]
async fn a_person_may_ask_for_a_summary_and_say_what_matters() {
    let scene = Scene::with(setup(), [says("1"), says("They met."), says("2")]);
    assert_eq!(answer(&scene.say("zero", "/compact").await), "There is nothing to summarise yet.");
    scene.say("one", "hello").await;
    let told = scene.say("two", "/compact the names").await;
    assert_eq!(
        answer(&told),
        "The conversation so far (2 messages) is summarised for the model. All of it is kept."
    );
    let asked = scene.requests()[1]["messages"][1]["content"].as_str().unwrap().to_owned();
    assert!(
        asked.ends_with("The person asks you to keep this in mind for the summary: the names"),
        "{asked}"
    );
    scene.say("three", "go on").await;
    let told = scene.requests()[2]["messages"].as_array().unwrap().clone();
    let text = told[1]["content"].as_str().unwrap();
    assert!(told.len() == 2 && text.contains("\nThey met.\n</") && text.ends_with(">\ngo on"), "{text}");
}

#[tokio::test]
async fn a_summary_can_be_called_off() {
    let gate = Gate::shut();
    let scene = Scene::with(setup(), [says("1"), says("They met.").held_before(1, &gate), says("2")]);
    scene.say("one", "hello").await;
    scene.begin("two", "/compact").await;
    reached(&gate).await;
    scene.runtime.abort(&main(), None);
    scene.runtime.idle().await;
    assert!(matches!(ending(&scene.told()), RunOutcome::Aborted { shown: None }));
    gate.open();
    scene.say("three", "go on").await;
    let told = scene.requests()[2]["messages"].as_array().unwrap().clone();
    assert_eq!(told.len(), 4, "nothing was summarised");
}
