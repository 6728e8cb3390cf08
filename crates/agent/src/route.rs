//! Decides who answers a message: a slash command, of ours or of a skill, else the Application Manager, else the model.
//!
//! The decision is made once, without side effects; the turn carries out the variant.

use tarsus_apps::conversation::{Language, Page};
use tarsus_protocol::Block;
use tarsus_protocol::event::AppsChanged;
use tarsus_protocol::message::Menu;
use tarsus_protocol::rpc::files::RunChanges;
use tarsus_store::StoreError;

use crate::commands::Command;
use crate::manager::ManagerDecision;
use crate::runtime::Runtime;
use crate::skill_commands::{self, SkillDispatch, SkillInvocation, SkillRoute};
use crate::skill_references;
use crate::skills_refresh;
use crate::turn::AcceptedMessage;

/// A reply that no model wrote.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DirectReply {
    pub text: String,
    /// The text as a menu, if it is a page of the Application Manager.
    pub menu: Option<Menu>,
    /// The app changes that led to it.
    pub apps: Vec<AppsChanged>,
    /// A turn whose changes were undone.
    pub files: Option<RunChanges>,
    /// Whether the session has a new transcript, which begins with this reply.
    pub resets_session: bool,
}

impl DirectReply {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// A page as the blocks of a message: its text, then the menu.
pub fn page_blocks(page: &Page) -> Vec<Block> {
    let text = page.to_string();
    std::iter::once(Block::text(text.trim_end())).chain(page.menu().map(Block::Menu)).collect()
}

/// The handler of a message.
pub enum Route {
    /// A slash command of ours, which the message holds.
    Command,
    /// The command of a skill that cannot be used; the text says why.
    Reply(String),
    /// The Application Manager.
    Manager(ManagerDecision),
    /// The model; with skills, where the message invokes or names some.
    Model {
        invocation: Option<SkillInvocation>,
        /// The Application Manager's conversation, which the message was passed on from.
        passed_on: Option<ManagerDecision>,
    },
    /// The skills are read again, and the reply says what changed.
    RefreshSkills { language: Language, passed_on: Option<ManagerDecision> },
    /// A tool, to which the command of a skill leads.
    Tool(SkillDispatch),
    /// `/compact`: a summary of the conversation so far, with what the person wants it to keep.
    Compact { focus: String },
}

/// Decides who answers. Reads the store, skills and the app registry, so it may block.
///
/// # Errors
/// When the store cannot be read.
pub fn decide(runtime: &Runtime, accepted: &AcceptedMessage) -> Result<Route, StoreError> {
    // Only attachments were sent.
    if accepted.text.trim().is_empty() {
        return Ok(Route::Model { invocation: None, passed_on: None });
    }
    let agent = accepted.session.agent();
    let skill_command = match &accepted.command_line {
        Some(line) => match line.command {
            Command::Compact => return Ok(Route::Compact { focus: line.arguments.clone() }),
            Command::Skill => Some(skill_commands::invoke_named(runtime, agent, &line.arguments)),
            _ => return Ok(Route::Command),
        },
        None => skill_commands::invoke(runtime, agent, &accepted.text),
    };
    if let Some(skill_command) = skill_command {
        return Ok(match skill_command {
            SkillRoute::Reply(text) => Route::Reply(text),
            SkillRoute::Model(invocation) => Route::Model { invocation: Some(invocation), passed_on: None },
            SkillRoute::Tool(dispatch) => Route::Tool(dispatch),
        });
    }
    let talk = ManagerDecision::decide(runtime, accepted)?;
    // A question of the Application Manager comes first: the message may be its answer.
    if let Some(language) = skills_refresh::requested_language(&accepted.text)
        && (!talk.was_open() || talk.passes_on())
    {
        return Ok(Route::RefreshSkills {
            language,
            passed_on: Some(talk).filter(ManagerDecision::passes_on),
        });
    }
    Ok(if talk.passes_on() {
        let invocation = skill_references::find_references(runtime, agent, &accepted.text);
        Route::Model { invocation, passed_on: Some(talk) }
    } else {
        Route::Manager(talk)
    })
}
