//! Runs the conversation: reads what each step needs, and carries out effects until the person has to answer.

use std::collections::BTreeSet;
use std::sync::Arc;

use tarsus_protocol::Problem;
use tarsus_protocol::apps::AppRun;
use tarsus_protocol::message::Menu;
use tarsus_protocol::rpc::FieldChange;

use super::{AppManager, Attempt, ManagerError, app_status, report};
use crate::access::{AllowedLaunch, AllowedStop};
use crate::conversation::{
    AppVerb, Conversation, ConversationEvent, ConversationInput, ConversationReply, Effect, EffectResult,
    EntryField, Language, ProposedChange, StepContext, Transition, TypedPath, propose, step,
};
use crate::registry::{BaseVersion, LoadedRegistry, RegistryChange, RegistryError, UnreadableRegistry};
use crate::run::{Launched, Processes, Stopped};

/// Settings of a conversation that depend on the surface.
#[derive(Debug, Clone)]
pub struct ConversationOptions {
    /// Path of the registry as shown to people.
    pub registry_path: String,
    /// Whether a person is present, who may stop an app in mode `off`.
    pub person: bool,
    /// Whether a model answers other text.
    pub model: bool,
    /// The language, unless the text implies another.
    pub locale: Language,
}

/// The result of one event.
#[derive(Debug)]
pub struct ConversationUpdate {
    /// The new state of the conversation.
    pub conversation: Conversation,
    /// The replies to show, in order.
    pub replies: Vec<ConversationReply>,
    /// The launch or stop that was attempted or denied.
    pub run: Option<AppRun>,
    /// Whether the text was not for the Application Manager.
    pub passed_on: bool,
    /// Whether it was cancelled before any effect; the rest must be discarded then.
    pub cancelled: bool,
}

