//! Any sequence of changes, with the store closed and opened anywhere in between, gives what a model in memory gives.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

mod scene;

use std::collections::BTreeMap;

use proptest::prelude::*;
use scene::{Scene, answer_of, key, new_message, run, text};
use serde_json::json;
use tarsus_store::{
    Accepted, Durability, History, Outcome, Patch, RunState, SessionId, SessionQuery, Start, Store,
    StoreError,
};

const SESSIONS: [&str; 3] = ["agent:main:main", "agent:main:cron:a", "agent:ops:main"];

#[derive(Debug, Clone)]
enum Step {
    Accept { session: usize, run: u8 },
    Append { session: usize, run: Option<u8>, power_safe: bool },
    Finish { run: u8, failed: bool },
    Label { session: usize, label: Option<u8> },
    Converse { session: usize, state: Option<u8> },
    Reset { session: usize },
    Delete { session: usize },
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let session = || 0..SESSIONS.len();
    let run = || 0..6_u8;
    prop_oneof![
        4 => (session(), run()).prop_map(|(session, run)| Step::Accept { session, run }),
        4 => (session(), proptest::option::of(run()), any::<bool>())
            .prop_map(|(session, run, power_safe)| Step::Append { session, run, power_safe }),
        2 => (run(), any::<bool>()).prop_map(|(run, failed)| Step::Finish { run, failed }),
        1 => (session(), proptest::option::of(any::<u8>())).prop_map(|(session, label)| Step::Label { session, label }),
        1 => (session(), proptest::option::of(any::<u8>()))
            .prop_map(|(session, state)| Step::Converse { session, state }),
        1 => session().prop_map(|session| Step::Reset { session }),
        1 => session().prop_map(|session| Step::Delete { session }),
        1 => Just(Step::Reopen),
    ]
}

type Lines = Vec<(u64, Option<String>, String)>;

#[derive(Debug, Default)]
struct Model {
    last_number: u64,
    sessions: BTreeMap<usize, ModelSession>,
    runs: BTreeMap<u8, ModelRun>,
}

#[derive(Debug, Default)]
struct ModelSession {
    /// The oldest first.
    transcripts: Vec<(SessionId, Lines)>,
    label: Option<String>,
    conversation: Option<(u8, i64)>,
    created_ms: i64,
    updated_ms: i64,
}

#[derive(Debug, Clone, PartialEq)]
struct ModelRun {
    session: usize,
    transcript: usize,
    state: RunState,
    started_ms: i64,
    ended_ms: Option<i64>,
}

impl Model {
    fn add(&mut self, session: usize, transcript: usize, run: Option<u8>, at_ms: i64) -> u64 {
        self.last_number += 1;
        let session = self.sessions.get_mut(&session).unwrap();
        session.updated_ms = at_ms;
        let line = (self.last_number, run.map(|run| format!("run-{run}")), format!("text {at_ms}"));
        session.transcripts[transcript].1.push(line);
        self.last_number
    }

    fn begin(&mut self, session: usize, id: SessionId, at_ms: i64) {
        self.sessions.entry(session).or_insert_with(|| ModelSession {
            transcripts: vec![(id, Vec::new())],
            created_ms: at_ms,
            updated_ms: at_ms,
            ..ModelSession::default()
        });
    }
}

