//! The runs that have not ended: which of them can still be aborted, and waiting for one to end.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tarsus_store::{RunId, SessionKey};
use tokio::sync::watch;

use crate::turn::AcceptedMessage;

/// The runs that have not ended.
#[derive(Debug, Default)]
pub struct Runs(Mutex<BTreeMap<RunId, ActiveRun>>);

#[derive(Debug)]
struct ActiveRun {
    session: SessionKey,
    stage: Stage,
    /// The message, until its turn begins.
    message: Option<AcceptedMessage>,
    /// Whether an abort was requested while it was acting.
    abort_requested: bool,
    /// True once it is aborted; dropped when it ends.
    aborted: watch::Sender<bool>,
}

/// Stages only advance, except `Acting` to `Answering` between calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Waiting,
    /// An answer is being made; nothing was done yet.
    Answering,
    /// An action that cannot be undone is in progress, or the answer is written: neither is interrupted.
    Acting,
    /// It ends without an answer.
    Aborted,
    /// The turn before it has taken its message in.
    TakenIn,
}

/// The runs of a session that an abort affected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AbortedRuns {
    /// Runs that end without an answer; nothing was done for them.
    pub runs: Vec<RunId>,
    /// Runs that were performing an action, and end with its result.
    pub finishing: Vec<RunId>,
}

impl Runs {
    /// Adds a run that waits for its turn; one that `acts` has done something already.
    pub fn add(&self, accepted: &AcceptedMessage, acts: bool) {
        let (stage, message) =
            if acts { (Stage::Acting, None) } else { (Stage::Waiting, Some(accepted.clone())) };
        let aborted = watch::channel(false).0;
        let session = accepted.session.clone();
        let run = ActiveRun { session, stage, message, abort_requested: false, aborted };
        self.active().insert(accepted.run.clone(), run);
    }

    /// The messages that wait for their turn in a session, in the order in which they arrived.
    pub fn waiting(&self, session: &SessionKey) -> Vec<AcceptedMessage> {
        let active = self.active();
        let waiting = active.values().filter(|run| run.session == *session && run.stage == Stage::Waiting);
        let mut waiting: Vec<AcceptedMessage> = waiting.filter_map(|run| run.message.clone()).collect();
        waiting.sort_by_key(|message| message.number);
        waiting
    }

    /// Marks a waiting run as taken in by the turn before it. False when it does not wait any more.
    pub fn take_in(&self, id: &RunId) -> bool {
        self.exchange(id, Stage::Waiting, Stage::TakenIn)
    }

    /// Undoes [`Runs::take_in`]: the run waits for its own turn again.
    pub fn give_back(&self, id: &RunId) {
        self.exchange(id, Stage::TakenIn, Stage::Waiting);
    }

    pub fn is_taken_in(&self, id: &RunId) -> bool {
        self.active().get(id).is_some_and(|run| run.stage == Stage::TakenIn)
    }

    fn exchange(&self, id: &RunId, from: Stage, to: Stage) -> bool {
        let mut active = self.active();
        let run = active.get_mut(id).filter(|run| run.stage == from);
        run.map(|run| run.stage = to).is_some()
    }

    /// Aborts the runs of a session, or only the given one.
    pub fn abort(&self, session: &SessionKey, only: Option<&RunId>) -> AbortedRuns {
        let mut affected = AbortedRuns::default();
        for (id, run) in self.active().iter_mut() {
            if run.session != *session || only.is_some_and(|only| only != id) {
                continue;
            }
            match run.stage {
                Stage::Waiting | Stage::Answering => {
                    run.abort();
                    affected.runs.push(id.clone());
                }
                Stage::Acting => {
                    run.abort_requested = true;
                    affected.finishing.push(id.clone());
                }
                Stage::Aborted | Stage::TakenIn => {}
            }
        }
        affected
    }

    /// The turn of a run begins. False when the run was aborted.
    pub fn begin(&self, id: &RunId) -> bool {
        self.advance(id, Stage::Answering)
    }

    /// The run is about to do something that cannot be undone, or to write its answer. False when it was aborted.
    pub fn act(&self, id: &RunId) -> bool {
        self.advance(id, Stage::Acting)
    }

    /// An action is complete and the run would go on. False when the run is aborted, also by a request that came during
    /// the action.
    pub fn rest(&self, id: &RunId) -> bool {
        let mut active = self.active();
        let Some(run) = active.get_mut(id) else { return false };
        match run.stage {
            Stage::Acting if run.abort_requested => run.abort(),
            Stage::Acting => run.stage = Stage::Answering,
            Stage::Waiting | Stage::Answering | Stage::Aborted | Stage::TakenIn => {}
        }
        run.stage != Stage::Aborted
    }

    /// Waits until a run is aborted; forever for an unknown run.
    pub async fn aborted(&self, id: &RunId) {
        let aborted = self.active().get(id).map(|run| run.aborted.subscribe());
        if let Some(mut aborted) = aborted
            && aborted.wait_for(|aborted| *aborted).await.is_ok()
        {
            return;
        }
        std::future::pending().await
    }

    fn advance(&self, id: &RunId, to: Stage) -> bool {
        let mut active = self.active();
        let run = active.get_mut(id).filter(|run| run.stage < Stage::Aborted);
        let advanced = run.map(|run| {
            run.stage = to.max(run.stage);
            run.message = None;
        });
        advanced.is_some()
    }

