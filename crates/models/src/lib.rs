//! Language-model providers: a request in, a stream of deltas out, whatever the provider speaks.
//!
//! Promises: what comes out does not depend on how the answer was cut into pieces; everything that a server
//! sends is bounded in size, number and time; a failure says of which class it is; no key is in a message.
//! Leaves to others: what is asked, what a call of a tool does, and where the cost is written down.
//!
//! ```
//! use tarsus_models::{Catalog, Delta, Limits, Reading, Request, Stop};
//!
//! let model = Catalog::default().model(&"groq/llama-3.3-70b-versatile".parse()?)?;
//! let request = Request { system: "Be brief.".into(), ..Request::default() };
//! let mut reading = Reading::new(&model, &request, &Limits::DEFAULT);
//! let mut deltas = Vec::new();
//! reading.push(b"data: {\"choices\":[{\"delta\":{\"content\":\"Hel", &mut deltas)?;
//! reading.push(b"lo\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", &mut deltas)?;
//! reading.finish(&mut deltas)?;
//! assert_eq!(deltas, [Delta::Text("Hello".into()), Delta::Stop(Stop::Done)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod answer;
mod budget;
mod catalog;
mod chain;
mod classify;
mod delta;
mod failure;
mod key;
mod limits;
mod local;
mod name;
mod open;
mod remote;
pub mod report;
mod request;
mod retry;
mod sse;
mod text_calls;
mod usage;
mod wire;

pub use answer::Answer;
pub use budget::{Budget, Reached, Used};
pub use catalog::{BUILT_IN, BuiltIn, Catalog, Facts, Model, ToolCalls};
pub use chain::{Asking, Chain, Event, GaveUp, Link, Next, Tried};
pub use delta::{Arguments, Delta, Stop};
pub use failure::{Class, Failure};
pub use key::Key;
pub use limits::Limits;
pub use local::{LocalServer, Place, find_local, first_model};
pub use name::{ModelName, NotAModel};
pub use remote::{Connections, Deltas, LanguageModel, Remote};
pub use request::{Request, Thinking, Tool};
pub use retry::Policy;
pub use usage::{Price, Usage, estimated_tokens};
pub use wire::{Dialect, Outgoing, Reading, outgoing};
