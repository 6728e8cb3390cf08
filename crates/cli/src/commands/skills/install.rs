//! Bringing a skill in, taking it away, bringing it back.

use std::path::Path;

use serde_json::{Value, json};
use tarsus_audit::{Audit, Entry, Severity};
use tarsus_gateway::blocks::{self, Trigger};
use tarsus_gateway::removals;
use tarsus_guard::{By, Declared, Subject, standing};
use tarsus_home::settings::{self, Change};
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::grants::{Pinned, SkillCapabilities};
use tarsus_protocol::scan::{ScanReport, ScanVerdict};
use tarsus_protocol::skills::{ScanState, SkillScan};
use tarsus_protocol::skills_acts::SkillInstalled;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};
use tarsus_skills::gate::{Blocked, Depth};
use tarsus_skills::install::{self, Staged};
use tarsus_skills::report::clean;
use tarsus_skills::{remove, roots};

use super::findings;
use super::look::Asked;
use crate::args::Consent;
use crate::context::Context;
use crate::gateway::Neighbour;
use crate::input;
use crate::output::Output;
use crate::text::{columns, count, number, printable};

/// Who decides here.
pub(super) fn by() -> By {
    By { surface: "terminal".to_owned(), agent: None }
}

/// Reads it, looks into it, shows what it asks for and what was found, and after a yes puts it in its place.
pub fn install(
    path: &Path,
    slug: Option<&str>,
    consent: Consent,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    context.refuse_inside_an_agent("a command that installs skills")?;
    let from = context.environment.working_dir.join(path);
    let staged = install::stage(&context.home, &from, slug, context.now())?;
    let capabilities = asked_for(&staged);
    if !output.is_json() {
        output.text(&shown(&staged, &capabilities, path, context.verbose > 0))?;
    }
    let audit = Audit::open(&context.home)?;
    if staged.report.verdict == ScanVerdict::Blocked {
        return Err(refuse(&staged, path, &audit, context));
    }
    if !consent.yes {
        input::confirm(&format!("\nInstall {}?", printable(&staged.skill.name)), context, output)?;
    }
    let installed = put(staged, capabilities, &from, &audit, context)?;
    tell_gateway(context, output)?;
    output.show(&installed, |installed| {
        let path = context.home.display(installed.path.as_ref());
        format!("\n{} is installed in {}", printable(&installed.name), printable(&path))
    })?;
    Ok(ExitCode::Done)
}

/// What it asks for, as it will stand once it was seen.
fn asked_for(staged: &Staged) -> SkillCapabilities {
    let metadata = staged.skill.metadata.as_ref();
    let declared = Declared::read(metadata.and_then(|metadata| metadata.capabilities.as_ref()));
    let hash = staged.report.hash.parse().ok();
    let name = staged.skill.name.clone();
    let mut records = settings::SkillRecords::default();
    if let Some(hash) = &hash {
        let seen = Pinned { hash: Clone::clone(hash), capabilities: declared.capabilities.clone() };
        records = records.after(&Change::See { name: name.clone(), seen });
    }
    let used: Vec<Capability> = staged.report.uses.iter().map(|used| used.capability).collect();
    let subject = Subject { name, natural: TrustTier::Community, hash, declared };
    standing(subject, &records).report(Some(&used))
}

fn shown(staged: &Staged, capabilities: &SkillCapabilities, path: &Path, all: bool) -> String {
    let about = columns(&[
        ["  From".to_owned(), printable(&path.to_string_lossy())],
        ["  Files".to_owned(), format!("{}, {} bytes", count(staged.files, "file"), number(staged.bytes))],
    ]);
    let scan = scan_of(&staged.report);
    format!(
        "{}\n\n{}\n\n{about}\nCapabilities\n{}\nSecurity\n  Scan  {}\n{}",
        printable(&staged.skill.name),
        printable(&staged.skill.description.replace('\n', " ")),
        findings::capabilities(capabilities, &staged.report.uses),
        findings::state(&scan),
        findings::list(&staged.report.findings, all),
    )
}

fn scan_of(report: &ScanReport) -> SkillScan {
    let state = match report.verdict {
        ScanVerdict::Clean => ScanState::Clean,
        ScanVerdict::Warning => ScanState::Warning,
        ScanVerdict::Blocked => ScanState::Blocked,
    };
    let ScanReport { hash, findings, uses, .. } = report.clone();
    SkillScan { state, hash: Some(hash), findings, uses }
}

/// A skill with a critical finding is not installed.
fn refuse(staged: &Staged, path: &Path, audit: &Audit, context: &Context) -> Problem {
    let blocked = Blocked {
        name: staged.skill.name.clone(),
        folder: staged.report.path.clone().into(),
        report: staged.report.clone(),
    };
    blocks::record(audit, &[blocked], Trigger::Install, context.now());
    let first = staged.report.findings.first();
    let found = first.map(findings::in_a_word).unwrap_or_default();
    Problem::new(ErrorCode::Denied, format!("{} is not installed: {found}", printable(&staged.skill.name)))
        .note("nothing of it was kept")
        .hint(format!(
            "`tarsus skills scan {}` shows every finding with its place",
            super::quoted(&path.to_string_lossy())
        ))
}

