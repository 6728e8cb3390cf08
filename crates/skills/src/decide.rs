//! What the owner wants done about one skill, checked against what the skill is, as the one change that does it.
//!
//! Promises: a pure function; what gives a skill more is for its folder as it was looked into. Leaves to others: asking,
//! recording and keeping (`guard`).

use std::collections::BTreeSet;

use tarsus_guard::GuardError;
use tarsus_home::settings::Change;
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::grants::{Acceptance, ContentHash, Pinned};
use tarsus_protocol::text::shell_quoted;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_scan::acceptable;

use crate::Found;
use crate::gate::Guarded;
use crate::prompt::text::{cut, one_line};

/// Characters of a reason.
const LONGEST_REASON: usize = 500;

/// What the owner wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It may use these as well.
    Grant(BTreeSet<Capability>),
    /// It may not use these any more; all that was granted when none is named.
    Revoke(BTreeSet<Capability>),
    /// What it asks for was shown, and may be used.
    See {
        /// The folder that was shown.
        hash: ContentHash,
    },
    /// What a rule found in it is lived with.
    Accept {
        /// The rule.
        rule: String,
        /// Why.
        reason: String,
    },
    /// That is not so any more.
    Unaccept {
        /// The rule.
        rule: String,
    },
    /// It is trusted so far.
    Trust(TrustTier),
}

/// A decision that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    /// Nobody has looked into the folder that it would be for.
    #[error("nobody has looked into the folder of {name} as it is")]
    NotLookedInto {
        /// The skill.
        name: String,
    },
    /// Its folder is another one than was shown.
    #[error("the folder of {name} changed since it was shown")]
    Changed {
        /// The skill.
        name: String,
    },
    /// It is not held to capabilities.
    #[error("{name} is {tier} and not held to capabilities: there is nothing to grant")]
    NotEnforced {
        /// The skill.
        name: String,
        /// How far it is trusted.
        tier: TrustTier,
    },
    /// It is not used at all.
    #[error("{name} is blocked: nothing is granted to it")]
    Blocked {
        /// The skill.
        name: String,
    },
    /// The rule found nothing in it.
    #[error("{rule:?} found nothing in {name}")]
    NoFinding {
        /// The skill.
        name: String,
        /// The rule.
        rule: String,
        /// The rules that did.
        found: Vec<String>,
    },
    /// The rule says that not everything could be looked into.
    #[error("{rule} cannot be accepted: it means that not everything in {name} could be looked into")]
    NotAcceptable {
        /// The skill.
        name: String,
        /// The rule.
        rule: String,
    },
    /// Nobody will know later why.
    #[error("a finding is accepted for a reason of 1 to {LONGEST_REASON} characters")]
    NoReason,
    /// Guard says no.
    #[error(transparent)]
    Guard(#[from] GuardError),
}

impl From<DecideError> for Problem {
    fn from(error: DecideError) -> Self {
        let message = error.to_string();
        let of = |code| Self::new(code, message.clone());
        match error {
            DecideError::NotLookedInto { .. } => {
                of(ErrorCode::Stale).hint("`tarsus skills refresh` looks into it; then repeat this")
            }
            DecideError::Changed { .. } => of(ErrorCode::Stale).hint("look at what it asks for now"),
            DecideError::NotEnforced { name, .. } => of(ErrorCode::Usage).hint(format!(
                "`tarsus skills trust {} community` would hold it to its capabilities",
                shell_quoted(&name)
            )),
            DecideError::Blocked { name } => of(ErrorCode::Denied).hint(format!(
                "`tarsus skills info {}` says what was found in it and how to go on",
                shell_quoted(&name)
            )),
            DecideError::NoFinding { found, .. } if found.is_empty() => {
                of(ErrorCode::NotFound).hint("there is nothing to accept")
            }
            DecideError::NoFinding { found, .. } => {
                of(ErrorCode::NotFound).hint(format!("there are findings of {}", found.join(", ")))
            }
            DecideError::NotAcceptable { .. } => of(ErrorCode::Denied)
                .hint("make the folder smaller or plainer, so that all of it can be read"),
            DecideError::NoReason => of(ErrorCode::Usage).hint("`--reason \"…\"` says why"),
            DecideError::Guard(error) => error.into(),
        }
    }
}

/// The change that does what is wanted.
///
/// # Errors
/// When it cannot be done to this skill.
pub fn decide(found: &Found, guarded: &Guarded, wanted: Decision) -> Result<Change, DecideError> {
    let name = found.name().into_owned();
    let standing = &guarded.standing;
    let shown = || cut(&one_line(&name), 64);
    let hash = || standing.hash.clone().ok_or_else(|| DecideError::NotLookedInto { name: shown() });
    let may_be_given = || match () {
        () if !standing.is_enforced() => Err(DecideError::NotEnforced { name: shown(), tier: standing.tier }),
        () if guarded.is_blocked() => Err(DecideError::Blocked { name: shown() }),
        () => Ok(()),
    };
    Ok(match wanted {
        Decision::Grant(capabilities) => {
            may_be_given()?;
            let grant = Pinned { hash: hash()?, capabilities };
            Change::Grant { name, grant }
        }
        Decision::Revoke(capabilities) => Change::Revoke { name, capabilities },
        Decision::See { hash: shown_hash } => {
            may_be_given()?;
            let hash = hash()?;
            if hash != shown_hash {
                return Err(DecideError::Changed { name: shown() });
            }
            let seen = Pinned { hash, capabilities: standing.declared.capabilities.clone() };
            Change::See { name, seen }
        }
        Decision::Accept { rule, reason } => {
            let acceptance = accepted(guarded, &shown(), hash()?, rule, &reason)?;
            Change::Accept { name, acceptance }
        }
        Decision::Unaccept { rule } => Change::Unaccept { name, rule },
        Decision::Trust(tier) => {
            tarsus_guard::trust(&name, found.natural_tier(), tier, standing.hash.clone())?
        }
    })
}

fn accepted(
    guarded: &Guarded,
    name: &str,
    hash: ContentHash,
    rule: String,
    reason: &str,
) -> Result<Acceptance, DecideError> {
    let findings = guarded.report.iter().flat_map(|report| &report.findings);
    let found: BTreeSet<&str> = findings.map(|finding| finding.rule.as_str()).collect();
    if !found.contains(rule.as_str()) {
        let found = found.into_iter().map(str::to_owned).collect();
        return Err(DecideError::NoFinding { name: name.to_owned(), rule, found });
    }
    if !acceptable(&rule) {
        return Err(DecideError::NotAcceptable { name: name.to_owned(), rule });
    }
    let reason = one_line(reason.trim());
    if !(1..=LONGEST_REASON).contains(&reason.chars().count()) {
        return Err(DecideError::NoReason);
    }
    Ok(Acceptance { rule, hash, reason })
}