impl ConversationUpdate {
    /// The replies as one text.
    #[must_use]
    pub fn text(&self) -> String {
        let pages: Vec<String> = self.replies.iter().map(|reply| reply.page().to_string()).collect();
        pages.into_iter().filter(|page| !page.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// The screen that waits for an answer, with everything before it as notices.
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

/// The decision about an event, before its effect is carried out.
#[derive(Debug)]
pub struct PendingUpdate {
    update: ConversationUpdate,
    effect: Effect,
}

impl PendingUpdate {
    /// Whether the text is not for the Application Manager.
    #[must_use]
    pub fn passes_on(&self) -> bool {
        matches!(self.effect, Effect::PassOn)
    }

    /// The conversation after this event.
    #[must_use]
    pub fn conversation(&self) -> &Conversation {
        &self.update.conversation
    }
}

impl AppManager {
    /// Handles one event with its effects. Must be called inside a tokio runtime.
    pub async fn handle(
        &self,
        conversation: Conversation,
        event: ConversationEvent<'_>,
        options: &ConversationOptions,
    ) -> ConversationUpdate {
        let pending = self.decide(conversation, event, options);
        self.carry_out(pending, options, &|| true).await
    }

    /// Decides about an event, without side effects. [`AppManager::carry_out`] takes the result.
    #[must_use]
    pub fn decide(
        &self,
        conversation: Conversation,
        event: ConversationEvent<'_>,
        options: &ConversationOptions,
    ) -> PendingUpdate {
        let mut update = ConversationUpdate {
            conversation,
            replies: Vec::new(),
            run: None,
            passed_on: false,
            cancelled: false,
        };
        let effect = self.step(&mut update, event, options);
        PendingUpdate { update, effect }
    }

    /// Carries out a decision; `may_act` is asked before each launch, stop or save. Must be called inside a tokio runtime.
    pub async fn carry_out(
        &self,
        pending: PendingUpdate,
        options: &ConversationOptions,
        may_act: &(dyn Fn() -> bool + Sync),
    ) -> ConversationUpdate {
        let PendingUpdate { mut update, mut effect } = pending;
        let agent = &self.requester.agent;
        loop {
            let result = match effect {
                Effect::Nothing => return update,
                Effect::PassOn => {
                    update.passed_on = true;
                    return update;
                }
                Effect::Refused { verb, denied } => {
                    let attempt = if verb == AppVerb::Stop { Attempt::Stop } else { Attempt::Launch };
                    self.record_denied(attempt, &denied);
                    update.run = Some(report::denied_run(&denied));
                    return update;
                }
                // An event leads to at most one of these.
                Effect::Save { .. } | Effect::Launch(_) | Effect::Stop(_) if !may_act() => {
                    update.cancelled = true;
                    return update;
                }
                Effect::Save { change, base } => self.save_effect(&change, base.as_deref()),
                Effect::Launch(allowed) => match self.launch_again(&allowed).await {
                    Ok(launched) => {
                        let app = allowed.app().to_owned();
                        update.run = Some(report::launch_run(&app, agent, &launched));
                        EffectResult::Launched { app, launched: Arc::new(launched) }
                    }
                    Err(error) => EffectResult::Failed(error.into()),
                },
                Effect::Stop(allowed) => match self.stop_again(&allowed).await {
                    Ok(stopped) => {
                        let app = allowed.app().to_owned();
                        update.run = Some(report::stop_run(&app, agent, &stopped));
                        EffectResult::Stopped { app, stopped: Arc::new(stopped) }
                    }
                    Err(error) => EffectResult::Failed(error.into()),
                },
            };
            effect = self.step(&mut update, ConversationEvent::Done(result), options);
        }
    }

    /// Launches an app that the conversation was allowed to launch. The registry may have changed since, so the policy is
    /// checked again.
    async fn launch_again(&self, allowed: &AllowedLaunch) -> Result<Launched, ManagerError> {
        let loaded = self.load()?;
        self.launch(loaded.require_app(allowed.app())?).await
    }

    /// Stops an app that the conversation was allowed to stop, after the same check as for a launch.
    async fn stop_again(&self, allowed: &AllowedStop) -> Result<Stopped, ManagerError> {
        let loaded = self.load()?;
        self.stop(loaded.require_app(allowed.app())?, allowed.stopper()).await
    }

    /// Shows the person a change that an agent proposes; `conversation` is the current state. Saves nothing: only a
    /// confirmation that follows at once does, in [`AppManager::handle`].
    ///
    /// # Errors
    /// If another question is open, or the registry rejects the change. Then no question is put.
    pub fn propose(
        &self,
        conversation: &Conversation,
        proposed: ProposedChange,
        options: &ConversationOptions,
    ) -> Result<(Conversation, ConversationReply), Problem> {
        let runtime_exe = match &proposed.patch.runtime_exe {
            Some(FieldChange::Set(path)) => Some(path.as_str()),
            Some(FieldChange::Clear) | None => None,
        };
        let paths = [
            (EntryField::LaunchPath, proposed.patch.launch_path.as_deref()),
            (EntryField::RuntimeExe, runtime_exe),
        ];
        let missing = paths
            .into_iter()
            .filter_map(|(field, path)| Some((field, path?)))
            .filter(|(field, path)| !path.trim().is_empty() && !self.inspect_path(*field, path).exists)
            .map(|(_, path)| path.to_owned())
            .collect();
        let registry = self.load().map_err(UnreadableRegistry::from);
        let running = BTreeSet::new();
        let context = self.step_context(registry.as_ref(), &running, options);
        propose(conversation, proposed, missing, self.clock.wall_ms(), &context)
    }

    fn step(
        &self,
        update: &mut ConversationUpdate,
        event: ConversationEvent<'_>,
        options: &ConversationOptions,
    ) -> Effect {
        let registry = self.load().map_err(UnreadableRegistry::from);
        let running = match (&registry, Processes::now()) {
            (Ok(loaded), Ok(processes)) => loaded
                .apps
                .iter()
                .filter(|app| app_status(app, Some(&processes)).running == Some(true))
                .map(|app| app.name.clone())
                .collect(),
            // The running state beside a name is optional.
            _ => BTreeSet::new(),
        };
        let typed_path = match event {
            ConversationEvent::Line(line) => {
                update.conversation.path_in(line).map(|(field, path)| self.inspect_path(field, path))
            }
            ConversationEvent::Open | ConversationEvent::Ended | ConversationEvent::Done(_) => None,
        };
        let context = StepContext { typed_path, ..self.step_context(registry.as_ref(), &running, options) };
        let input = ConversationInput { at_ms: self.clock.wall_ms(), event };
        let Transition { conversation, reply, effect } =
            step(std::mem::take(&mut update.conversation), &input, &context);
        update.conversation = conversation;
        update.replies.push(reply);
        effect
    }

    fn step_context<'a>(
        &'a self,
        registry: Result<&'a LoadedRegistry, &'a UnreadableRegistry>,
        running: &'a BTreeSet<String>,
        options: &'a ConversationOptions,
    ) -> StepContext<'a> {
        StepContext {
            registry,
            path: &options.registry_path,
            running,
            agent: &self.requester.agent,
            person: options.person,
            model: options.model,
            locale: options.locale,
            typed_path: None,
        }
    }

    fn inspect_path(&self, field: EntryField, path: &str) -> TypedPath {
        let desktop = self.desktop();
        match field {
            EntryField::RuntimeExe => TypedPath { exists: desktop.has_program(path), shortcut_target: None },
            _ => TypedPath {
                exists: desktop.has_launch_path(path),
                shortcut_target: desktop.shortcut_target(path),
            },
        }
    }

    fn save_effect(&self, change: &RegistryChange, base: Option<&str>) -> EffectResult {
        match self.save(change, base.map_or(BaseVersion::NoFile, BaseVersion::Hash)) {
            Ok(_) => EffectResult::Saved,
            Err(ManagerError::Registry(RegistryError::Stale { .. })) => EffectResult::Stale,
            Err(error) => EffectResult::Failed(error.into()),
        }
    }
}
