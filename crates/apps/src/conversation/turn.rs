//! One turn: an input meets the state and the world; what comes out is the next state, what is said and what is to be done.
//!
//! Promises: the screen always shows the state that is kept, made from the registry as it was just read; a save or a delete
//! comes only from a yes to a proposal that was shown and still holds.

use std::time::Duration;

use super::apps;
use super::form;
use super::language::Language;
use super::menu;
use super::outcome::{self, Outcome};
use super::proposal::{Draft, draft};
use super::reply::{Reply, Said, Screen, YesNo};
use super::request::Deed;
use super::state::{Action, Conversation, Field, Form, Pending, Step, Wanted};
use super::words::{self, Way};
use super::world::World;
use crate::access::{Allowed, AllowedLaunch, Denied};
use crate::registry::Change;
use crate::validate::Fields;

/// A conversation ends by itself after this long without a word.
pub const IDLE: Duration = Duration::from_mins(15);

/// Characters of a line that are read; no path and no list of agents is longer.
pub const LINE_LIMIT: usize = 8_192;

/// Something that happened.
#[derive(Debug, Clone)]
pub struct Input<'a> {
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// What.
    pub event: Event<'a>,
}

/// What happened.
#[derive(Debug, Clone)]
pub enum Event<'a> {
    /// The menu was opened by a command rather than by words.
    Open,
    /// The person wrote this.
    Line(&'a str),
    /// There is nothing more to read.
    Ended,
    /// The effect of an earlier turn came out like this.
    Done(Outcome<'a>),
}

/// What the caller must do now. Its outcome, if it has one, comes back as [`Event::Done`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Nothing,
    /// The text is not for the Application Manager: it goes on to the model, or whoever else answers.
    PassOn,
    /// Change the registry, if it is still the one with this hash; without a hash, if there is still no file.
    Save {
        /// What the person agreed to.
        change: Change,
        /// The hash of the registry that was shown.
        base: Option<String>,
    },
    /// Launch an app.
    Launch {
        /// The app.
        name: String,
        /// The policy's yes, with the entry to launch.
        allowed: AllowedLaunch,
    },
    /// Stop an app.
    Stop {
        /// The app.
        name: String,
        /// The policy's yes, with the entry to stop.
        allowed: Allowed,
    },
    /// Record in the audit that a request was refused. No outcome comes back.
    Refused {
        /// What was asked for.
        deed: Deed,
        /// By whom, and why not.
        denied: Denied,
    },
}

/// What a step leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Stepped {
    /// The state to keep.
    pub conversation: Conversation,
    /// What to show.
    pub reply: Reply,
    /// What to do.
    pub effect: Effect,
}

/// Takes an input: from the state so far and what was read fresh to the state from now on, a reply and an effect.
///
/// Reads no file, no clock and no process list; the same arguments give the same answer.
#[must_use]
pub fn step(mut conversation: Conversation, input: &Input<'_>, world: &World<'_>) -> Stepped {
    if is_over(&conversation, input.at_ms) && matches!(input.event, Event::Line(_) | Event::Open) {
        conversation = Conversation::default();
    }
    conversation.last_ms = conversation.last_ms.max(input.at_ms);
    let mut turn = Turn { world, language: conversation.language, said: Vec::new(), effect: Effect::Nothing };
    let before = std::mem::take(&mut conversation.step);
    let after = match &input.event {
        Event::Open => turn.opened(&before),
        Event::Line(line) => turn.line(before, line),
        Event::Ended => turn.quit(&before),
        Event::Done(outcome) => outcome::report(&mut turn, before, outcome),
    };
    // Text that goes on to the model is answered there, not by a screen.
    let (step, screen) = if turn.effect == Effect::PassOn { (after, None) } else { turn.present(after) };
    let language = turn.language.unwrap_or(world.locale);
    conversation.language = (step != Step::Closed).then_some(language);
    conversation.step = step;
    Stepped { conversation, reply: Reply { language, said: turn.said, screen }, effect: turn.effect }
}

/// Whether nobody has said anything for so long that the conversation has ended by itself.
pub(super) fn is_over(conversation: &Conversation, at_ms: i64) -> bool {
    // A clock that was set back is no silence.
    let silent = u64::try_from(at_ms.saturating_sub(conversation.last_ms)).unwrap_or(0);
    Duration::from_millis(silent) > IDLE
}

/// A turn under way.
pub(super) struct Turn<'w> {
    pub(super) world: &'w World<'w>,
    pub(super) language: Option<Language>,
    said: Vec<Said>,
    pub(super) effect: Effect,
}

