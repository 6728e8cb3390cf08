//! What the model is told about skills, and the report on them: judging, writing and serialising, from a catalog that
//! is in memory.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark makes its own files"
)]

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, bench};
use tarsus_guard::Skills as Guarded;
use tarsus_home::config::json5::{Dialect, Document};
use tarsus_home::config::view::{SecretInput, Skills};
use tarsus_home::settings::{Enforcement, SkillRecords};
use tarsus_host::path::SearchPath;
use tarsus_protocol::Problem;
use tarsus_protocol::skills::SkillsReport;
use tarsus_skills::eligibility::{Machine, Rules};
use tarsus_skills::filter::AgentFilter;
use tarsus_skills::prompt::{Budget, Prompt, build};
use tarsus_skills::report::{Judged, Subject, at_hand, judge_all, offers, report};
use tarsus_skills::{
    Catalog, Frontmatter, Invocation, Limits, Metadata, Parsed, Requires, Root, Shelf, Skill, Source,
};

const SKILLS: &[usize] = &[150, 1_000, 10_000];

fn main() {
    divan::main();
}

/// As many skills; each third one needs a program that is not there.
fn catalog(number: usize) -> Catalog {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("one")).unwrap();
    std::fs::write(folder.path().join("one/SKILL.md"), "---\nname: one\ndescription: d\n---\n").unwrap();
    let root = Root::new(Source::Workspace, folder.path().to_path_buf(), &[]);
    let shelf = Shelf::look(&root, &Limits::default(), None, 0);
    let one = &shelf.found[0];
    let entries = (0..number).map(|number| {
        let mut found = one.as_ref().clone();
        found.parsed = Arc::new(Parsed::Loaded(skill(number)));
        Arc::new(found)
    });
    Catalog { entries: entries.collect(), ..Catalog::default() }
}

fn skill(number: usize) -> Skill {
    let name = format!("skill-number-{number:05}");
    let needs = if number.is_multiple_of(3) { vec![format!("no-such-program-{number}")] } else { Vec::new() };
    let requires = Requires { bins: needs, ..Requires::default() };
    let metadata = Metadata { emoji: Some("🧭".into()), requires: Some(requires), ..Metadata::default() };
    Skill {
        name_from_dir: false,
        description: format!(
            "Does the work number {number} & more. Use when \"number {number}\" is wanted. "
        )
        .repeat(2),
        display_name: name.clone(),
        slash_base: name.replace('-', "_"),
        frontmatter: Frontmatter::default(),
        metadata: Some(Box::new(metadata)),
        vendor_metadata: None,
        invocation: Invocation { user_invocable: true, disable_model_invocation: false, dispatch: None },
        content_hash: [7; 32],
        diagnostics: Vec::new(),
        name,
    }
}

fn with_rules<T>(work: impl FnOnce(&Rules<'_>) -> T) -> T {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let programs = SearchPath::new(OsStr::new(&path), None);
    let machine = Machine { platform: "linux", programs: &programs, variables: &|_| None, nodes: &[] };
    let document = Document::parse_object(b"{}", Dialect::Json5).unwrap();
    let secrets = |input: &SecretInput| match input {
        SecretInput::Plain(secret) => Ok(secret.clone()),
        SecretInput::Reference(_) => Err(Problem::new(tarsus_protocol::ErrorCode::NotFound, "not there")),
    };
    work(&Rules {
        machine: &machine,
        skills: &Skills::default(),
        config: document.root(),
        filter: &AgentFilter::EVERY,
        lenient: false,
        secrets: &secrets,
        records: &SkillRecords::default(),
    })
}

fn prompt_of(judged: &[Judged<'_>]) -> Prompt {
    build(&offers(judged, |_| None), &[], Budget::default(), Some(Path::new("/home/ada")))
}

fn report_on<'a>(catalog: &'a Catalog, rules: &Rules<'_>, prompt: &'a Prompt) -> SkillsReport<'a> {
    let (workspace_dir, managed_skills_dir) = (Path::new("/w"), Path::new("/m"));
    let subject = Subject { agent_id: "main", workspace_dir, managed_skills_dir, version: Some(1) };
    let judged = judge_all(catalog, rules);
    let policy = Guarded::from_iter(at_hand(&judged)).policy(Enforcement::Active);
    report(&subject, catalog, judged, rules, prompt, policy)
}

#[bench(args = SKILLS)]
fn judging(bencher: Bencher, number: usize) {
    let catalog = catalog(number);
    with_rules(|rules| {
        bencher.counter(ItemsCount::new(number)).bench_local(|| judge_all(&catalog, rules).len())
    });
}

#[bench(args = SKILLS)]
fn prompt(bencher: Bencher, number: usize) {
    let catalog = catalog(number);
    with_rules(|rules| {
        let judged = judge_all(&catalog, rules);
        bencher.counter(ItemsCount::new(number)).bench_local(|| prompt_of(&judged));
    });
}

/// From the catalog to bytes that can be sent.
#[bench(args = SKILLS)]
fn report_as_json(bencher: Bencher, number: usize) {
    let catalog = catalog(number);
    with_rules(|rules| {
        let prompt = prompt_of(&judge_all(&catalog, rules));
        let bytes = serde_json::to_vec(&report_on(&catalog, rules, &prompt)).unwrap().len();
        bencher
            .counter(BytesCount::new(bytes))
            .bench_local(|| serde_json::to_vec(&report_on(&catalog, rules, &prompt)).unwrap());
    });
}

/// The last step alone.
#[bench(args = SKILLS)]
fn serialising(bencher: Bencher, number: usize) {
    let catalog = catalog(number);
    with_rules(|rules| {
        let prompt = prompt_of(&judge_all(&catalog, rules));
        let report = report_on(&catalog, rules, &prompt);
        let bytes = serde_json::to_vec(&report).unwrap().len();
        bencher.counter(BytesCount::new(bytes)).bench_local(|| serde_json::to_vec(&report).unwrap());
    });
}
