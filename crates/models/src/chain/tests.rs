use std::collections::VecDeque;
use std::sync::Mutex;

use futures_util::stream;

use super::*;
use crate::catalog::{Catalog, Facts};
use crate::delta::Stop;

/// Plays one list of pieces a request; an empty list never ends.
struct Played {
    name: ModelName,
    facts: Facts,
    answers: Mutex<VecDeque<Vec<Result<Delta, Failure>>>>,
}

impl LanguageModel for Played {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn window(&self) -> u32 {
        8_192
    }

    fn ask(&self, _: Arc<Request>) -> Deltas {
        match self.answers.lock().unwrap().pop_front().unwrap() {
            answer if answer.is_empty() => Box::pin(stream::pending()),
            answer => Box::pin(stream::iter(answer)),
        }
    }
}

fn name(text: &str) -> ModelName {
    text.parse().unwrap()
}

fn link(text: &str, answers: Vec<Vec<Result<Delta, Failure>>>) -> Link {
    let name = name(text);
    let facts = Catalog::default().model(&name).unwrap().facts;
    Link::new(Arc::new(Played { name, facts, answers: Mutex::new(answers.into()) }))
}

fn text(text: &str) -> Result<Delta, Failure> {
    Ok(Delta::Text(text.into()))
}

const STOP: Result<Delta, Failure> = Ok(Delta::Stop(Stop::Done));

fn fails(class: Class) -> Result<Delta, Failure> {
    Err(Failure::new(class, class.as_str()))
}

async fn events(links: Vec<Link>) -> Vec<Event> {
    Chain::new(links, Policy::new(1)).ask(Arc::default()).collect().await
}

/// The events in short words, and how much time they took.
async fn told(links: Vec<Link>) -> (Vec<String>, Duration) {
    let start = tokio::time::Instant::now();
    let told = events(links).await.into_iter().map(|event| match event {
        Event::Asking { model, attempt } => format!("ask {model} {attempt}"),
        Event::Delta(Delta::Text(text)) => text,
        Event::Delta(Delta::Stop(_)) => "stop".into(),
        Event::Delta(_) => "piece".into(),
        Event::Dropped { tried, next: Next::Again { .. } } => format!("{} again", tried.failure.what),
        Event::Dropped { tried, next: Next::Fallback { model } } => {
            format!("{} then {model}", tried.failure.what)
        }
        Event::Dropped { tried, next: Next::GiveUp } => format!("{} and no more", tried.failure.what),
        Event::Answered { model, tried } => format!("{model} answered after {}", tried.len()),
        Event::GaveUp(GaveUp(tried)) => format!("gave up after {}", tried.len()),
    });
    (told.collect(), start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn the_first_whole_answer_ends_it() {
    let (told, took) = told(vec![link("groq/x", vec![vec![text("hi"), STOP]]), link("xai/y", vec![])]).await;
    assert_eq!(told, ["ask groq/x 1", "hi", "stop", "groq/x answered after 0"]);
    assert_eq!(took, Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn what_may_pass_is_tried_three_times_and_then_the_next_model_is_asked() {
    let busy = || vec![text("half"), fails(Class::Overloaded)];
    let first = link("groq/x", vec![busy(), busy(), busy()]);
    let (told, took) = told(vec![first, link("xai/y", vec![vec![text("whole"), STOP]])]).await;
    assert_eq!(
        told,
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
async fn what_does_not_pass_is_not_tried_again() {
    let first = |class| link("groq/x", vec![vec![fails(class)]]);
    for class in [Class::Auth, Class::Billing, Class::BadRequest, Class::TimedOut, Class::Malformed] {
        let (told, took) = told(vec![first(class), link("xai/y", vec![vec![STOP]])]).await;
        let then = format!("{} then xai/y", class.as_str());
        assert_eq!(told, ["ask groq/x 1", &then, "ask xai/y 1", "stop", "xai/y answered after 1"]);
        assert_eq!(took, Duration::ZERO);
    }
    let (long, _) = told(vec![first(Class::ContextTooLong), link("xai/y", vec![])]).await;
    assert_eq!(long, ["ask groq/x 1", "context-too-long and no more", "gave up after 1"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_wants_to_be_left_alone_is_left_alone() {
    let wish = |seconds| {
        vec![Err(Failure {
            retry_after: Some(Duration::from_secs(seconds)),
            ..Failure::new(Class::RateLimit, "slow")
        })]
    };
    let (waited, took) = told(vec![link("groq/x", vec![wish(30), vec![STOP]])]).await;
    assert_eq!(waited, ["ask groq/x 1", "slow again", "ask groq/x 2", "stop", "groq/x answered after 1"]);
    assert!(took >= Duration::from_secs(30) && took < Duration::from_secs(31), "{took:?}");
    let (not_waited, took) =
        told(vec![link("groq/x", vec![wish(3_600)]), link("xai/y", vec![vec![STOP]])]).await;
    assert_eq!(not_waited[1], "slow then xai/y");
    assert_eq!(took, Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_cannot_be_asked_counts_as_one_that_failed() {
    let link = Link { name: name("openai/gpt-5"), model: Err(Failure::new(Class::Auth, "no key")) };
    let tried = Tried {
        model: name("openai/gpt-5"),
        attempt: 1,
        failure: Failure::new(Class::Auth, "no key"),
        usage: None,
    };
    assert_eq!(
        events(vec![link]).await,
        [
            Event::Asking { model: name("openai/gpt-5"), attempt: 1 },
            Event::Dropped { tried: tried.clone(), next: Next::GiveUp },
            Event::GaveUp(GaveUp(vec![tried])),
        ]
    );
    assert_eq!(events(vec![]).await, [Event::GaveUp(GaveUp(vec![]))]);
}

#[tokio::test(start_paused = true)]
async fn tokens_of_a_try_that_failed_are_in_its_record_and_an_answer_without_an_end_is_cut() {
    let usage = Usage { input: 9, ..Usage::default() };
    let first = link("groq/x", vec![vec![Ok(Delta::Usage(usage)), text("ha")], vec![fails(Class::Auth)]]);
    let events = events(vec![first]).await;
    let Some(Event::GaveUp(GaveUp(tried))) = events.last() else { panic!("{events:?}") };
    let cut = Failure::new(Class::Network, "the answer was cut off before its end");
    let record = |attempt, failure, usage| Tried { model: name("groq/x"), attempt, failure, usage };
    assert_eq!(*tried, [record(1, cut, Some(usage)), record(2, Failure::new(Class::Auth, "auth"), None)]);

    let problem = Problem::from(GaveUp(tried.clone()));
    assert_eq!(problem.message, "groq/x: auth");
    assert_eq!(problem.notes, ["before that groq/x (try 1): the answer was cut off before its end"]);
}