/// Written down first, then put in its place; that its list was seen counts from then on.
fn put(
    staged: Staged,
    capabilities: SkillCapabilities,
    from: &Path,
    audit: &Audit,
    context: &Context,
) -> Result<SkillInstalled, Problem> {
    let (name, slug) = (staged.skill.name.clone(), staged.slug.clone());
    let (files, bytes, scan) = (staged.files, staged.bytes, scan_of(&staged.report));
    let mut line = Entry::security("skill.install", Severity::Info);
    line.skill = Some(name.clone());
    line.decision = Some("installed".to_owned());
    line.detail.insert("hash".to_owned(), staged.report.hash.clone().into());
    line.detail.insert("from".to_owned(), from.to_string_lossy().into());
    audit.record(line.clone(), context.now())?;
    let hash = staged.report.hash.parse().ok();
    let path = match staged.put() {
        Ok(path) => path,
        Err(error) => {
            line.decision = Some("not-installed".to_owned());
            line.reason = Some(error.to_string());
            audit.record_best_effort(line, context.now());
            return Err(error.into());
        }
    };
    if let Some(hash) = hash {
        let seen = Pinned { hash, capabilities: capabilities.declared.iter().copied().collect() };
        let change = Change::See { name: name.clone(), seen };
        tarsus_guard::change(&context.home, Ok(audit), &change, &by(), context.now())?;
    }
    let path = path.to_string_lossy().into_owned();
    Ok(SkillInstalled {
        ok: true,
        name: clean(name).into_owned(),
        slug,
        path,
        files,
        bytes,
        capabilities,
        scan,
    })
}

/// Takes a skill away, after a yes. What was decided about it goes with it.
pub fn remove(
    name: &str,
    consent: Consent,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    context.refuse_inside_an_agent("a command that removes skills")?;
    let asked = Asked::new(context)?;
    let variables = |name: &str| context.variable(name);
    let look = asked.look(&variables, Depth::Needed)?;
    let found = asked.find(&look, name)?;
    let roots = &look.roots().list;
    let folder = remove::removable(&found, roots)?;
    if !consent.yes {
        let question = format!(
            "Move {} ({}) into the trash?",
            printable(&found.name()),
            printable(&context.home.display(&folder))
        );
        input::confirm(&question, context, output)?;
    }
    // Taking away works without the chain, too.
    let audit = Audit::open(&context.home);
    let (removed, unrecorded) =
        removals::remove(&context.home, audit.as_ref(), (&found, roots), &by(), context.now())?;
    unrecorded.iter().for_each(|why| output.note(&format!("this is not in the audit record: {why}")));
    tell_gateway(context, output)?;
    output.show(&removed, |removed| {
        let name = printable(&removed.name);
        let mut text = format!(
            "{name} is in the trash; `tarsus skills restore {}` brings it back\n",
            super::quoted(&removed.name)
        );
        if !removed.gone.is_empty() {
            text.push_str(&format!("gone for good, to make room: {}\n", printable(&removed.gone.join(", "))));
        }
        text
    })?;
    Ok(ExitCode::Done)
}

/// Brings a skill back; without a name, lists what is in the trash.
pub fn restore(name: Option<&str>, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let Some(name) = name else { return trash(context, output) };
    context.refuse_inside_an_agent("a command that installs skills")?;
    // Whichever agent it belonged to.
    let roots = roots::of_all_agents(&context.home, &context.load_config()?.view, None);
    let audit = Audit::open(&context.home)?;
    let restored = removals::restore(&context.home, &audit, name, &roots, &by(), context.now())?;
    tell_gateway(context, output)?;
    output.show(&restored, |restored| {
        let path = context.home.display(restored.path.as_ref());
        format!("{} is back in {}", printable(&restored.name), printable(&path))
    })?;
    Ok(ExitCode::Done)
}

fn trash(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    output.show(&removals::trash(&context.home)?, |trash| {
        if trash.skills.is_empty() {
            return "the trash is empty".to_owned();
        }
        let rows: Vec<_> = trash
            .skills
            .iter()
            .map(|skill| {
                let path = context.home.display(skill.path.as_ref());
                [printable(&skill.name), skill.removed_at.clone(), skill.id.clone(), printable(&path)]
            })
            .collect();
        columns(&rows)
    })?;
    Ok(ExitCode::Done)
}

/// A running gateway looks again, so that what was done is in force when the command ends.
pub(super) fn tell_gateway(context: &Context, output: &mut Output) -> Result<(), Problem> {
    let told: Option<Value> = Neighbour::find(context, output)?.ask("skills.refresh", json!({}), output);
    drop(told);
    Ok(())
}
