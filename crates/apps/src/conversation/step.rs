//! One step of the conversation. The screen always shows the stored state and the current registry. A save or a delete
//! follows only from the confirmation of a proposal that was shown and still applies.

use std::time::Duration;

use super::app_requests;
use super::context::StepContext;
use super::effect_result::{self, EffectResult};
use super::form;
use super::language::Language;
use super::menu;
use super::menu_word::MenuWord;
use super::proposal::{Draft, draft};
use super::reply::{Confirmation, ConversationReply, Notice, Screen};
use super::request::AppVerb;
use super::state::{Conversation, EntryAction, EntryField, Form, PendingEffect, ProposedChange, Step};
use crate::access::{AccessDenied, AllowedLaunch, AllowedStop};
use crate::fold::is_cjk;
use crate::registry::{App, RegistryChange};

/// A conversation ends after this long without a message.
pub const IDLE: Duration = Duration::from_mins(15);

/// Longest line that is accepted, in characters.
pub const LINE_LIMIT: usize = 8_192;

/// An event with its time.
#[derive(Debug, Clone)]
pub struct ConversationInput<'a> {
    /// Time of the event, in milliseconds since 1970.
    pub at_ms: i64,
    /// The event.
    pub event: ConversationEvent<'a>,
}

/// An event of a conversation.
#[derive(Debug, Clone)]
pub enum ConversationEvent<'a> {
    /// A command opened the menu.
    Open,
    /// The person wrote a line.
    Line(&'a str),
    /// The input ended.
    Ended,
    /// An earlier effect was carried out.
    Done(EffectResult),
}

/// The action that the caller must carry out. Its result comes back as [`ConversationEvent::Done`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// No action.
    Nothing,
    /// The text is not for the Application Manager: pass it on to the model.
    PassOn,
    /// Save a change, if the registry still has this hash; without a hash, if there is still no file.
    Save {
        /// The confirmed change.
        change: RegistryChange,
        /// Hash of the registry that was shown.
        base: Option<String>,
    },
    /// Launch an app.
    Launch(AllowedLaunch),
    /// Stop an app.
    Stop(AllowedStop),
    /// Record a denied request. No result comes back.
    Refused {
        /// The request.
        verb: AppVerb,
        /// The denial.
        denied: AccessDenied,
    },
}

/// The result of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Transition {
    /// The state to store.
    pub conversation: Conversation,
    /// The reply to show.
    pub reply: ConversationReply,
    /// The action to carry out.
    pub effect: Effect,
}

/// Handles one input: returns the next state, a reply and an effect. Deterministic; reads no file, clock or process list.
#[must_use]
pub fn step(
    mut conversation: Conversation,
    input: &ConversationInput<'_>,
    context: &StepContext<'_>,
) -> Transition {
    if is_expired(&conversation, input.at_ms)
        && matches!(input.event, ConversationEvent::Line(_) | ConversationEvent::Open)
    {
        conversation = Conversation::default();
    }
    conversation.last_ms = conversation.last_ms.max(input.at_ms);
    let mut turn =
        Turn { context, language: conversation.language, notices: Vec::new(), effect: Effect::Nothing };
    let before = std::mem::take(&mut conversation.step);
    let after = match &input.event {
        ConversationEvent::Open => turn.opened(&before),
        ConversationEvent::Line(line) => turn.line(before, line),
        ConversationEvent::Ended => turn.quit(&before),
        ConversationEvent::Done(result) => effect_result::report(&mut turn, before, result),
    };
    // Text that goes on to the model is answered there, not by a screen.
    let (step, screen) = if turn.effect == Effect::PassOn { (after, None) } else { turn.present(after) };
    let language = turn.language.unwrap_or(context.locale);
    conversation.language = (step != Step::Closed).then_some(language);
    conversation.step = step;
    Transition {
        conversation,
        reply: ConversationReply { language, notices: turn.notices, screen },
        effect: turn.effect,
    }
}

