//! The conversation of the Application Manager: the menu and requests in plain language, in English and Chinese.
//!
//! A pure state machine: [`step`] takes the state, an input and a [`StepContext`], and returns the next state, a reply and an
//! effect. It saves and deletes only after the confirmation of what was shown, launches only what the policy allows, and a
//! number means the name that it was shown with. The caller reads, carries out effects and stores the state.
//!
//! ```
//! use tarsus_apps::conversation::{
//!     Conversation, ConversationEvent, ConversationInput, Effect, Language, StepContext, step,
//! };
//! use tarsus_apps::UnreadableRegistry;
//! use tarsus_protocol::{ErrorCode, Problem};
//!
//! let problem = Problem::new(ErrorCode::Malformed, "the application registry is not valid JSON");
//! let broken = UnreadableRegistry { problem, syntax: None };
//! let context = StepContext {
//!     registry: Err(&broken),
//!     path: "~/.openclaw/registries/application_registry.json",
//!     running: &Default::default(),
//!     agent: "main",
//!     person: true,
//!     model: false,
//!     locale: Language::English,
//!     typed_path: None,
//! };
//! let input = ConversationInput { at_ms: 0, event: ConversationEvent::Open };
//! let opened = step(Conversation::default(), &input, &context);
//! assert_eq!(opened.effect, Effect::Nothing);
//! assert!(opened.reply.page().to_string().starts_with("Application Manager\n"));
//! ```

mod answers;
mod app_requests;
mod context;
mod effect_result;
mod faults;
mod form;
mod language;
mod menu;
mod menu_word;
mod notices;
mod page;
mod phrases;
mod problems;
mod proposal;
mod propose;
mod reply;
mod request;
mod run_errors;
mod state;
mod step;
mod syntax_errors;
mod texts;

pub use context::{LIST_LIMIT, StepContext, TypedPath};
pub use effect_result::EffectResult;
pub use language::Language;
pub use page::Page;
pub use propose::propose;
pub use reply::{
    Badge, Confirmation, ConversationReply, GroupCheck, Notice, PolicyRow, RegistryCheck, Screen, StartScreen,
};
pub use request::{AppVerb, ChatRequest, MenuCommand, parse_request};
pub use state::{Conversation, EntryAction, EntryField, ProposedChange};
pub use step::{ConversationEvent, ConversationInput, Effect, IDLE, LINE_LIMIT, Transition, step};
