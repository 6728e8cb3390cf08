//! Slash commands: requests in a chat that are answered without a model.

use std::sync::Arc;

use tarsus_home::config::AgentId;
use tarsus_protocol::Problem;
use tarsus_protocol::approval::{Approval, ApprovalDecision, ResolvedBy};
use tarsus_protocol::exec::{Reasoning, ThinkingLevel, Verbose};
use tarsus_protocol::report::SkillsStatus;
use tarsus_protocol::rpc::files::{UndoOutcome, UndoReport, UndoneFile};
use tarsus_store::{Durability, SessionPatch, SingleLine, StoreError};
use tokio::runtime::Handle;

use crate::manager;
use crate::model::{self, chosen_models};
use crate::route::DirectReply;
use crate::runs::AbortedRuns;
use crate::runtime::Runtime;
use crate::session_settings;
use crate::session_status::{self, SessionStatus};
use crate::skill_commands;
use crate::turn::AcceptedMessage;

macro_rules! commands {
    ($($name:ident = $text:literal, $takes:literal, $about:literal;)*) => {
        /// A slash command.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Command { $(#[doc = $about] $name,)* }

        /// Every command: its name, its arguments, and its description.
        pub const COMMANDS: &[(&str, &str, &str)] = &[$(($text, $takes, $about),)*];

        fn named(name: &str) -> Option<Command> {
            match name { $($text => Some(Command::$name),)* _ => None }
        }
    };
}

commands! {
    Help = "help", "", "lists the commands";
    Status = "status", "", "shows the status of this session";
    Apps = "apps", "", "opens the menu of the Application Manager";
    Skills = "skills", "", "shows the state of this agent's skills";
    Skill = "skill", "[name [arguments]]", "uses a skill by name; without a name, lists the commands of skills";
    Context = "context", "", "shows the size of each part of the prompt";
    Usage = "usage", "", "shows the usage of this session and of today";
    Whoami = "whoami", "", "shows your role, the agent and the session";
    Compact = "compact", "[focus]", "summarises earlier messages for the model; the transcript keeps them";
    Undo = "undo", "", "puts back the files that the last turn changed";
    New = "new", "", "starts a new session; the old transcript is kept";
    Reset = "reset", "", "same as /new";
    Stop = "stop", "", "aborts the runs of this session";
    Approve = "approve", "<id> <allow-once | allow-always | deny>", "approves or denies a pending call";
    Model = "model", "[provider/model | default]", "shows or sets the model of this session";
    Reasoning = "reasoning", "[off | on | stream]", "shows or sets whether reasoning is hidden, shown after the reply, or streamed";
    Verbose = "verbose", "[off | on | full | default]", "shows or sets whether tool calls are hidden, shown, or shown with results";
    Think = "think", "[off | minimal | low | medium | high | default]", "shows or sets the thinking level of this session";
}

/// A slash command with the text after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    pub command: Command,
    pub arguments: String,
}

