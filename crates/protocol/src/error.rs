//! Error codes with their one table, and the `Problem` that people and clients see.
//!
//! Each crate has its own error enum; at the edge it becomes a `Problem`, which the command line prints, `--json`
//! serialises and the gateway sends. There is no other table of codes.

use std::fmt;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::no_answer::NoAnswer;

/// Exit code of the process. The numbers are part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ExitCode {
    /// The command succeeded.
    Done = 0,
    /// Failure without a more specific code.
    Failed = 1,
    /// Wrong usage, or an unconfirmed change.
    Usage = 2,
    /// Denied by policy.
    Denied = 3,
    /// Not found, or more than one match.
    NotFound = 4,
    /// A file is malformed.
    Malformed = 5,
    /// Warnings with `--strict`.
    Warnings = 6,
    /// The gateway cannot be reached.
    Unreachable = 7,
    /// Interrupted by Ctrl-C.
    Interrupted = 130,
}

/// Class of an error on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RpcCode {
    /// The request is not valid.
    InvalidRequest,
    /// The caller may not do this.
    Forbidden,
    /// The gateway cannot do this at the moment.
    Unavailable,
}

macro_rules! error_codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $exit:ident, $rpc:ident, $retry:literal, $hint:literal;)*) => {
        /// Code of an error; scripts may rely on it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum ErrorCode { $($(#[$doc])* #[serde(rename = $text)] $name,)* }

        impl ErrorCode {
            /// Every code, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The code in JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $text,)* } }

            /// The exit code.
            #[must_use]
            pub const fn exit(self) -> ExitCode { match self { $(Self::$name => ExitCode::$exit,)* } }

            /// The code on the wire.
            #[must_use]
            pub const fn rpc(self) -> RpcCode { match self { $(Self::$name => RpcCode::$rpc,)* } }

            /// Whether the same request may succeed later without a change.
            #[must_use]
            pub const fn retryable(self) -> bool { match self { $(Self::$name => $retry,)* } }

            /// The next step, unless the error names one.
            #[must_use]
            pub const fn hint(self) -> &'static str { match self { $(Self::$name => $hint,)* } }
        }
    };
}

// The table. docs/dev/tables.md shows the same rows; a test compares them.
error_codes! {
    /// Failure without a more specific code.
    Failed = "failed", Failed, Unavailable, false, "run the command again with -v to see what led to this";
    /// The command or the request is malformed.
    Usage = "usage", Usage, InvalidRequest, false, "add --help to see how the command is used";
    /// A change was not confirmed.
    NotConfirmed = "not-confirmed", Usage, InvalidRequest, false, "answer yes at a terminal, or add --yes";
    /// Denied by policy.
    Denied = "denied", Denied, Forbidden, false, "the reason names the policy; change it if this should be allowed";
    /// No such thing.
    NotFound = "not-found", NotFound, InvalidRequest, false, "check the spelling; the matching list command shows what there is";
    /// The name is ambiguous.
    Ambiguous = "ambiguous", NotFound, InvalidRequest, false, "use the full name";
    /// A file is malformed.
    Malformed = "malformed", Malformed, InvalidRequest, false, "nothing was changed; fix the file at the place shown";
    /// A file or a request is larger or deeper than allowed.
    TooLarge = "too-large", Malformed, InvalidRequest, false, "nothing was read past the limit; make the file smaller";
    /// It changed since it was read.
    Stale = "stale", Failed, InvalidRequest, true, "read it again and repeat the change";
    /// A file cannot be read or written.
    Io = "io", Failed, Unavailable, true, "check that the path exists and that this account may use it";
    /// File permissions deny access.
    Permission = "permission", Failed, Unavailable, false, "run as the owner of the file, or change its permissions";
    /// The disk is full.
    DiskFull = "disk-full", Failed, Unavailable, true, "nothing was changed; free some space and repeat";
    /// Another process holds a lock.
    Busy = "busy", Failed, Unavailable, true, "wait for the other process, or stop it";
    /// The audit log is not valid.
    Tampered = "tampered", Failed, Unavailable, false, "`tarsus audit verify` shows the first bad line; keep a copy of the folder before anything else";
    /// Warnings with `--strict`.
    Warnings = "warnings", Warnings, InvalidRequest, false, "each warning says how to resolve it";
    /// The gateway does not respond.
    Unreachable = "gateway-unreachable", Unreachable, Unavailable, true, "`tarsus up` starts it; `tarsus status` shows what is there";
    /// It timed out.
    TimedOut = "timed-out", Failed, Unavailable, true, "try again, or allow more time";
    /// Interrupted by Ctrl-C.
    Interrupted = "interrupted", Interrupted, Unavailable, true, "nothing more was done";
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A position in a file. Lines and columns count from 1; columns count characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceLocation {
    /// The file. A name that is not UTF-8 is shown with replacement characters.
    #[serde(serialize_with = "path_as_text")]
    pub path: PathBuf,
    /// Line, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in that line, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The line itself, for people.
    #[serde(skip)]
    pub excerpt: Option<Excerpt>,
}

/// The line at a [`SourceLocation`], with a label for its column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The text of the line, cut to what a terminal can show.
    pub text: String,
    /// Characters of `text` before the column.
    pub offset: usize,
    /// The error at that column.
    pub label: String,
}

fn path_as_text<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

impl SourceLocation {
    /// A whole file.
    #[must_use]
    pub fn file(path: impl AsRef<Path>) -> Self {
        Self { path: path.as_ref().to_path_buf(), line: None, column: None, excerpt: None }
    }
}

/// An error as people and clients see it: what, where, why and what next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The code.
    pub code: ErrorCode,
    /// A sentence without a full stop.
    pub message: String,
    /// The location. Boxed to keep results small.
    pub location: Option<Box<SourceLocation>>,
    /// Causes and consequences, one line each.
    pub notes: Vec<String>,
    /// The next step; by default the hint of the code.
    pub hint: Option<String>,
    /// The skill concerned, as the user named it.
    pub skill: Option<Box<str>>,
    /// Reason why a model gave no answer, if that is the problem.
    pub no_answer: Option<NoAnswer>,
}

impl Problem {
    /// A problem with a code and a sentence.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            location: None,
            notes: Vec::new(),
            hint: None,
            skill: None,
            no_answer: None,
        }
    }

    /// Sets the skill concerned.
    #[must_use]
    pub fn about_skill(mut self, name: &str) -> Self {
        self.skill = Some(name.into());
        self
    }

    /// Sets the reason why a model gave no answer.
    #[must_use]
    pub fn no_answer(mut self, why: NoAnswer) -> Self {
        self.no_answer = Some(why);
        self
    }

    /// Sets the location.
    #[must_use]
    pub fn at(mut self, location: SourceLocation) -> Self {
        self.location = Some(Box::new(location));
        self
    }

    /// Adds a cause or a consequence.
    #[must_use]
    pub fn note(mut self, line: impl Into<String>) -> Self {
        self.notes.push(line.into());
        self
    }

    /// Sets the next step.
    #[must_use]
    pub fn hint(mut self, line: impl Into<String>) -> Self {
        self.hint = Some(line.into());
        self
    }

    /// The next step: the problem's own, else the code's.
    #[must_use]
    pub fn next_step(&self) -> &str {
        self.hint.as_deref().unwrap_or_else(|| self.code.hint())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}
