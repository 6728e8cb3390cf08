use std::collections::VecDeque;
use std::sync::Mutex;

use futures_util::stream;

use super::*;
use tarsus_protocol::NoAnswer;

use crate::catalog::{ModelCatalog, ModelInfo};
use crate::delta::StopReason;

/// Plays one list of pieces a request; an empty list never ends.
struct ScriptedModel {
    name: ModelName,
    info: ModelInfo,
    answers: Mutex<VecDeque<Vec<Result<Delta, ModelError>>>>,
}

impl LanguageModel for ScriptedModel {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn context_window(&self) -> u32 {
        8_192
    }

    fn stream(&self, _: Arc<ModelRequest>) -> DeltaStream {
        match self.answers.lock().unwrap().pop_front().unwrap() {
            answer if answer.is_empty() => Box::pin(stream::pending()),
            answer => Box::pin(stream::iter(answer)),
        }
    }
}

/// The class in its serialized form.
fn word(class: NoAnswer) -> String {
    serde_json::to_value(class).unwrap().as_str().unwrap().to_owned()
}

fn name(text: &str) -> ModelName {
    text.parse().unwrap()
}

fn link(text: &str, answers: Vec<Vec<Result<Delta, ModelError>>>) -> ChainLink {
    let name = name(text);
    let info = ModelCatalog::default().model(&name).unwrap().info;
    ChainLink::new(Arc::new(ScriptedModel { name, info, answers: Mutex::new(answers.into()) }))
}

fn text(text: &str) -> Result<Delta, ModelError> {
    Ok(Delta::Text(text.into()))
}

const STOP: Result<Delta, ModelError> = Ok(Delta::Stop(StopReason::EndTurn));

fn fails(class: NoAnswer) -> Result<Delta, ModelError> {
    Err(ModelError::new(class, word(class)))
}

async fn events(links: Vec<ChainLink>) -> Vec<ChainEvent> {
    ModelChain::new(links, RetryPolicy::new(1)).stream(Arc::default()).collect().await
}