/// Parses a built-in command. A path or an unknown word after the slash is not a command.
pub fn parse(text: &str) -> Option<CommandLine> {
    let line = text.trim().strip_prefix('/')?;
    let (name, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let command = named(&name.to_ascii_lowercase())?;
    Some(CommandLine { command, arguments: arguments.trim().to_owned() })
}

/// Runs the command of a message. Must be called inside a tokio runtime, where it may block.
///
/// # Errors
/// When the store cannot be read or written.
pub fn run(runtime: &Arc<Runtime>, accepted: &AcceptedMessage) -> Result<DirectReply, StoreError> {
    let Some(CommandLine { command, arguments: rest }) = &accepted.command_line else {
        return Ok(DirectReply::default());
    };
    match command {
        Command::Help => {
            Ok(DirectReply::text(help(&skill_commands::help(runtime, accepted.session.agent()))))
        }
        Command::Status => status(runtime, accepted),
        Command::Context => {
            Handle::current().block_on(model::context(runtime, accepted)).map(DirectReply::text)
        }
        Command::Usage => usage(runtime, accepted),
        Command::Whoami => Ok(DirectReply::text(whoami(accepted))),
        Command::Apps => manager::open_menu(runtime, accepted),
        Command::Skills => Ok(DirectReply::text(skills(counts(runtime, accepted.session.agent()).as_ref()))),
        Command::Undo => Ok(undo(runtime, accepted)?),
        Command::New | Command::Reset => {
            let services = &runtime.services;
            // The session was reset on acceptance; a run that ended since may have left a conversation open.
            let (session, at_ms) = (accepted.session.clone(), services.clock.wall_ms());
            services.store.set_conversation(session, None, at_ms, Durability::KillSafe).wait()?;
            let text = "A new session has started. The old transcript is kept.";
            Ok(DirectReply { resets_session: true, ..DirectReply::text(text) })
        }
        Command::Stop => Ok(DirectReply::text(stop_reply(&accepted.aborted))),
        Command::Approve => Ok(DirectReply::text(accepted.approval_reply.clone().unwrap_or_default())),
        // Routed elsewhere.
        Command::Compact | Command::Skill => Ok(DirectReply::default()),
        Command::Model => choose_model(runtime, accepted, rest),
        Command::Think => think(runtime, accepted, rest),
        Command::Reasoning => reasoning(runtime, accepted, rest),
        Command::Verbose => verbose(runtime, accepted, rest),
    }
}

/// Undoes the changes of the last turn that changed files.
fn undo(runtime: &Runtime, accepted: &AcceptedMessage) -> Result<DirectReply, StoreError> {
    let changes = &runtime.file_changes;
    match changes.undo(&accepted.session, None, false) {
        Ok(report) => {
            let run = report.run_id.as_deref().and_then(|id| id.parse().ok());
            let files = run.map(|run| changes.run_changes(&run)).transpose()?.flatten();
            Ok(DirectReply { files, ..DirectReply::text(undo_text(&report)) })
        }
        Err(error) => {
            let problem = Problem::from(error);
            Ok(DirectReply::text(format!(
                "Nothing was undone: {}. {}.",
                problem.message,
                problem.next_step()
            )))
        }
    }
}

/// What an undo did, a line for each file.
fn undo_text(report: &UndoReport) -> String {
    if report.files.is_empty() {
        return "No turn of this session has changed files that can be put back.".to_owned();
    }
    let line = |file: &UndoneFile| {
        let outcome = match &file.outcome {
            UndoOutcome::Restored => "restored".to_owned(),
            UndoOutcome::Removed => "removed".to_owned(),
            UndoOutcome::Unchanged => "was as before".to_owned(),
            UndoOutcome::Refused { reason } => format!("left as it is: {reason}"),
        };
        format!("- {}: {outcome}", file.path)
    };
    let lines: Vec<String> = report.files.iter().map(line).collect();
    format!("The files of the last turn that changed any:\n{}", lines.join("\n"))
}

/// Applies `/approve` and returns the reply. Called on acceptance, as the turn of the message waits behind the pending
/// call.
pub fn approve(runtime: &Runtime, arguments: &str, may_approve: bool) -> String {
    if !may_approve {
        return "You do not have permission to approve calls; nothing was changed.".to_owned();
    }
    let mut words = arguments.split_whitespace();
    let decision = |word: &str| ApprovalDecision::named(&word.to_ascii_lowercase());
    let parsed = match (words.next(), words.next().and_then(decision), words.next()) {
        (Some(id), Some(decision), None) => Some((id, decision)),
        _ => None,
    };
    let Some((id, decision)) = parsed else {
        return format!(
            "Usage: /approve <id> <allow-once | allow-always | deny>\n{}",
            pending_approvals(runtime)
        );
    };
    match runtime.resolve_approval(id, decision, ResolvedBy::Chat) {
        Ok(approval) => {
            let word = match decision {
                ApprovalDecision::AllowOnce => "Allowed once",
                ApprovalDecision::AllowAlways => "Always allowed",
                ApprovalDecision::Deny => "Denied",
            };
            format!("{word}: {}", approval.request.command)
        }
        Err(error) => format!("Nothing was changed: {error}.\n{}", pending_approvals(runtime)),
    }
}

/// The pending approvals, each with the command that resolves it.
fn pending_approvals(runtime: &Runtime) -> String {
    let waiting = runtime.pending_approvals();
    if waiting.is_empty() {
        return "No calls are pending.".to_owned();
    }
    let line = |approval: &Approval| {
        let words: Vec<&str> = approval.request.allowed_decisions.iter().map(|one| one.as_str()).collect();
        format!("/approve {} {}: {}", approval.id, words.join("|"), approval.request.command)
    };
    waiting.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// `/stop` is answered after the actions in progress, so that these are finished by then.
fn stop_reply(AbortedRuns { runs, finishing }: &AbortedRuns) -> String {
    let aborted = match runs.len() {
        0 if finishing.is_empty() => "No run was in progress.".to_owned(),
        0 => "No other run was in progress.".to_owned(),
        1 => "Aborted one run.".to_owned(),
        many => format!("Aborted {many} runs."),
    };
    let finished = if finishing.is_empty() { "" } else { "The action in progress was finished. " };
    format!("{finished}{aborted}")
}

/// The commands: built-in ones, then those of skills.
fn help(skill_commands: &[String]) -> String {
    let line = |(name, takes, about): &(&str, &str, &str)| {
        let gap = if takes.is_empty() { "" } else { " " };
        format!("/{name}{gap}{takes}: {about}")
    };
    let lines: Vec<String> = COMMANDS.iter().map(line).chain(skill_commands.iter().cloned()).collect();
    lines.join("\n")
}

fn counts(runtime: &Runtime, agent: &AgentId) -> Option<SkillsStatus> {
    Some(runtime.services.library.snapshot(agent)?.evaluation().counts.clone())
}

fn skills(counts: Option<&SkillsStatus>) -> String {
    let Some(SkillsStatus { ready, need_setup, unavailable, blocked, unreadable, accepted, .. }) = counts
    else {
        return "Skills: this agent is not in the configuration.".to_owned();
    };
    let mut text = format!("Skills: {ready} ready");
    for (count, what) in [
        (need_setup, if *need_setup == 1 { "needs setup" } else { "need setup" }),
        (unavailable, "unavailable"),
        (blocked, "blocked"),
        (unreadable, "cannot be read"),
        (accepted, "with critical findings accepted by you"),
    ] {
        if *count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    text
}

/// The status of the session, and the state of the skills.
fn status(runtime: &Runtime, accepted: &AcceptedMessage) -> Result<DirectReply, StoreError> {
    let services = &runtime.services;
    let config = services.host.config();
    let zone = runtime.zone(&config);
    let status = SessionStatus::load(&accepted.session, &config, services, zone, accepted.channel)?;
    let agent = accepted.session.agent();
    Ok(DirectReply::text(format!("{status}\n{}", skills(counts(runtime, agent).as_ref()))))
}

fn usage(runtime: &Runtime, accepted: &AcceptedMessage) -> Result<DirectReply, StoreError> {
    let store = &runtime.services.store;
    let config = runtime.services.host.config();
    let today_ms = session_status::today_ms(runtime.services.clock.now(), &runtime.zone(&config));
    Ok(DirectReply::text(format!(
        "This session: {}\nToday, all agents: {}",
        session_status::usage_text(&store.usage_in_session(&accepted.session)?),
        session_status::usage_text(&store.usage_since(today_ms, None)?),
    )))
}

fn whoami(accepted: &AcceptedMessage) -> String {
    let role = match (accepted.is_by_agent, accepted.is_from_owner()) {
        (true, _) => "a process that this agent started",
        (false, true) => "the owner",
        (false, false) => "a guest without permission to change apps",
    };
    format!("You are {role}.\nAgent: {}\nSession: {}", accepted.session.agent(), accepted.session)
}

/// The model that the session has chosen, else that of its agent.
fn chosen_model(runtime: &Runtime, accepted: &AcceptedMessage) -> Result<Option<String>, StoreError> {
    let session = runtime.services.store.session(&accepted.session)?;
    let own = session.and_then(|session| session.settings.model);
    let config = runtime.services.host.config();
    let own = own.as_ref().map(|model| model.as_str());
    Ok(chosen_models(&config, accepted.session.agent(), own).into_iter().next())
}

fn patch_session(
    runtime: &Runtime,
    accepted: &AcceptedMessage,
    patch: SessionPatch,
) -> Result<(), StoreError> {
    let services = &runtime.services;
    services.store.patch(accepted.session.clone(), patch, services.clock.wall_ms()).wait().map(|_| ())
}

/// Returns the reply if the sender may not change settings.
fn change_settings(
    runtime: &Runtime,
    accepted: &AcceptedMessage,
    patch: SessionPatch,
) -> Result<Option<DirectReply>, StoreError> {
    let session = accepted.session.clone();
    match session_settings::change(&runtime.services, session, patch, accepted.is_from_owner()) {
        Ok(change) => change.wait().map(|_| None),
        Err(refused) => Ok(Some(DirectReply::text(format!("Nothing was changed: {refused}.")))),
    }
}

fn choose_model(
    runtime: &Runtime,
    accepted: &AcceptedMessage,
    rest: &str,
) -> Result<DirectReply, StoreError> {
    let model = match rest {
        "" => None,
        "default" => Some(None),
        named => match named.parse::<SingleLine>() {
            Ok(line) if named.contains('/') => Some(Some(line)),
            _ => return Ok(DirectReply::text("Use provider/model or default; nothing was changed.")),
        },
    };
    if let Some(model) = model {
        let patch = SessionPatch { model: Some(model), ..SessionPatch::default() };
        if let Some(refusal) = change_settings(runtime, accepted, patch)? {
            return Ok(refusal);
        }
    }
    let chosen = chosen_model(runtime, accepted)?.unwrap_or_else(|| "none".to_owned());
    Ok(DirectReply::text(format!("Model of this session: {chosen}")))
}

fn think(runtime: &Runtime, accepted: &AcceptedMessage, rest: &str) -> Result<DirectReply, StoreError> {
    let level = match rest {
        "" => None,
        "default" => Some(None),
        word => match serde_json::from_value::<ThinkingLevel>(word.into()) {
            Ok(level) => Some(Some(level)),
            Err(_) => {
                return Ok(DirectReply::text(
                    "Use off, minimal, low, medium, high or default; nothing was changed.",
                ));
            }
        },
    };
    if let Some(thinking_level) = level {
        let patch = SessionPatch { thinking_level: Some(thinking_level), ..SessionPatch::default() };
        if let Some(refusal) = change_settings(runtime, accepted, patch)? {
            return Ok(refusal);
        }
    }
    let session = runtime.services.store.session(&accepted.session)?;
    let level = session.and_then(|session| session.settings.thinking_level);
    Ok(DirectReply::text(format!(
        "Thinking in this session: {}",
        level.map_or("default", ThinkingLevel::as_str)
    )))
}

fn reasoning(runtime: &Runtime, accepted: &AcceptedMessage, rest: &str) -> Result<DirectReply, StoreError> {
    if !rest.is_empty() {
        let Ok(reasoning) = serde_json::from_value::<Reasoning>(rest.into()) else {
            return Ok(DirectReply::text("Use off, on or stream; nothing was changed."));
        };
        patch_session(
            runtime,
            accepted,
            SessionPatch { reasoning: Some(Some(reasoning)), ..SessionPatch::default() },
        )?;
    }
    let session = runtime.services.store.session(&accepted.session)?;
    let reasoning = session.and_then(|session| session.settings.reasoning).unwrap_or_default();
    let meaning = match reasoning {
        Reasoning::Off => "hidden",
        Reasoning::On => "shown after the reply",
        Reasoning::Stream => "shown as it comes",
    };
    Ok(DirectReply::text(format!("Reasoning in this session: {} ({meaning})", reasoning.as_str())))
}

fn verbose(runtime: &Runtime, accepted: &AcceptedMessage, rest: &str) -> Result<DirectReply, StoreError> {
    let verbose = match rest {
        "" => None,
        "default" => Some(None),
        word => match serde_json::from_value::<Verbose>(word.into()) {
            Ok(verbose) => Some(Some(verbose)),
            Err(_) => {
                return Ok(DirectReply::text("Use off, on, full or default; nothing was changed."));
            }
        },
    };
    if let Some(verbose) = verbose {
        patch_session(runtime, accepted, SessionPatch { verbose: Some(verbose), ..SessionPatch::default() })?;
    }
    let session = runtime.services.store.session(&accepted.session)?;
    let text = match session.and_then(|session| session.settings.verbose) {
        Some(Verbose::Off) => "off (hidden)",
        Some(Verbose::On) => "on (shown without results)",
        Some(Verbose::Full) => "full (shown with results)",
        None => "default (shown in Studio, hidden in the terminal)",
    };
    Ok(DirectReply::text(format!("Tool calls in this session: {text}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_is_a_known_word_after_a_slash() {
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
            let expected =
                command.map(|(command, arguments)| CommandLine { command, arguments: arguments.to_owned() });
            assert_eq!(parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn help_names_every_command() {
        let help = help(&["/weather: shows the forecast".to_owned()]);
        assert_eq!(help.lines().count(), COMMANDS.len() + 1);
        assert!(help.starts_with("/help: lists the commands\n/status: "));
        assert!(
            help.contains("\n/model [provider/model | default]: shows or sets the model of this session\n")
        );
        assert!(help.ends_with("\n/weather: shows the forecast"));
    }
}
