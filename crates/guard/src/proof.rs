//! The decision about a call, and the proof that it was made.
//!
//! An [`Authorized`] is created only here, owns the arguments that were checked, and is valid for one call in one session
//! for a short time. A decision that must be recorded and cannot be is denied; denying always works.
//!
//! A call that was not checked does not compile. Each example that fails has one beside it that differs in the one line
//! that is refused, and compiles:
//!
//! ```compile_fail,E0451
//! use tarsus_guard::Authorized;
//! let (tool, arguments) = ("exec".to_owned(), serde_json::json!({}));
//! let (facts, active) = (tarsus_guard::CallFacts::default(), tarsus_guard::Activation::default());
//! let hosts = tarsus_guard::PermittedHosts::default();
//! let call = tarsus_guard::Redeemed { tool, arguments, facts, active, hosts };
//! let (session, expires) = (String::new(), jiff::Timestamp::MAX);
//! let forged = Authorized { call: Box::new(call), session, expires };
//! ```
//!
//! ```
//! use tarsus_guard::Authorized;
//! let (tool, arguments) = ("exec".to_owned(), serde_json::json!({}));
//! let (facts, active) = (tarsus_guard::CallFacts::default(), tarsus_guard::Activation::default());
//! let hosts = tarsus_guard::PermittedHosts::default();
//! let call = tarsus_guard::Redeemed { tool, arguments, facts, active, hosts };
//! let (session, expires) = (String::new(), jiff::Timestamp::MAX);
//! let no_proof = (Box::new(call), session, expires);
//! ```
//!
//! nor does one that is used twice:
//!
//! ```compile_fail,E0382
//! fn run(authorized: tarsus_guard::Authorized, now: jiff::Timestamp) {
//!     let _ = authorized.redeem("agent:main:main", now);
//!     let _ = authorized.redeem("agent:main:main", now);
//! }
//! ```
//!
//! ```
//! fn run(authorized: tarsus_guard::Authorized, now: jiff::Timestamp) {
//!     let _ = authorized.tool();
//!     let _ = authorized.redeem("agent:main:main", now);
//! }
//! ```
//!
//! nor one that is copied,
//!
//! ```compile_fail,E0599
//! fn copy(authorized: &tarsus_guard::Authorized) -> tarsus_guard::Authorized {
//!     authorized.clone()
//! }
//! ```
//!
//! ```
//! fn pass_on(authorized: tarsus_guard::Authorized) -> tarsus_guard::Authorized {
//!     authorized
//! }
//! ```
//!
//! read from somewhere,
//!
//! ```compile_fail,E0277
//! let stored: tarsus_guard::Authorized = serde_json::from_str("{}").unwrap();
//! ```
//!
//! ```
//! let stored: serde_json::Value = serde_json::from_str("{}").unwrap();
//! ```
//!
//! or changed after it was checked:
//!
//! ```compile_fail,E0616
//! fn change(mut authorized: tarsus_guard::Authorized) {
//!     authorized.call.arguments = serde_json::json!({"command": "true"});
//! }
//! ```
//!
//! ```
//! fn check(authorized: tarsus_guard::Authorized) {
//!     assert_eq!(*authorized.arguments(), serde_json::json!({"command": "true"}));
//! }
//! ```

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use tarsus_audit::{Audit, AuditEntry};
use tarsus_protocol::authorize::{Inspector, Reason, Verdict};
use tarsus_protocol::{ErrorCode, Problem};

use crate::activation::Activation;
use crate::authorize::{Call, CallContext, Decision, PermittedHosts, PolicyVerdict, decide};
use crate::call_facts::CallFacts;
use crate::record::{DecisionEvent, answer_entry, decision_entry};
use crate::sanitize::sanitize;

/// Validity of a permission; a call that waits longer must be decided again.
const VALID: Duration = Duration::from_secs(60);

/// Decides about calls and records the decisions that must be recorded.
#[derive(Debug, Clone)]
pub struct Guard {
    audit: Arc<Audit>,
}

/// The outcome of authorizing a call.
#[derive(Debug)]
#[must_use]
pub enum Authorization {
    /// It may happen, once.
    Allowed(Authorized),
    /// It needs the owner's approval.
    NeedsApproval(PendingCall),
    /// It may not happen.
    Denied(Refusal),
}

/// Proof that a call was checked and may happen. There is no way to make, copy or store one outside of this crate.
#[derive(Debug)]
#[must_use]
pub struct Authorized {
    call: Box<Redeemed>,
    session: String,
    expires: Timestamp,
}