/// The events in short words, and how much time they took.
async fn transcript(links: Vec<ChainLink>) -> (Vec<String>, Duration) {
    let start = tokio::time::Instant::now();
    let transcript = events(links).await.into_iter().map(|event| match event {
        ChainEvent::AttemptStarted { model, attempt } => format!("ask {model} {attempt}"),
        ChainEvent::Delta(Delta::Text(text)) => text,
        ChainEvent::Delta(Delta::Stop(_)) => "stop".into(),
        ChainEvent::Delta(_) => "piece".into(),
        ChainEvent::AttemptFailed { failed: tried, decision: RetryDecision::Retry { .. } } => {
            format!("{} again", tried.error.message)
        }
        ChainEvent::AttemptFailed { failed: tried, decision: RetryDecision::Fallback { model } } => {
            format!("{} then {model}", tried.error.message)
        }
        ChainEvent::AttemptFailed { failed: tried, decision: RetryDecision::GiveUp } => {
            format!("{} and no more", tried.error.message)
        }
        ChainEvent::Completed { model, failed: tried } => format!("{model} answered after {}", tried.len()),
        ChainEvent::Failed(ChainError(tried)) => format!("gave up after {}", tried.len()),
    });
    (transcript.collect(), start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn first_complete_response_ends_the_chain() {
    let (transcript, took) =
        transcript(vec![link("groq/x", vec![vec![text("hi"), STOP]]), link("xai/y", vec![])]).await;
    assert_eq!(transcript, ["ask groq/x 1", "hi", "stop", "groq/x answered after 0"]);
    assert_eq!(took, Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn transient_errors_are_retried_then_fall_back() {
    let busy = || vec![text("half"), fails(NoAnswer::Overloaded)];
    let first = link("groq/x", vec![busy(), busy(), busy()]);
    let (transcript, took) = transcript(vec![first, link("xai/y", vec![vec![text("whole"), STOP]])]).await;
    assert_eq!(
        transcript,
        [
            "ask groq/x 1",
            "half",
            "overloaded again",
            "ask groq/x 2",
            "half",
            "overloaded again",
            "ask groq/x 3",
            "half",
            "overloaded then xai/y",
            "ask xai/y 1",
            "whole",
            "stop",
            "xai/y answered after 3",
        ]
    );
    assert!(took >= Duration::from_millis(1_500) && took <= Duration::from_secs(3), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn permanent_errors_are_not_retried() {
    let first = |class| link("groq/x", vec![vec![fails(class)]]);
    for class in
        [NoAnswer::Auth, NoAnswer::Billing, NoAnswer::BadRequest, NoAnswer::TimedOut, NoAnswer::Malformed]
    {
        let (transcript, took) = transcript(vec![first(class), link("xai/y", vec![vec![STOP]])]).await;
        let then = format!("{} then xai/y", word(class));
        assert_eq!(transcript, ["ask groq/x 1", &then, "ask xai/y 1", "stop", "xai/y answered after 1"]);
        assert_eq!(took, Duration::ZERO);
    }
    let (long, _) = transcript(vec![first(NoAnswer::ContextTooLong), link("xai/y", vec![])]).await;
    assert_eq!(long, ["ask groq/x 1", "context-too-long and no more", "gave up after 1"]);
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_respected_up_to_its_limit() {
    let wish = |seconds| {
        vec![Err(ModelError {
            retry_after: Some(Duration::from_secs(seconds)),
            ..ModelError::new(NoAnswer::RateLimit, "slow")
        })]
    };
    let (waited, took) = transcript(vec![link("groq/x", vec![wish(30), vec![STOP]])]).await;
    assert_eq!(waited, ["ask groq/x 1", "slow again", "ask groq/x 2", "stop", "groq/x answered after 1"]);
    assert!(took >= Duration::from_secs(30) && took < Duration::from_secs(31), "{took:?}");
    let (not_waited, took) =
        transcript(vec![link("groq/x", vec![wish(3_600)]), link("xai/y", vec![vec![STOP]])]).await;
    assert_eq!(not_waited[1], "slow then xai/y");
    assert_eq!(took, Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn unopenable_model_counts_as_failed_attempt() {
    let link =
        ChainLink { name: name("openai/gpt-5"), model: Err(ModelError::new(NoAnswer::Auth, "no key")) };
    let tried = FailedAttempt {
        model: name("openai/gpt-5"),
        attempt: 1,
        error: ModelError::new(NoAnswer::Auth, "no key"),
        usage: None,
    };
    assert_eq!(
        events(vec![link]).await,
        [
            ChainEvent::AttemptStarted { model: name("openai/gpt-5"), attempt: 1 },
            ChainEvent::AttemptFailed { failed: tried.clone(), decision: RetryDecision::GiveUp },
            ChainEvent::Failed(ChainError(vec![tried])),
        ]
    );
    assert_eq!(events(vec![]).await, [ChainEvent::Failed(ChainError(vec![]))]);
}

#[tokio::test(start_paused = true)]
async fn failed_attempts_record_usage_and_cut_off_responses() {
    let usage = Usage { input: 9, ..Usage::default() };
    let first = link("groq/x", vec![vec![Ok(Delta::Usage(usage)), text("ha")], vec![fails(NoAnswer::Auth)]]);
    let events = events(vec![first]).await;
    let Some(ChainEvent::Failed(ChainError(tried))) = events.last() else { panic!("{events:?}") };
    let cut = ModelError::new(NoAnswer::Network, "the answer was cut off before its end");
    let record = |attempt, error, usage| FailedAttempt { model: name("groq/x"), attempt, error, usage };
    assert_eq!(
        *tried,
        [record(1, cut, Some(usage)), record(2, ModelError::new(NoAnswer::Auth, "auth"), None)]
    );

    let problem = Problem::from(ChainError(tried.clone()));
    assert_eq!(problem.message, "groq/x: auth");
    assert_eq!(problem.notes, ["before that groq/x (attempt 1): the answer was cut off before its end"]);
}
