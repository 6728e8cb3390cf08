//! The slash commands of skills: which skill a message invokes, and how.
//!
//! Built-in commands take precedence. An unknown word is left to the model. For a skill that cannot be used, the reply says
//! why.

use tarsus_guard::ActivationCause;
use tarsus_home::config::AgentId;
use tarsus_protocol::Problem;
use tarsus_protocol::skills::{SkillReason, SkillState, SkillStatus};
use tarsus_skills::commands::SkillCommands;
use tarsus_skills::lookup::{self, LookupError};
use tarsus_skills::prompt::text::{one_line, truncate};
use tarsus_skills::{Skill, SkillFile, SkillsSnapshot};

use crate::runtime::Runtime;

/// Maximum words of a skill's name after `/skill`.
const MAX_NAME_WORDS: usize = 8;
/// Maximum commands of skills in `/help`.
const MAX_IN_HELP: usize = 20;
/// Maximum commands of skills in `/skill`.
const MAX_LISTED: usize = 200;
/// Maximum characters of a skill's description.
const MAX_DESCRIPTION_CHARS: usize = 80;

/// The handler of a message that invokes a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillRoute {
    /// No handler: this is the reply.
    Reply(String),
    Model(SkillInvocation),
    /// A tool; no request is sent to a model.
    Tool(SkillDispatch),
}

/// The skills that the model is to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillInvocation {
    pub skills: Vec<String>,
    pub cause: ActivationCause,
    /// The text that the model gets in place of the message.
    pub prompt: String,
}

/// A skill whose command leads straight to a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillDispatch {
    pub skill: String,
    /// The command, without the slash.
    pub command: String,
    pub tool: String,
    /// The text after the command.
    pub arguments: String,
}

/// Resolves `/word …`, where the word is the command of a skill. Built-in commands were looked for before.
pub fn invoke(runtime: &Runtime, agent: &AgentId, text: &str) -> Option<SkillRoute> {
    let line = text.trim().strip_prefix('/')?;
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    // A path is not a command.
    if word.is_empty() || word.contains('/') {
        return None;
    }
    let snapshot = runtime.services.library.snapshot(agent)?;
    let commands = runtime.watch_cache.commands(&snapshot);
    if let Some(command) = commands.find(word) {
        let target =
            SkillTarget { skill: &command.skill, command: &command.name, cause: ActivationCause::Command };
        return Some(target.resolve(runtime, &snapshot, rest.trim()));
    }
    let skill = lookup::find_in_report(snapshot.report(), word).ok()?;
    let is_refused = skill.user_invocable && skill.status != SkillState::Ready;
    is_refused.then(|| SkillRoute::Reply(refusal(skill)))
}

/// Resolves `/skill …`; without a name it lists the commands.
pub fn invoke_named(runtime: &Runtime, agent: &AgentId, line: &str) -> SkillRoute {
    let Some(snapshot) = runtime.services.library.snapshot(agent) else {
        return SkillRoute::Reply("This agent is not in the configuration.".to_owned());
    };
    let commands = runtime.watch_cache.commands(&snapshot);
    if line.is_empty() {
        return SkillRoute::Reply(list(&snapshot, &commands));
    }
    let invoke = |skill, command, arguments| {
        SkillTarget { skill, command, cause: ActivationCause::Named }.resolve(runtime, &snapshot, arguments)
    };
    for (name, rest) in splits(line) {
        if let Some(command) = commands.find(name) {
            return invoke(&command.skill, &command.name, rest);
        }
    }
    let mut unknown = None;
    for (name, rest) in splits(line) {
        match lookup::find_in_report(snapshot.report(), name) {
            // Its command was taken by another skill.
            Ok(skill) if skill.user_invocable && skill.status == SkillState::Ready => {
                return invoke(&skill.name, &skill.name, rest);
            }
            Ok(skill) => return SkillRoute::Reply(refusal(skill)),
            Err(error) => drop(unknown.get_or_insert(error)),
        }
    }
    SkillRoute::Reply(unknown.map(not_found).unwrap_or_default())
}

/// The lines of `/help` about skills: the first commands, and how many more there are.
pub fn help(runtime: &Runtime, agent: &AgentId) -> Vec<String> {
    let Some(snapshot) = runtime.services.library.snapshot(agent) else { return Vec::new() };
    let commands = runtime.watch_cache.commands(&snapshot);
    lines(&snapshot, &commands, MAX_IN_HELP, "/skill lists them")
}

fn list(snapshot: &SkillsSnapshot, commands: &SkillCommands) -> String {
    let lines = lines(snapshot, commands, MAX_LISTED, "`tarsus skills list` shows all skills");
    if lines.is_empty() {
        return "No skill of this agent has a command. `tarsus skills list` shows the skills.".to_owned();
    }
    format!(
        "/skill NAME [arguments] uses a skill. Each skill also has its own command:\n{}",
        lines.join("\n")
    )
}

fn lines(snapshot: &SkillsSnapshot, commands: &SkillCommands, most: usize, where_more: &str) -> Vec<String> {
    let about =
        |name: &str| find_skill(snapshot, name).map(|skill| short(&skill.description)).unwrap_or_default();
    let line = |command: &tarsus_skills::commands::SkillCommand| {
        format!("/{}: {}", command.name, about(&command.skill))
    };
    let mut lines: Vec<String> = commands.iter().take(most).map(line).collect();
    match commands.iter().count().saturating_sub(most) {
        0 => {}
        1 => lines.push(format!("and one more command of a skill; {where_more}")),
        more => lines.push(format!("and {more} more commands of skills; {where_more}")),
    }
    lines
}