/// Whether the conversation has ended by itself.
pub(super) fn is_expired(conversation: &Conversation, at_ms: i64) -> bool {
    // A clock that was set back does not count as idle time.
    let silent = u64::try_from(at_ms.saturating_sub(conversation.last_ms)).unwrap_or(0);
    Duration::from_millis(silent) > IDLE
}

/// A step in progress.
pub(super) struct Turn<'w> {
    pub(super) context: &'w StepContext<'w>,
    pub(super) language: Option<Language>,
    notices: Vec<Notice>,
    pub(super) effect: Effect,
}

impl<'w> Turn<'w> {
    pub(super) fn notify(&mut self, notice: Notice) {
        self.notices.push(notice);
    }

    /// The word that a line consists of, if it is one of these. A Chinese word is answered in Chinese.
    pub(super) fn word(&mut self, line: &str, expected: &[MenuWord]) -> Option<MenuWord> {
        let (word, language) = MenuWord::parse(line).filter(|(word, _)| expected.contains(word))?;
        self.language = language.or(self.language);
        Some(word)
    }

    /// Reports a line that is none of the choices, in the language of the line.
    pub(super) fn not_a_choice(&mut self, line: &str) {
        if line.contains(is_cjk) {
            self.language = Some(Language::Chinese);
        }
        self.notify(Notice::NotAChoice { text: line.to_owned() });
    }

    /// Warns if the path that was just typed does not exist on this machine.
    pub(super) fn warn_about_path(&mut self, path: &str) {
        if self.context.typed_path.as_ref().is_some_and(|typed| !typed.exists) {
            self.notify(Notice::PathMissing { path: path.to_owned() });
        }
    }

    fn opened(&mut self, before: &Step) -> Step {
        if matches!(before, Step::Waiting { .. }) {
            self.notify(Notice::OutcomeUnknown);
        }
        Step::start()
    }

    fn quit(&mut self, before: &Step) -> Step {
        if *before != Step::Closed {
            self.notify(Notice::Goodbye);
        }
        Step::Closed
    }

    fn line(&mut self, step: Step, line: &str) -> Step {
        if line.chars().nth(LINE_LIMIT).is_some() {
            if step == Step::Closed {
                self.effect = Effect::PassOn;
            } else {
                self.notify(Notice::TooLong { limit: LINE_LIMIT });
            }
            return step;
        }
        if step == Step::Closed {
            return menu::closed(self, line);
        }
        match (self.word(line, &[MenuWord::Back, MenuWord::Quit]), step) {
            (Some(MenuWord::Quit), step) => self.quit(&step),
            (_, Step::Waiting { .. }) => {
                self.notify(Notice::OutcomeUnknown);
                Step::start()
            }
            (Some(_), step @ Step::Confirm { menu: false, .. }) => self.declined(step),
            (Some(_), step) => back(step),
            (None, step) => self.answered(step, line),
        }
    }

    fn answered(&mut self, step: Step, line: &str) -> Step {
        match step {
            Step::Closed | Step::Waiting { .. } => step,
            Step::Start { shown } => menu::start(self, shown, line),
            Step::Pick { action, shown } => menu::pick(self, action, shown, line),
            Step::Edit { name } => menu::edit(self, name, line),
            Step::Policy { name } => menu::policy(self, name, line),
            Step::Asking(form) => form::answer(self, form, line),
            Step::Which { verb, shown, menu } => app_requests::which(self, verb, shown, menu, line),
            Step::EditInstead { .. }
            | Step::Switch { .. }
            | Step::CreateFirst
            | Step::Confirm { .. }
            | Step::Suggested { .. }
            | Step::StopOff { .. } => match self.word(line, &[MenuWord::Yes, MenuWord::No]) {
                Some(MenuWord::Yes) => self.agreed(step),
                Some(_) => self.declined(step),
                // Outside the menu the question may be ignored: the line is handled as if there were no question.
                None if matches!(
                    step,
                    Step::Suggested { menu: false, .. }
                        | Step::StopOff { menu: false, .. }
                        | Step::Confirm { menu: false, .. }
                ) =>
                {
                    menu::closed(self, line)
                }
                None => {
                    self.notify(Notice::AnswerYesOrNo);
                    step
                }
            },
        }
    }

