//! The shared data types: error codes, problems as people see them, messages, frames, methods, events and reports.
//!
//! Everything on the wire has serde and schemars implementations. Parsed frames are bounded in size and free of
//! contradictions. No input or output.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod approval;
pub mod apps;
pub mod apps_fault;
pub mod authorize;
pub mod backup;
pub mod capability;
pub mod connect;
pub mod diagnostic;
pub mod error;
pub mod event;
pub mod exec;
pub mod failure;
pub mod frame;
pub mod grants;
pub mod hello;
pub mod message;
pub mod models;
pub mod no_answer;
pub mod prompt;
pub mod report;
pub mod rpc;
pub mod scan;
pub mod schema;
pub mod scope;
pub mod shape;
pub mod skills;
pub mod skills_acts;
pub mod skills_check;
pub mod tool;

pub use diagnostic::DiagnosticCode;
pub use error::{ErrorCode, Excerpt, ExitCode, Problem, RpcCode, SourceLocation};
pub use failure::{CliError, CliFailure, ErrorShape};
pub use frame::{EventFrame, Frame, FrameError, Request, Response};
pub use message::{Block, Message, Role};
pub use no_answer::NoAnswer;

/// Placeholder for a secret in a shown configuration. In a write it means "keep the stored value".
pub const REDACTED: &str = "__OPENCLAW_REDACTED__";
