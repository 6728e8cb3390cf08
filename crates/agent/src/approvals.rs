//! The approvals that wait for the owner's decision. Each is resolved once.
//!
//! A run waits for one approval at a time, so there are never more of them than turns.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tarsus_protocol::approval::{Approval, ApprovalDecision, ResolvedBy};
use tarsus_protocol::{ErrorCode, Problem};
use tokio::sync::oneshot;

/// A decision, and who made it.
pub(crate) type Resolution = (ApprovalDecision, ResolvedBy);

#[derive(Debug, Default)]
pub(crate) struct Approvals(Mutex<ApprovalQueue>);

#[derive(Debug, Default)]
struct ApprovalQueue {
    pending: BTreeMap<String, PendingApproval>,
    /// No approval is requested any more.
    is_closed: bool,
}

#[derive(Debug)]
struct PendingApproval {
    approval: Approval,
    resolve: oneshot::Sender<Resolution>,
}

/// Why a decision was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApprovalError {
    /// It was resolved before, it timed out, or it never existed.
    #[error("unknown approval id \"{0}\": it was already decided, or it expired")]
    Unknown(String),
    #[error("{} is not possible here; use {}", .decision.as_str(), join_decisions(.allowed))]
    NotAllowed { decision: ApprovalDecision, allowed: Vec<ApprovalDecision> },
}

fn join_decisions(decisions: &[ApprovalDecision]) -> String {
    decisions.iter().map(|decision| decision.as_str()).collect::<Vec<_>>().join(" or ")
}

impl From<ApprovalError> for Problem {
    fn from(error: ApprovalError) -> Self {
        let code = match error {
            ApprovalError::Unknown(_) => ErrorCode::NotFound,
            ApprovalError::NotAllowed { .. } => ErrorCode::Usage,
        };
        Self::new(code, error.to_string()).hint("exec.approval.list and Studio show the pending approvals")
    }
}

impl Approvals {
    /// Adds an approval. `None` once approvals are closed.
    pub(crate) fn request(&self, approval: Approval) -> Option<oneshot::Receiver<Resolution>> {
        let mut queue = self.queue();
        if queue.is_closed {
            return None;
        }
        let (resolve, resolution) = oneshot::channel();
        queue.pending.insert(approval.id.clone(), PendingApproval { approval, resolve });
        Some(resolution)
    }

    /// Resolves an approval and returns it.
    pub(crate) fn resolve(
        &self,
        id: &str,
        decision: ApprovalDecision,
        by: ResolvedBy,
    ) -> Result<Approval, ApprovalError> {
        let mut queue = self.queue();
        let unknown = || ApprovalError::Unknown(id.chars().take(64).collect());
        let allowed = &queue.pending.get(id).ok_or_else(unknown)?.approval.request.allowed_decisions;
        if !allowed.contains(&decision) {
            return Err(ApprovalError::NotAllowed { decision, allowed: allowed.clone() });
        }
        let PendingApproval { approval, resolve } = queue.pending.remove(id).ok_or_else(unknown)?;
        // The turn may have stopped waiting in this moment: the decision does not count then.
        resolve.send((decision, by)).map_err(|_| unknown())?;
        Ok(approval)
    }

    /// Removes an approval that no turn waits for.
    pub(crate) fn remove(&self, id: &str) {
        self.queue().pending.remove(id);
    }

    /// The pending approvals, the oldest first.
    pub(crate) fn pending(&self) -> Vec<Approval> {
        let mut pending: Vec<Approval> =
            self.queue().pending.values().map(|pending| pending.approval.clone()).collect();
        pending.sort_by_key(|approval| approval.created_at_ms);
        pending
    }

    /// Denies every pending approval and every later one.
    pub(crate) fn close(&self) {
        let mut queue = self.queue();
        queue.is_closed = true;
        for (_, PendingApproval { resolve, .. }) in std::mem::take(&mut queue.pending) {
            // A turn that stopped waiting needs no decision.
            resolve.send((ApprovalDecision::Deny, ResolvedBy::Stop)).ok();
        }
    }

    fn queue(&self) -> MutexGuard<'_, ApprovalQueue> {
        // A holder that panicked has left whole entries behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tarsus_protocol::approval::ApprovalRequest;

    use super::*;

    fn approval(id: &str, created_at_ms: i64) -> Approval {
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
    async fn approval_is_resolved_once_with_an_allowed_decision() {
        let approvals = Approvals::default();
        let late = approvals.request(approval("9", 2)).unwrap();
        let answered = approvals.request(approval("10", 1)).unwrap();
        assert_eq!(
            approvals.pending().iter().map(|approval| approval.id.as_str()).collect::<Vec<_>>(),
            ["10", "9"]
        );
        let always = approvals.resolve("10", ApprovalDecision::AllowAlways, ResolvedBy::Client);
        assert_eq!(
            always.unwrap_err().to_string(),
            "allow-always is not possible here; use allow-once or deny"
        );
        let taken = approvals.resolve("10", ApprovalDecision::AllowOnce, ResolvedBy::Client);
        assert_eq!(taken, Ok(approval("10", 1)));
        assert_eq!(answered.await, Ok((ApprovalDecision::AllowOnce, ResolvedBy::Client)));
        for id in ["10", "never"] {
            let again = approvals.resolve(id, ApprovalDecision::Deny, ResolvedBy::Chat);
            assert_eq!(again, Err(ApprovalError::Unknown(id.to_owned())));
        }
        drop(late);
        let given_up = approvals.resolve("9", ApprovalDecision::AllowOnce, ResolvedBy::Client);
        assert_eq!(
            given_up,
            Err(ApprovalError::Unknown("9".to_owned())),
            "an approval without a waiting call is unknown"
        );
    }

    #[tokio::test]
    async fn closing_denies_every_approval() {
        let approvals = Approvals::default();
        let answered = approvals.request(approval("1", 1)).unwrap();
        approvals.request(approval("2", 1)).unwrap();
        approvals.remove("2");
        assert_eq!(approvals.pending(), [approval("1", 1)]);
        approvals.close();
        assert_eq!(answered.await, Ok((ApprovalDecision::Deny, ResolvedBy::Stop)));
        assert!(approvals.request(approval("3", 1)).is_none() && approvals.pending().is_empty());
    }
}
