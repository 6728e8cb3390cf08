//! `skills`: what an agent knows how to do, why something is not ready, and what the model is told.

mod check;
mod decide;
pub(super) mod findings;
mod info;
mod install;
mod list;
pub(super) mod look;
mod needs;
mod refresh;
mod scan;
mod switch;
mod validate;
mod watch;

use tarsus_protocol::skills::{ScanState, SkillState, SkillStatus, SkillsReport};
use tarsus_protocol::text::shell_quoted;
use tarsus_protocol::{ExitCode, Problem};
use tarsus_skills::decide::Decision;
use tarsus_skills::gate::Depth;
use tarsus_skills::{lookup, report};

use crate::args::Skills;
use crate::context::Context;
use crate::gateway::Neighbour;
use crate::output::Output;
use crate::text::{columns, printable};
use look::Asked;

/// Columns where there is no terminal to ask.
const WIDTH: usize = 100;

/// Carries out one step; without one, the list.
pub fn run(step: Option<Skills>, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    match step.unwrap_or(Skills::List { eligible: false }) {
        Skills::List { eligible } => all(eligible, context, output),
        Skills::Info { name } => one(&name, context, output),
        Skills::Check => counts(context, output),
        Skills::Prompt => prompt(context, output),
        Skills::Validate { strict, paths } => validate::run(strict, &paths, context, output),
        Skills::Scan(request) => scan::run(&request, context, output),
        Skills::Install { path, slug, consent } => {
            install::install(&path, slug.as_deref(), consent, context, output)
        }
        Skills::Remove { name, consent } => install::remove(&name, consent, context, output),
        Skills::Restore { name } => install::restore(name.as_deref(), context, output),
        Skills::Grant { name, capabilities } => {
            decide::run(&name, Decision::Grant(capabilities.into_iter().collect()), context, output)
        }
        Skills::Revoke { name, capabilities } => {
            decide::run(&name, Decision::Revoke(capabilities.into_iter().collect()), context, output)
        }
        Skills::Accept { name, rule, reason: Some(reason), .. } => {
            decide::run(&name, Decision::Accept { rule, reason }, context, output)
        }
        Skills::Accept { name, rule, .. } => decide::run(&name, Decision::Unaccept { rule }, context, output),
        Skills::Trust { name, tier } => decide::run(&name, Decision::Trust(tier), context, output),
        Skills::Enable { name, consent } => switch::enable(&name, consent, context, output),
        Skills::Disable { name } => switch::disable(&name, context, output),
        Skills::Refresh => refresh::run(context, output),
        Skills::Watch => watch::run(context, output),
    }
}

fn all(eligible: bool, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let asked = Asked::new(context)?;
    asked.say_whose(output)?;
    let shown = list::Shown {
        eligible,
        verbose: context.verbose > 0,
        width: context.environment.terminal_width.unwrap_or(WIDTH),
    };
    asked.report(&mut Neighbour::find(context, output)?, Depth::Needed, output, |report, output| {
        if output.is_json() && eligible {
            let mut report = report.clone();
            report.skills.retain(|skill| skill.eligible);
            return output.json(&report);
        }
        output.show(report, |report| list::text(report, &shown, &context.home))
    })?;
    Ok(ExitCode::Done)
}

fn one(name: &str, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let asked = Asked::new(context)?;
    let all = context.verbose > 0;
    let find = |report: &SkillsReport<'_>, output: &mut Output| {
        let skill =
            lookup::in_report(report, name).map_err(|error| Problem::from(error).about_skill(name))?;
        if skill.scan.state == ScanState::Pending {
            return Ok(Some(skill.file_path.to_string()));
        }
        output.show(skill, |skill| {
            let mut text = info::text(skill, all, &context.home);
            // One of the same name that is not used for what was found in it stands in nobody's way, but is there.
            let beneath = |other: &&SkillStatus<'_>| other.name == skill.name && other.shadowed_by.is_some();
            let blocked = |other: &&SkillStatus<'_>| other.status == SkillState::Blocked;
            for other in report.skills.iter().filter(beneath).filter(blocked) {
                text.push_str(&format!("\n{}", info::text(other, all, &context.home)));
            }
            text
        })?;
        Ok(None)
    };
    let pending = asked.report(&mut Neighbour::find(context, output)?, Depth::Needed, output, find)?;
    if let Some(file) = pending {
        // Nobody has looked into it yet: now somebody wants to know.
        let variables = |name: &str| context.variable(name);
        let mut look = asked.look(&variables, Depth::Needed)?;
        look.look_into_one(file.as_ref());
        look.view(|report, _| {
            let skill =
                lookup::in_report(report, name).map_err(|error| Problem::from(error).about_skill(name))?;
            output.show(skill, |skill| info::text(skill, all, &context.home))
        })?;
    }
    Ok(ExitCode::Done)
}

fn counts(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let asked = Asked::new(context)?;
    asked.say_whose(output)?;
    asked.report(&mut Neighbour::find(context, output)?, Depth::Everything, output, |report, output| {
        output.show(&report::check(report), |check| check::text(check, &context.home))
    })?;
    Ok(ExitCode::Done)
}

fn prompt(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let asked = Asked::new(context)?;
    let variables = |name: &str| context.variable(name);
    let look = asked.look(&variables, Depth::Needed)?;
    look.view(|report, prompt| {
        if output.is_json() {
            return output.json(&serde_json::json!({
                "agentId": report.agent_id,
                "prompt": prompt.text,
                "listed": prompt.listed,
                "notInjected": report.not_injected,
                "shortened": report.shortened,
            }));
        }
        match prompt.text.as_str() {
            "" => output.text("nothing: no skill is ready for this agent"),
            text => output.text(text),
        }
    })?;
    Ok(ExitCode::Done)
}

/// A name as a shell takes it.
pub fn quoted(name: &str) -> String {
    shell_quoted(&printable(name))
}

/// Rows under a title; nothing when there are none.
fn section<const N: usize>(text: &mut String, title: &str, rows: &[[String; N]]) {
    if !rows.is_empty() {
        text.push_str(&format!("\n{title}\n{}", columns(rows)));
    }
}
