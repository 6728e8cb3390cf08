//! Decides whether a skill is blocked, from its scan result and the owner's decisions about it.
//!
//! Pure functions. A community skill that has not been scanned is blocked.

use std::collections::BTreeSet;
use std::path::PathBuf;

use tarsus_guard::{DeclaredCapabilities, SkillPermissions, SkillSubject};
use tarsus_home::settings::SkillRecords;
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::scan::{Finding, ScanReport, ScanVerdict, Severity};
use tarsus_protocol::skills::{AcceptedFindings, ScanState, SkillScan, deciding};
use tarsus_scan::{SkillContext, apply_context};

use crate::{SkillFile, bundled};

/// A skill's trust tier, grants and settled scan report.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillTrust {
    /// Trust tier and grants after the owner's decisions.
    pub permissions: SkillPermissions,
    /// The settled scan report; `None` if the folder has not been scanned.
    pub report: Option<ScanReport>,
}

/// A skill that is blocked by its scan report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedFolder {
    /// Name of the skill.
    pub name: String,
    /// Folder of the skill.
    pub folder: PathBuf,
    /// The scan report, most serious findings first.
    pub report: ScanReport,
}

impl BlockedFolder {
    /// `None` if the skill is not blocked or has not been scanned.
    pub(super) fn from_file(file: &SkillFile, records: &SkillRecords) -> Option<Self> {
        let trust = evaluate_trust(file, records);
        let report = trust.is_blocked().then_some(trust.report)??;
        Some(Self { name: file.name().into_owned(), folder: file.dir().to_path_buf(), report })
    }
}

/// Whether the skill's origin or the owner's choice may require a scan before use.
pub(super) fn may_be_enforced(file: &SkillFile, records: &SkillRecords) -> bool {
    let chosen = || records.trust.get(&*file.name()).map(|choice| choice.tier);
    file.natural_tier() == TrustTier::Community || chosen() == Some(TrustTier::Community)
}

/// Whether a skill must not be used because its scan blocks it or is missing.
#[must_use]
pub fn is_blocked(file: &SkillFile, records: &SkillRecords) -> bool {
    // Rules about facts outside the files never block, so the stored verdict is enough for most skills.
    let scan = file.scan.as_ref();
    let may_be = scan.is_none_or(|scan| scan.report.verdict == ScanVerdict::Blocked);
    may_be && may_be_enforced(file, records) && evaluate_trust(file, records).is_blocked()
}

/// Settles the scan report of a skill with the owner's decisions and determines its trust tier and grants.
#[must_use]
pub fn evaluate_trust(file: &SkillFile, records: &SkillRecords) -> SkillTrust {
    let name = file.name();
    let metadata = file.skill().and_then(|skill| skill.metadata.as_ref());
    let declared = DeclaredCapabilities::parse(metadata.and_then(|metadata| metadata.capabilities.as_ref()));
    let scan = file.scan.as_ref();
    let hash = scan.and_then(|scan| scan.report.hash.parse().ok());
    let accepted: Vec<&str> = hash
        .iter()
        .flat_map(|hash| records.accepted_for(&name, hash))
        .map(|accepted| accepted.rule.as_str())
        .collect();
    let natural = file.natural_tier();
    let listed: Vec<Capability> = declared.capabilities.iter().copied().collect();
    let report = scan.map(|scan| {
        let mut report = scan.report.clone();
        report.path = file.dir().to_string_lossy().into_owned();
        // The owner's own skills may reuse a bundled name.
        let known_names = if natural == TrustTier::Community { bundled::names() } else { &[] };
        apply_context(
            &mut report,
            &SkillContext { name: &name, known_names, declared: Some(&listed), accepted: &accepted },
        );
        report
    });
    let critical = report.iter().flat_map(critical_rules).collect();
    let subject = SkillSubject { name: name.into_owned(), natural, hash, declared, critical };
    SkillTrust { permissions: SkillPermissions::resolve(subject, records), report }
}

/// Rules of the critical findings that are not accepted one by one.
fn critical_rules(report: &ScanReport) -> impl Iterator<Item = String> + '_ {
    let critical = |finding: &&Finding| finding.severity == Severity::Critical && !finding.accepted;
    report.findings.iter().filter(critical).map(|finding| finding.rule.clone())
}

impl SkillTrust {
    /// Rules of the critical findings that are not accepted one by one.
    #[must_use]
    pub fn critical_rules(&self) -> BTreeSet<String> {
        self.report.iter().flat_map(critical_rules).collect()
    }

    /// Critical findings that do not block the skill because the owner accepted them, one by one or with its trust.
    /// Those of the owner's own skills were never accepted: they do not block.
    #[must_use]
    pub fn accepted_findings(&self) -> Option<AcceptedFindings> {
        let SkillPermissions { natural, tier, .. } = self.permissions;
        let is_accepted =
            |finding: &&Finding| tier > natural || (tier == TrustTier::Community && finding.accepted);
        let findings = self.report.iter().flat_map(|report| &report.findings);
        let critical = findings.filter(|finding| finding.severity == Severity::Critical).filter(is_accepted);
        let found: Vec<&str> = critical.map(|finding| finding.rule.as_str()).collect();
        if found.is_empty() {
            return None;
        }
        let rules: BTreeSet<&str> = found.iter().copied().collect();
        let rules = rules.into_iter().map(str::to_owned).collect();
        Some(AcceptedFindings { critical: found.len(), rules })
    }

    /// Whether the skill must not be used because its scan blocks it or is missing.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        let verdict = self.report.as_ref().map(|report| report.verdict);
        self.permissions.tier == TrustTier::Community
            && verdict.is_none_or(|verdict| verdict == ScanVerdict::Blocked)
    }

    /// Returns the most serious finding that is not accepted.
    #[must_use]
    pub fn deciding_finding(&self) -> Option<&Finding> {
        self.report.as_ref().and_then(|report| deciding(&report.findings))
    }

    /// Capabilities that the scan detected; `None` if the folder has not been scanned.
    #[must_use]
    pub fn used(&self) -> Option<Vec<Capability>> {
        let report = self.report.as_ref()?;
        Some(report.uses.iter().map(|used| used.capability).collect())
    }

    /// Splits into the permissions and the scan status that every surface shows. Only a community skill is blocked by its
    /// findings.
    #[must_use]
    pub fn into_parts(self) -> (SkillPermissions, SkillScan) {
        let Self { permissions, report } = self;
        let tier = permissions.tier;
        let Some(report) = report else {
            let state = if tier == TrustTier::Builtin { ScanState::Clean } else { ScanState::Pending };
            return (permissions, SkillScan { state, hash: None, findings: Vec::new(), uses: Vec::new() });
        };
        let state = match report.verdict {
            ScanVerdict::Clean => ScanState::Clean,
            ScanVerdict::Blocked if tier == TrustTier::Community => ScanState::Blocked,
            ScanVerdict::Warning | ScanVerdict::Blocked => ScanState::Warning,
        };
        (
            permissions,
            SkillScan { state, hash: Some(report.hash), findings: report.findings, uses: report.uses },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tarsus_scan::{Detection, Ruleset};

    /// [`super::is_blocked`] relies on this.
    #[test]
    fn rules_about_outside_facts_are_never_critical() {
        let rules = Ruleset::bundled();
        let outside: Vec<_> = rules
            .rules()
            .filter(|(_, rule)| matches!(rule.how, Detection::ContextCheck(_)))
            .map(|(_, rule)| rule)
            .collect();
        assert!(!outside.is_empty());
        for rule in outside {
            assert!(rule.severity < Severity::Critical, "{}", rule.id);
        }
    }
}
