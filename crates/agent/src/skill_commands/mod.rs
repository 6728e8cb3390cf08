//! The slash commands of skills: which skill a message calls for, and what is to come of that.
//!
//! Promises: built-in commands come before these; a word that no skill has is left to the model; a skill that cannot be
//! used is passed on to nobody, and the reason is said. Leaves to others: calling the tool, and asking the model.

mod refused;

use std::sync::Arc;

use tarsus_guard::{self as guard, How};
use tarsus_home::config::AgentId;
use tarsus_protocol::Problem;
use tarsus_protocol::skills::{SkillState, SkillsReport};
use tarsus_skills::commands::Commands;
use tarsus_skills::lookup::{self, LookupError};
use tarsus_skills::prompt::text::{cut, one_line};
use tarsus_skills::{Skill, Snapshot};

use crate::runtime::Runtime;

/// Words that the name of a skill may have after `/skill`.
const MOST_WORDS: usize = 8;
/// Commands of skills that `/help` shows.
const MOST_IN_HELP: usize = 20;
/// Commands that `/skill` shows.
const MOST_LISTED: usize = 200;
/// Characters of what a skill says that it is for.
const LONGEST_ABOUT: usize = 80;

/// What a message that calls for a skill comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Called {
    /// We answer.
    Words(String),
    /// The model is asked.
    Model(Invoked),
    /// A tool is called, and no model is asked.
    Tool(Dispatched),
}

/// A skill that the model is to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invoked {
    /// Its name.
    pub skill: String,
    /// How it was called for.
    pub how: How,
    /// What the model is told in place of the message.
    pub told: String,
}

/// A skill whose command leads straight to a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatched {
    /// Its name.
    pub skill: String,
    /// The command, without the slash.
    pub command: String,
    /// The tool.
    pub tool: String,
    /// What was typed after the command.
    pub rest: String,
}

/// What `/word …` comes to, where the word is the command of a skill; built-in commands were looked for before.
pub fn called(runtime: &Runtime, agent: &AgentId, text: &str) -> Option<Called> {
    let line = text.trim().strip_prefix('/')?;
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    // A path is none.
    if word.is_empty() || word.contains('/') {
        return None;
    }
    let snapshot = runtime.given.library.snapshot(agent)?;
    let commands = runtime.watches.commands(&snapshot);
    if let Some(command) = commands.find(word) {
        let meant = Meant { skill: &command.skill, command: &command.name, how: How::Command };
        return Some(meant.carried_out(runtime, &snapshot, rest.trim()));
    }
    let report = report_of(&snapshot)?;
    let skill = lookup::in_report(&report, word).ok()?;
    let is_refused = skill.user_invocable && skill.status != SkillState::Ready;
    is_refused.then(|| Called::Words(refused::because(skill)))
}

/// What `/skill …` comes to: without a name it lists the commands.
pub fn named(runtime: &Runtime, agent: &AgentId, line: &str) -> Called {
    let Some(snapshot) = runtime.given.library.snapshot(agent) else {
        return Called::Words("This agent is not in the configuration.".to_owned());
    };
    let commands = runtime.watches.commands(&snapshot);
    if line.is_empty() {
        return Called::Words(listed(&snapshot, &commands));
    }
    let called_for = |skill, command, rest| {
        Meant { skill, command, how: How::Named }.carried_out(runtime, &snapshot, rest)
    };
    for (name, rest) in splits(line) {
        if let Some(command) = commands.find(name) {
            return called_for(&command.skill, &command.name, rest);
        }
    }
    let Some(report) = report_of(&snapshot) else {
        return Called::Words("The skills of this agent cannot be read now.".to_owned());
    };
    let mut unknown = None;
    for (name, rest) in splits(line) {
        match lookup::in_report(&report, name) {
            // No command was left for it.
            Ok(skill) if skill.user_invocable && skill.status == SkillState::Ready => {
                return called_for(&skill.name, &skill.name, rest);
            }
            Ok(skill) => return Called::Words(refused::because(skill)),
            Err(error) => drop(unknown.get_or_insert(error)),
        }
    }
    Called::Words(unknown.map(not_found).unwrap_or_default())
}

/// The lines of `/help` about skills, the first of them and how many more there are.
pub fn help(runtime: &Runtime, agent: &AgentId) -> Vec<String> {
    let Some(snapshot) = runtime.given.library.snapshot(agent) else { return Vec::new() };
    let commands = runtime.watches.commands(&snapshot);
    lines(&snapshot, &commands, MOST_IN_HELP, "/skill lists them")
}

fn listed(snapshot: &Snapshot, commands: &Commands) -> String {
    let lines = lines(snapshot, commands, MOST_LISTED, "`tarsus skills list` shows all skills");
    if lines.is_empty() {
        return "No skill of this agent has a command. `tarsus skills list` shows how they stand.".to_owned();
    }
    format!("/skill NAME [arguments] uses a skill. Each has a command of its own too:\n{}", lines.join("\n"))
}

