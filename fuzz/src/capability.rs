//! Declared capabilities: any JSON value under `metadata.openclaw.capabilities`.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use tarsus_guard::{
    CallFacts, DeclaredCapabilities, PathBases, Program, SkillLimits, SkillPermissions, SkillSubject, ToolId,
    ToolTier,
};
use tarsus_home::settings::SkillRecords;
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::grants::{ContentHash, Pinned};

pub(crate) const SEEDS: &[&[u8]] = &[
    br#"["shell", "network.search", "cron", "unheard of"]"#,
    br#"{"shell": {"mode": "restricted", "allow": ["git", "/usr/bin/gh"]}, "network": {"web_search": true, "hosts": ["*.example.org"]}}"#,
    br#"[{"type": "filesystem", "constraints": {"paths": ["out/**", "~/notes", "/srv"]}}, {"name": "sessions", "constraints": {"maxDepth": 2}}]"#,
    br#"{"browser": true, "messaging": null, "shell": "all", "network": {"provider": "brave", "web_fetch": 1}}"#,
    br#"["shell", {"type": "shell", "constraints": "x"}, {"type": "shell", "allow": ["git"]}, {"type": "shell", "allow": ["git", "gh"]}]"#,
];

/// Any value gives a bounded, printable and deterministic result and grants a community skill nothing before review.
/// Its limits never permit what is not permitted without them, and an additional entry never
/// permits more.
pub fn capability(data: &[u8]) {
    let value =
        serde_json::from_slice(data).unwrap_or_else(|_| Value::from(String::from_utf8_lossy(data).as_ref()));
    let declared = DeclaredCapabilities::parse(Some(&value));
    assert_eq!(DeclaredCapabilities::parse(Some(&value)), declared);
    let lists = [&declared.unknown, &declared.advisory, &declared.problems];
    assert!(lists.iter().all(|list| list.len() <= 64), "{declared:?}");
    for text in lists.into_iter().flatten().chain(&declared.limits.descriptions(|_| true)) {
        assert!(!text.chars().any(char::is_control), "{text:?}");
    }
    let mut texts = Vec::new();
    collect_strings(&value, &mut texts);
    let touched: Vec<CallFacts> = texts
        .iter()
        .take(16)
        .copied()
        .chain(["git", ""])
        .map(call_facts)
        .chain([CallFacts::default()])
        .collect();

    let places = PathBases { workspace: Path::new("/w"), home: None };
    let unseen = permissions(declared.clone(), &SkillRecords::default());
    let seen = permissions(declared.clone(), &reviewed_everything());
    let mut unlimited = declared;
    unlimited.limits = SkillLimits::default();
    let free = permissions(unlimited, &reviewed_everything());
    for tool in ToolId::ALL {
        let ToolTier::Needs(capability) = tool.tier() else { continue };
        let may = |skill: &SkillPermissions, facts| skill.permits(*tool, capability, facts, places).is_ok();
        for facts in &touched {
            assert!(!may(&unseen, facts));
            assert!(may(&free, facts) || !may(&seen, facts), "{tool:?} {facts:?}");
        }
        assert_eq!(seen.effective.contains(&capability), free.effective.contains(&capability));
    }
    if let Some((_, fewer)) = value.as_array().and_then(|entries| entries.split_last()) {
        let fewer = DeclaredCapabilities::parse(Some(&fewer.into())).limits;
        let broken = |limits: &SkillLimits, tool, facts| limits.violation(tool, facts, places).is_some();
        for (tool, facts) in ToolId::ALL.iter().flat_map(|tool| touched.iter().map(|facts| (*tool, facts))) {
            assert!(broken(&seen.declared.limits, tool, facts) || !broken(&fewer, tool, facts), "{tool:?}");
        }
    }
}

/// The permissions of a community skill with this declaration.
fn permissions(declared: DeclaredCapabilities, records: &SkillRecords) -> SkillPermissions {
    let subject = SkillSubject {
        name: String::new(),
        natural: TrustTier::Community,
        hash: folder(),
        declared,
        critical: BTreeSet::new(),
    };
    SkillPermissions::resolve(subject, records)
}

/// The owner has reviewed everything.
fn reviewed_everything() -> SkillRecords {
    let capabilities = BTreeSet::from(Capability::ALL);
    let seen = folder().map(|hash| (String::new(), Pinned { hash, capabilities }));
    SkillRecords { seen: seen.into_iter().collect(), ..SkillRecords::default() }
}

fn folder() -> Option<ContentHash> {
    "a".repeat(64).parse().ok()
}

/// A call that touches what a text names.
fn call_facts(text: &str) -> CallFacts {
    let path = Path::new("/w").join(text);
    CallFacts {
        programs: Some(vec![Program { written: text.to_owned(), path: Path::new("/usr/bin").join(text) }]),
        hosts: Some(vec![text.trim_start_matches("*.").to_owned()]),
        provider: Some(text.to_owned()),
        paths: Some(vec![path]),
        depth: u32::try_from(text.len()).ok(),
        ..CallFacts::default()
    }
}

/// The strings in a value.
fn collect_strings<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect_strings(item, texts)),
        Value::Object(members) => members.values().for_each(|member| collect_strings(member, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
