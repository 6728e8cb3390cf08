//! Any sequence of changes, with the store closed and opened anywhere in between, gives what a model in memory gives.

use std::collections::BTreeMap;

use crate::fixture::{Fixture, answer_of, key, new_message, result_of, run, text};
use proptest::prelude::*;
use serde_json::json;
use tarsus_store::{
    Accepted, CallChangeError, CallEnd, Draft, Durability, HistoryQuery, HistoryStart, NewCall, OpenCall,
    RecordedCall, RunEnd, RunState, SessionId, SessionPatch, SessionQuery, Store, StoreError,
};

const SESSIONS: [&str; 3] = ["agent:main:main", "agent:main:cron:a", "agent:ops:main"];

#[derive(Debug, Clone)]
enum Step {
    Accept {
        session: usize,
        run: u8,
    },
    Append {
        session: usize,
        run: Option<u8>,
        power_safe: bool,
    },
    Finish {
        run: u8,
        failed: bool,
    },
    Said {
        run: u8,
        calls: u8,
        begun: bool,
    },
    Begin {
        run: u8,
        call: u8,
    },
    Result {
        run: u8,
        call: u8,
    },
    Draft {
        run: u8,
    },
    DropDraft {
        run: u8,
    },
    Label {
        session: usize,
        label: Option<u8>,
    },
    Converse {
        session: usize,
        state: Option<u8>,
    },
    Reset {
        session: usize,
    },
    Delete {
        session: usize,
    },
    /// Opens it again; what was left is closed there if asked for, else found once more.
    Reopen {
        recover: bool,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let session = || 0..SESSIONS.len();
    let run = || 0..6_u8;
    let call = || 0..4_u8;
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
        3 => (run(), 0..3_u8, any::<bool>()).prop_map(|(run, calls, begun)| Step::Said { run, calls, begun }),
        2 => (run(), call()).prop_map(|(run, call)| Step::Begin { run, call }),
        3 => (run(), call()).prop_map(|(run, call)| Step::Result { run, call }),
        2 => run().prop_map(|run| Step::Draft { run }),
        1 => run().prop_map(|run| Step::DropDraft { run }),
        1 => any::<bool>().prop_map(|recover| Step::Reopen { recover }),
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
    calls: Vec<RecordedCall>,
    draft: Option<Draft>,
}

impl ModelRun {
    fn call(&mut self, id: &str) -> Option<&mut RecordedCall> {
        self.calls.iter_mut().find(|call| call.id == id)
    }

