//! Calls that the guard leaves to the owner: the request, the decision, and its effect.

use crate::scene;

use std::time::Duration;

use serde_json::json;
use tarsus_agent::RunEventKind;
use tarsus_protocol::approval::{Approval, ApprovalDecision, ResolvedBy};
use tarsus_store::RunState;
use tarsus_test_models::{Chunk, Reply};

use scene::{Scene, Setup, answer, texts};

/// Identical reads before the guard requires approval.
const ALLOWED_REPEATS: usize = 11;

/// A model that reads the same file once more than it may without approval.
fn repeating(has_approver: bool) -> Scene {
    let call = |number: usize| {
        Reply::answer([Chunk::call(format!("c{number}"), "read", &json!({ "path": "notes.md" }))])
    };
    let replies = (0..=ALLOWED_REPEATS).map(call).chain([Reply::answer([Chunk::text("Done.")])]);
    let setup = Setup { files: vec![("notes.md", "one\n".to_owned())], has_approver, ..Setup::default() };
    Scene::with(setup, replies)
}

/// Starts a run and waits for its approval request.
async fn wait_for_approval(scene: &Scene) -> Approval {
    scene.start("a", "look").await;
    let events = scene.wait_for(|event| matches!(event, RunEventKind::ApprovalRequested(_))).await;
    let Some(RunEventKind::ApprovalRequested(approval)) = events.last() else {
        panic!("no approval was requested")
    };
    assert_eq!(scene.runtime.pending_approvals(), std::slice::from_ref(approval));
    approval.clone()
}

/// The published decision, and the result of the last call.
async fn resolution(scene: &Scene) -> (ApprovalDecision, ResolvedBy, String) {
    scene.runtime.idle().await;
    let events = scene.take_events();
    let resolved = events.iter().find_map(|event| match event {
        RunEventKind::ApprovalResolved(resolved) => Some(resolved.clone()),
        _ => None,
    });
    let resolved = resolved.unwrap();
    assert!(scene.runtime.pending_approvals().is_empty());
    let results: Vec<String> = texts(&scene.items())
        .into_iter()
        .filter(|(who, _)| who == "toolResult")
        .map(|(_, text)| text)
        .collect();
    assert_eq!(results.len(), ALLOWED_REPEATS + 1, "every call has a result");
    (resolved.decision, resolved.resolved_by, results.last().unwrap().clone())
}

