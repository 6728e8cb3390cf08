//! `skills`: lists, checks, installs and decides about the skills of an agent.

pub(super) mod agent_skills;
mod check;
mod decide;
pub(super) mod findings;
mod info;
mod install;
mod list;
mod refresh;
mod requirements;
mod scan;
mod switch;
mod trust;
mod validate;
mod watch;

use tarsus_protocol::skills::{ScanState, SkillState, SkillStatus};
use tarsus_protocol::{ExitCode, Problem};
use tarsus_skills::decide::SkillDecision;
use tarsus_skills::gate::ScanScope;
use tarsus_skills::report;
use tarsus_text::shell_quoted;

use crate::args::Skills;
use crate::context::Context;
use crate::gateway::OptionalGateway;
use crate::output::Output;
use crate::text::{columns, printable};
use agent_skills::{AgentSkills, find_in_report};

/// Columns if standard output is not a terminal.
const WIDTH: usize = 100;

/// Runs one step; without one, the list.
pub fn run(step: Option<Skills>, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let step = step.unwrap_or(Skills::List { eligible: false });
    if step.takes_away() {
        context.allow_unreadable_config(output);
    }
    match step {
        Skills::List { eligible } => list_all(eligible, context, output),
        Skills::Info { name } => show_one(&name, context, output),
        Skills::Check => check_all(context, output),
        Skills::Prompt => prompt(context, output),
        Skills::Validate { strict, paths } => validate::run(strict, &paths, context, output),
        Skills::Scan(request) => scan::run(&request, context, output),
        Skills::Install { path, slug, consent } => {
            install::install(&path, slug.as_deref(), consent, context, output)
        }
        Skills::Remove { name, consent } => install::remove(&name, consent, context, output),
        Skills::Restore { name } => install::restore(name.as_deref(), context, output),
        Skills::Grant { name, capabilities } => {
            decide::run(&name, SkillDecision::Grant(capabilities.into_iter().collect()), context, output)
        }
        Skills::Revoke { name, capabilities } => {
            decide::run(&name, SkillDecision::Revoke(capabilities.into_iter().collect()), context, output)
        }
        Skills::Accept { name, rule, reason: Some(reason), .. } => {
            decide::run(&name, SkillDecision::Accept { rule, reason }, context, output)
        }
        Skills::Accept { name, rule, .. } => {
            decide::run(&name, SkillDecision::WithdrawAcceptance { rule }, context, output)
        }
        Skills::Trust { name, tier, confirm } => trust::run(&name, tier, confirm, context, output),
        Skills::Enable { name, consent } => switch::enable(&name, consent, context, output),
        Skills::Disable { name } => switch::disable(&name, context, output),
        Skills::Refresh => refresh::run(context, output),
        Skills::Watch => watch::run(context, output),
    }
}

fn list_all(eligible: bool, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let agent_skills = AgentSkills::new(context)?;
    agent_skills.print_agent(output)?;
    let options = list::ListOptions {
        eligible,
        verbose: context.verbose > 0,
        width: context.environment.terminal_width.unwrap_or(WIDTH),
    };
    let mut gateway = OptionalGateway::connect(context, output)?;
    // A finding of the owner's own skill is marked, as in `skills check`.
    let mut report = agent_skills.report(&mut gateway, ScanScope::All, output)?;
    if output.is_json() && eligible {
        report.skills.retain(|skill| skill.eligible);
    }
    output.show(&report, |report| list::text(report, &options, &context.home))?;
    Ok(ExitCode::Done)
}

fn show_one(name: &str, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let agent_skills = AgentSkills::new(context)?;
    let all = context.verbose > 0;
    let mut gateway = OptionalGateway::connect(context, output)?;
    let report = agent_skills.report(&mut gateway, ScanScope::Required, output)?;
    let skill = find_in_report(&report, name)?;
    if skill.scan.state == ScanState::Pending {
        // It has not been scanned yet; scan it now.
        let mut loader = agent_skills.load(ScanScope::Required)?;
        loader.scan_skill(skill.file_path.as_ref());
        let skill = find_in_report(loader.snapshot().report(), name)?;
        output.show(skill, |skill| info::text(skill, all, &context.home))?;
        return Ok(ExitCode::Done);
    }
    output.show(skill, |skill| {
        let mut text = info::text(skill, all, &context.home);
        // Also show blocked skills shadowed by this one.
        let is_shadowed = |other: &&SkillStatus| other.name == skill.name && other.shadowed_by.is_some();
        let is_blocked = |other: &&SkillStatus| other.status == SkillState::Blocked;
        for other in report.skills.iter().filter(is_shadowed).filter(is_blocked) {
            text.push_str(&format!("\n{}", info::text(other, all, &context.home)));
        }
        text
    })?;
    Ok(ExitCode::Done)
}

fn check_all(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let agent_skills = AgentSkills::new(context)?;
    agent_skills.print_agent(output)?;
    let mut gateway = OptionalGateway::connect(context, output)?;
    let report = agent_skills.report(&mut gateway, ScanScope::All, output)?;
    output.show(&report::check(&report), |check| check::text(check, &context.home))?;
    Ok(ExitCode::Done)
}

fn prompt(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let loader = AgentSkills::new(context)?.load(ScanScope::Required)?;
    let (report, prompt) = (loader.snapshot().report(), &loader.snapshot().evaluation().prompt);
    if output.is_json() {
        output.json(&serde_json::json!({
            "agentId": report.agent_id,
            "prompt": prompt.text,
            "listed": prompt.listed,
            "notInjected": report.not_injected,
            "shortened": report.shortened,
        }))?;
        return Ok(ExitCode::Done);
    }
    match prompt.text.as_str() {
        "" => output.text("no skill is ready for this agent")?,
        text => output.text(text)?,
    }
    Ok(ExitCode::Done)
}

/// Quotes a name for the shell.
pub fn shell_name(name: &str) -> String {
    shell_quoted(&printable(name))
}

/// Appends rows under a title; nothing if there are none.
fn section<const N: usize>(text: &mut String, title: &str, rows: &[[String; N]]) {
    if !rows.is_empty() {
        text.push_str(&format!("\n{title}\n{}", columns(rows)));
    }
}