    fn open(&self) -> Vec<OpenCall> {
        let open = self.calls.iter().filter(|call| call.ended.is_none()).cloned();
        open.map(|call| OpenCall { id: call.id, tool: call.tool, begun: call.begun_ms.is_some() }).collect()
    }
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
fn take(step: &Step, at_ms: i64, store: &mut Option<Store>, model: &mut Model, fixture: &Fixture) {
    let open = store.as_ref().unwrap();
    let text = format!("text {at_ms}");
    match *step {
        Step::Accept { session, run: number } => {
            let answer =
                open.accept(new_message(SESSIONS[session], &format!("run-{number}"), &text, at_ms)).wait();
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
                        calls: Vec::new(),
                        draft: None,
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
                open.append(answer_of(SESSIONS[session], of_run.as_deref(), &text, at_ms), durability).wait();
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
                true => (RunEnd::Failed("why".to_owned()), RunState::Failed),
                false => (RunEnd::Finished, RunState::Finished),
            };
            let answer =
                open.finish(run(&format!("run-{number}")), outcome, at_ms, Durability::KillSafe).wait();
            match (model.runs.get_mut(&number), answer) {
                (Some(there), Ok(run)) => {
                    if there.state == RunState::Started {
                        (there.state, there.ended_ms) = (state, Some(at_ms));
                    }
                    there.draft = None;
                    assert_eq!((there.state, there.ended_ms), (run.state, run.ended_ms));
                }
                (None, Err(StoreError::NoRun(_))) => {}
                (expected, answer) => panic!("{expected:?}, but {answer:?}"),
            }
        }
        Step::Label { session, label } => {
            let label = label.map(|label| format!("label {label}"));
            let patch = SessionPatch {
                label: Some(label.as_ref().map(|text| text.parse().unwrap())),
                ..SessionPatch::default()
            };
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
        Step::Said { .. }
        | Step::Begin { .. }
        | Step::Result { .. }
        | Step::Draft { .. }
        | Step::DropDraft { .. } => {
            turn(step, at_ms, open, model);
        }
        Step::Reopen { recover } => {
            *store = None;
            let opened = Store::open(&fixture.home).unwrap();
            find_left(&opened, model);
            if recover {
                close_left(&opened, model, at_ms);
            }
            *store = Some(opened);
        }
    }
}

/// Does one step of a turn to both, and compares the answers.
fn turn(step: &Step, at_ms: i64, store: &Store, model: &mut Model) {
    let name = |number: u8| run(&format!("run-{number}"));
    let text = format!("text {at_ms}");
    match *step {
        Step::Said { run: number, calls, begun } => {
            let session = model.runs.get(&number).map_or(0, |run| run.session);
            let new_calls: Vec<NewCall> = (0..calls)
                .map(|call| NewCall { id: format!("call-{call}"), tool: "read".to_owned(), begun })
                .collect();
            let item = answer_of(SESSIONS[session], Some(name(number).as_str()), &text, at_ms);
            let answer = store.append_answer(item, new_calls.clone(), None, Durability::KillSafe).wait();
            match (model.runs.get_mut(&number), answer) {
                (Some(there), Ok(item)) => {
                    assert_eq!(there.state, RunState::Started);
                    assert!(new_calls.iter().all(|call| there.call(&call.id).is_none()));
                    there.calls.extend(new_calls.into_iter().map(|call| RecordedCall {
                        id: call.id,
                        tool: call.tool,
                        begun_ms: begun.then_some(at_ms),
                        ended: None,
                    }));
                    there.draft = None;
                    let transcript = there.transcript;
                    assert_eq!(model.add(session, transcript, Some(number), at_ms), item);
                }
                (Some(there), Err(StoreError::RunEnded(_))) => assert_ne!(there.state, RunState::Started),
                (Some(there), Err(StoreError::Call { why: CallChangeError::Duplicate, call, .. })) => {
                    assert!(there.call(&call).is_some());
                }
                (None, Err(StoreError::NoRun(_) | StoreError::NoSession(_))) => {}
                (expected, answer) => panic!("{expected:?}, but {answer:?}"),
            }
        }
        Step::Begin { run: number, call } => {
            let id = format!("call-{call}");
            let answer = store.begin_call(name(number), id.clone(), at_ms).wait();
            match (model.runs.get_mut(&number), answer) {
                (Some(there), Ok(())) => {
                    assert_eq!(there.state, RunState::Started);
                    let call = there.call(&id).unwrap();
                    assert_eq!((call.begun_ms.replace(at_ms), call.ended), (None, None));
                }
                (Some(there), Err(StoreError::RunEnded(_))) => assert_ne!(there.state, RunState::Started),
                (Some(there), Err(StoreError::Call { why, .. })) => {
                    assert_eq!(why, fault_of(there.call(&id)).unwrap_or(CallChangeError::AlreadyStarted));
                }
                (None, Err(StoreError::NoRun(_))) => {}
                (expected, answer) => panic!("{expected:?}, but {answer:?}"),
            }
        }
        Step::Result { run: number, call } => {
            let id = format!("call-{call}");
            let session = model.runs.get(&number).map_or(0, |run| run.session);
            let item = result_of(SESSIONS[session], name(number).as_str(), &id, &text, at_ms);
            let answer = store.record_result(name(number), id.clone(), item).wait();
            match (model.runs.get_mut(&number), answer) {
                (Some(there), Ok(item)) => {
                    there.draft = None;
                    let call = there.call(&id).unwrap();
                    assert_eq!(call.ended.replace(CallEnd { at_ms, failed: false }), None);
                    let transcript = there.transcript;
                    assert_eq!(model.add(session, transcript, Some(number), at_ms), item);
                }
                (Some(there), Err(StoreError::Call { why, .. })) => {
                    assert_eq!(Some(why), fault_of(there.call(&id)));
                }
                (None, Err(StoreError::Call { why: CallChangeError::Unknown, .. })) => {}
                (expected, answer) => panic!("{expected:?}, but {answer:?}"),
            }
        }
        Step::Draft { run: number } => {
            let answer = store.append_draft(name(number), text.clone(), at_ms).wait();
            match (model.runs.get_mut(&number), answer) {
                (Some(there), Ok(())) => {
                    assert_eq!(there.state, RunState::Started);
                    let before = there.draft.take().map(|draft| draft.text).unwrap_or_default();
                    there.draft = Some(Draft { text: before + &text, at_ms });
                }
                (Some(there), Err(StoreError::RunEnded(_))) => assert_ne!(there.state, RunState::Started),
                (None, Err(StoreError::NoRun(_))) => {}
                (expected, answer) => panic!("{expected:?}, but {answer:?}"),
            }
        }
        Step::DropDraft { run: number } => {
            store.clear_draft(name(number)).wait().unwrap();
            model.runs.get_mut(&number).into_iter().for_each(|run| run.draft = None);
        }
        _ => panic!("{step:?} is no step of a turn"),
    }
}

/// Why a call takes no result.
fn fault_of(call: Option<&mut RecordedCall>) -> Option<CallChangeError> {
    match call {
        None => Some(CallChangeError::Unknown),
        Some(call) => call.ended.map(|_| CallChangeError::AlreadyFinished),
    }
}

/// Opening finds the runs that go on, with their drafts and open calls.
fn find_left(store: &Store, model: &Model) {
    let mut expected: Vec<_> = model
        .runs
        .iter()
        .filter(|(_, run)| run.state == RunState::Started)
        .map(|(number, run)| (run.started_ms, format!("run-{number}"), run.draft.clone(), run.open()))
        .collect();
    expected.sort_by_key(|(started_ms, ..)| *started_ms);
    let found = store.recovery().unfinished.iter();
    let found: Vec<_> = found
        .map(|left| (left.run.started_ms, left.run.id.to_string(), left.draft.clone(), left.calls.clone()))
        .collect();
    assert_eq!(found, expected);
}

/// Closes what was left: with a result missing nothing is written, with all of them everything is.
fn close_left(store: &Store, model: &mut Model, at_ms: i64) {
    for left in &store.recovery().unfinished {
        let (session, id) = (left.run.session.as_str(), left.run.id.as_str());
        let text = format!("text {at_ms}");
        let remark = answer_of(session, Some(id), &text, at_ms);
        let refused = store.close_run(left.run.id.clone(), vec![remark.clone()], RunEnd::Interrupted, at_ms);
        let number: u8 = id.strip_prefix("run-").unwrap().parse().unwrap();
        if left.calls.is_empty() {
            let there = model.runs[&number].clone();
            assert_eq!(
                refused.wait().unwrap(),
                [model.add(there.session, there.transcript, Some(number), at_ms)]
            );
        } else {
            let error = refused.wait().unwrap_err();
            assert!(matches!(error, StoreError::Call { why: CallChangeError::StillOpen, .. }), "{error}");
            let results = left.calls.iter().map(|call| result_of(session, id, &call.id, &text, at_ms));
            let items: Vec<_> = results.chain([remark]).collect();
            let expected: Vec<_> = items
                .iter()
                .map(|_| {
                    let there = model.runs[&number].clone();
                    model.add(there.session, there.transcript, Some(number), at_ms)
                })
                .collect();
            assert_eq!(
                store.close_run(left.run.id.clone(), items, RunEnd::Interrupted, at_ms).wait().unwrap(),
                expected
            );
        }
        let there = model.runs.get_mut(&number).unwrap();
        (there.state, there.ended_ms, there.draft) = (RunState::Interrupted, Some(at_ms), None);
        for call in there.calls.iter_mut().filter(|call| call.ended.is_none()) {
            call.ended = Some(CallEnd { at_ms, failed: false });
        }
        let again =
            store.close_run(left.run.id.clone(), Vec::new(), RunEnd::Interrupted, at_ms).wait().unwrap_err();
        assert!(matches!(again, StoreError::RunEnded(_)), "{again}");
    }
}

/// All that can be asked gives what the model has.
fn compare(store: &Store, model: &Model) {
    let mut listed: Vec<_> =
        model.sessions.iter().map(|(session, there)| (there.updated_ms, SESSIONS[*session])).collect();
    listed.sort_unstable_by(|one, other| other.cmp(one));
    let page = store.sessions(&SessionQuery::default()).unwrap();
    assert!(page.sessions.is_sorted_by(|one, next| one.updated_ms >= next.updated_ms));
    // Those of one moment may stand in any order.
    let mut found: Vec<_> =
        page.sessions.iter().map(|session| (session.updated_ms, session.key.as_str())).collect();
    found.sort_unstable_by(|one, other| other.cmp(one));
    assert_eq!((found, page.total), (listed, model.sessions.len() as u64));

    for (index, name) in SESSIONS.iter().enumerate() {
        let (found, there) = (store.session(&key(name)).unwrap(), model.sessions.get(&index));
        let Some(there) = there else {
            assert_eq!((found, store.history(&HistoryQuery::for_session(key(name))).unwrap()), (None, None));
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
        let expected: Vec<_> =
            there.transcripts.iter().map(|(id, lines)| (id.clone(), lines.len() as u64)).collect();
        let found = store.transcripts(&key(name)).unwrap();
        let found: Vec<_> =
            found.into_iter().map(|transcript| (transcript.session_id, transcript.items)).collect();
        assert_eq!(found, expected);
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
                calls: store.calls(&run.id).unwrap(),
                // Only an opening reads it.
                draft: model.runs[&number].draft.clone(),
            }
        });
        assert_eq!(found.as_ref(), model.runs.get(&number));
    }
}

/// A whole transcript as a client reads it: page by page, going on after the last number.
fn read_in_threes(store: &Store, session: &str, id: &SessionId) -> Lines {
    let mut lines = Lines::new();
    loop {
        let after = HistoryStart::After(lines.last().map_or(0, |(number, _, _)| *number));
        let wanted = HistoryQuery {
            session_id: Some(id.clone()),
            start: after,
            limit: 3,
            ..HistoryQuery::for_session(key(session))
        };
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
    fn store_behaves_like_its_model(steps in proptest::collection::vec(step(), 1..40)) {
        let fixture = Fixture::new();
        let (mut store, mut model) = (Some(fixture.open()), Model::default());
        for (step, at_ms) in steps.iter().zip(2_000..) {
            take(step, at_ms, &mut store, &mut model, &fixture);
        }
        compare(store.as_ref().unwrap(), &model);
        for (recover, at_ms) in [(false, 3_000), (true, 3_001), (true, 3_002)] {
            take(&Step::Reopen { recover }, at_ms, &mut store, &mut model, &fixture);
            compare(store.as_ref().unwrap(), &model);
        }
        prop_assert!(store.as_ref().unwrap().recovery().unfinished.is_empty());
    }
}
