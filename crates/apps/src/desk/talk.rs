//! The conversation at the desk: what is read fresh for each step, and its effects carried out until it waits for the
//! person again.

use std::collections::BTreeSet;

use tarsus_protocol::Problem;
use tarsus_protocol::apps::AppRun;
use tarsus_protocol::message::Menu;

use super::{Act, Desk, DeskError, recognised, report};
use crate::access::Stopper;
use crate::conversation::{
    Conversation, Deed, Effect, Event, Field, Input, Language, Outcome, Reply, Stepped, TypedPath, Wished,
    World, propose, step,
};
use crate::entry::Mode;
use crate::registry::{Change, RegistryError, Seen};
use crate::run::{Launched, Processes, Stopped};

/// What a surface knows besides.
#[derive(Debug, Clone)]
pub struct Surface {
    /// Where the registry is, as people write it.
    pub registry_path: String,
    /// Whether a person is there, who may stop what is `off`.
    pub person: bool,
    /// Whether a model answers what is not for the Application Manager.
    pub model: bool,
    /// The language when nothing else tells it.
    pub locale: Language,
}

/// What came of one event.
#[derive(Debug)]
pub struct Talked {
    /// The conversation from now on.
    pub conversation: Conversation,
    /// What to show, in order.
    pub replies: Vec<Reply>,
    /// The launch or stop that it led to, or that was refused.
    pub run: Option<AppRun>,
    /// Whether the text was not for the Application Manager.
    pub passed_on: bool,
    /// Whether it was called off before anything was done: nothing of this counts then.
    pub called_off: bool,
}

