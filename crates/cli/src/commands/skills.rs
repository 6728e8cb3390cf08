//! `skills`: what an agent knows how to do, why something is not ready, and what the model is told.

mod check;
mod info;
mod list;
pub(super) mod look;
mod needs;
mod refresh;
mod switch;
mod validate;
mod watch;

use tarsus_protocol::{ExitCode, Problem};
use tarsus_skills::{lookup, report};

use crate::args::Skills;
use crate::context::Context;
use crate::gateway::Neighbour;
use crate::output::Output;
use crate::text::columns;
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
        Skills::Enable { name } => switch::run(&name, true, context, output),
        Skills::Disable { name } => switch::run(&name, false, context, output),
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
    asked.report(&mut Neighbour::find(context, output)?, output, |report, output| {
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
    asked.report(&mut Neighbour::find(context, output)?, output, |report, output| {
        let skill =
            lookup::in_report(report, name).map_err(|error| Problem::from(error).about_skill(name))?;
        output.show(skill, |skill| info::text(skill, &context.home))
    })?;
    Ok(ExitCode::Done)
}

fn counts(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let asked = Asked::new(context)?;
    asked.say_whose(output)?;
    asked.report(&mut Neighbour::find(context, output)?, output, |report, output| {
        output.show(&report::check(report), |check| check::text(check, &context.home))
    })?;
    Ok(ExitCode::Done)
}

fn prompt(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let asked = Asked::new(context)?;
    let variables = |name: &str| context.variable(name);
    let look = asked.look(&variables)?;
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
fn quoted(name: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    if !name.is_empty() && name.chars().all(plain) { name.to_owned() } else { format!("{name:?}") }
}

/// Rows under a title; nothing when there are none.
fn section<const N: usize>(text: &mut String, title: &str, rows: &[[String; N]]) {
    if !rows.is_empty() {
        text.push_str(&format!("\n{title}\n{}", columns(rows)));
    }
}
