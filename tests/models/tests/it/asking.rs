//! A call that the guard leaves to the owner: asked, answered, and what comes of it.

use crate::scene;

use std::time::Duration;

use serde_json::json;
use tarsus_agent::RunEventKind;
use tarsus_protocol::approval::{Approval, ApprovalDecision, ResolvedBy};
use tarsus_store::RunState;
use tarsus_test_models::{Reply, Say};

use scene::{Scene, Setup, answer, said};

/// So often the same file is read before the guard asks whether that leads anywhere.
const UNASKED: usize = 11;

/// A model that reads the same file again and again, once more than it may unasked.
fn circling(is_heard: bool) -> Scene {
    let call = |number: usize| {
        Reply::says([Say::call(format!("c{number}"), "read", &json!({ "path": "notes.md" }))])
    };
    let replies = (0..=UNASKED).map(call).chain([Reply::says([Say::text("Done.")])]);
    let setup = Setup { files: vec![("notes.md", "one\n".to_owned())], is_heard, ..Setup::default() };
    Scene::with(setup, replies)
}

/// Says something, and waits until the owner is asked.
async fn asked(scene: &Scene) -> Approval {
    scene.begin("a", "look").await;
    let told = scene.until(|what| matches!(what, RunEventKind::ApprovalRequested(_))).await;
    let Some(RunEventKind::ApprovalRequested(asked)) = told.last() else { panic!("nobody is asked") };
    assert_eq!(scene.runtime.pending_approvals(), std::slice::from_ref(asked));
    asked.clone()
}

/// How it ended, as it is told, and what the last call came to.
async fn came_to(scene: &Scene) -> (ApprovalDecision, ResolvedBy, String) {
    scene.runtime.idle().await;
    let told = scene.told();
    let resolved = told.iter().find_map(|what| match what {
        RunEventKind::ApprovalResolved(resolved) => Some(resolved.clone()),
        _ => None,
    });
    let resolved = resolved.unwrap();
    assert!(scene.runtime.pending_approvals().is_empty());
    let results: Vec<String> = said(&scene.items())
        .into_iter()
        .filter(|(who, _)| who == "toolResult")
        .map(|(_, text)| text)
        .collect();
    assert_eq!(results.len(), UNASKED + 1, "every call has a result");
    (resolved.decision, resolved.resolved_by, results.last().unwrap().clone())
}