/// Does one step to both, and compares the answers.
fn take(step: &Step, at_ms: i64, store: &mut Option<Store>, model: &mut Model, scene: &Scene) {
    let open = store.as_ref().unwrap();
    let said = format!("text {at_ms}");
    match *step {
        Step::Accept { session, run: number } => {
            let answer =
                open.accept(new_message(SESSIONS[session], &format!("run-{number}"), &said, at_ms)).wait();
            match (model.runs.get(&number), answer) {
                (None, Ok(Accepted::New { number: item, run })) => {
                    model.begin(session, run.session_id, at_ms);
                    let transcript = model.sessions[&session].transcripts.len() - 1;
                    assert_eq!(model.add(session, transcript, Some(number), at_ms), item);
                    let begun = ModelRun {
                        session,
                        transcript,
                        state: RunState::Started,
                        started_ms: at_ms,
                        ended_ms: None,
                    };
                    model.runs.insert(number, begun);
                }
                (Some(first), Ok(Accepted::Already(run))) => {
                    assert_eq!((first.session, first.state), (session, run.state));
                }
                (Some(first), Err(StoreError::RunElsewhere { .. })) => assert_ne!(first.session, session),
                (expected, answer) => panic!("{expected:?}, but {answer:?}"),
            }
        }
        Step::Append { session, run: number, power_safe } => {
            let durability = if power_safe { Durability::PowerSafe } else { Durability::KillSafe };
            let of_run = number.map(|number| format!("run-{number}"));
            let answer =
                open.append(answer_of(SESSIONS[session], of_run.as_deref(), &said, at_ms), durability).wait();
            let transcript =
                match (model.sessions.get(&session), number.map(|number| model.runs.get(&number))) {
                    (None, _) => Err("session"),
                    (Some(there), None) => Ok(there.transcripts.len() - 1),
                    (Some(_), Some(Some(run))) if run.session == session => Ok(run.transcript),
                    (Some(_), Some(_)) => Err("run"),
                };
            match (transcript, answer) {
                (Ok(transcript), Ok(item)) => assert_eq!(model.add(session, transcript, number, at_ms), item),
                (Err("session"), Err(StoreError::NoSession(_))) | (Err("run"), Err(StoreError::NoRun(_))) => {
                }
                (expected, answer) => panic!("{expected:?}, but {answer:?}"),
            }
        }
        Step::Finish { run: number, failed } => {
            let (outcome, state) = match failed {
                true => (Outcome::Failed("why".to_owned()), RunState::Failed),
                false => (Outcome::Finished, RunState::Finished),
            };
            let answer =
                open.finish(run(&format!("run-{number}")), outcome, at_ms, Durability::KillSafe).wait();
            match (model.runs.get_mut(&number), answer) {
                (Some(there), Ok(run)) => {
                    if there.state == RunState::Started {
                        (there.state, there.ended_ms) = (state, Some(at_ms));
                    }
                    assert_eq!((there.state, there.ended_ms), (run.state, run.ended_ms));
                }
                (None, Err(StoreError::NoRun(_))) => {}
                (expected, answer) => panic!("{expected:?}, but {answer:?}"),
            }
        }
        Step::Label { session, label } => {
            let label = label.map(|label| format!("label {label}"));
            let patch =
                Patch { label: Some(label.as_ref().map(|text| text.parse().unwrap())), ..Patch::default() };
            let changed = open.patch(key(SESSIONS[session]), patch, at_ms).wait().unwrap();
            model.begin(session, changed.session_id, at_ms);
            let there = model.sessions.get_mut(&session).unwrap();
            (there.label, there.updated_ms) = (label, at_ms);
        }
        Step::Converse { session, state } => {
            let value = state.map(|state| json!(state));
            let answer = open
                .set_conversation(key(SESSIONS[session]), value.as_ref(), at_ms, Durability::KillSafe)
                .wait();
            match (model.sessions.get_mut(&session), answer) {
                (Some(there), Ok(())) => there.conversation = state.map(|state| (state, at_ms)),
                (None, Err(StoreError::NoSession(_))) => {}
                (expected, answer) => panic!("{expected:?}, but {answer:?}"),
            }
        }
        Step::Reset { session } => {
            let fresh = open.reset(key(SESSIONS[session]), at_ms).wait().unwrap();
            match model.sessions.get_mut(&session) {
                Some(there) => {
                    there.transcripts.push((fresh.session_id, Vec::new()));
                    (there.conversation, there.updated_ms) = (None, at_ms);
                }
                None => model.begin(session, fresh.session_id, at_ms),
            }
        }
        Step::Delete { session } => {
            let was_there = open.delete(key(SESSIONS[session])).wait().unwrap();
            assert_eq!(model.sessions.remove(&session).is_some(), was_there);
            model.runs.retain(|_, run| run.session != session);
        }
        Step::Reopen => {
            *store = None;
            let opened = Store::open(&scene.home, at_ms).unwrap();
            let left = model.runs.values_mut().filter(|run| run.state == RunState::Started);
            let interrupted =
                left.map(|run| (run.state, run.ended_ms) = (RunState::Interrupted, Some(at_ms))).count();
            assert_eq!(opened.recovered().interrupted.len(), interrupted);
            *store = Some(opened);
        }
    }
}

