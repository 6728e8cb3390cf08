//! Language-model providers: a request in, a stream of deltas out, in every provider's wire format.
//!
//! The deltas do not depend on how the network split the response. Everything that a server sends is bounded in
//! size, number and time. Every error has a class, and no error message contains a key.
//!
//! ```
//! use tarsus_models::{ModelCatalog, Delta, ModelLimits, ModelRequest, ResponseDecoder, StopReason};
//!
//! let model = ModelCatalog::default().model(&"groq/llama-3.3-70b-versatile".parse()?)?;
//! let request = ModelRequest { system: "Be brief.".into(), ..ModelRequest::default() };
//! let mut decoder = ResponseDecoder::new(&model, &request, &ModelLimits::DEFAULT);
//! let mut deltas = Vec::new();
//! decoder.push(b"data: {\"choices\":[{\"delta\":{\"content\":\"Hel", &mut deltas)?;
//! decoder.push(b"lo\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", &mut deltas)?;
//! decoder.finish(&mut deltas)?;
//! assert_eq!(deltas, [Delta::Text("Hello".into()), Delta::Stop(StopReason::EndTurn)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod budget;
mod catalog;
mod chain;
mod classify;
mod delta;
mod error;
mod key;
mod limits;
mod local;
mod name;
mod remote;
pub mod report;
mod request;
mod response;
mod retry;
mod sse;
mod text_calls;
mod usage;
mod wire;

pub use budget::{Budget, BudgetExceeded, BudgetUsage};
pub use catalog::{BUILT_IN_PROVIDERS, BuiltInProvider, Model, ModelCatalog, ModelInfo, ToolCallMode};
pub use chain::{ChainError, ChainEvent, ChainEvents, ChainLink, FailedAttempt, ModelChain, RetryDecision};
pub use delta::{Delta, StopReason, ToolArguments};
pub use error::ModelError;
pub use key::KeySource;
pub use limits::ModelLimits;
pub use local::{LocalEndpoint, LocalServer, find_local_servers, suggest_model};
pub use name::{InvalidModelName, ModelName};
pub use remote::{DeltaStream, LanguageModel, ModelConnections, RemoteModel};
pub use request::{ModelRequest, ToolSpec};
pub use response::ModelResponse;
pub use retry::RetryPolicy;
pub use usage::{Price, Usage, estimate_tokens};
pub use wire::{Dialect, ResponseDecoder, WireRequest, encode_request};
