//! Installs, removes and restores skills.

use std::collections::BTreeSet;
use std::path::Path;

use tarsus_audit::{Audit, AuditEntry, RecordSeverity};
use tarsus_guard::{ChangeOrigin, DeclaredCapabilities, SkillPermissions, SkillSubject};
use tarsus_home::settings::{self, SkillRecordChange};
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::grants::{Pinned, SkillCapabilities};
use tarsus_protocol::rpc::skills::{Refresh, SkillsParams};
use tarsus_protocol::scan::{ScanReport, ScanVerdict};
use tarsus_protocol::skills::{ScanState, SkillScan};
use tarsus_protocol::skills_acts::SkillInstalled;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};
use tarsus_skills::block_audit::{self, ScanTrigger};
use tarsus_skills::gate::{BlockedFolder, ScanScope};
use tarsus_skills::install::{self, StagedInstall};
use tarsus_skills::report::sanitize;
use tarsus_skills::{removal, roots, trash};

use super::agent_skills::AgentSkills;
use super::findings;
use crate::args::Consent;
use crate::context::Context;
use crate::gateway::OptionalGateway;
use crate::input;
use crate::output::Output;
use crate::text::{columns, count, number, printable};

/// The actor of decisions made in the terminal.
pub(super) fn terminal_actor() -> ChangeOrigin {
    ChangeOrigin { surface: "terminal".to_owned(), agent: None }
}

/// Stages and scans a skill, shows its capabilities and findings, and installs it after confirmation.
pub fn install(
    path: &Path,
    slug: Option<&str>,
    consent: Consent,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let from = context.environment.working_dir.join(path);
    let staged = install::stage(&context.home, &from, slug, context.now())?;
    let capabilities = requested_capabilities(&staged);
    if !output.is_json() {
        output.text(&preview(&staged, &capabilities, path, context.verbose > 0))?;
    }
    let audit = context.audit()?;
    if staged.report.verdict == ScanVerdict::Blocked {
        return Err(refuse(&staged, path, &audit, context));
    }
    if !consent.yes {
        input::confirm(&format!("\nInstall {}?", printable(&staged.skill.name)), context, output)?;
    }
    let installed = install_staged(staged, capabilities, &from, &audit, context)?;
    refresh_gateway(context, output)?;
    output.show(&installed, |installed| {
        let path = context.home.display(installed.path.as_ref());
        format!("\n{} is installed in {}", printable(&installed.name), printable(&path))
    })?;
    Ok(ExitCode::Done)
}

/// The capabilities as they will be once the owner has reviewed them.
fn requested_capabilities(staged: &StagedInstall) -> SkillCapabilities {
    let metadata = staged.skill.metadata.as_ref();
    let declared = DeclaredCapabilities::parse(metadata.and_then(|metadata| metadata.capabilities.as_ref()));
    let hash = staged.report.hash.parse().ok();
    let name = staged.skill.name.clone();
    let mut records = settings::SkillRecords::default();
    if let Some(hash) = &hash {
        let seen = Pinned { hash: Clone::clone(hash), capabilities: declared.capabilities.clone() };
        records = records.after(&SkillRecordChange::See { name: name.clone(), seen });
    }
    let used: Vec<Capability> = staged.report.uses.iter().map(|used| used.capability).collect();
    let subject =
        SkillSubject { name, natural: TrustTier::Community, hash, declared, critical: BTreeSet::new() };
    SkillPermissions::resolve(subject, &records).report(Some(&used))
}

fn preview(staged: &StagedInstall, capabilities: &SkillCapabilities, path: &Path, all: bool) -> String {
    let about = columns(&[
        ["  From".to_owned(), printable(&path.to_string_lossy())],
        ["  Files".to_owned(), format!("{}, {} bytes", count(staged.files, "file"), number(staged.bytes))],
    ]);
    let scan = skill_scan(&staged.report);
    format!(
        "{}\n\n{}\n\n{about}\nCapabilities\n{}\nSecurity\n  Scan  {}\n{}",
        printable(&staged.skill.name),
        printable(&staged.skill.description.replace('\n', " ")),
        findings::capabilities(capabilities, &staged.report.uses),
        findings::state(&scan),
        findings::list(&staged.report.findings, all),
    )
}

fn skill_scan(report: &ScanReport) -> SkillScan {
    let state = match report.verdict {
        ScanVerdict::Clean => ScanState::Clean,
        ScanVerdict::Warning => ScanState::Warning,
        ScanVerdict::Blocked => ScanState::Blocked,
    };
    let ScanReport { hash, findings, uses, .. } = report.clone();
    SkillScan { state, hash: Some(hash), findings, uses }
}