/// All that can be asked gives what the model has.
fn compare(store: &Store, model: &Model) {
    let mut listed: Vec<_> =
        model.sessions.iter().map(|(session, there)| (there.updated_ms, SESSIONS[*session])).collect();
    listed.sort_unstable_by(|one, other| other.cmp(one));
    let page = store.sessions(&SessionQuery::default()).unwrap();
    let found: Vec<_> =
        page.sessions.iter().map(|session| (session.updated_ms, session.key.as_str())).collect();
    assert_eq!((found, page.total), (listed, model.sessions.len() as u64));

    for (index, name) in SESSIONS.iter().enumerate() {
        let (found, there) = (store.session(&key(name)).unwrap(), model.sessions.get(&index));
        let Some(there) = there else {
            assert_eq!((found, store.history(&History::of(key(name))).unwrap()), (None, None));
            continue;
        };
        let found = found.unwrap();
        let (id, lines) = there.transcripts.last().unwrap();
        assert_eq!(
            (
                &found.session_id,
                found.items,
                found.created_ms,
                found.label.map(|label| label.as_str().to_owned())
            ),
            (id, lines.len() as u64, there.created_ms, there.label.clone())
        );
        let state = store.conversation(&key(name)).unwrap().map(|state| (state.state, state.at_ms));
        assert_eq!(state, there.conversation.map(|(state, at_ms)| (json!(state), at_ms)));
        let earlier: Vec<_> = there.transcripts.iter().rev().skip(1).map(|(id, _)| id.clone()).collect();
        assert_eq!(store.earlier(&key(name)).unwrap(), earlier);
        for (id, lines) in &there.transcripts {
            assert_eq!(&read_in_threes(store, name, id), lines);
        }
    }
    for number in 0..6 {
        let found = store.run(&run(&format!("run-{number}"))).unwrap();
        let found = found.map(|run| {
            let session = SESSIONS.iter().position(|name| *name == run.session.as_str()).unwrap();
            let of_id = |(id, _): &(SessionId, Lines)| *id == run.session_id;
            let transcript = model.sessions[&session].transcripts.iter().position(of_id).unwrap();
            ModelRun {
                session,
                transcript,
                state: run.state,
                started_ms: run.started_ms,
                ended_ms: run.ended_ms,
            }
        });
        assert_eq!(found.as_ref(), model.runs.get(&number));
    }
}

/// A whole transcript as a client reads it: page by page, going on after the last number.
fn read_in_threes(store: &Store, session: &str, id: &SessionId) -> Lines {
    let mut lines = Lines::new();
    loop {
        let after = Start::After(lines.last().map_or(0, |(number, _, _)| *number));
        let wanted =
            History { session_id: Some(id.clone()), start: after, limit: 3, ..History::of(key(session)) };
        let page = store.history(&wanted).unwrap().unwrap();
        lines.extend(page.items.iter().map(|item| {
            (item.number, item.run.as_ref().map(|run| run.as_str().to_owned()), text(&item.message))
        }));
        if !page.more {
            return lines;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_store_is_what_the_model_is(steps in proptest::collection::vec(step(), 1..40)) {
        let scene = Scene::new();
        let (mut store, mut model) = (Some(scene.open()), Model::default());
        for (step, at_ms) in steps.iter().zip(2_000..) {
            take(step, at_ms, &mut store, &mut model, &scene);
        }
        compare(store.as_ref().unwrap(), &model);
        take(&Step::Reopen, 3_000, &mut store, &mut model, &scene);
        compare(store.as_ref().unwrap(), &model);
    }
}