    fn agreed(&mut self, step: Step) -> Step {
        match step {
            Step::EditInstead { name } => Step::Edit { name },
            Step::Switch { name, action } => Step::Asking(Form::allowlist(action, name)),
            Step::CreateFirst => {
                self.effect = Effect::Save { change: RegistryChange::Create, base: None };
                Step::Waiting { pending: PendingEffect::Create { then_add: true }, menu: true }
            }
            Step::Confirm { proposed, base, menu } => self.confirmed(proposed, base, menu),
            Step::Suggested { verb, name, menu } => app_requests::act(self, verb, name, menu),
            Step::StopOff { name, menu } => app_requests::stop_confirmed(self, name, menu),
            other => other,
        }
    }

    fn declined(&mut self, step: Step) -> Step {
        match step {
            Step::EditInstead { .. } => Step::Asking(Form::add()),
            Step::Confirm { proposed, menu, .. } => {
                self.notify(Notice::NotSaved { action: proposed.action });
                Step::home(menu)
            }
            Step::Suggested { menu, .. } | Step::StopOff { menu, .. } => {
                self.notify(Notice::NothingDone);
                Step::home(menu)
            }
            other => back(other),
        }
    }

    /// Handles the confirmation of a proposal, which is valid only for the registry that it is based on.
    fn confirmed(&mut self, proposed: ProposedChange, base: String, menu: bool) -> Step {
        if self.context.hash() != Some(base.as_str()) {
            self.notify(Notice::ChangedMeanwhile);
        } else if let Draft::Ready(change, _) = draft(&proposed, self.context) {
            self.effect = Effect::Save { change, base: Some(base) };
            return Step::Waiting { pending: PendingEffect::Change { proposed }, menu };
        }
        // Presented again, the proposal shows the current values.
        Step::Confirm { proposed, base, menu }
    }

    /// The screen of a step, and the step with the names on that screen. A step whose app is gone leads to the start screen.
    fn present(&mut self, step: Step) -> (Step, Option<Screen>) {
        let screen = match &step {
            Step::Closed | Step::Waiting { .. } => return (step, None),
            Step::Start { .. } => return menu::show_start(self.context),
            Step::Pick { action, .. } => return self.present_pick(*action),
            Step::Confirm { proposed, menu, .. } => return self.present_proposal(proposed.clone(), *menu),
            Step::Edit { name } => self.context.app(name).cloned().map(Screen::Edit),
            Step::Policy { name } => self.context.app(name).cloned().map(Screen::Policy),
            Step::Asking(form) => self.question(form),
            Step::EditInstead { name } => {
                Some(Screen::Confirm(Confirmation::EditInstead { name: name.clone() }))
            }
            Step::Switch { name, .. } => {
                let mode = self.context.app(name).and_then(|app| app.mode);
                Some(Screen::Confirm(Confirmation::Switch { name: name.clone(), mode }))
            }
            Step::CreateFirst => Some(Screen::Confirm(Confirmation::Create)),
            Step::Which { verb, shown, .. } => Some(Screen::Which { verb: *verb, names: shown.clone() }),
            Step::Suggested { verb, name, .. } => {
                Some(Screen::Confirm(Confirmation::Suggested { verb: *verb, name: name.clone() }))
            }
            Step::StopOff { name, .. } => Some(Screen::Confirm(Confirmation::StopOff { name: name.clone() })),
        };
        if screen.is_some() {
            return (step, screen);
        }
        if let Step::Edit { name } | Step::Policy { name } | Step::Asking(Form { name: Some(name), .. }) =
            step
        {
            self.gone(name);
        }
        menu::show_start(self.context)
    }

