//! The Application Manager's conversation: the menu and the requests in plain words, in English and Chinese.
//!
//! A pure state machine: [`step`] takes the state so far, an input and what the caller read fresh, and gives the next state, a
//! reply and an effect. Promises: no save and no delete without a yes to what was shown, no launch that the policy denies, a
//! number means the name that was shown. Leaves to the caller: reading, carrying out the effect, keeping the state.
//!
//! ```
//! use tarsus_apps::conversation::{Conversation, Effect, Event, Input, Language, World, step};
//! use tarsus_protocol::{ErrorCode, Problem};
//!
//! let broken = Problem::new(ErrorCode::Malformed, "the application registry is not valid JSON");
//! let world = World {
//!     registry: Err(&broken),
//!     path: "~/.openclaw/registries/application_registry.json",
//!     running: &Default::default(),
//!     agent: "main",
//!     person: true,
//!     model: false,
//!     locale: Language::English,
//!     typed_path: None,
//! };
//! let opened = step(Conversation::default(), &Input { at_ms: 0, event: Event::Open }, &world);
//! assert_eq!(opened.effect, Effect::Nothing);
//! assert!(opened.reply.page().to_string().starts_with("Application Manager\n"));
//! ```

mod apps;
mod form;
mod language;
mod menu;
mod outcome;
mod page;
mod problems;
mod proposal;
mod propose;
mod reasons;
mod reply;
mod request;
mod said;
mod state;
mod texts;
mod turn;
mod words;
mod world;

pub use language::Language;
pub use outcome::Outcome;
pub use page::Page;
pub use propose::{Wished, propose};
pub use reply::{
    Badge, Check, CheckedGroup, LaunchResult, Reply, Row, Said, Screen, Start, StopResult, YesNo,
};
pub use request::{Deed, Jump, Request, request};
pub use state::{Action, Conversation, Field};
pub use turn::{Effect, Event, IDLE, Input, LINE_LIMIT, Stepped, step};
pub use world::{LIST_LIMIT, TypedPath, World};
