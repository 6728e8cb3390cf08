//! Slash commands: what can be asked for in a chat without a model.

use std::sync::Arc;

use tarsus_home::config::AgentId;
use tarsus_protocol::approval::{Approval, ApprovalDecision, ResolvedBy};
use tarsus_protocol::exec::{Reasoning, ThinkingLevel};
use tarsus_protocol::report::SkillsStatus;
use tarsus_store::{Durability, Line, Patch, StoreError};
use tokio::runtime::Handle;

use crate::answer::Answer;
use crate::manager;
use crate::model::{self, chosen};
use crate::runs::CalledOff;
use crate::runtime::Runtime;
use crate::skill_commands;
use crate::status;
use crate::tools::card;
use crate::turn::Said;

macro_rules! commands {
    ($($name:ident = $text:literal, $takes:literal, $about:literal;)*) => {
        /// A slash command.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Command { $(#[doc = $about] $name,)* }

        /// Every command: its name, what it takes, and what it does.
        pub const COMMANDS: &[(&str, &str, &str)] = &[$(($text, $takes, $about),)*];

        fn named(name: &str) -> Option<Command> {
            match name { $($text => Some(Command::$name),)* _ => None }
        }
    };
}

commands! {
    Help = "help", "", "shows the commands";
    Status = "status", "", "says how things stand for this agent";
    Apps = "apps", "", "opens the menu of the Application Manager";
    Skills = "skills", "", "says how the skills of this agent stand";
    Skill = "skill", "[name [arguments]]", "uses a skill by its name; alone it lists their commands";
    Context = "context", "", "says what the model is told, and how large each part is";
    Usage = "usage", "", "says what this session and today took";
    Whoami = "whoami", "", "says who talks to whom here";
    Compact = "compact", "[what matters]", "summarises what was said for the model, to make room; all of it is kept";
    New = "new", "", "begins this session anew; what was said is kept";
    Reset = "reset", "", "the same as /new";
    Stop = "stop", "", "calls off what waits for an answer in this session";
    Approve = "approve", "<id> <allow-once | allow-always | deny>", "answers a call that waits for your word";
    Model = "model", "[provider/model | default]", "shows or sets the model of this session";
    Reasoning = "reasoning", "[off | on | stream]", "shows or sets whether thoughts are shown here";
    Think = "think", "[off | minimal | low | medium | high | default]", "shows or sets how long a model thinks here";
}

/// The command that a message is, and what follows it. A path or another word after the slash is none.
pub fn read(text: &str) -> Option<(Command, &str)> {
    let command = text.trim().strip_prefix('/')?;
    let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    Some((named(&name.to_ascii_lowercase())?, rest.trim()))
}

/// Does what a command is for.
///
/// # Errors
/// When the store cannot be read or written.
pub fn answer(
    runtime: &Arc<Runtime>,
    said: &Said,
    command: Command,
    rest: &str,
) -> Result<Answer, StoreError> {
    match command {
        Command::Help => Ok(Answer::words(help(&skill_commands::help(runtime, said.session.agent())))),
        Command::Status => status(runtime, said),
        Command::Context => Handle::current().block_on(model::context(runtime, said)).map(Answer::words),
        Command::Usage => usage(runtime, said),
        Command::Whoami => Ok(Answer::words(whoami(said))),
        Command::Apps => manager::menu(runtime, said),
        Command::Skills => Ok(Answer::words(skills(counts(runtime, said.session.agent()).as_ref()))),
        Command::New | Command::Reset => {
            let given = &runtime.given;
            // The session was begun anew when this was taken; what was answered since may have left a conversation open.
            let (session, at_ms) = (said.session.clone(), given.clock.wall_ms());
            given.store.set_conversation(session, None, at_ms, Durability::KillSafe).wait()?;
            let text = "A new session has begun. What was said before is kept, but no longer part of it.";
            Ok(Answer { begins_anew: true, ..Answer::words(text) })
        }
        Command::Stop => Ok(Answer::words(stopped(&said.called_off))),
        Command::Approve => Ok(Answer::words(said.decided.clone().unwrap_or_default())),
        // Others answer these, before they come here.
        Command::Compact | Command::Skill => Ok(Answer::default()),
        Command::Model => choose_model(runtime, said, rest),
        Command::Think => think(runtime, said, rest),
        Command::Reasoning => reasoning(runtime, said, rest),
    }
}

