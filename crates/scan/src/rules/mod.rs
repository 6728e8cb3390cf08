//! The rules, one file for each family. Every rule carries texts that it must flag and texts that it must not; the tests
//! below run them.

mod boundary_spoofing;
mod capability_inflation;
mod capability_use;
mod credentials;
mod destructive;
mod exfiltration;
mod exfiltration_instructions;
mod fake_prerequisite;
mod files;
mod hidden_text;
mod miner;
mod obfuscation;
mod persistence;
mod privilege;
mod prompt_injection;
mod remote_execution;
mod reverse_shell;
mod secrets;
mod supply_chain;
mod unrequested_action;

use tarsus_protocol::scan::Severity;

use crate::rule::{
    AddressCheck, Detection, MentionPolicy, Patterns, Rule, RuleFamily, RuleScope, SegmentSet,
};

pub(crate) const FAMILIES: &[&RuleFamily] = &[
    &fake_prerequisite::FAMILY,
    &remote_execution::FAMILY,
    &obfuscation::FAMILY,
    &exfiltration::FAMILY,
    &exfiltration_instructions::FAMILY,
    &credentials::FAMILY,
    &reverse_shell::FAMILY,
    &prompt_injection::FAMILY,
    &unrequested_action::FAMILY,
    &boundary_spoofing::FAMILY,
    &hidden_text::FAMILY,
    &capability_inflation::FAMILY,
    &persistence::FAMILY,
    &privilege::FAMILY,
    &destructive::FAMILY,
    &miner::FAMILY,
    &supply_chain::FAMILY,
    &secrets::FAMILY,
    &files::FAMILY,
    &capability_use::FAMILY,
];

/// Any segment, within one block.
const BLOCK: Patterns = Patterns {
    places: SegmentSet::ANY,
    scope: RuleScope::Block,
    hints: &[],
    with: &[],
    all: &[],
    within: &[],
    unless: &[],
    leads_to: &[],
    unless_to: &[],
    check: AddressCheck::None,
};
/// Any segment, within one section.
const SECTION: Patterns = Patterns { scope: RuleScope::Section, ..BLOCK };
/// Sentences, within one block.
const SENTENCE: Patterns = Patterns { places: SegmentSet::SENTENCES, ..BLOCK };

/// The base of most rules: critical, about commands.
const CRITICAL: Rule = Rule {
    id: "",
    title: "",
    severity: Severity::Critical,
    why: "",
    owasp: None,
    how: Detection::Text(BLOCK),
    mention: MentionPolicy::Command,
    flags: &[],
    passes: &[],
};
const WARNING: Rule = Rule { severity: Severity::Warning, ..CRITICAL };
const INFO: Rule = Rule { severity: Severity::Info, ..CRITICAL };

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tarsus_protocol::scan::ScanReport;

    use super::*;
    use crate::Scanner;
    use crate::ruleset::{Ruleset, compile};

    /// Whether a rule matched: a finding, or a capability use.
    fn holds(report: &ScanReport, rule: &Rule) -> bool {
        match rule.how {
            Detection::Use(capability, _) => report.uses.iter().any(|used| used.capability == capability),
            _ => report.findings.iter().any(|finding| finding.rule == rule.id),
        }
    }

    #[test]
    fn every_rule_flags_its_texts_and_passes_the_others() {
        let scanner = Scanner::new(Ruleset::bundled());
        let mut wrong = Vec::new();
        for (_, rule) in scanner.rules().rules() {
            for (texts, expected) in [(rule.flags, true), (rule.passes, false)] {
                let found = |text: &&&str| holds(&scanner.scan_text("SKILL.md", text.as_bytes()), rule);
                let others = texts.iter().filter(|text| found(text) != expected);
                wrong.extend(others.map(|text| format!("{} found is not {expected}: {text}", rule.id)));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_file_anomaly_has_a_rule() {
        use crate::inventory::FileAnomaly::*;
        let oddities = [
            Unreadable,
            TooLarge,
            TooMuch,
            TooMany,
            LinkOut,
            BrokenLink,
            Special,
            Executable,
            ByteCode,
            Archive,
            NotText,
            Mismatch,
            HiddenFile,
            OddName,
            ActivePage,
            ActivePicture,
            TooMuchEncoded,
        ];
        let rules = Ruleset::bundled();
        let from_files = rules.rules().filter_map(|(_, rule)| match rule.how {
            Detection::File(oddity) => Some(oddity),
            _ => None,
        });
        assert_eq!(from_files.collect::<BTreeSet<_>>(), BTreeSet::from(oddities));
    }

    #[test]
    fn rules_are_complete_with_unique_ids() {
        let mut seen = BTreeSet::new();
        for (family, rule) in Ruleset::bundled().rules() {
            let id = rule.id;
            assert!(seen.insert(id), "{id} twice");
            assert!(!rule.title.is_empty() && !rule.why.is_empty() && !family.fix.is_empty(), "{id}");
            let owasp = rule.owasp.unwrap_or(family.owasp);
            let number: u8 = owasp.strip_prefix("AST").unwrap().parse().unwrap();
            assert!((1..=10).contains(&number) && owasp.len() == 5, "{id}: {owasp}");
            let by_text = !matches!(rule.how, Detection::File(_) | Detection::ContextCheck(_));
            assert_eq!(by_text, !rule.flags.is_empty() && !rule.passes.is_empty(), "{id} and its texts");
            let Some(patterns) = rule.how.patterns() else { continue };
            assert!(!patterns.hints.is_empty() && !patterns.all.is_empty(), "{id}");
            let mut words = patterns.hints.iter().chain(patterns.with);
            assert!(words.all(|word| *word == word.to_lowercase()), "{id}");
            for source in
                [patterns.all, patterns.within, patterns.unless, patterns.leads_to, patterns.unless_to]
                    .concat()
            {
                assert!(compile(source).is_ok(), "{id}: {:?}", compile(source));
                let of_address = [patterns.leads_to, patterns.unless_to].concat().contains(&source);
                assert!(!of_address || source.starts_with('^'), "{id}: an address is told by its beginning");
                let classes = ["\\W", "\\S", "\\D", "\\B"];
                let letters =
                    classes.iter().fold((*source).to_owned(), |text, class| text.replace(class, ""));
                assert!(!letters.contains(char::is_uppercase), "{id}: the plain form has no capitals");
            }
        }
    }
}
