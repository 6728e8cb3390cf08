//! A SKILL.md and the metadata inside it.

use tarsus_skills::{Parsed, check_line, parse, strict};

pub(crate) const SEEDS: &[&[u8]] = &[
    include_bytes!("../seeds/skill.md"),
    b"---\nname: a\ndescription: Use when: it rains\nmetadata:\n  openclaw:\n    os: [linux]\n---\n# A\n",
    b"---\nx: &a {k: [1, 'two', \"three\\n\"]}\ny: *a\ndescription: |\n  text\n\n---\n",
];

pub(crate) const METADATA_SEEDS: &[&[u8]] = &[
    br#"{"openclaw":{"emoji":"x","requires":{"bins":["jq"]},"install":[{"kind":"brew","formula":"jq"}]}}"#,
    br"{openclaw: {os: 'linux, darwin', always: true, skillKey: 'k',}, /* c */}",
    br#"{"clawdis":{"install":[{"kind":"download","url":"https://example.org/a","sha256":"00"}]}}"#,
];

/// A file gives the same result each time; a skill has a name and a description; strict validation terminates.
pub fn skill(data: &[u8]) {
    let parsed = parse(data, "SKILL.md", "folder");
    assert_eq!(parsed, parse(data, "SKILL.md", "folder"));
    if let Parsed::Loaded(skill) | Parsed::Degraded(skill, _) = &parsed {
        assert!(!skill.name.is_empty() && !skill.description.is_empty());
        assert!(!skill.slash_base.is_empty() && skill.slash_base.len() <= 32);
    }
    assert_eq!(check_line("p", &parsed).ok, matches!(parsed, Parsed::Loaded(_)));
    let text = String::from_utf8_lossy(data);
    let follows_rules = strict::validate("folder", Some(&text)).is_empty();
    assert!(!follows_rules || text.starts_with("---"), "{text}");
}

/// A skill with any metadata loads, and what is dropped is reported.
pub fn skill_metadata(data: &[u8]) {
    let text = String::from_utf8_lossy(data).replace(['\r', '\n'], " ");
    let quoted = text.replace('\'', "''");
    let file = format!("---\nname: a\ndescription: d\nmetadata: '{quoted}'\n---\n");
    assert!(matches!(parse(file.as_bytes(), "SKILL.md", "a"), Parsed::Loaded(_)), "{file}");
}
