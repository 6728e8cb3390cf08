//! The runs that are not over: which of them can still be called off, and waiting for one to end.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tarsus_store::{RunId, SessionKey};
use tokio::sync::watch;

use crate::turn::Said;

/// The runs that are not over.
#[derive(Debug, Default)]
pub struct Runs(Mutex<BTreeMap<RunId, Going>>);

#[derive(Debug)]
struct Going {
    session: SessionKey,
    stage: Stage,
    /// What was said, until its turn has come.
    said: Option<Said>,
    /// Whether somebody wanted to call it off while it was acting.
    is_unwanted: bool,
    /// True once it is called off; dropped when it is over.
    called_off: watch::Sender<bool>,
}

/// How far a run is. Each of these comes after those before it; only a run that has a rest after it acted goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Its turn has not come.
    Waiting,
    /// Somebody looks for an answer; nothing was done.
    Answering,
    /// Something is done that cannot be undone, or the answer is written: nobody interrupts that.
    Acting,
    /// It ends without an answer.
    CalledOff,
    /// The turn before it has taken it in.
    TakenIn,
}

/// What came of calling off the runs of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CalledOff {
    /// Those that end without an answer; nothing was done for them.
    pub runs: Vec<RunId>,
    /// Those that do something already, and end with what comes of it.
    pub finishing: Vec<RunId>,
}

impl Runs {
    /// A run that waits for its turn; for one that `acts` something was done already.
    pub fn add(&self, said: &Said, acts: bool) {
        let called_off = watch::channel(false).0;
        let (stage, waiting) =
            if acts { (Stage::Acting, None) } else { (Stage::Waiting, Some(said.clone())) };
        let going =
            Going { session: said.session.clone(), stage, said: waiting, is_unwanted: false, called_off };
        self.going().insert(said.run.clone(), going);
    }

    /// What waits for its turn in a session, in the order in which it was said.
    pub fn waiting(&self, session: &SessionKey) -> Vec<Said> {
        let going = self.going();
        let waiting = going.values().filter(|run| run.session == *session && run.stage == Stage::Waiting);
        let mut waiting: Vec<Said> = waiting.filter_map(|run| run.said.clone()).collect();
        waiting.sort_by_key(|said| said.number);
        waiting
    }

    /// The turn before it takes it in. False when it does not wait any more.
    pub fn take_in(&self, id: &RunId) -> bool {
        self.exchange(id, Stage::Waiting, Stage::TakenIn)
    }

    /// It could not be taken in, and waits for its own turn.
    pub fn give_back(&self, id: &RunId) {
        self.exchange(id, Stage::TakenIn, Stage::Waiting);
    }

    /// Whether the turn before it has taken it in.
    pub fn is_taken_in(&self, id: &RunId) -> bool {
        self.going().get(id).is_some_and(|run| run.stage == Stage::TakenIn)
    }

    fn exchange(&self, id: &RunId, from: Stage, to: Stage) -> bool {
        let mut going = self.going();
        let run = going.get_mut(id).filter(|run| run.stage == from);
        run.map(|run| run.stage = to).is_some()
    }

    /// Calls off the runs of a session, or the one of them that is named, and says which.
    pub fn call_off(&self, session: &SessionKey, only: Option<&RunId>) -> CalledOff {
        let mut called_off = CalledOff::default();
        for (id, run) in self.going().iter_mut() {
            if run.session != *session || only.is_some_and(|only| only != id) {
                continue;
            }
            match run.stage {
                Stage::Waiting | Stage::Answering => {
                    run.call_off();
                    called_off.runs.push(id.clone());
                }
                Stage::Acting => {
                    run.is_unwanted = true;
                    called_off.finishing.push(id.clone());
                }
                Stage::CalledOff | Stage::TakenIn => {}
            }
        }
        called_off
    }

    /// Its turn has come. False when it was called off.
    pub fn begin(&self, id: &RunId) -> bool {
        self.advance(id, Stage::Answering)
    }

    /// It is about to do what cannot be undone, or to be answered. False when it was called off.
    pub fn act(&self, id: &RunId) -> bool {
        self.advance(id, Stage::Acting)
    }

    /// What it did is done, and it would go on. False when somebody wanted to call it off meanwhile, as it is now.
    pub fn rest(&self, id: &RunId) -> bool {
        let mut going = self.going();
        let Some(run) = going.get_mut(id) else { return false };
        match run.stage {
            Stage::Acting if run.is_unwanted => run.call_off(),
            Stage::Acting => run.stage = Stage::Answering,
            Stage::Waiting | Stage::Answering | Stage::CalledOff | Stage::TakenIn => {}
        }
        run.stage != Stage::CalledOff
    }

    /// Waits until a run is called off. For one that is not known that is never.
    pub async fn called_off(&self, id: &RunId) {
        let called_off = self.going().get(id).map(|run| run.called_off.subscribe());
        if let Some(mut called_off) = called_off
            && called_off.wait_for(|called_off| *called_off).await.is_ok()
        {
            return;
        }
        std::future::pending().await
    }

