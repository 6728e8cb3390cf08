//! The decision about a call, and the proof that it was made.
//!
//! Promises: an [`Authorized`] is made here and nowhere else, owns the very arguments that were judged, is worth one
//! call, in one session, for a short time. What has to be recorded and cannot be is not permitted; refusing always works.
//! Leaves to others: asking the owner, and carrying out the call.
//!
//! A call that was not checked does not compile. Each example that fails has one beside it that differs in the one line
//! that is refused, and compiles:
//!
//! ```compile_fail,E0451
//! use tarsus_guard::Authorized;
//! let (tool, arguments) = ("exec".to_owned(), serde_json::json!({}));
//! let (session, expires) = (String::new(), jiff::Timestamp::MAX);
//! let forged = Authorized { tool, arguments, session, expires };
//! ```
//!
//! ```
//! use tarsus_guard::Authorized;
//! let (tool, arguments) = ("exec".to_owned(), serde_json::json!({}));
//! let (session, expires) = (String::new(), jiff::Timestamp::MAX);
//! let no_proof = (tool, arguments, session, expires);
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
//!     authorized.arguments = serde_json::json!({"command": "true"});
//! }
//! ```
//!
//! ```
//! fn look(authorized: tarsus_guard::Authorized) {
//!     assert_eq!(*authorized.arguments(), serde_json::json!({"command": "true"}));
//! }
//! ```

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use tarsus_audit::{Audit, Entry};
use tarsus_protocol::authorize::{Inspector, Reason, Verdict};
use tarsus_protocol::{ErrorCode, Problem};

use crate::authorize::{Call, Context, Judgement, Said, judge};
use crate::record::{Event, answer, entry};
use crate::shown::shown;

/// How long a permission is good for: a call that waits longer is judged again.
const VALID: Duration = Duration::from_secs(60);

/// Decides about calls, and writes down what has to be.
#[derive(Debug, Clone)]
pub struct Guard {
    audit: Arc<Audit>,
}

/// What was decided about a call.
#[derive(Debug)]
#[must_use]
pub enum Decision {
    /// It may happen, once.
    Allowed(Authorized),
    /// It may happen after a yes of the owner.
    NeedsApproval(Pending),
    /// It may not happen.
    Denied(Refusal),
}

/// Proof that a call was checked and may happen. There is no way to make, copy or store one outside of this crate.
#[derive(Debug)]
#[must_use]
pub struct Authorized {
    tool: String,
    arguments: Value,
    session: String,
    expires: Timestamp,
}

/// A call that waits for a yes.
#[derive(Debug)]
#[must_use]
pub struct Pending {
    call: Call,
    session: String,
    questions: Vec<Reason>,
    id: u64,
}

/// A call that may not happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The tool, fit to be shown.
    pub tool: String,
    /// Why not, the strictest reasons first.
    pub reasons: Vec<Reason>,
    /// Its number in the audit chain; `None` when it could not be written down.
    pub id: Option<u64>,
}

/// Why a permission is of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// It waited for too long.
    #[error("the permission for {tool} is more than {} seconds old; it has to be asked for again", VALID.as_secs())]
    Expired {
        /// The tool.
        tool: String,
    },
    /// It is for another session.
    #[error("the permission for {tool} is for another session")]
    OtherSession {
        /// The tool.
        tool: String,
    },
}

impl Authorized {
    /// The tool and the arguments that were judged, in exchange for the permission.
    ///
    /// # Errors
    /// When it waited for too long, or is for another session.
    pub fn redeem(self, session: &str, now: Timestamp) -> Result<(String, Value), Unusable> {
        let Self { tool, arguments, session: meant, expires } = self;
        if meant != session {
            return Err(Unusable::OtherSession { tool });
        }
        if now >= expires {
            return Err(Unusable::Expired { tool });
        }
        Ok((tool, arguments))
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The arguments that were judged.
    #[must_use]
    pub fn arguments(&self) -> &Value {
        &self.arguments
    }
}

impl Pending {
    /// The call that waits.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// What the owner is asked.
    #[must_use]
    pub fn questions(&self) -> &[Reason] {
        &self.questions
    }

    /// The number of the question in the audit chain.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }
}

impl Guard {
    /// A guard that writes into this chain.
    #[must_use]
    pub fn new(audit: Arc<Audit>) -> Self {
        Self { audit }
    }

    /// Decides about a call.
    pub fn authorize(&self, call: Call, context: &Context<'_>, now: Timestamp) -> Decision {
        let judgement = judge(&call, context);
        match judgement.verdict {
            Verdict::Deny => Decision::Denied(self.refuse(&call, context, judgement, now)),
            Verdict::NeedsApproval => self.ask(call, context, judgement, now),
            Verdict::Allow if judgement.bypassed => {
                let line = entry(Event::Bypassed, &call, context, &judgement.reasons);
                self.permit(vec![line], call, context, judgement, now)
            }
            Verdict::Allow => Decision::Allowed(authorized(call, context, now)),
        }
    }