    /// Reports that an app is gone, unless the start screen explains why there are no apps.
    pub(super) fn gone(&mut self, name: String) {
        if self.context.loaded().is_some() {
            self.notify(Notice::Gone { name });
        }
    }

    fn present_pick(&mut self, action: EntryAction) -> (Step, Option<Screen>) {
        let (shown, more) = self.context.listed();
        if shown.is_empty() {
            if self.context.loaded().is_some() {
                self.notify(Notice::NothingRegistered);
            }
            return menu::show_start(self.context);
        }
        let screen = Screen::Pick { action, names: shown.clone(), more };
        (Step::Pick { action, shown }, Some(screen))
    }

    fn present_proposal(&mut self, proposed: ProposedChange, menu: bool) -> (Step, Option<Screen>) {
        match draft(&proposed, self.context) {
            Draft::Ready(_, proposal) => {
                let base = self.context.hash().unwrap_or_default().to_owned();
                let screen = Screen::Proposal {
                    action: proposed.action,
                    before: proposal.before,
                    after: proposal.after,
                };
                return (Step::Confirm { proposed, base, menu }, Some(screen));
            }
            Draft::Taken(name) => return self.present(Step::EditInstead { name }),
            Draft::Lacks(field) => {
                self.notify(Notice::AlsoNeeded);
                return self.present(Step::Asking(Form::also(proposed, field)));
            }
            Draft::Gone => self.gone(proposed.name),
            Draft::Unchanged => self.notify(Notice::NothingToChange),
            Draft::Rejected(problem) => self.notify(Notice::Failed(problem)),
            Draft::NoRegistry => {}
        }
        menu::show_start(self.context)
    }

    fn question(&self, form: &Form) -> Option<Screen> {
        let field = form.field()?;
        if form.action != EntryAction::Add {
            self.context.app(form.name.as_deref()?)?;
        }
        let stored = self.stored(form);
        let current = match field {
            EntryField::Name => None,
            EntryField::LaunchPath => stored.and_then(|app| app.launch_path.clone()),
            EntryField::RuntimeExe => stored.and_then(|app| app.runtime_exe.clone()),
            EntryField::ProcessName => stored.and_then(|app| app.process_name.clone()),
            EntryField::Mode => stored.and_then(|app| app.mode).map(|mode| mode.to_string()),
            EntryField::Agents => {
                stored.map(|app| app.allowed_agents.join(", ")).filter(|agents| !agents.is_empty())
            }
        };
        let target = form.target.clone().filter(|_| field == EntryField::RuntimeExe);
        Some(Screen::Question { action: form.action, name: form.name.clone(), field, current, target })
    }

    /// The stored entry of a form; `None` for a new app.
    pub(super) fn stored(&self, form: &Form) -> Option<&'w App> {
        let name = form.name.as_deref().filter(|_| form.action != EntryAction::Add);
        name.and_then(|name| self.context.app(name))
    }
}

/// The step before this one.
fn back(step: Step) -> Step {
    match step {
        Step::Asking(form) => form::back(form),
        Step::Edit { .. } => Step::pick(EntryAction::Edit),
        Step::Policy { .. } => Step::pick(EntryAction::Policy),
        Step::EditInstead { .. } => Step::Asking(Form::add()),
        Step::Switch { name, action: EntryAction::Policy } => Step::Policy { name },
        Step::Switch { name, .. } => Step::Edit { name },
        Step::Confirm { proposed, .. } => match proposed.action {
            EntryAction::Add => Step::Asking(Form::reopen(proposed)),
            EntryAction::Edit => Step::Edit { name: proposed.name },
            EntryAction::Policy => Step::Policy { name: proposed.name },
            EntryAction::Delete => Step::pick(EntryAction::Delete),
        },
        Step::Which { menu, .. } | Step::Suggested { menu, .. } | Step::StopOff { menu, .. } => {
            Step::home(menu)
        }
        Step::Closed | Step::Start { .. } | Step::Pick { .. } | Step::CreateFirst | Step::Waiting { .. } => {
            Step::start()
        }
    }
}
