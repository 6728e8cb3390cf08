//! The rules, one file a family. A rule says what a text makes an agent, a person or a shell do; each carries texts that
//! it must flag and texts that it must not, which the tests below run.

mod boundary_spoofing;
mod capability_inflation;
mod capability_use;
mod credentials;
mod destructive;
mod exfiltration;
mod exfiltration_told;
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
mod unasked;

use tarsus_protocol::scan::Severity;

use crate::rule::{Check, Family, How, OnMention, Patterns, Places, Rule, Scope};

/// Every family.
pub(crate) const FAMILIES: &[&Family] = &[
    &fake_prerequisite::FAMILY,
    &remote_execution::FAMILY,
    &obfuscation::FAMILY,
    &exfiltration::FAMILY,
    &exfiltration_told::FAMILY,
    &credentials::FAMILY,
    &reverse_shell::FAMILY,
    &prompt_injection::FAMILY,
    &unasked::FAMILY,
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

/// Anywhere, all in one block.
const BLOCK: Patterns = Patterns {
    places: Places::ANY,
    scope: Scope::Block,
    hints: &[],
    with: &[],
    all: &[],
    within: &[],
    unless: &[],
    leads_to: &[],
    unless_to: &[],
    check: Check::None,
};
/// Anywhere, all between two headings.
const SECTION: Patterns = Patterns { scope: Scope::Section, ..BLOCK };
/// In sentences, all in one block.
const SENTENCE: Patterns = Patterns { places: Places::SENTENCES, ..BLOCK };

/// What most rules have in common: they are about commands, and block.
const CRITICAL: Rule = Rule {
    id: "",
    title: "",
    severity: Severity::Critical,
    why: "",
    owasp: None,
    how: How::Text(BLOCK),
    mention: OnMention::Command,
    flags: &[],
    passes: &[],
};
/// The same, to be looked at.
const WARNING: Rule = Rule { severity: Severity::Warning, ..CRITICAL };
/// The same, worth knowing.
const INFO: Rule = Rule { severity: Severity::Info, ..CRITICAL };

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tarsus_protocol::scan::ScanReport;

    use super::*;
    use crate::Scanner;
    use crate::ruleset::{Ruleset, compile};

    /// What shows that a rule holds for a text: a finding, or a use.
    fn holds(report: &ScanReport, rule: &Rule) -> bool {
        match rule.how {
            How::Use(capability, _) => report.uses.iter().any(|used| used.capability == capability),
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
    fn every_oddity_of_a_file_has_a_rule() {
        use crate::inventory::Oddity::*;
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
        let of_files = rules.rules().filter_map(|(_, rule)| match rule.how {
            How::File(oddity) => Some(oddity),
            _ => None,
        });
        assert_eq!(of_files.collect::<BTreeSet<_>>(), BTreeSet::from(oddities));
    }

    #[test]
    fn every_rule_is_complete_and_has_an_id_of_its_own() {
        let mut seen = BTreeSet::new();
        for (family, rule) in Ruleset::bundled().rules() {
            let id = rule.id;
            assert!(seen.insert(id), "{id} twice");
            assert!(!rule.title.is_empty() && !rule.why.is_empty() && !family.fix.is_empty(), "{id}");
            let owasp = rule.owasp.unwrap_or(family.owasp);
            let number: u8 = owasp.strip_prefix("AST").unwrap().parse().unwrap();
            assert!((1..=10).contains(&number) && owasp.len() == 5, "{id}: {owasp}");
            let by_text = !matches!(rule.how, How::File(_) | How::Outside(_));
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