    /// The owner said yes: the call is judged again, and may happen if nothing is asked that was not asked then.
    pub fn approve(&self, pending: Pending, context: &Context<'_>, now: Timestamp) -> Decision {
        let Pending { call, session, questions, id } = pending;
        let mut judgement = judge(&call, context);
        if session != context.session {
            judgement =
                with(judgement, Said::deny("it was asked in another session").reason(Inspector::Approval));
        }
        match judgement.verdict {
            Verdict::Deny => Decision::Denied(self.refuse(&call, context, judgement, now)),
            Verdict::NeedsApproval if !asked(&judgement).all(|question| questions.contains(question)) => {
                self.ask(call, context, judgement, now)
            }
            Verdict::NeedsApproval | Verdict::Allow => {
                let reasons = &judgement.reasons;
                // The yes was not for what a community skill may not do.
                let bypassed = || entry(Event::Bypassed, &call, context, reasons);
                let mut lines: Vec<Entry> = judgement.bypassed.then(bypassed).into_iter().collect();
                lines.push(answer(Event::Approved, &call, context, reasons, id));
                self.permit(lines, call, context, judgement, now)
            }
        }
    }

    /// The owner said no.
    pub fn decline(&self, pending: Pending, context: &Context<'_>, now: Timestamp) -> Refusal {
        let Pending { call, questions, id, .. } = pending;
        let line = answer(Event::Declined, &call, context, &questions, id);
        let id = self.audit.record_best_effort(line, now).map(|recorded| recorded.seq);
        Refusal { tool: shown(&call.tool), reasons: questions, id }
    }

    fn refuse(&self, call: &Call, context: &Context<'_>, judgement: Judgement, now: Timestamp) -> Refusal {
        let line =
            entry(Event::refusal(call, context, &judgement.reasons), call, context, &judgement.reasons);
        let id = self.audit.record_best_effort(line, now).map(|recorded| recorded.seq);
        Refusal { tool: shown(&call.tool), reasons: judgement.reasons, id }
    }

    fn ask(&self, call: Call, context: &Context<'_>, judgement: Judgement, now: Timestamp) -> Decision {
        match self.audit.record(entry(Event::Asked, &call, context, &judgement.reasons), now) {
            Ok(recorded) => Decision::NeedsApproval(Pending {
                questions: asked(&judgement).cloned().collect(),
                session: context.session.to_owned(),
                id: recorded.seq,
                call,
            }),
            Err(error) => self.unrecorded(&call, context, judgement, error.into(), now),
        }
    }

    /// Permits what has to be written down first.
    fn permit(
        &self,
        lines: Vec<Entry>,
        call: Call,
        context: &Context<'_>,
        judgement: Judgement,
        now: Timestamp,
    ) -> Decision {
        let recorded = lines.into_iter().try_for_each(|line| self.audit.record(line, now).map(drop));
        match recorded {
            Ok(()) => Decision::Allowed(authorized(call, context, now)),
            Err(error) => self.unrecorded(&call, context, judgement, error.into(), now),
        }
    }

    fn unrecorded(
        &self,
        call: &Call,
        context: &Context<'_>,
        judgement: Judgement,
        problem: Problem,
        now: Timestamp,
    ) -> Decision {
        let said = Said::deny(format!("it has to be written down first, and cannot be: {problem}"));
        let judgement = with(judgement, said.reason(Inspector::Record));
        Decision::Denied(self.refuse(call, context, judgement, now))
    }
}

fn authorized(call: Call, context: &Context<'_>, now: Timestamp) -> Authorized {
    let session = context.session.to_owned();
    // At the end of time nothing is valid any more.
    let expires = now.checked_add(VALID).unwrap_or(now);
    Authorized { tool: call.tool, arguments: call.arguments, session, expires }
}

/// What the owner is asked.
fn asked(judgement: &Judgement) -> impl Iterator<Item = &Reason> {
    judgement.reasons.iter().filter(|reason| reason.verdict == Verdict::NeedsApproval)
}

/// A judgement with a reason more, which is the strictest.
fn with(mut judgement: Judgement, reason: Reason) -> Judgement {
    judgement.verdict = judgement.verdict.max(reason.verdict);
    judgement.reasons.insert(0, reason);
    judgement
}

impl Refusal {
    /// Only the reasons that refuse it.
    pub fn against(&self) -> impl Iterator<Item = &Reason> {
        let strictest = self.reasons.first().map(|reason| reason.verdict);
        self.reasons.iter().filter(move |reason| Some(reason.verdict) == strictest)
    }
}

/// What the model and the owner are told: which skill lacks what, and the command that would grant it.
impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let mut problem = Self::new(ErrorCode::Denied, format!("{} is not permitted", refusal.tool));
        for reason in refusal.against() {
            problem = problem.note(reason.message.clone());
        }
        let remedies: Vec<&str> = refusal.against().filter_map(|reason| reason.remedy.as_deref()).collect();
        if !remedies.is_empty() {
            problem = problem.hint(format!("to allow it: `{}`", remedies.join("`, `")));
        }
        if let Some(id) = refusal.id {
            problem = problem.note(format!("`tarsus explain {id}` shows everything that led to this"));
        }
        match refusal.against().find_map(|reason| reason.skill.as_deref()) {
            Some(skill) => problem.about_skill(skill),
            None => problem,
        }
    }
}