/// Records the refusal of a skill with a critical finding.
fn refuse(staged: &StagedInstall, path: &Path, audit: &Audit, context: &Context) -> Problem {
    let blocked = BlockedFolder {
        name: staged.skill.name.clone(),
        folder: staged.report.path.clone().into(),
        report: staged.report.clone(),
    };
    block_audit::record_blocked(audit, &[blocked], ScanTrigger::Install, context.now());
    let first = staged.report.findings.first();
    let found = first.map(findings::summary).unwrap_or_default();
    Problem::new(ErrorCode::Denied, format!("{} is not installed: {found}", printable(&staged.skill.name)))
        .note("nothing was kept")
        .hint(format!(
            "`tarsus skills scan {}` shows every finding with its place",
            super::shell_name(&path.to_string_lossy())
        ))
}

/// Records the installation, moves the skill into place, then marks its capabilities as reviewed.
fn install_staged(
    staged: StagedInstall,
    capabilities: SkillCapabilities,
    from: &Path,
    audit: &Audit,
    context: &Context,
) -> Result<SkillInstalled, Problem> {
    let (name, slug) = (staged.skill.name.clone(), staged.slug.clone());
    let (files, bytes, scan) = (staged.files, staged.bytes, skill_scan(&staged.report));
    let mut line = AuditEntry::security("skill.install", RecordSeverity::Info);
    line.skill = Some(name.clone());
    line.decision = Some("installed".to_owned());
    line.detail.insert("hash".to_owned(), staged.report.hash.clone().into());
    line.detail.insert("from".to_owned(), from.to_string_lossy().into());
    audit.record(line.clone(), context.now())?;
    let hash = staged.report.hash.parse().ok();
    let path = match staged.install() {
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
        let change = SkillRecordChange::See { name: name.clone(), seen };
        tarsus_guard::apply_change(&context.home, Ok(audit), &change, &terminal_actor(), context.now())?;
    }
    let path = path.to_string_lossy().into_owned();
    Ok(SkillInstalled { ok: true, name: sanitize(name), slug, path, files, bytes, capabilities, scan })
}

/// Moves a skill to the trash after confirmation, with the decisions about it.
pub fn remove(
    name: &str,
    consent: Consent,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let agent_skills = AgentSkills::new(context)?;
    let loader = agent_skills.load(ScanScope::Required)?;
    let found = agent_skills.find_skill(&loader, name)?;
    let roots = loader.roots();
    let folder = trash::removable_folder(&found, roots)?;
    if !consent.yes {
        let question = format!(
            "Move {} ({}) to the trash?",
            printable(&found.name()),
            printable(&context.home.display(&folder))
        );
        input::confirm(&question, context, output)?;
    }
    // Taking away works without the chain, too.
    let audit = context.audit();
    let (removed, unrecorded) =
        removal::remove(&context.home, audit.as_ref(), (&found, roots), &terminal_actor(), context.now())?;
    unrecorded.iter().for_each(|why| output.note(&format!("this is not in the audit log: {why}")));
    refresh_gateway(context, output)?;
    output.show(&removed, |removed| {
        let name = printable(&removed.name);
        let mut text = format!(
            "{name} is in the trash; `tarsus skills restore {}` restores it\n",
            super::shell_name(&removed.name)
        );
        if !removed.gone.is_empty() {
            text.push_str(&format!("deleted to make room: {}\n", printable(&removed.gone.join(", "))));
        }
        text
    })?;
    Ok(ExitCode::Done)
}

/// Restores a skill; without a name, lists the trash.
pub fn restore(name: Option<&str>, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let Some(name) = name else { return list_trash(context, output) };
    // It may belong to any agent.
    let roots = roots::for_all_agents(&context.home, &context.config()?.view, None);
    let audit = context.audit()?;
    let restored = removal::restore(&context.home, &audit, name, &roots, &terminal_actor(), context.now())?;
    refresh_gateway(context, output)?;
    output.show(&restored, |restored| {
        let path = context.home.display(restored.path.as_ref());
        format!("{} is back in {}", printable(&restored.name), printable(&path))
    })?;
    Ok(ExitCode::Done)
}

fn list_trash(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    output.show(&removal::list_trash(&context.home)?, |trash| {
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

/// Makes a running gateway reload its skills, so that the change is active when the command ends.
pub(super) fn refresh_gateway(context: &Context, output: &mut Output) -> Result<(), Problem> {
    OptionalGateway::connect(context, output)?.query::<Refresh>(&SkillsParams { agent_id: None }, output);
    Ok(())
}
