//! What follows for a skill from what was found in its folder and from what the owner decided about it.
//!
//! Promises: a pure function. A community skill whose folder nobody has looked into is not used. Leaves to others:
//! everything else that keeps a skill from being used.

use std::path::PathBuf;

use tarsus_guard::{Declared, Standing, Subject, standing};
use tarsus_home::settings::SkillRecords;
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::scan::{ScanReport, ScanVerdict};
use tarsus_protocol::skills::{ScanState, SkillScan};
use tarsus_scan::{Surroundings, settle};

use crate::{Found, bundled};

/// How far a skill is trusted, and what was found in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Guarded {
    /// How it stands after the owner's decisions.
    pub standing: Standing,
    /// What was found in its files; nothing while nobody has looked.
    pub report: Option<ScanReport>,
}

/// A skill that must not be used for what was found in its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// What was found: the most serious first.
    pub report: ScanReport,
}

impl Blocked {
    /// What there is to tell of a skill, when it is one.
    pub(super) fn of(found: &Found, records: &SkillRecords) -> Option<Self> {
        let guarded = guarded(found, records);
        let report = guarded.is_blocked().then_some(guarded.report)??;
        Some(Self { name: found.name().into_owned(), folder: found.dir().to_path_buf(), report })
    }
}

/// Whether a skill may have to be looked into before it is used: by where it comes from, or by what the owner decided.
pub(super) fn may_be_enforced(found: &Found, records: &SkillRecords) -> bool {
    let chosen = || records.trust.get(&*found.name()).map(|choice| choice.tier);
    found.natural_tier() == TrustTier::Community || chosen() == Some(TrustTier::Community)
}

/// Whether a skill must not be used: something was found, or nobody has looked yet.
#[must_use]
pub fn is_blocked(found: &Found, records: &SkillRecords) -> bool {
    // What is known of a skill beside its files never blocks it, so most need no second look.
    let examined = found.examined.as_ref();
    let may_be = examined.is_none_or(|examined| examined.report.verdict == ScanVerdict::Blocked);
    may_be && may_be_enforced(found, records) && guarded(found, records).is_blocked()
}

/// Judges a skill; nothing of what was found counts that is no skill.
#[must_use]
pub fn guarded(found: &Found, records: &SkillRecords) -> Guarded {
    let name = found.name();
    let metadata = found.skill().and_then(|skill| skill.metadata.as_ref());
    let declared = Declared::read(metadata.and_then(|metadata| metadata.capabilities.as_ref()));
    let examined = found.examined.as_ref();
    let hash = examined.and_then(|examined| examined.report.hash.parse().ok());
    let accepted: Vec<&str> = hash
        .iter()
        .flat_map(|hash| records.accepted_for(&name, hash))
        .map(|accepted| accepted.rule.as_str())
        .collect();
    let natural = found.natural_tier();
    let listed: Vec<Capability> = declared.capabilities.iter().copied().collect();
    let report = examined.map(|examined| {
        let mut report = examined.report.clone();
        report.path = found.dir().to_string_lossy().into_owned();
        // The person's own skills may be called as they like.
        let known_names = if natural == TrustTier::Community { bundled::names() } else { &[] };
        settle(
            &mut report,
            &Surroundings { name: &name, known_names, declared: Some(&listed), accepted: &accepted },
        );
        report
    });
    let subject = Subject { name: name.into_owned(), natural, hash, declared };
    Guarded { standing: standing(subject, records), report }
}

impl Guarded {
    /// Whether it must not be used: something was found, or nobody has looked yet.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        let verdict = self.report.as_ref().map(|report| report.verdict);
        self.standing.tier == TrustTier::Community
            && verdict.is_none_or(|verdict| verdict == ScanVerdict::Blocked)
    }

    /// What its texts and programs were seen to use.
    #[must_use]
    pub fn used(&self) -> Option<Vec<Capability>> {
        let report = self.report.as_ref()?;
        Some(report.uses.iter().map(|used| used.capability).collect())
    }

    /// What every surface shows of it. Only a community skill is blocked by what was found.
    #[must_use]
    pub fn scan(self) -> SkillScan {
        let builtin = self.standing.tier == TrustTier::Builtin;
        let Some(report) = self.report else {
            let state = if builtin { ScanState::Clean } else { ScanState::Pending };
            return SkillScan { state, hash: None, findings: Vec::new(), uses: Vec::new() };
        };
        let state = match report.verdict {
            ScanVerdict::Clean => ScanState::Clean,
            ScanVerdict::Blocked if self.standing.tier == TrustTier::Community => ScanState::Blocked,
            ScanVerdict::Warning | ScanVerdict::Blocked => ScanState::Warning,
        };
        SkillScan { state, hash: Some(report.hash), findings: report.findings, uses: report.uses }
    }
}

#[cfg(test)]
mod tests {
    use tarsus_protocol::scan::Severity;
    use tarsus_scan::{How, Ruleset};

    /// What [`super::is_blocked`] counts on.
    #[test]
    fn what_is_known_of_a_skill_beside_its_files_never_blocks_it() {
        let rules = Ruleset::bundled();
        let outside: Vec<_> = rules
            .rules()
            .filter(|(_, rule)| matches!(rule.how, How::Outside(_)))
            .map(|(_, rule)| rule)
            .collect();
        assert!(!outside.is_empty());
        for rule in outside {
            assert!(rule.severity < Severity::Critical, "{}", rule.id);
        }
    }
}
