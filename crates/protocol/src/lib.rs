//! The wire and the words that every room shares: error codes, problems as people see them, messages,
//! frames and reports.
//!
//! Promises: everything on the wire serialises and describes itself (serde and schemars), and what is read
//! from it is bounded and free of contradictions.
//! Leaves to others: all input and output.
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
pub mod skills;
pub mod skills_acts;
pub mod skills_check;
pub mod text;

pub use diagnostic::DiagnosticCode;
pub use error::{ErrorCode, Excerpt, ExitCode, Place, Problem, RpcCode};
pub use failure::{CliError, CliFailure, ErrorShape};
pub use frame::{EventFrame, Frame, FrameError, Request, Response};
pub use message::{Block, Message, Role};
pub use no_answer::NoAnswer;

/// What stands in place of a secret wherever a configuration is shown; accepted back on a write,
/// where it means "keep what is stored".
pub const REDACTED: &str = "__OPENCLAW_REDACTED__";