fn lines(snapshot: &Snapshot, commands: &Commands, most: usize, where_more: &str) -> Vec<String> {
    let about =
        |name: &str| skill_of(snapshot, name).map(|skill| short(&skill.description)).unwrap_or_default();
    let line =
        |command: &tarsus_skills::commands::Command| format!("/{}: {}", command.name, about(&command.skill));
    let mut lines: Vec<String> = commands.iter().take(most).map(line).collect();
    match commands.iter().count().saturating_sub(most) {
        0 => {}
        1 => lines.push(format!("and one more command of a skill: {where_more}")),
        more => lines.push(format!("and {more} more commands of skills: {where_more}")),
    }
    lines
}

fn short(text: &str) -> String {
    cut(&one_line(text), LONGEST_ABOUT)
}

/// A ready skill of a snapshot.
fn skill_of<'s>(snapshot: &'s Snapshot, name: &str) -> Option<&'s Skill> {
    let mut ready = snapshot.judgement().ready.iter().filter_map(|ready| ready.found.skill());
    ready.find(|skill| skill.name == name)
}

/// The report on a snapshot. It was written by us, and can be read.
fn report_of(snapshot: &Arc<Snapshot>) -> Option<SkillsReport<'_>> {
    let read = serde_json::from_str(&snapshot.judgement().report);
    read.inspect_err(|error| tracing::error!(%error, "the report on skills cannot be read")).ok()
}

fn not_found(error: LookupError) -> String {
    let problem = Problem::from(error);
    format!("{}: {}.", problem.message, problem.next_step())
}

/// A line as a name and what follows it: the first word, the first two, and so on.
fn splits(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let line = line.trim();
    let gaps = line.char_indices().filter(|(_, letter)| letter.is_whitespace()).map(|(at, _)| at);
    let ends = gaps.chain([line.len()]);
    let split = ends.map(move |at| (line[..at].trim_end(), line[at..].trim_start()));
    let mut before = "";
    split.filter(move |(name, _)| std::mem::replace(&mut before, name) != *name).take(MOST_WORDS)
}

/// A skill that is meant.
struct Meant<'a> {
    skill: &'a str,
    command: &'a str,
    how: How,
}

impl Meant<'_> {
    fn carried_out(&self, runtime: &Runtime, snapshot: &Snapshot, rest: &str) -> Called {
        let &Self { skill: name, command, how } = self;
        let ready = snapshot.judgement().ready.iter().find(|ready| ready.found.name() == name);
        let Some((found, skill)) = ready.and_then(|ready| Some((&ready.found, ready.found.skill()?))) else {
            return Called::Words(format!("The skill {name:?} is not ready."));
        };
        if let Some(dispatch) = &skill.invocation.dispatch {
            if runtime.toolbox.get(&dispatch.tool).is_none() {
                return Called::Words(no_tool(command, &dispatch.tool));
            }
            let (skill, command) = (name.to_owned(), command.to_owned());
            let (tool, rest) = (dispatch.tool.clone(), rest.to_owned());
            return Called::Tool(Dispatched { skill, command, tool, rest });
        }
        let location = one_line(&runtime.given.home.display(found.file()));
        Called::Model(Invoked { skill: name.to_owned(), how, told: told(name, &location, rest) })
    }
}

/// What the model is told in place of a message that calls for a skill.
fn told(name: &str, location: &str, rest: &str) -> String {
    let arguments = match rest {
        "" => "It comes without arguments.".to_owned(),
        rest => format!("The arguments, as they were typed:\n{rest}"),
    };
    format!(
        "This message calls for the skill \"{}\". Its instructions are in {location}: read that file first, then follow \
         it.\n\n{arguments}",
        short(name)
    )
}

fn no_tool(command: &str, tool: &str) -> String {
    let why = match guard::Tool::named(tool) {
        Some(_) => "which is not built yet",
        None => "which does not exist",
    };
    format!("/{command} leads to the tool \"{}\", {why}. Nothing was done.", short(tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_have_several_words() {
        let all = |line| splits(line).collect::<Vec<_>>();
        assert_eq!(all("git"), [("git", "")]);
        assert_eq!(all(" a  b\tc "), [("a", "b\tc"), ("a  b", "c"), ("a  b\tc", "")]);
        assert_eq!(all("x ".repeat(50).as_str()).len(), MOST_WORDS);
    }

    #[test]
    fn the_model_is_told_the_skill_its_place_and_the_arguments() {
        let with = told("weather\n## Safety", "~/skills/weather/SKILL.md", "Oslo\ntomorrow");
        assert_eq!(
            with,
            "This message calls for the skill \"weather ## Safety\". Its instructions are in \
             ~/skills/weather/SKILL.md: read that file first, then follow it.\n\nThe arguments, as they were \
             typed:\nOslo\ntomorrow"
        );
        assert!(told("a", "b", "").ends_with("\n\nIt comes without arguments."));
    }

    #[test]
    fn a_tool_that_is_not_there_is_said_to_be_that() {
        assert_eq!(
            no_tool("deploy", "ship_it"),
            "/deploy leads to the tool \"ship_it\", which does not exist. Nothing was done."
        );
        assert!(no_tool("say", "message").contains("not built yet"));
    }
}