#[tokio::test]
async fn approval_request_has_the_call_and_its_reasons() {
    let scene = repeating(true);
    let Approval { id, request, created_at_ms, expires_at_ms } = wait_for_approval(&scene).await;
    assert_eq!(request.command, r#"read {"path":"notes.md"}"#);
    assert_eq!(request.reasons, ["the same call was made 10 times with the same result"]);
    assert_eq!(request.allowed_decisions, [ApprovalDecision::AllowOnce, ApprovalDecision::Deny]);
    assert_eq!((request.agent_id.as_str(), request.session_key.as_str()), ("main", "agent:main:main"));
    assert_eq!(expires_at_ms - created_at_ms, 30 * 60 * 1000);
    scene.runtime.resolve_approval(&id, ApprovalDecision::AllowOnce, ResolvedBy::Client).unwrap();
    let (decision, by, result) = resolution(&scene).await;
    assert_eq!((decision, by), (ApprovalDecision::AllowOnce, ResolvedBy::Client));
    assert!(result.contains("one"), "{result}");
    let again = scene.runtime.resolve_approval(&id, ApprovalDecision::Deny, ResolvedBy::Client).unwrap_err();
    assert!(again.to_string().starts_with(&format!("unknown approval id \"{id}\"")), "{again}");
}

#[tokio::test]
async fn permitted_call_runs_before_a_pending_one_expires() {
    let read =
        |number: usize, path: &str| Chunk::call(format!("c{number}"), "read", &json!({ "path": path }));
    let repeated = (0..ALLOWED_REPEATS).map(|number| Reply::answer([read(number, "notes.md")]));
    let both = Reply::answer([read(90, "other.md"), read(91, "notes.md")]);
    let replies = repeated.chain([both, Reply::answer([Chunk::text("Done.")])]);
    let files = vec![("notes.md", "one\n".to_owned()), ("other.md", "two\n".to_owned())];
    let scene = Scene::with(Setup { files, has_approver: true, ..Setup::default() }, replies);
    let id = wait_for_approval(&scene).await.id;
    scene.clock_control.advance(Duration::from_mins(2));
    scene.runtime.resolve_approval(&id, ApprovalDecision::AllowOnce, ResolvedBy::Client).unwrap();
    scene.runtime.idle().await;
    let items = texts(&scene.items());
    let results: Vec<&str> =
        items.iter().filter(|(who, _)| who == "toolResult").map(|(_, text)| text.as_str()).collect();
    let [.., other, notes] = &results[..] else { panic!("{results:?}") };
    assert!(other.contains("two") && notes.contains("one"), "{other} {notes}");
}

#[tokio::test]
async fn denied_call_is_reported_to_the_model() {
    let scene = repeating(true);
    let id = wait_for_approval(&scene).await.id;
    scene.runtime.resolve_approval(&id, ApprovalDecision::Deny, ResolvedBy::Client).unwrap();
    let (decision, _, result) = resolution(&scene).await;
    assert_eq!(decision, ApprovalDecision::Deny);
    assert!(result.contains("the owner denied read"), "{result}");
    assert_eq!(scene.run("a").state, RunState::Finished);
}

#[tokio::test]
async fn approve_command_does_not_wait_for_the_turn() {
    let scene = repeating(true);
    let id = wait_for_approval(&scene).await.id;
    let table = [
        ("b", "/approve".to_owned(), "Usage: /approve <id> <allow-once | allow-always | deny>\n/approve "),
        (
            "c",
            format!("/approve {id} allow-always"),
            "Nothing was changed: allow-always is not possible here",
        ),
        ("d", "/approve 999 deny".to_owned(), "Nothing was changed: unknown approval id \"999\""),
    ];
    for (run, text, _) in &table {
        scene.start(run, text).await;
    }
    scene.start("e", &format!("/approve {id} allow-once")).await;
    scene.runtime.idle().await;
    let replies: Vec<String> = texts(&scene.items())
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
async fn approve_command_needs_the_approvals_scope() {
    let scene = repeating(true);
    let id = wait_for_approval(&scene).await.id;
    let guest = tarsus_agent::Inbound {
        may_approve: false,
        ..scene::inbound("b", &format!("/approve {id} allow-once"))
    };
    scene.runtime.send(guest).await.unwrap().start_turn();
    assert_eq!(scene.runtime.pending_approvals().len(), 1);
    scene.runtime.resolve_approval(&id, ApprovalDecision::Deny, ResolvedBy::Client).unwrap();
    scene.runtime.idle().await;
    assert_eq!(
        answer(&scene.take_events()),
        "You do not have permission to approve calls; nothing was changed."
    );
}

#[tokio::test]
async fn run_that_waits_for_approval_can_be_aborted() {
    let scene = repeating(true);
    wait_for_approval(&scene).await;
    scene.runtime.abort(&scene::main(), None);
    let (decision, by, result) = resolution(&scene).await;
    assert_eq!((decision, by), (ApprovalDecision::Deny, ResolvedBy::Stop));
    assert_eq!(result, "The run was aborted before this call was made.");
    assert_eq!(scene.run("a").state, RunState::Aborted);
}

#[tokio::test]
async fn closing_approvals_denies_pending_calls() {
    let scene = repeating(true);
    wait_for_approval(&scene).await;
    scene.runtime.close_approvals();
    let (_, by, result) = resolution(&scene).await;
    assert_eq!(by, ResolvedBy::Stop);
    assert!(result.contains("but Tarsus is stopping"), "{result}");
}

#[tokio::test]
async fn call_is_denied_when_no_approver_is_connected() {
    let scene = repeating(false);
    let events = scene.send("a", "look").await;
    assert_eq!(answer(&events), "Done.");
    assert!(!events.iter().any(|event| matches!(event, RunEventKind::ApprovalRequested(_))));
    let items = texts(&scene.items());
    let refused = items.iter().rev().find(|(who, _)| who == "toolResult").map(|(_, text)| text).unwrap();
    assert!(
        refused.contains("read needs the owner's approval, and no one is connected to give it"),
        "{refused}"
    );
}