impl Turn<'_> {
    pub(super) fn say(&mut self, said: Said) {
        self.said.push(said);
    }

    /// Says so when the path that was just typed does not exist here.
    pub(super) fn warn_of_path(&mut self, path: &str) {
        if self.world.typed_path.as_ref().is_some_and(|typed| !typed.exists) {
            self.say(Said::PathMissing { path: path.to_owned() });
        }
    }

    fn opened(&mut self, before: &Step) -> Step {
        if matches!(before, Step::Waiting { .. }) {
            self.say(Said::OutcomeUnknown);
        }
        Step::start()
    }

    fn quit(&mut self, before: &Step) -> Step {
        if *before != Step::Closed {
            self.say(Said::Goodbye);
        }
        Step::Closed
    }

    fn line(&mut self, step: Step, line: &str) -> Step {
        if line.chars().nth(LINE_LIMIT).is_some() {
            if step == Step::Closed {
                self.effect = Effect::PassOn;
            } else {
                self.say(Said::TooLong { limit: LINE_LIMIT });
            }
            return step;
        }
        match (words::way(line), step) {
            (_, Step::Closed) => menu::closed(self, line),
            (Some(Way::Quit), step) => self.quit(&step),
            (_, Step::Waiting { .. }) => {
                self.say(Said::OutcomeUnknown);
                Step::start()
            }
            (Some(Way::Back), step @ Step::Confirm { menu: false, .. }) => self.declined(step),
            (Some(Way::Back), step) => back(step),
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
            Step::Which { deed, shown, menu } => apps::which(self, deed, shown, menu, line),
            Step::EditInstead { .. }
            | Step::Switch { .. }
            | Step::CreateFirst
            | Step::Confirm { .. }
            | Step::Suggested { .. }
            | Step::StopOff { .. } => match words::consent(line) {
                Some(true) => self.agreed(step),
                Some(false) => self.declined(step),
                // Outside the menu nobody has to answer: what is said next is heard as if nothing had been asked.
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
                    self.say(Said::AnswerYesOrNo);
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
                self.effect = Effect::Save { change: Change::Create, base: None };
                Step::Waiting { pending: Pending::Create { then_add: true }, menu: true }
            }
            Step::Confirm { wanted, base, menu } => self.confirmed(wanted, base, menu),
            Step::Suggested { deed, name, menu } => apps::act(self, deed, name, menu),
            Step::StopOff { name, menu } => apps::stop_confirmed(self, name, menu),
            other => other,
        }
    }

    fn declined(&mut self, step: Step) -> Step {
        match step {
            Step::EditInstead { .. } => Step::Asking(Form::add()),
            Step::Confirm { menu, .. } | Step::Suggested { menu, .. } | Step::StopOff { menu, .. } => {
                self.say(Said::NothingDone);
                Step::home(menu)
            }
            other => back(other),
        }
    }

    /// A yes to a proposal: it counts only while the registry is the one that the proposal was made from.
    fn confirmed(&mut self, wanted: Wanted, base: String, menu: bool) -> Step {
        if self.world.hash() != Some(base.as_str()) {
            self.say(Said::ChangedMeanwhile);
        } else if let Draft::Ready(change, _) = draft(&wanted, self.world) {
            self.effect = Effect::Save { change, base: Some(base) };
            return Step::Waiting { pending: Pending::Change { wanted }, menu };
        }
        // Presented again, it shows the values as they are now.
        Step::Confirm { wanted, base, menu }
    }

    /// The screen of a step, and the step with what that screen shows. A step that the registry has left behind ends at the
    /// start screen.
    fn present(&mut self, step: Step) -> (Step, Option<Screen>) {
        let screen = match &step {
            Step::Closed | Step::Waiting { .. } => return (step, None),
            Step::Start { .. } => return menu::show_start(self.world),
            Step::Pick { action, .. } => return self.present_pick(*action),
            Step::Confirm { wanted, menu, .. } => return self.present_proposal(wanted.clone(), *menu),
            Step::Edit { name } => self.world.app(name).cloned().map(Screen::Edit),
            Step::Policy { name } => self.world.app(name).cloned().map(Screen::Policy),
            Step::Asking(form) => self.question(form),
            Step::EditInstead { name } => Some(Screen::YesNo(YesNo::EditInstead { name: name.clone() })),
            Step::Switch { name, .. } => {
                let mode = self.world.app(name).and_then(|app| app.fields.mode);
                Some(Screen::YesNo(YesNo::Switch { name: name.clone(), mode }))
            }
            Step::CreateFirst => Some(Screen::YesNo(YesNo::Create)),
            Step::Which { deed, shown, .. } => Some(Screen::Which { deed: *deed, names: shown.clone() }),
            Step::Suggested { deed, name, .. } => {
                Some(Screen::YesNo(YesNo::Suggested { deed: *deed, name: name.clone() }))
            }
            Step::StopOff { name, .. } => Some(Screen::YesNo(YesNo::StopOff { name: name.clone() })),
        };
        if screen.is_some() {
            return (step, screen);
        }
        if let Step::Edit { name } | Step::Policy { name } | Step::Asking(Form { name: Some(name), .. }) =
            step
        {
            self.gone(name);
        }
        menu::show_start(self.world)
    }

    /// Says that an app is gone, unless the start screen says why nothing can be there.
    pub(super) fn gone(&mut self, name: String) {
        if self.world.loaded().is_some() {
            self.say(Said::Gone { name });
        }
    }

    fn present_pick(&mut self, action: Action) -> (Step, Option<Screen>) {
        let (shown, more) = self.world.listed();
        if shown.is_empty() {
            if self.world.loaded().is_some() {
                self.say(Said::NothingRegistered);
            }
            return menu::show_start(self.world);
        }
        let screen = Screen::Pick { action, names: shown.clone(), more };
        (Step::Pick { action, shown }, Some(screen))
    }

    fn present_proposal(&mut self, wanted: Wanted, menu: bool) -> (Step, Option<Screen>) {
        match draft(&wanted, self.world) {
            Draft::Ready(_, proposal) => {
                let base = self.world.hash().unwrap_or_default().to_owned();
                let screen = Screen::Proposal {
                    action: wanted.action,
                    before: proposal.before,
                    after: proposal.after,
                };
                return (Step::Confirm { wanted, base, menu }, Some(screen));
            }
            Draft::Taken(name) => return self.present(Step::EditInstead { name }),
            Draft::Lacks(field) => {
                self.say(Said::AlsoNeeded);
                return self.present(Step::Asking(Form::also(wanted, field)));
            }
            Draft::Gone => self.gone(wanted.name),
            Draft::Same => self.say(Said::NothingToChange),
            Draft::Impossible(problem) => self.say(Said::Failed(problem)),
            Draft::NoRegistry => {}
        }
        menu::show_start(self.world)
    }

    fn question(&self, form: &Form) -> Option<Screen> {
        let field = form.field()?;
        if form.action != Action::Add {
            self.world.app(form.name.as_deref()?)?;
        }
        let stored = self.stored(form);
        let current = match field {
            Field::Name => None,
            Field::LaunchPath => stored.launch_path,
            Field::RuntimeExe => stored.runtime_exe,
            Field::ProcessName => stored.process_name,
            Field::Mode => stored.mode.map(|mode| mode.to_string()),
            Field::Agents => (!stored.allowed_agents.is_empty()).then(|| stored.allowed_agents.join(", ")),
        };
        let target = form.target.clone().filter(|_| field == Field::RuntimeExe);
        Some(Screen::Question { action: form.action, name: form.name.clone(), field, current, target })
    }

    /// What is stored of the entry that a form is about; nothing while it is new.
    pub(super) fn stored(&self, form: &Form) -> Fields {
        let name = form.name.as_deref().filter(|_| form.action != Action::Add);
        name.and_then(|name| self.world.app(name)).map(|app| app.fields.clone()).unwrap_or_default()
    }
}

/// The step before this one.
fn back(step: Step) -> Step {
    match step {
        Step::Asking(form) => form::back(form),
        Step::Edit { .. } => Step::pick(Action::Edit),
        Step::Policy { .. } => Step::pick(Action::Policy),
        Step::EditInstead { .. } => Step::Asking(Form::add()),
        Step::Switch { name, action: Action::Policy } => Step::Policy { name },
        Step::Switch { name, .. } => Step::Edit { name },
        Step::Confirm { wanted, .. } => match wanted.action {
            Action::Add => Step::Asking(Form::reopen(wanted)),
            Action::Edit => Step::Edit { name: wanted.name },
            Action::Policy => Step::Policy { name: wanted.name },
            Action::Delete => Step::pick(Action::Delete),
        },
        Step::Which { menu, .. } | Step::Suggested { menu, .. } | Step::StopOff { menu, .. } => {
            Step::home(menu)
        }
        Step::Closed | Step::Start { .. } | Step::Pick { .. } | Step::CreateFirst | Step::Waiting { .. } => {
            Step::start()
        }
    }
}
