//! The questions that wait for the owner's word.
//!
//! Promises: a question is answered once; whoever waits for it hears of the answer. Leaves to others: what is asked, who
//! may answer, and for how long it waits. A run has one question at a time, so there are never more than turns.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tarsus_protocol::approval::{Approval, ApprovalDecision, ResolvedBy};
use tarsus_protocol::{ErrorCode, Problem};
use tokio::sync::oneshot;

/// An answer, and where it came from.
pub(crate) type Answered = (ApprovalDecision, ResolvedBy);

/// The questions that wait, by when they were asked.
#[derive(Debug, Default)]
pub(crate) struct Approvals(Mutex<Desk>);

#[derive(Debug, Default)]
struct Desk {
    waiting: BTreeMap<String, Waiting>,
    /// Nothing is asked any more.
    is_closed: bool,
}

#[derive(Debug)]
struct Waiting {
    asked: Approval,
    answer: oneshot::Sender<Answered>,
}

/// Why an answer was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotTaken {
    /// It was answered before, its time is over, or it was never asked.
    #[error("unknown approval id \"{0}\": it was answered already, or its time is over")]
    Unknown(String),
    /// It is no answer to this question.
    #[error("{} is no answer to this; {} are", .decision.as_str(), words(.allowed))]
    NoAnswer {
        /// What was answered.
        decision: ApprovalDecision,
        /// What can be.
        allowed: Vec<ApprovalDecision>,
    },
}

fn words(decisions: &[ApprovalDecision]) -> String {
    decisions.iter().map(|decision| decision.as_str()).collect::<Vec<_>>().join(" and ")
}

impl From<NotTaken> for Problem {
    fn from(error: NotTaken) -> Self {
        let code = match error {
            NotTaken::Unknown(_) => ErrorCode::NotFound,
            NotTaken::NoAnswer { .. } => ErrorCode::Usage,
        };
        Self::new(code, error.to_string()).hint("exec.approval.list and the page show what waits")
    }
}

impl Approvals {
    /// Lets a question wait. `None` when nothing is asked any more.
    pub(crate) fn ask(&self, asked: Approval) -> Option<oneshot::Receiver<Answered>> {
        let mut desk = self.desk();
        if desk.is_closed {
            return None;
        }
        let (answer, answered) = oneshot::channel();
        desk.waiting.insert(asked.id.clone(), Waiting { asked, answer });
        Some(answered)
    }

    /// Takes an answer, and says what it is an answer to.
    pub(crate) fn answer(
        &self,
        id: &str,
        decision: ApprovalDecision,
        by: ResolvedBy,
    ) -> Result<Approval, NotTaken> {
        let mut desk = self.desk();
        let unknown = || NotTaken::Unknown(id.chars().take(64).collect());
        let allowed = &desk.waiting.get(id).ok_or_else(unknown)?.asked.request.allowed_decisions;
        if !allowed.contains(&decision) {
            return Err(NotTaken::NoAnswer { decision, allowed: allowed.clone() });
        }
        let Waiting { asked, answer } = desk.waiting.remove(id).ok_or_else(unknown)?;
        // Whoever asked may have given up in this very moment: then it was not answered.
        answer.send((decision, by)).map_err(|_| unknown())?;
        Ok(asked)
    }

    /// Nobody waits for it any more.
    pub(crate) fn forget(&self, id: &str) {
        self.desk().waiting.remove(id);
    }

    /// What waits, the oldest first.
    pub(crate) fn waiting(&self) -> Vec<Approval> {
        let mut waiting: Vec<Approval> =
            self.desk().waiting.values().map(|waiting| waiting.asked.clone()).collect();
        waiting.sort_by_key(|asked| asked.created_at_ms);
        waiting
    }

    /// Ends every question, and asks no more.
    pub(crate) fn close(&self) {
        let mut desk = self.desk();
        desk.is_closed = true;
        for (_, Waiting { answer, .. }) in std::mem::take(&mut desk.waiting) {
            // One who has given up needs no answer.
            answer.send((ApprovalDecision::Deny, ResolvedBy::Stop)).ok();
        }
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        // A holder that panicked has left whole entries behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tarsus_protocol::approval::ApprovalRequest;

    use super::*;

    fn question(id: &str, created_at_ms: i64) -> Approval {
        let request = ApprovalRequest {
            command: "read".to_owned(),
            tool: "read".to_owned(),
            cwd: "/w".to_owned(),
            agent_id: "main".to_owned(),
            session_key: "agent:main:main".to_owned(),
            run_id: "r".to_owned(),
            reasons: Vec::new(),
            allowed_decisions: vec![ApprovalDecision::AllowOnce, ApprovalDecision::Deny],
        };
        Approval { id: id.to_owned(), request, created_at_ms, expires_at_ms: created_at_ms + 1 }
    }

    #[tokio::test]
    async fn a_question_is_answered_once_with_one_of_its_answers() {
        let desk = Approvals::default();
        let late = desk.ask(question("9", 2)).unwrap();
        let answered = desk.ask(question("10", 1)).unwrap();
        assert_eq!(desk.waiting().iter().map(|asked| asked.id.as_str()).collect::<Vec<_>>(), ["10", "9"]);
        let always = desk.answer("10", ApprovalDecision::AllowAlways, ResolvedBy::Client);
        assert_eq!(
            always.unwrap_err().to_string(),
            "allow-always is no answer to this; allow-once and deny are"
        );
        let taken = desk.answer("10", ApprovalDecision::AllowOnce, ResolvedBy::Client);
        assert_eq!(taken, Ok(question("10", 1)));
        assert_eq!(answered.await, Ok((ApprovalDecision::AllowOnce, ResolvedBy::Client)));
        for id in ["10", "never"] {
            let again = desk.answer(id, ApprovalDecision::Deny, ResolvedBy::Chat);
            assert_eq!(again, Err(NotTaken::Unknown(id.to_owned())));
        }
        drop(late);
        let given_up = desk.answer("9", ApprovalDecision::AllowOnce, ResolvedBy::Client);
        assert_eq!(given_up, Err(NotTaken::Unknown("9".to_owned())), "a yes that nobody hears is none");
    }

    #[tokio::test]
    async fn at_the_end_every_question_is_a_no() {
        let desk = Approvals::default();
        let answered = desk.ask(question("1", 1)).unwrap();
        desk.ask(question("2", 1)).unwrap();
        desk.forget("2");
        assert_eq!(desk.waiting(), [question("1", 1)]);
        desk.close();
        assert_eq!(answered.await, Ok((ApprovalDecision::Deny, ResolvedBy::Stop)));
        assert!(desk.ask(question("3", 1)).is_none() && desk.waiting().is_empty());
    }
}
