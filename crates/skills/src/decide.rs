//! Validates the owner's decision about a skill and turns it into one settings change.
//!
//! Pure functions. Anything that gives a skill more rights is bound to the hash of the scanned folder.

use std::collections::BTreeSet;

use tarsus_guard::GuardError;
use tarsus_home::settings::SkillRecordChange;
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::grants::{Acceptance, ContentHash, Pinned};
use tarsus_protocol::rpc::skills::TrustConfirmation;
use tarsus_protocol::scan::Severity;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_scan::is_acceptable;
use tarsus_text::shell_quoted;

use crate::SkillFile;
use crate::gate::SkillTrust;
use crate::prompt::text::{one_line, truncate};
use crate::report::sanitize;

/// Longest reason, in characters.
const MAX_REASON_CHARS: usize = 500;

/// An owner's decision about a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillDecision {
    /// Grant these capabilities.
    Grant(BTreeSet<Capability>),
    /// Revoke these capabilities, or all if the set is empty.
    Revoke(BTreeSet<Capability>),
    /// Approve the declared capabilities, which were shown.
    Approve {
        /// Hash of the folder that was shown.
        hash: ContentHash,
    },
    /// Accept a finding, with a reason.
    Accept {
        /// The rule.
        rule: String,
        /// Reason that is stored with the acceptance.
        reason: String,
    },
    /// Withdraw an acceptance.
    WithdrawAcceptance {
        /// The rule.
        rule: String,
    },
    /// Set the trust tier.
    Trust {
        /// The tier.
        tier: TrustTier,
        /// Required to raise the trust of a blocked skill.
        confirmed: Option<TrustConfirmation>,
    },
}

/// Why a decision is rejected.
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    /// The folder has not been scanned.
    #[error("the current folder of {name} has not been scanned")]
    NotScanned {
        /// The skill.
        name: String,
    },
    /// The folder changed since it was shown.
    #[error("the folder of {name} changed since it was shown")]
    Changed {
        /// The skill.
        name: String,
    },
    /// The skill is not restricted to capabilities.
    #[error("{name} is a {tier} skill, which capabilities do not restrict, so there is nothing to grant")]
    NotEnforced {
        /// The skill.
        name: String,
        /// Trust tier of the skill.
        tier: TrustTier,
    },
    /// The skill is blocked.
    #[error("{name} is blocked, so nothing can be granted to it")]
    Blocked {
        /// The skill.
        name: String,
    },
    /// The rule has no finding in the skill.
    #[error("{rule:?} has no finding in {name}")]
    NoFinding {
        /// The skill.
        name: String,
        /// The rule.
        rule: String,
        /// Rules with findings.
        found: Vec<String>,
    },
    /// The rule means that the scan was incomplete.
    #[error("{rule} cannot be accepted: it means that {name} could not be scanned completely")]
    NotAcceptable {
        /// The skill.
        name: String,
        /// The rule.
        rule: String,
    },
    /// Trust in a blocked skill was not confirmed with its name.
    #[error("{name} is blocked by {critical}; trusting it as your own must be confirmed with its exact name")]
    NotConfirmed {
        /// The skill.
        name: String,
        /// The number of critical findings, as text.
        critical: String,
    },
    /// The reason is empty or too long.
    #[error("accepting a finding requires a reason of 1 to {MAX_REASON_CHARS} characters")]
    NoReason,
    /// The guard rejects the change.
    #[error(transparent)]
    Guard(#[from] GuardError),
}

impl From<DecideError> for Problem {
    fn from(error: DecideError) -> Self {
        let message = error.to_string();
        let problem = |code| Self::new(code, message.clone());
        match error {
            DecideError::NotScanned { .. } => {
                problem(ErrorCode::Stale).hint("run `tarsus skills refresh`, then try again")
            }
            DecideError::Changed { .. } => problem(ErrorCode::Stale).hint("review what it asks for now"),
            DecideError::NotEnforced { name, .. } => problem(ErrorCode::Usage).hint(format!(
                "`tarsus skills trust {} community` restricts it to its capabilities",
                shell_quoted(&name)
            )),
            DecideError::Blocked { name } => problem(ErrorCode::Denied).hint(format!(
                "`tarsus skills info {}` shows the findings and the next step",
                shell_quoted(&name)
            )),
            DecideError::NoFinding { found, .. } if found.is_empty() => {
                problem(ErrorCode::NotFound).hint("there is nothing to accept")
            }
            DecideError::NoFinding { found, .. } => {
                problem(ErrorCode::NotFound).hint(format!("rules with findings: {}", found.join(", ")))
            }
            DecideError::NotAcceptable { .. } => problem(ErrorCode::Denied)
                .hint("make the folder smaller or simpler, so that all of it can be scanned"),
            DecideError::NotConfirmed { name, .. } => problem(ErrorCode::NotConfirmed).hint(format!(
                "read the findings with `tarsus skills info {}`; type the name when asked, or add `--confirm NAME`",
                shell_quoted(&name)
            )),
            DecideError::NoReason => problem(ErrorCode::Usage).hint("give the reason with `--reason \"…\"`"),
            DecideError::Guard(error) => error.into(),
        }
    }
}