    fn advance(&self, id: &RunId, to: Stage) -> bool {
        let mut going = self.going();
        let run = going.get_mut(id).filter(|run| run.stage < Stage::CalledOff);
        let advanced = run.map(|run| {
            run.stage = to.max(run.stage);
            run.said = None;
        });
        advanced.is_some()
    }

    /// It is over.
    pub fn remove(&self, id: &RunId) {
        self.going().remove(id);
    }

    /// Waits until a run is over; it may be already.
    pub async fn over(&self, id: &RunId) {
        let over = self.going().get(id).map(|run| run.called_off.subscribe());
        if let Some(mut over) = over {
            while over.changed().await.is_ok() {}
        }
    }

    fn going(&self) -> MutexGuard<'_, BTreeMap<RunId, Going>> {
        // A holder that panicked has left whole entries behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Going {
    fn call_off(&mut self) {
        self.stage = Stage::CalledOff;
        self.called_off.send_replace(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tarsus_protocol::{Message, Role};

    fn said(run: &str, session: &SessionKey, number: u64) -> Said {
        Said {
            run: run.parse().unwrap(),
            session: session.clone(),
            number,
            message: Message { role: Role::User, content: Vec::new(), timestamp: None },
            text: String::new(),
            called_off: CalledOff::default(),
            decided: None,
            may_change_apps: false,
            model: None,
            invoked: None,
        }
    }

    #[tokio::test]
    async fn a_run_can_be_called_off_until_it_acts() {
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
            runs.add(&said(name, session, 1), name == "f");
        }
        let of = |runs: &[&str], finishing: &[&str]| CalledOff {
            runs: runs.iter().map(|name| id(name)).collect(),
            finishing: finishing.iter().map(|name| id(name)).collect(),
        };
        let first = id("a");
        assert!(runs.begin(&first) && runs.act(&first) && runs.begin(&id("e")));
        assert_eq!(runs.call_off(&session, Some(&id("b"))), of(&["b"], &[]));
        assert_eq!(runs.call_off(&session, Some(&id("d"))), of(&[], &[]));
        assert_eq!(runs.call_off(&session, None), of(&["c", "e"], &["a", "f"]));
        assert_eq!(runs.call_off(&session, None), of(&[], &["a", "f"]), "what is called off is so once");
        assert!(!runs.begin(&id("b")) && !runs.begin(&id("c")) && !runs.act(&id("e")));
        assert!(runs.begin(&id("f")), "it ends with what was done");
        assert_eq!(runs.call_off(&session, Some(&id("f"))), of(&[], &["f"]));
        assert!(runs.act(&first) && runs.begin(&id("d")) && !runs.begin(&id("unknown")));
        tokio::join!(biased; runs.over(&first), async { runs.remove(&first) });
        runs.over(&first).await;
    }

    #[tokio::test]
    async fn a_run_that_acts_is_called_off_when_it_has_a_rest() {
        let runs = Runs::default();
        let session: SessionKey = "agent:main:main".parse().unwrap();
        let id: RunId = "a".parse().unwrap();
        runs.add(&said("a", &session, 1), false);
        assert!(runs.begin(&id) && runs.rest(&id) && runs.act(&id) && runs.rest(&id), "nobody minds");
        assert!(runs.act(&id));
        assert_eq!(runs.call_off(&session, None).finishing, std::slice::from_ref(&id));
        assert!(runs.act(&id), "what is done is finished");
        let waiting = runs.called_off(&id);
        tokio::pin!(waiting);
        assert!(futures_util::poll!(&mut waiting).is_pending());
        assert!(!runs.rest(&id));
        waiting.await;
        assert!(!runs.rest(&id) && !runs.act(&id));
        assert!(futures_util::poll!(Box::pin(runs.called_off(&"unknown".parse().unwrap()))).is_pending());
    }

    #[test]
    fn what_waits_is_taken_in_once_in_the_order_in_which_it_was_said() {
        let runs = Runs::default();
        let session: SessionKey = "agent:main:main".parse().unwrap();
        let other: SessionKey = "agent:main:other".parse().unwrap();
        for (name, session, number) in
            [("z", &session, 1), ("b", &session, 3), ("c", &session, 2), ("d", &other, 4)]
        {
            runs.add(&said(name, session, number), false);
        }
        let id = |id: &str| id.parse::<RunId>().unwrap();
        let waiting =
            || runs.waiting(&session).into_iter().map(|said| said.run.to_string()).collect::<Vec<_>>();
        assert!(runs.begin(&id("z")));
        assert_eq!(waiting(), ["c", "b"]);
        assert!(runs.take_in(&id("c")) && !runs.take_in(&id("c")) && !runs.take_in(&id("z")));
        assert!(runs.is_taken_in(&id("c")) && !runs.begin(&id("c")));
        assert_eq!(
            runs.call_off(&session, Some(&id("c"))),
            CalledOff::default(),
            "it is part of another turn"
        );
        assert_eq!(waiting(), ["b"]);
        runs.give_back(&id("c"));
        assert_eq!(waiting(), ["c", "b"]);
        runs.call_off(&session, Some(&id("b")));
        assert!(!runs.take_in(&id("b")) && !runs.take_in(&id("unknown")));
    }
}