impl Talked {
    /// What to show, as one text.
    #[must_use]
    pub fn text(&self) -> String {
        let pages: Vec<String> = self.replies.iter().map(|reply| reply.page().to_string()).collect();
        pages.into_iter().filter(|page| !page.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// The screen that waits for an answer, with everything shown before it as notices.
    #[must_use]
    pub fn menu(&self) -> Option<Menu> {
        let (last, before) = self.replies.split_last()?;
        let mut menu = last.page().menu()?;
        let earlier = before
            .iter()
            .flat_map(|reply| reply.page().to_string().lines().map(str::to_owned).collect::<Vec<_>>());
        menu.notices = earlier.chain(menu.notices).collect();
        Some(menu)
    }
}

/// An event that was decided about and not carried out yet.
#[derive(Debug)]
pub struct PendingTalk {
    talked: Talked,
    effect: Effect,
}

impl PendingTalk {
    /// Whether the text is not for the Application Manager.
    #[must_use]
    pub fn passes_on(&self) -> bool {
        matches!(self.effect, Effect::PassOn)
    }

    /// The conversation after this event.
    #[must_use]
    pub fn conversation(&self) -> &Conversation {
        &self.talked.conversation
    }
}

/// An effect that was carried out.
enum Carried {
    Saved,
    Stale,
    Launched(String, Launched),
    Stopped(String, Stopped),
    Failed(Problem),
}

impl Desk {
    /// Takes one event, carries out what follows from it, and comes back when the next word is the person's. Must be
    /// called inside a tokio runtime.
    pub async fn talk(&self, conversation: Conversation, event: Event<'_>, surface: &Surface) -> Talked {
        let pending = self.decide(conversation, event, surface);
        self.carry_out(pending, surface, &|| true).await
    }

    /// Decides about an event, without side effects. [`Desk::carry_out`] takes the result.
    #[must_use]
    pub fn decide(&self, conversation: Conversation, event: Event<'_>, surface: &Surface) -> PendingTalk {
        let mut talked =
            Talked { conversation, replies: Vec::new(), run: None, passed_on: false, called_off: false };
        let effect = self.step(&mut talked, event, surface);
        PendingTalk { talked, effect }
    }

    /// Carries out what was decided; `may_act` is asked before anything is launched, stopped or saved. Must be called
    /// inside a tokio runtime.
    pub async fn carry_out(
        &self,
        pending: PendingTalk,
        surface: &Surface,
        may_act: &(dyn Fn() -> bool + Sync),
    ) -> Talked {
        let PendingTalk { mut talked, mut effect } = pending;
        loop {
            let carried = match effect {
                Effect::Nothing => return talked,
                Effect::PassOn => {
                    talked.passed_on = true;
                    return talked;
                }
                Effect::Refused { deed, denied } => {
                    let act = if deed == Deed::Stop { Act::Stop } else { Act::Launch };
                    self.refused(act, &denied);
                    talked.run = Some(report::denied(&denied));
                    return talked;
                }
                // An event leads to one of these at most.
                Effect::Save { .. } | Effect::Launch { .. } | Effect::Stop { .. } if !may_act() => {
                    talked.called_off = true;
                    return talked;
                }
                Effect::Save { change, base } => self.saved(&change, base.as_deref()),
                Effect::Launch { name, .. } => match self.launch(&name).await {
                    Ok(launched) => Carried::Launched(name, launched),
                    Err(error) => failed(&mut talked, error),
                },
                Effect::Stop { name, allowed } => {
                    // Only a yes lets anybody stop what is off.
                    let confirmed = allowed.entry().policy.mode() == Mode::Off;
                    let stopper = if surface.person { Stopper::Person { confirmed } } else { Stopper::Agent };
                    match self.stop(&name, stopper).await {
                        Ok(stopped) => Carried::Stopped(name, stopped),
                        Err(error) => failed(&mut talked, error),
                    }
                }
            };
            let agent = &self.asker.agent;
            match &carried {
                Carried::Launched(name, launched) => {
                    talked.run = Some(report::launched(name, agent, launched))
                }
                Carried::Stopped(name, stopped) => talked.run = Some(report::stopped(name, agent, stopped)),
                Carried::Saved | Carried::Stale | Carried::Failed(_) => {}
            }
            effect = self.step(&mut talked, Event::Done(carried.outcome()), surface);
        }
    }

    /// Puts a change in front of the person, which somebody else wishes for; `conversation` is where the talk with the
    /// person stands. Saves nothing: a yes that follows at once does, in [`Desk::talk`].
    ///
    /// # Errors
    /// When the person is being asked something else, or the registry does not take the change. Nothing is asked then.
    pub fn propose(
        &self,
        conversation: &Conversation,
        wished: Wished,
        surface: &Surface,
    ) -> Result<(Conversation, Reply), Problem> {
        let paths = [(Field::LaunchPath, &wished.launch_path), (Field::RuntimeExe, &wished.runtime_exe)];
        let given = paths.into_iter().filter_map(|(field, path)| Some((field, path.as_deref()?)));
        let missing = given
            .filter(|(field, path)| !path.trim().is_empty() && !self.looked_up(*field, path).exists)
            .map(|(_, path)| path.to_owned())
            .collect();
        let registry = self.load().map_err(Problem::from);
        let world = World {
            registry: registry.as_ref(),
            path: &surface.registry_path,
            running: &BTreeSet::new(),
            agent: &self.asker.agent,
            person: surface.person,
            model: surface.model,
            locale: surface.locale,
            typed_path: None,
        };
        propose(conversation, wished, missing, self.clock.wall_ms(), &world)
    }

    fn step(&self, talked: &mut Talked, event: Event<'_>, surface: &Surface) -> Effect {
        let registry = self.load().map_err(Problem::from);
        let running = match (&registry, Processes::now()) {
            (Ok(loaded), Ok(processes)) => loaded
                .apps
                .iter()
                .filter(|app| recognised(app, Some(&processes)).running == Some(true))
                .map(|app| app.name.clone())
                .collect(),
            // A state beside a name is a help, not a promise.
            _ => BTreeSet::new(),
        };
        let typed_path = match event {
            Event::Line(line) => {
                talked.conversation.path_in(line).map(|(field, path)| self.looked_up(field, path))
            }
            Event::Open | Event::Ended | Event::Done(_) => None,
        };
        let world = World {
            registry: registry.as_ref(),
            path: &surface.registry_path,
            running: &running,
            agent: &self.asker.agent,
            person: surface.person,
            model: surface.model,
            locale: surface.locale,
            typed_path,
        };
        let input = Input { at_ms: self.clock.wall_ms(), event };
        let Stepped { conversation, reply, effect } =
            step(std::mem::take(&mut talked.conversation), &input, &world);
        talked.conversation = conversation;
        talked.replies.push(reply);
        effect
    }

    fn looked_up(&self, field: Field, path: &str) -> TypedPath {
        let desktop = self.desktop();
        match field {
            Field::RuntimeExe => TypedPath { exists: desktop.has_program(path), shortcut_target: None },
            _ => TypedPath { exists: desktop.has(path), shortcut_target: desktop.shortcut_target(path) },
        }
    }

    fn saved(&self, change: &Change, base: Option<&str>) -> Carried {
        match self.save(change, base.map_or(Seen::NoFile, Seen::Hash)) {
            Ok(_) => Carried::Saved,
            Err(DeskError::Registry(RegistryError::Stale { .. })) => Carried::Stale,
            Err(error) => Carried::Failed(error.into()),
        }
    }
}

/// What went wrong between the conversation's own check and the desk's.
fn failed(talked: &mut Talked, error: DeskError) -> Carried {
    if let DeskError::Denied(denied) = &error {
        talked.run = Some(report::denied(denied));
    }
    Carried::Failed(error.into())
}

impl Carried {
    fn outcome(&self) -> Outcome<'_> {
        match self {
            Self::Saved => Outcome::Saved,
            Self::Stale => Outcome::Stale,
            Self::Launched(name, launched) => Outcome::Launched { name, launched },
            Self::Stopped(name, stopped) => Outcome::Stopped { name, stopped },
            Self::Failed(problem) => Outcome::Failed(problem.clone()),
        }
    }
}