/// What was judged, for the tool that runs it.
#[derive(Debug, Clone, PartialEq)]
pub struct Redeemed {
    /// The tool.
    pub tool: String,
    /// The arguments that were checked.
    pub arguments: Value,
    /// The facts that were judged: the call may touch nothing else.
    pub facts: CallFacts,
    /// The skills that were active.
    pub active: Activation,
    /// The hosts that the call may be redirected to.
    pub hosts: PermittedHosts,
}

/// A call that waits for the owner's approval.
#[derive(Debug)]
#[must_use]
pub struct PendingCall {
    call: Box<Call>,
    session: String,
    questions: Vec<Reason>,
    id: u64,
}

/// A denied call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The tool's name, sanitized.
    pub tool: String,
    /// All reasons, the strictest first.
    pub reasons: Vec<Reason>,
    /// Sequence number of its audit record; `None` if it could not be recorded.
    pub id: Option<u64>,
}

/// The error of redeeming an [`Authorized`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RedeemError {
    /// The permission has expired.
    #[error("the permission for {tool} expired after {} seconds; request it again", VALID.as_secs())]
    Expired {
        /// The tool.
        tool: String,
    },
    /// The permission belongs to another session.
    #[error("the permission for {tool} is for another session")]
    OtherSession {
        /// The tool.
        tool: String,
    },
}

impl Authorized {
    /// Consumes the permission and returns what was judged.
    ///
    /// # Errors
    /// If the permission has expired or belongs to another session.
    pub fn redeem(self, session: &str, now: Timestamp) -> Result<Redeemed, RedeemError> {
        let Self { call, session: meant, expires } = self;
        if meant != session {
            return Err(RedeemError::OtherSession { tool: call.tool });
        }
        if now >= expires {
            return Err(RedeemError::Expired { tool: call.tool });
        }
        Ok(*call)
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.call.tool
    }

    /// The arguments that were checked.
    #[must_use]
    pub fn arguments(&self) -> &Value {
        &self.call.arguments
    }
}

impl PendingCall {
    /// The call that waits.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// The reasons that need the owner's approval.
    #[must_use]
    pub fn questions(&self) -> &[Reason] {
        &self.questions
    }

    /// Sequence number of the audit record of the request.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }
}

impl Guard {
    /// Creates a guard that records in `audit`.
    #[must_use]
    pub fn new(audit: Arc<Audit>) -> Self {
        Self { audit }
    }

    /// Decides about a call.
    pub fn authorize(&self, call: Call, context: &CallContext<'_>, now: Timestamp) -> Authorization {
        let decision = decide(&call, context);
        match decision.verdict {
            Verdict::Deny => Authorization::Denied(self.refuse(&call, context, decision, now)),
            Verdict::Ask => self.request_approval(call, context, decision, now),
            Verdict::Allow if decision.bypassed => {
                let line = decision_entry(DecisionEvent::Bypassed, &call, context, &decision.reasons);
                self.record_and_allow(vec![line], call, context, decision, now)
            }
            Verdict::Allow => Authorization::Allowed(new_authorized(call, context, now)),
        }
    }

    /// Refuses a call that cannot be made anyway, because it has no tool or arguments that do not fit; `None` if nothing
    /// but that speaks against it. What is not known of the call violates every limit.
    pub fn refuse_impossible(
        &self,
        call: &Call,
        context: &CallContext<'_>,
        now: Timestamp,
    ) -> Option<Refusal> {
        let decision = decide(call, context);
        (decision.verdict == Verdict::Deny).then(|| self.refuse(call, context, decision, now))
    }

    /// Decides about the call again after the owner approved; allows it if no new question arises.
    pub fn approve(&self, pending: PendingCall, context: &CallContext<'_>, now: Timestamp) -> Authorization {
        let PendingCall { call, session, questions, id } = pending;
        let call = *call;
        let mut decision = decide(&call, context);
        if session != context.session {
            decision = with_reason(
                decision,
                PolicyVerdict::deny("the approval belongs to another session").to_reason(Inspector::Approval),
            );
        }
        match decision.verdict {
            Verdict::Deny => Authorization::Denied(self.refuse(&call, context, decision, now)),
            Verdict::Ask if !questions_of(&decision).all(|question| questions.contains(question)) => {
                self.request_approval(call, context, decision, now)
            }
            Verdict::Ask | Verdict::Allow => {
                let reasons = &decision.reasons;
                // The approval did not cover what enforcement would have refused.
                let bypassed = || decision_entry(DecisionEvent::Bypassed, &call, context, reasons);
                let mut lines: Vec<AuditEntry> = decision.bypassed.then(bypassed).into_iter().collect();
                lines.push(answer_entry(DecisionEvent::Approved, &call, context, reasons, id));
                self.record_and_allow(lines, call, context, decision, now)
            }
        }
    }