/// Returns the settings change that carries out the decision.
///
/// # Errors
/// If the decision does not apply to this skill.
pub fn decide(
    found: &SkillFile,
    trust: &SkillTrust,
    decision: SkillDecision,
) -> Result<SkillRecordChange, DecideError> {
    let name = found.name().into_owned();
    let permissions = &trust.permissions;
    let shown = || truncate(&one_line(&name), 64);
    let hash = || permissions.hash.clone().ok_or_else(|| DecideError::NotScanned { name: shown() });
    let check_grantable = || match () {
        () if !permissions.is_enforced() => {
            Err(DecideError::NotEnforced { name: shown(), tier: permissions.tier })
        }
        () if trust.is_blocked() => Err(DecideError::Blocked { name: shown() }),
        () => Ok(()),
    };
    Ok(match decision {
        SkillDecision::Grant(capabilities) => {
            check_grantable()?;
            let grant = Pinned { hash: hash()?, capabilities };
            SkillRecordChange::Grant { name, grant }
        }
        SkillDecision::Revoke(capabilities) => SkillRecordChange::Revoke { name, capabilities },
        SkillDecision::Approve { hash: shown_hash } => {
            check_grantable()?;
            let hash = hash()?;
            if hash != shown_hash {
                return Err(DecideError::Changed { name: shown() });
            }
            let seen = Pinned { hash, capabilities: permissions.declared.capabilities.clone() };
            SkillRecordChange::See { name, seen }
        }
        SkillDecision::Accept { rule, reason } => {
            let acceptance = accept_finding(trust, &shown(), hash()?, rule, &reason)?;
            SkillRecordChange::Accept { name, acceptance }
        }
        SkillDecision::WithdrawAcceptance { rule } => SkillRecordChange::Unaccept { name, rule },
        SkillDecision::Trust { tier, confirmed } => {
            if trust.is_blocked() && tier > permissions.tier {
                check_confirmation(&name, trust, &hash()?, confirmed.as_ref())?;
            }
            let (natural, hash) = (found.natural_tier(), permissions.hash.clone());
            tarsus_guard::trust_change(&name, natural, tier, hash, trust.critical_rules())?
        }
    })
}

/// Checks that a person typed the name of the blocked skill, for the files whose findings they were shown.
fn check_confirmation(
    name: &str,
    trust: &SkillTrust,
    hash: &ContentHash,
    confirmed: Option<&TrustConfirmation>,
) -> Result<(), DecideError> {
    let shown = truncate(&one_line(name), 64);
    match confirmed.filter(|confirmed| confirmed.name.trim() == sanitize(name)) {
        Some(confirmed) if confirmed.hash == *hash => Ok(()),
        Some(_) => Err(DecideError::Changed { name: shown }),
        None => {
            let findings = trust.report.iter().flat_map(|report| &report.findings);
            let critical = findings.filter(|finding| finding.severity == Severity::Critical).count();
            let ending = if critical == 1 { "" } else { "s" };
            Err(DecideError::NotConfirmed {
                name: shown,
                critical: format!("{critical} critical finding{ending}"),
            })
        }
    }
}

fn accept_finding(
    trust: &SkillTrust,
    name: &str,
    hash: ContentHash,
    rule: String,
    reason: &str,
) -> Result<Acceptance, DecideError> {
    let findings = trust.report.iter().flat_map(|report| &report.findings);
    let found: BTreeSet<&str> = findings.map(|finding| finding.rule.as_str()).collect();
    if !found.contains(rule.as_str()) {
        let found = found.into_iter().map(str::to_owned).collect();
        return Err(DecideError::NoFinding { name: name.to_owned(), rule, found });
    }
    if !is_acceptable(&rule) {
        return Err(DecideError::NotAcceptable { name: name.to_owned(), rule });
    }
    let reason = one_line(reason.trim());
    if !(1..=MAX_REASON_CHARS).contains(&reason.chars().count()) {
        return Err(DecideError::NoReason);
    }
    Ok(Acceptance { rule, hash, reason })
}
