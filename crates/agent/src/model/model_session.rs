//! The conversation with the models in one turn: the chain, the request that grows with the turn, and its size.

use std::sync::Arc;

use tarsus_models::{ModelChain, ModelRequest, Usage};
use tarsus_protocol::Message;
use tarsus_protocol::exec::Reasoning;
use tarsus_protocol::prompt::PromptReport;
use tarsus_store::{Context, RunId, Session};

use super::calls::ToolSession;
use super::choose::chosen_models;
use super::compact::budget::{self, ContextBudget};
use super::stream::StreamOptions;
use super::transcript;
use crate::prompt::chat::ChatKind;
use crate::prompt::{self, ModelFacts, PromptInputs, PromptSource};
use crate::reply::FilterOptions;
use crate::runtime::Runtime;
use crate::skill_commands::SkillInvocation;
use crate::turn::{AcceptedMessage, run_blocking};
use crate::turn_context::{TurnContext, TurnError};

pub(super) struct ModelSession {
    pub(super) tools: ToolSession,
    pub(super) chain: ModelChain,
    pub(super) request: Arc<ModelRequest>,
    /// The size of each section of the prompt.
    pub(super) report: PromptReport,
    pub(super) budget: ContextBudget,
    /// The reasoning of the turn, where it is shown after the reply.
    pub(super) thoughts: Vec<String>,
    /// Tokens of the request: the provider's last count, and an estimate of what was added since.
    tokens: u64,
    /// Below this size, another compaction gains nothing.
    worthwhile: u64,
    pub(super) filter: FilterOptions,
}

impl ModelSession {
    /// Resolves the models and builds the first request.
    ///
    /// # Errors
    /// When there is no model, the agent is not configured, or the store cannot be read.
    pub(super) async fn load(
        runtime: &Arc<Runtime>,
        accepted: &AcceptedMessage,
        invocation: Option<&SkillInvocation>,
    ) -> Result<Self, TurnError> {
        let services = &runtime.services;
        let config = services.host.config();
        let session = services.store.session(&accepted.session)?;
        let own = session.as_ref().and_then(|session| session.settings.model.as_ref());
        let own = accepted.model.as_deref().or(own.map(|model| model.as_str()));
        let names = chosen_models(&config, accepted.session.agent(), own);
        let chain = services.models.resolve_chain(&config, &names).await.ok_or(TurnError::NoModel)?;
        let (runtime, accepted) = (Arc::clone(runtime), accepted.clone());
        let invocation = invocation.cloned();
        run_blocking(move || {
            let context = TurnContext::load(&runtime, &accepted, config)?;
            let tools = ToolSession::open(Arc::new(context), &accepted, invocation.as_ref())?;
            Self::build(&runtime, &accepted.run, tools, session, chain)
        })
        .await
    }

    fn build(
        runtime: &Runtime,
        run: &RunId,
        tools: ToolSession,
        session: Option<Session>,
        chain: ModelChain,
    ) -> Result<Self, TurnError> {
        let context = &tools.context;
        let settings = session.as_ref().map(|session| session.settings.clone()).unwrap_or_default();
        let thinking = settings.thinking_level.unwrap_or_default();
        let reasoning = settings.reasoning.unwrap_or_default();
        let first = chain.links().first().and_then(|link| link.model.as_ref().ok());
        let source = PromptSource {
            home: &context.services.home,
            config: &context.config,
            agent: &context.agent,
            session: &context.session,
            channel: context.channel,
            mode: None,
            toolbox: &runtime.toolbox,
            model: first.map(|model| ModelFacts {
                name: model.name().as_str(),
                window: model.context_window(),
                reasons: model.info().reasoning,
            }),
            thinking,
            reasoning,
            machine: &context.services.machine,
            marker: &context.marker,
            snapshot: &context.snapshot,
        };
        let inputs = PromptInputs::load(source);
        let filter = FilterOptions { heartbeat: false, group: context.chat == ChatKind::Group };
        let store = &context.services.store;
        let stored = store.context(run)?.unwrap_or_default();
        let last = store.last_usage(&context.session)?.filter(|last| last.item > stored.remark);
        // The provider's count, and an estimate of what was added since.
        let counted = last.map(|last| {
            let messages = transcript::context_messages(stored.clone(), run);
            let since = messages.iter().filter(|message| message.number > last.item);
            last.usage.total() + since.map(|message| budget::message_tokens(&message.message)).sum::<u64>()
        });
        let prompt = prompt::build(&inputs);
        let report = prompt.report(&inputs);
        let request = ModelRequest {
            system: prompt.text(),
            messages: transcript::request_messages(stored, run, &context.marker),
            tools: runtime.toolbox.offered(inputs.window, |tool| context.tool_policy.has(tool)),
            thinking,
            max_tokens: None,
            cache: session.map(|session| session.session_id.to_string()),
        };
        let window = inputs.window;
        Ok(Self {
            chain,
            budget: ContextBudget::new(&request, window),
            tokens: counted.unwrap_or_else(|| budget::request_tokens(&request)),
            worthwhile: 0,
            thoughts: Vec::new(),
            request: Arc::new(request),
            report,
            filter,
            tools,
        })
    }

    pub(super) fn context(&self) -> &TurnContext {
        &self.tools.context
    }

    pub(super) fn stream_options(&self, reasoning: Reasoning) -> StreamOptions<'_> {
        StreamOptions { secrets: &self.context().secrets, filter: self.filter, reasoning }
    }

    /// Appends a message to the next request.
    pub(super) fn add(&mut self, message: Message) {
        let message = transcript::quoted(message, &self.tools.context.marker);
        self.tokens += budget::message_tokens(&message);
        // The stream that shared the request is gone.
        Arc::make_mut(&mut self.request).messages.push(message);
    }

    /// Takes in a message that arrived during the turn; it may activate skills.
    pub(super) fn take_in(&mut self, accepted: &AcceptedMessage) {
        let ToolSession { context, activation, .. } = &mut self.tools;
        context.watch.detect_in_message(&accepted.text, activation);
        self.add(accepted.message.clone());
    }

    /// Replaces the estimate by the provider's count of everything up to the last message.
    pub(super) fn set_counted(&mut self, usage: Option<Usage>) {
        self.tokens = usage.map(|usage| usage.total()).filter(|total| *total > 0).unwrap_or(self.tokens);
    }

    /// Whether the next request would be too large.
    pub(super) fn is_full(&self) -> bool {
        self.budget.is_full(self.tokens) && self.tokens >= self.worthwhile
    }

    /// Rebuilds the messages of the request from the stored context.
    pub(super) fn reload_messages(&mut self, context: Context, run: &RunId) {
        let request = Arc::make_mut(&mut self.request);
        request.messages = transcript::request_messages(context, run, &self.tools.context.marker);
        self.tokens = budget::request_tokens(request);
        // An eighth more, so that a conversation that cannot shrink is not compacted before each request.
        self.worthwhile = self.tokens + self.tokens / 8;
    }
}