/// Answers for the owner, if that is what a message does; in words, what it came to. It is not left to the turn of the
/// message, which has to wait for the very call that waits for it.
pub fn approve(runtime: &Runtime, text: &str, may_approve: bool) -> Option<String> {
    let (Command::Approve, rest) = read(text)? else { return None };
    if !may_approve {
        return Some("You may not answer for the owner here; nothing was changed.".to_owned());
    }
    let mut words = rest.split_whitespace();
    let decision = |word: &str| ApprovalDecision::named(&word.to_ascii_lowercase());
    let answer = match (words.next(), words.next().and_then(decision), words.next()) {
        (Some(id), Some(decision), None) => Some((id, decision)),
        _ => None,
    };
    let Some((id, decision)) = answer else {
        return Some(format!(
            "It takes an id and one of allow-once, allow-always, deny.\n{}",
            asked(runtime)
        ));
    };
    Some(match runtime.owner_says(id, decision, ResolvedBy::Chat) {
        Ok(asked) => {
            let word = match decision {
                ApprovalDecision::AllowOnce => "Allowed once",
                ApprovalDecision::AllowAlways => "Allowed from now on",
                ApprovalDecision::Deny => "Refused",
            };
            format!("{word}: {}", asked.request.command)
        }
        Err(why) => format!("Nothing was changed: {why}.\n{}", asked(runtime)),
    })
}