    /// Records that the owner declined.
    pub fn decline(&self, pending: PendingCall, context: &CallContext<'_>, now: Timestamp) -> Refusal {
        let PendingCall { call, questions, id, .. } = pending;
        let line = answer_entry(DecisionEvent::Declined, &call, context, &questions, id);
        let id = self.audit.record_best_effort(line, now).map(|recorded| recorded.seq);
        Refusal { tool: sanitize(&call.tool), reasons: questions, id }
    }

    fn refuse(&self, call: &Call, context: &CallContext<'_>, decision: Decision, now: Timestamp) -> Refusal {
        let event = DecisionEvent::refusal(call, &decision.reasons);
        let line = decision_entry(event, call, context, &decision.reasons);
        let id = self.audit.record_best_effort(line, now).map(|recorded| recorded.seq);
        Refusal { tool: sanitize(&call.tool), reasons: decision.reasons, id }
    }

    fn request_approval(
        &self,
        call: Call,
        context: &CallContext<'_>,
        decision: Decision,
        now: Timestamp,
    ) -> Authorization {
        match self.audit.record(decision_entry(DecisionEvent::Asked, &call, context, &decision.reasons), now)
        {
            Ok(recorded) => Authorization::NeedsApproval(PendingCall {
                questions: questions_of(&decision).cloned().collect(),
                session: context.session.to_owned(),
                id: recorded.seq,
                call: Box::new(call),
            }),
            Err(error) => self.deny_unrecorded(&call, context, decision, error.into(), now),
        }
    }

    fn record_and_allow(
        &self,
        lines: Vec<AuditEntry>,
        call: Call,
        context: &CallContext<'_>,
        decision: Decision,
        now: Timestamp,
    ) -> Authorization {
        let recorded = lines.into_iter().try_for_each(|line| self.audit.record(line, now).map(drop));
        match recorded {
            Ok(()) => Authorization::Allowed(new_authorized(call, context, now)),
            Err(error) => self.deny_unrecorded(&call, context, decision, error.into(), now),
        }
    }

    fn deny_unrecorded(
        &self,
        call: &Call,
        context: &CallContext<'_>,
        decision: Decision,
        problem: Problem,
        now: Timestamp,
    ) -> Authorization {
        let verdict = PolicyVerdict::deny(format!("the decision cannot be recorded: {problem}"));
        let decision = with_reason(decision, verdict.to_reason(Inspector::Record));
        Authorization::Denied(self.refuse(call, context, decision, now))
    }
}

fn new_authorized(call: Call, context: &CallContext<'_>, now: Timestamp) -> Authorized {
    let session = context.session.to_owned();
    // At the end of time nothing is valid any more.
    let expires = now.checked_add(VALID).unwrap_or(now);
    let hosts = PermittedHosts::for_call(&call, context);
    let Call { tool, arguments, facts, .. } = call;
    let call = Redeemed { tool, arguments, facts, active: context.active.clone(), hosts };
    Authorized { call: Box::new(call), session, expires }
}

fn questions_of(decision: &Decision) -> impl Iterator<Item = &Reason> {
    decision.reasons.iter().filter(|reason| reason.verdict == Verdict::Ask)
}

fn with_reason(mut decision: Decision, reason: Reason) -> Decision {
    decision.verdict = decision.verdict.max(reason.verdict);
    decision.reasons.insert(0, reason);
    decision
}

impl Refusal {
    /// The reasons with the strictest verdict.
    pub fn strictest_reasons(&self) -> impl Iterator<Item = &Reason> {
        let strictest = self.reasons.first().map(|reason| reason.verdict);
        self.reasons.iter().filter(move |reason| Some(reason.verdict) == strictest)
    }
}

/// Names the skill, the missing capability and the command that would grant it.
impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let mut problem = Self::new(ErrorCode::Denied, format!("{} is not permitted", refusal.tool));
        for reason in refusal.strictest_reasons() {
            problem = problem.note(reason.message.clone());
        }
        let remedies: Vec<&str> =
            refusal.strictest_reasons().filter_map(|reason| reason.remedy.as_deref()).collect();
        if !remedies.is_empty() {
            problem = problem.hint(format!("to allow it: `{}`", remedies.join("`, `")));
        }
        if let Some(id) = refusal.id {
            problem = problem.note(format!("`tarsus explain {id}` shows every reason"));
        }
        match refusal.strictest_reasons().find_map(|reason| reason.skill.as_deref()) {
            Some(skill) => problem.about_skill(skill),
            None => problem,
        }
    }
}