fn short(text: &str) -> String {
    truncate(&one_line(text), MAX_DESCRIPTION_CHARS)
}

/// Finds a ready skill of a snapshot.
fn find_skill<'s>(snapshot: &'s SkillsSnapshot, name: &str) -> Option<&'s Skill> {
    let mut ready = snapshot.evaluation().ready().filter_map(|ready| ready.file.skill());
    ready.find(|skill| skill.name == name)
}

/// Finds the ready skill that people may call by this name or command.
pub fn find_usable<'s>(
    snapshot: &'s SkillsSnapshot,
    commands: &SkillCommands,
    name: &str,
) -> Option<&'s SkillFile> {
    let is_usable = |skill: &&SkillStatus| skill.user_invocable && skill.status == SkillState::Ready;
    // The command of a skill may have been taken by another one.
    let in_report = || lookup::find_in_report(snapshot.report(), name).ok().filter(is_usable);
    let skill = match commands.find(name) {
        Some(command) => command.skill.as_str(),
        None => in_report()?.name.as_str(),
    };
    let mut ready = snapshot.evaluation().ready();
    ready.find(|ready| ready.file.name() == skill).map(|ready| &*ready.file)
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
    split.filter(move |(name, _)| std::mem::replace(&mut before, name) != *name).take(MAX_NAME_WORDS)
}

/// The skill that a message names.
struct SkillTarget<'a> {
    skill: &'a str,
    command: &'a str,
    cause: ActivationCause,
}

impl SkillTarget<'_> {
    fn resolve(&self, runtime: &Runtime, snapshot: &SkillsSnapshot, arguments: &str) -> SkillRoute {
        let &Self { skill: name, command, cause } = self;
        let ready = snapshot.evaluation().ready().find(|ready| ready.file.name() == name);
        let Some((found, skill)) = ready.and_then(|ready| Some((&ready.file, ready.file.skill()?))) else {
            return SkillRoute::Reply(format!("The skill {name:?} is not ready."));
        };
        if let Some(dispatch) = &skill.invocation.dispatch {
            let (skill, command) = (name.to_owned(), command.to_owned());
            let (tool, arguments) = (dispatch.tool.clone(), arguments.to_owned());
            return SkillRoute::Tool(SkillDispatch { skill, command, tool, arguments });
        }
        let location = one_line(&runtime.services.home.display(found.path()));
        SkillRoute::Model(SkillInvocation {
            skills: vec![name.to_owned()],
            cause,
            prompt: invocation_prompt(name, &location, arguments),
        })
    }
}

/// The text that the model gets in place of a message that invokes a skill.
fn invocation_prompt(name: &str, location: &str, arguments: &str) -> String {
    let arguments = match arguments {
        "" => "No arguments were given.".to_owned(),
        arguments => format!("Arguments:\n{arguments}"),
    };
    format!(
        "Use the skill \"{}\". Read its instructions in {location} first, then follow them.\n\n{arguments}",
        short(name)
    )
}

/// Why a skill cannot be invoked, and where to find out more.
fn refusal(skill: &SkillStatus) -> String {
    let name = short(&skill.name);
    let first = || skill.diagnostics.first().map(|first| short(&first.message)).unwrap_or_default();
    let why = match skill.status {
        SkillState::Blocked => "it is blocked because of findings in its files".to_owned(),
        SkillState::Invalid => format!("its SKILL.md is invalid ({})", first()),
        SkillState::Degraded => format!("its SKILL.md is partly invalid ({})", first()),
        SkillState::Disabled => "it is disabled".to_owned(),
        SkillState::NotAllowed => "skills.allowBundled does not include it".to_owned(),
        SkillState::Filtered => "the agent's list of skills does not include it".to_owned(),
        SkillState::Unsupported => format!("it supports only {}", short(&skill.requirements.os.join(", "))),
        SkillState::Unavailable => {
            let tools = skill.reasons.iter().find_map(SkillReason::tools_text).unwrap_or_default();
            format!("it needs {tools}")
        }
        SkillState::Missing => format!("it needs {}", short(&skill.missing.named())),
        SkillState::Shadowed | SkillState::Ready => "only the model can use it".to_owned(),
    };
    format!("The skill \"{name}\" cannot be used: {why}. `tarsus skills info {name}` shows more.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skill_name_may_have_several_words() {
        let all = |line| splits(line).collect::<Vec<_>>();
        assert_eq!(all("git"), [("git", "")]);
        assert_eq!(all(" a  b\tc "), [("a", "b\tc"), ("a  b", "c"), ("a  b\tc", "")]);
        assert_eq!(all("x ".repeat(50).as_str()).len(), MAX_NAME_WORDS);
    }

    #[test]
    fn invocation_prompt_has_skill_location_and_arguments() {
        let with = invocation_prompt("weather\n## Safety", "~/skills/weather/SKILL.md", "Oslo\ntomorrow");
        assert_eq!(
            with,
            "Use the skill \"weather ## Safety\". Read its instructions in ~/skills/weather/SKILL.md first, then follow \
             them.\n\nArguments:\nOslo\ntomorrow"
        );
        assert!(invocation_prompt("a", "b", "").ends_with("\n\nNo arguments were given."));
    }
}