/// What waits for the owner's word, each with the line that answers it.
fn asked(runtime: &Runtime) -> String {
    let waiting = runtime.waiting_for_the_owner();
    if waiting.is_empty() {
        return "Nothing waits for your word.".to_owned();
    }
    let line = |asked: &Approval| {
        let words: Vec<&str> = asked.request.allowed_decisions.iter().map(|one| one.as_str()).collect();
        format!("/approve {} {}: {}", asked.id, words.join("|"), asked.request.command)
    };
    waiting.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Whatever was done when this was said is finished by the time it is answered.
fn stopped(CalledOff { runs, finishing }: &CalledOff) -> String {
    let called_off = match runs.len() {
        0 if finishing.is_empty() => "Nothing waited for an answer.".to_owned(),
        0 => "Nothing else waited for an answer.".to_owned(),
        1 => "One message that waited for an answer was called off.".to_owned(),
        many => format!("{many} messages that waited for an answer were called off."),
    };
    let finished = if finishing.is_empty() { "" } else { "What was being done already is finished. " };
    format!("{finished}{called_off}")
}

/// The commands: ours, then those of skills.
fn help(of_skills: &[String]) -> String {
    let line = |(name, takes, about): &(&str, &str, &str)| {
        let gap = if takes.is_empty() { "" } else { " " };
        format!("/{name}{gap}{takes}: {about}")
    };
    let lines: Vec<String> = COMMANDS.iter().map(line).chain(of_skills.iter().cloned()).collect();
    lines.join("\n")
}

fn counts(runtime: &Runtime, agent: &AgentId) -> Option<SkillsStatus> {
    Some(runtime.given.library.snapshot(agent)?.judgement().counts.clone())
}

fn skills(counts: Option<&SkillsStatus>) -> String {
    let Some(SkillsStatus { ready, need_setup, blocked, unreadable, .. }) = counts else {
        return "Skills: this agent is not in the configuration.".to_owned();
    };
    let mut text = format!("Skills: {ready} ready");
    for (count, what) in [(need_setup, "need setup"), (blocked, "blocked"), (unreadable, "cannot be read")] {
        if *count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    text
}

/// How the session and the skills stand.
fn status(runtime: &Runtime, said: &Said) -> Result<Answer, StoreError> {
    let given = &runtime.given;
    let config = (given.config)();
    let facts = status::of(&said.session, &config, &given.store, given.clock.now(), runtime.zone(&config))?;
    let agent = said.session.agent();
    Ok(Answer::words(format!("{}\n{}", card(&facts), skills(counts(runtime, agent).as_ref()))))
}

fn usage(runtime: &Runtime, said: &Said) -> Result<Answer, StoreError> {
    let store = &runtime.given.store;
    let config = (runtime.given.config)();
    let today_ms = status::today_ms(runtime.given.clock.now(), &runtime.zone(&config));
    Ok(Answer::words(format!(
        "This session: {}\nToday, all agents: {}",
        status::spent(&store.spent_in_session(&said.session)?),
        status::spent(&store.spent(today_ms, None)?),
    )))
}

fn whoami(said: &Said) -> String {
    let may = if said.may_change_apps { "the owner" } else { "a guest, who changes nothing of the apps" };
    format!("You are {may}.\nYou talk to the agent {} in the session {}.", said.session.agent(), said.session)
}

/// The model that the session has chosen, else that of its agent.
fn chosen_model(runtime: &Runtime, said: &Said) -> Result<Option<String>, StoreError> {
    let session = runtime.given.store.session(&said.session)?;
    let own = session.and_then(|session| session.settings.model);
    let config = (runtime.given.config)();
    let own = own.as_ref().map(|model| model.as_str());
    Ok(chosen(&config, said.session.agent(), own).into_iter().next())
}

fn patched(runtime: &Runtime, said: &Said, patch: Patch) -> Result<(), StoreError> {
    let given = &runtime.given;
    given.store.patch(said.session.clone(), patch, given.clock.wall_ms()).wait().map(|_| ())
}

fn choose_model(runtime: &Runtime, said: &Said, rest: &str) -> Result<Answer, StoreError> {
    let model = match rest {
        "" => None,
        "default" => Some(None),
        named => match named.parse::<Line>() {
            Ok(line) if named.contains('/') => Some(Some(line)),
            _ => return Ok(Answer::words("A model is named as provider/model; nothing was changed.")),
        },
    };
    if let Some(model) = model {
        patched(runtime, said, Patch { model: Some(model), ..Patch::default() })?;
    }
    let chosen = chosen_model(runtime, said)?.unwrap_or_else(|| "none".to_owned());
    Ok(Answer::words(format!("Model of this session: {chosen}")))
}

fn think(runtime: &Runtime, said: &Said, rest: &str) -> Result<Answer, StoreError> {
    let level = match rest {
        "" => None,
        "default" => Some(None),
        word => match serde_json::from_value::<ThinkingLevel>(word.into()) {
            Ok(level) => Some(Some(level)),
            Err(_) => {
                return Ok(Answer::words(
                    "A level is off, minimal, low, medium, high or default; nothing was changed.",
                ));
            }
        },
    };
    if let Some(thinking_level) = level {
        patched(runtime, said, Patch { thinking_level: Some(thinking_level), ..Patch::default() })?;
    }
    let session = runtime.given.store.session(&said.session)?;
    let level = session.and_then(|session| session.settings.thinking_level);
    Ok(Answer::words(format!("Thinking in this session: {}", level.map_or("default", ThinkingLevel::as_str))))
}

fn reasoning(runtime: &Runtime, said: &Said, rest: &str) -> Result<Answer, StoreError> {
    if !rest.is_empty() {
        let Ok(reasoning) = serde_json::from_value::<Reasoning>(rest.into()) else {
            return Ok(Answer::words("It is off, on or stream; nothing was changed."));
        };
        patched(runtime, said, Patch { reasoning: Some(Some(reasoning)), ..Patch::default() })?;
    }
    let session = runtime.given.store.session(&said.session)?;
    let reasoning = session.and_then(|session| session.settings.reasoning).unwrap_or_default();
    Ok(Answer::words(format!("Thoughts in this session: {}", reasoning.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_a_known_word_after_a_slash() {
        let table = [
            ("/help", Some((Command::Help, ""))),
            ("  /Model  a/b ", Some((Command::Model, "a/b"))),
            ("/new\n", Some((Command::New, ""))),
            ("/helpful", None),
            ("/opt/app", None),
            ("/", None),
            ("help", None),
            ("say /help", None),
        ];
        for (text, command) in table {
            assert_eq!(read(text), command, "{text:?}");
        }
    }

    #[test]
    fn help_names_every_command() {
        let help = help(&["/weather: says what it will be like".to_owned()]);
        assert_eq!(help.lines().count(), COMMANDS.len() + 1);
        assert!(help.starts_with("/help: shows the commands\n/status: "));
        assert!(
            help.contains("\n/model [provider/model | default]: shows or sets the model of this session\n")
        );
        assert!(help.ends_with("\n/weather: says what it will be like"));
    }
}