    /// Removes a run that has ended.
    pub fn remove(&self, id: &RunId) {
        self.active().remove(id);
    }

    /// Waits until a run has ended.
    pub async fn ended(&self, id: &RunId) {
        let ended = self.active().get(id).map(|run| run.aborted.subscribe());
        if let Some(mut ended) = ended {
            while ended.changed().await.is_ok() {}
        }
    }

    fn active(&self) -> MutexGuard<'_, BTreeMap<RunId, ActiveRun>> {
        // A holder that panicked has left whole entries behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ActiveRun {
    fn abort(&mut self) {
        self.stage = Stage::Aborted;
        self.aborted.send_replace(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::chat::Channel;
    use tarsus_protocol::{Message, Role};

    fn message(run: &str, session: &SessionKey, number: u64) -> AcceptedMessage {
        AcceptedMessage {
            run: run.parse().unwrap(),
            session: session.clone(),
            number,
            message: Message { role: Role::User, content: Vec::new(), timestamp: None },
            text: String::new(),
            command_line: None,
            aborted: AbortedRuns::default(),
            approval_reply: None,
            channel: Channel::Webchat,
            may_change_apps: false,
            is_by_agent: false,
            model: None,
        }
    }

    #[tokio::test]
    async fn run_can_be_aborted_until_it_acts() {
        let runs = Runs::default();
        let session: SessionKey = "agent:main:main".parse().unwrap();
        let other: SessionKey = "agent:main:other".parse().unwrap();
        let id = |id: &str| id.parse::<RunId>().unwrap();
        for (name, session) in [
            ("a", &session),
            ("b", &session),
            ("c", &session),
            ("d", &other),
            ("e", &session),
            ("f", &session),
        ] {
            runs.add(&message(name, session, 1), name == "f");
        }
        let affected = |runs: &[&str], finishing: &[&str]| AbortedRuns {
            runs: runs.iter().map(|name| id(name)).collect(),
            finishing: finishing.iter().map(|name| id(name)).collect(),
        };
        let first = id("a");
        assert!(runs.begin(&first) && runs.act(&first) && runs.begin(&id("e")));
        assert_eq!(runs.abort(&session, Some(&id("b"))), affected(&["b"], &[]));
        assert_eq!(runs.abort(&session, Some(&id("d"))), affected(&[], &[]));
        assert_eq!(runs.abort(&session, None), affected(&["c", "e"], &["a", "f"]));
        assert_eq!(runs.abort(&session, None), affected(&[], &["a", "f"]), "a run is aborted once");
        assert!(!runs.begin(&id("b")) && !runs.begin(&id("c")) && !runs.act(&id("e")));
        assert!(runs.begin(&id("f")), "it ends with what was done");
        assert_eq!(runs.abort(&session, Some(&id("f"))), affected(&[], &["f"]));
        assert!(runs.act(&first) && runs.begin(&id("d")) && !runs.begin(&id("unknown")));
        tokio::join!(biased; runs.ended(&first), async { runs.remove(&first) });
        runs.ended(&first).await;
    }

    #[tokio::test]
    async fn acting_run_is_aborted_after_its_action() {
        let runs = Runs::default();
        let session: SessionKey = "agent:main:main".parse().unwrap();
        let id: RunId = "a".parse().unwrap();
        runs.add(&message("a", &session, 1), false);
        assert!(
            runs.begin(&id) && runs.rest(&id) && runs.act(&id) && runs.rest(&id),
            "further changes are allowed"
        );
        assert!(runs.act(&id));
        assert_eq!(runs.abort(&session, None).finishing, std::slice::from_ref(&id));
        assert!(runs.act(&id), "what is done is finished");
        let waiting = runs.aborted(&id);
        tokio::pin!(waiting);
        assert!(futures_util::poll!(&mut waiting).is_pending());
        assert!(!runs.rest(&id));
        waiting.await;
        assert!(!runs.rest(&id) && !runs.act(&id));
        assert!(futures_util::poll!(Box::pin(runs.aborted(&"unknown".parse().unwrap()))).is_pending());
    }

    #[test]
    fn waiting_messages_join_once_and_in_order() {
        let runs = Runs::default();
        let session: SessionKey = "agent:main:main".parse().unwrap();
        let other: SessionKey = "agent:main:other".parse().unwrap();
        for (name, session, number) in
            [("z", &session, 1), ("b", &session, 3), ("c", &session, 2), ("d", &other, 4)]
        {
            runs.add(&message(name, session, number), false);
        }
        let id = |id: &str| id.parse::<RunId>().unwrap();
        let waiting =
            || runs.waiting(&session).into_iter().map(|message| message.run.to_string()).collect::<Vec<_>>();
        assert!(runs.begin(&id("z")));
        assert_eq!(waiting(), ["c", "b"]);
        assert!(runs.take_in(&id("c")) && !runs.take_in(&id("c")) && !runs.take_in(&id("z")));
        assert!(runs.is_taken_in(&id("c")) && !runs.begin(&id("c")));
        assert_eq!(
            runs.abort(&session, Some(&id("c"))),
            AbortedRuns::default(),
            "it is part of another turn"
        );
        assert_eq!(waiting(), ["b"]);
        runs.give_back(&id("c"));
        assert_eq!(waiting(), ["c", "b"]);
        runs.abort(&session, Some(&id("b")));
        assert!(!runs.take_in(&id("b")) && !runs.take_in(&id("unknown")));
    }
}
