//! The skills prompt and the skills report: evaluating, rendering and serialising, from a catalog in
//! memory.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark makes its own files"
)]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, bench};
use tarsus_guard::{ToolId, ToolPolicy};
use tarsus_home::config::json5::{Document, JsonDialect};
use tarsus_home::config::view::Skills;
use tarsus_home::settings::{Enforcement, SkillRecords};
use tarsus_host::path::SearchPath;
use tarsus_protocol::Problem;
use tarsus_skills::eligibility::{AgentTools, EligibilityRules, MachineState};
use tarsus_skills::filter::AgentFilter;
use tarsus_skills::prompt::PromptOptions;
use tarsus_skills::report::ReportContext;
use tarsus_skills::snapshot::Evaluation;
use tarsus_skills::{
    Catalog, DiscoveredRoot, DiscoveryLimits, Frontmatter, Invocation, Metadata, Parsed, Requires, Skill,
    SkillRoot, SkillSource,
};

const SKILLS: &[usize] = &[150, 1_000, 10_000];

fn main() {
    divan::main();
}

/// So many skills; every third one needs a missing program.
fn catalog(number: usize) -> Catalog {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("one")).unwrap();
    std::fs::write(folder.path().join("one/SKILL.md"), "---\nname: one\ndescription: d\n---\n").unwrap();
    let root = SkillRoot::new(SkillSource::Workspace, folder.path().to_path_buf(), &[]);
    let discovered = DiscoveredRoot::walk(&root, &DiscoveryLimits::default(), None, 0);
    let one = &discovered.skills[0];
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

struct Scene {
    machine: MachineState,
    document: Document,
    skills: Skills,
    tools: BTreeSet<ToolId>,
    policy: ToolPolicy,
    records: SkillRecords,
}

impl Scene {
    fn new() -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let programs = SearchPath::new(OsStr::new(&path), None);
        Self {
            machine: MachineState { platform: "linux", programs, variables: Box::new(|_| None) },
            document: Document::parse_object(b"{}", JsonDialect::Json5).unwrap(),
            skills: Skills::default(),
            tools: ToolId::ALL.iter().copied().collect(),
            policy: ToolPolicy::default(),
            records: SkillRecords::default(),
        }
    }

    fn evaluate(&self, catalog: &Catalog) -> Evaluation {
        let rules = EligibilityRules {
            machine: &self.machine,
            skills: &self.skills,
            config: self.document.root(),
            filter: AgentFilter::default(),
            tools: AgentTools { built: &self.tools, policy: self.policy.clone() },
            lenient: false,
            secrets: Box::new(|_| Err(Problem::new(tarsus_protocol::ErrorCode::NotFound, "not there"))),
            records: &self.records,
        };
        let context = ReportContext {
            agent_id: "main",
            workspace_dir: "/w".into(),
            managed_skills_dir: "/m".into(),
            version: Some(1),
            enforcement: Enforcement::Active,
        };
        Evaluation::new(catalog, &rules, options(), &context)
    }
}

fn options() -> PromptOptions<'static> {
    PromptOptions { user_home: Some(Path::new("/home/ada")), ..PromptOptions::default() }
}

#[bench(args = SKILLS)]
fn evaluate(bencher: Bencher, number: usize) {
    let (catalog, scene) = (catalog(number), Scene::new());
    bencher.counter(ItemsCount::new(number)).bench_local(|| scene.evaluate(&catalog).skills.len());
}

#[bench(args = SKILLS)]
fn prompt(bencher: Bencher, number: usize) {
    let evaluation = Scene::new().evaluate(&catalog(number));
    bencher.counter(ItemsCount::new(number)).bench_local(|| evaluation.build_prompt(options()));
}

/// From the catalog to bytes that can be sent.
#[bench(args = SKILLS)]
fn report_as_json(bencher: Bencher, number: usize) {
    let (catalog, scene) = (catalog(number), Scene::new());
    let bytes = serde_json::to_vec(&scene.evaluate(&catalog).report).unwrap().len();
    bencher
        .counter(BytesCount::new(bytes))
        .bench_local(|| serde_json::to_vec(&scene.evaluate(&catalog).report).unwrap());
}

/// The last step alone.
#[bench(args = SKILLS)]
fn serialize(bencher: Bencher, number: usize) {
    let report = Scene::new().evaluate(&catalog(number)).report;
    let bytes = serde_json::to_vec(&report).unwrap().len();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| serde_json::to_vec(&report).unwrap());
}