#[tokio::test]
async fn the_owner_is_asked_with_the_whole_call_and_the_reason() {
    let scene = circling(true);
    let Approval { id, request, created_at_ms, expires_at_ms } = asked(&scene).await;
    assert_eq!(request.command, r#"read {"path":"notes.md"}"#);
    assert_eq!(request.reasons, ["the same call was made 10 times with the same result"]);
    assert_eq!(request.allowed_decisions, [ApprovalDecision::AllowOnce, ApprovalDecision::Deny]);
    assert_eq!((request.agent_id.as_str(), request.session_key.as_str()), ("main", "agent:main:main"));
    assert_eq!(expires_at_ms - created_at_ms, 30 * 60 * 1000);
    scene.runtime.resolve_approval(&id, ApprovalDecision::AllowOnce, ResolvedBy::Client).unwrap();
    let (decision, by, result) = came_to(&scene).await;
    assert_eq!((decision, by), (ApprovalDecision::AllowOnce, ResolvedBy::Client));
    assert!(result.contains("one"), "{result}");
    let again = scene.runtime.resolve_approval(&id, ApprovalDecision::Deny, ResolvedBy::Client).unwrap_err();
    assert!(again.to_string().starts_with(&format!("unknown approval id \"{id}\"")), "{again}");
}

#[tokio::test]
async fn a_call_beside_one_that_waits_does_not_wait_until_its_permission_is_over() {
    let read = |number: usize, path: &str| Say::call(format!("c{number}"), "read", &json!({ "path": path }));
    let circling = (0..UNASKED).map(|number| Reply::says([read(number, "notes.md")]));
    let both = Reply::says([read(90, "other.md"), read(91, "notes.md")]);
    let replies = circling.chain([both, Reply::says([Say::text("Done.")])]);
    let files = vec![("notes.md", "one\n".to_owned()), ("other.md", "two\n".to_owned())];
    let scene = Scene::with(Setup { files, is_heard: true, ..Setup::default() }, replies);
    let id = asked(&scene).await.id;
    scene.hand.advance(Duration::from_mins(2));
    scene.runtime.resolve_approval(&id, ApprovalDecision::AllowOnce, ResolvedBy::Client).unwrap();
    scene.runtime.idle().await;
    let items = said(&scene.items());
    let results: Vec<&str> =
        items.iter().filter(|(who, _)| who == "toolResult").map(|(_, text)| text.as_str()).collect();
    let [.., other, notes] = &results[..] else { panic!("{results:?}") };
    assert!(other.contains("two") && notes.contains("one"), "{other} {notes}");
}

#[tokio::test]
async fn a_no_is_told_to_the_model_which_goes_on() {
    let scene = circling(true);
    let id = asked(&scene).await.id;
    scene.runtime.resolve_approval(&id, ApprovalDecision::Deny, ResolvedBy::Client).unwrap();
    let (decision, _, result) = came_to(&scene).await;
    assert_eq!(decision, ApprovalDecision::Deny);
    assert!(result.contains("the owner said no to read"), "{result}");
    assert_eq!(scene.run("a").state, RunState::Finished);
}

#[tokio::test]
async fn slash_approve_answers_without_waiting_for_the_turn_that_waits_for_it() {
    let scene = circling(true);
    let id = asked(&scene).await.id;
    let table = [
        ("b", "/approve".to_owned(), "It takes an id and one of allow-once, allow-always, deny.\n/approve "),
        (
            "c",
            format!("/approve {id} allow-always"),
            "Nothing was changed: allow-always is no answer to this",
        ),
        ("d", "/approve 999 deny".to_owned(), "Nothing was changed: unknown approval id \"999\""),
    ];
    for (run, text, _) in &table {
        scene.begin(run, text).await;
    }
    scene.begin("e", &format!("/approve {id} allow-once")).await;
    scene.runtime.idle().await;
    let replies: Vec<String> = said(&scene.items())
        .into_iter()
        .filter(|(who, _)| who == "assistant")
        .map(|(_, text)| text)
        .collect();
    let [.., done, b, c, d, e] = &replies[..] else { panic!("{replies:?}") };
    assert_eq!(done, "Done.");
    for ((_, _, expected), reply) in table.iter().zip([b, c, d]) {
        assert!(reply.starts_with(expected), "{reply}");
    }
    assert_eq!(e, r#"Allowed once: read {"path":"notes.md"}"#);
}

#[tokio::test]
async fn who_may_not_answer_for_the_owner_does_not_by_a_message_either() {
    let scene = circling(true);
    let id = asked(&scene).await.id;
    let guest = tarsus_agent::Inbound {
        may_approve: false,
        ..scene::inbound("b", &format!("/approve {id} allow-once"))
    };
    scene.runtime.send(guest).await.unwrap().start_turn();
    assert_eq!(scene.runtime.pending_approvals().len(), 1);
    scene.runtime.resolve_approval(&id, ApprovalDecision::Deny, ResolvedBy::Client).unwrap();
    scene.runtime.idle().await;
    assert_eq!(answer(&scene.told()), "You may not answer for the owner here; nothing was changed.");
}

#[tokio::test]
async fn a_run_that_waits_for_the_owner_can_be_called_off() {
    let scene = circling(true);
    asked(&scene).await;
    scene.runtime.abort(&scene::main(), None);
    let (decision, by, result) = came_to(&scene).await;
    assert_eq!((decision, by), (ApprovalDecision::Deny, ResolvedBy::Stop));
    assert_eq!(result, "The run was called off before this was done.");
    assert_eq!(scene.run("a").state, RunState::Aborted);
}

#[tokio::test]
async fn at_the_end_nobody_is_waited_for() {
    let scene = circling(true);
    asked(&scene).await;
    scene.runtime.close_approvals();
    let (_, by, result) = came_to(&scene).await;
    assert_eq!(by, ResolvedBy::Stop);
    assert!(result.contains("Tarsus stops before there is one"), "{result}");
}

#[tokio::test]
async fn with_nobody_to_ask_it_is_a_no_that_says_so() {
    let scene = circling(false);
    let told = scene.say("a", "look").await;
    assert_eq!(answer(&told), "Done.");
    assert!(!told.iter().any(|what| matches!(what, RunEventKind::ApprovalRequested(_))));
    let items = said(&scene.items());
    let refused = items.iter().rev().find(|(who, _)| who == "toolResult").map(|(_, text)| text).unwrap();
    assert!(refused.contains("read needs a yes of the owner, who cannot be asked here"), "{refused}");
}
