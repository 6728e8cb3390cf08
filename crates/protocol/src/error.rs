//! Error codes with their one table, and the `Problem` that a person or a client is shown.
//!
//! Each room has its own error enum; at the edge it becomes a `Problem`, which the command line prints,
//! `--json` serialises and the gateway puts on the wire. No other table of codes exists.

use std::fmt;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::no_answer::NoAnswer;

/// How the process ends. The numbers are part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ExitCode {
    /// Done.
    Done = 0,
    /// Failed for a reason that none of the others names.
    Failed = 1,
    /// Wrong usage, or a change that was not confirmed.
    Usage = 2,
    /// Denied by policy.
    Denied = 3,
    /// Not found, or more than one match.
    NotFound = 4,
    /// A file is malformed.
    Malformed = 5,
    /// Warnings, where `--strict` was asked for.
    Warnings = 6,
    /// The gateway cannot be reached.
    Unreachable = 7,
    /// Interrupted by Ctrl-C.
    Interrupted = 130,
}

/// The code of an error on the wire, as front ends know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RpcCode {
    /// The request cannot be carried out as it is.
    InvalidRequest,
    /// The caller may not do this.
    Forbidden,
    /// The gateway cannot do this now.
    Unavailable,
}

macro_rules! error_codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $exit:ident, $rpc:ident, $retry:literal, $hint:literal;)*) => {
        /// What went wrong, in one word that scripts may rely on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum ErrorCode { $($(#[$doc])* #[serde(rename = $text)] $name,)* }

        impl ErrorCode {
            /// Every code, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The word that scripts see.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $text,)* } }

            /// How the process ends.
            #[must_use]
            pub const fn exit(self) -> ExitCode { match self { $(Self::$name => ExitCode::$exit,)* } }

            /// The code on the wire.
            #[must_use]
            pub const fn rpc(self) -> RpcCode { match self { $(Self::$name => RpcCode::$rpc,)* } }

            /// Whether the same request may succeed later without a change.
            #[must_use]
            pub const fn retryable(self) -> bool { match self { $(Self::$name => $retry,)* } }

            /// The next step, where the error itself names none.
            #[must_use]
            pub const fn hint(self) -> &'static str { match self { $(Self::$name => $hint,)* } }
        }
    };
}

// The table. ARCHITECTURE.md shows the same rows; a test compares them.
error_codes! {
    /// Something failed that no other code names.
    Failed = "failed", Failed, Unavailable, false, "run the command again with -v to see what led to this";
    /// The command or the request is not well formed.
    Usage = "usage", Usage, InvalidRequest, false, "add --help to see how the command is used";
    /// A change was not confirmed.
    NotConfirmed = "not-confirmed", Usage, InvalidRequest, false, "answer yes at a terminal, or add --yes";
    /// Policy says no.
    Denied = "denied", Denied, Forbidden, false, "the reason names the policy; change it if this should be allowed";
    /// Nothing of that name.
    NotFound = "not-found", NotFound, InvalidRequest, false, "check the spelling; the matching list command shows what there is";
    /// More than one thing of that name.
    Ambiguous = "ambiguous", NotFound, InvalidRequest, false, "use the full name";
    /// A file is not what it has to be.
    Malformed = "malformed", Malformed, InvalidRequest, false, "nothing was changed; fix the file at the place shown";
    /// A file or a request is larger or deeper than allowed.
    TooLarge = "too-large", Malformed, InvalidRequest, false, "nothing was read past the limit; make the file smaller";
    /// The thing changed since it was read.
    Stale = "stale", Failed, InvalidRequest, true, "read it again and repeat the change";
    /// A file cannot be read or written.
    Io = "io", Failed, Unavailable, true, "check that the path exists and that this account may use it";
    /// This account may not use a file.
    Permission = "permission", Failed, Unavailable, false, "run as the owner of the file, or change its permissions";
    /// No space is left.
    DiskFull = "disk-full", Failed, Unavailable, true, "nothing was changed; free some space and repeat";
    /// Another process is in the way.
    Busy = "busy", Failed, Unavailable, true, "wait for the other process, or stop it";
    /// The audit chain does not hold.
    Tampered = "tampered", Failed, Unavailable, false, "`tarsus audit verify` names the first bad line; keep a copy of the folder before anything else";
    /// Warnings were found and --strict was asked for.
    Warnings = "warnings", Warnings, InvalidRequest, false, "each warning says how to resolve it";
    /// The gateway does not answer.
    Unreachable = "gateway-unreachable", Unreachable, Unavailable, true, "`tarsus up` starts it; `tarsus status` shows what is there";
    /// It took too long.
    TimedOut = "timed-out", Failed, Unavailable, true, "try again, or allow more time";
    /// Ctrl-C.
    Interrupted = "interrupted", Interrupted, Unavailable, true, "nothing more was done";
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where in a file something was found. Lines and columns count from 1; columns count characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// The file. A name that is not UTF-8 is shown with replacement characters.
    #[serde(serialize_with = "path_as_text")]
    pub path: PathBuf,
    /// Line, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in that line, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The line itself, for people.
    #[serde(skip)]
    pub excerpt: Option<Excerpt>,
}

/// One line of a file with what was expected at the column of its `Place`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The text of the line, cut to what a terminal can show.
    pub text: String,
    /// Characters of `text` before the column.
    pub offset: usize,
    /// What is wrong there.
    pub label: String,
}

fn path_as_text<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

impl Place {
    /// A whole file.
    #[must_use]
    pub fn file(path: impl AsRef<Path>) -> Self {
        Self { path: path.as_ref().to_path_buf(), line: None, column: None, excerpt: None }
    }
}

/// What a person or a client is told: what, where, why and what next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The one word.
    pub code: ErrorCode,
    /// What went wrong, in a sentence without a full stop.
    pub message: String,
    /// Where. Boxed, so that a result is not much larger for the failure that it may hold.
    pub place: Option<Box<Place>>,
    /// Why, and what follows: one line each.
    pub notes: Vec<String>,
    /// What to do next; the code's own hint stands in when this is empty.
    pub hint: Option<String>,
    /// The skill that it is about, as it was asked for.
    pub skill: Option<Box<str>>,
    /// Why a model gave no answer, where it is about that.
    pub no_answer: Option<NoAnswer>,
}

impl Problem {
    /// A problem with its code and sentence.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            place: None,
            notes: Vec::new(),
            hint: None,
            skill: None,
            no_answer: None,
        }
    }

    /// Says which skill it is about, as it was asked for.
    #[must_use]
    pub fn about_skill(mut self, name: &str) -> Self {
        self.skill = Some(name.into());
        self
    }

    /// Says why a model gave no answer.
    #[must_use]
    pub fn no_answer(mut self, why: NoAnswer) -> Self {
        self.no_answer = Some(why);
        self
    }

    /// Says where.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(Box::new(place));
        self
    }

    /// Adds a line that says why or what follows.
    #[must_use]
    pub fn note(mut self, line: impl Into<String>) -> Self {
        self.notes.push(line.into());
        self
    }

    /// Says what to do next.
    #[must_use]
    pub fn hint(mut self, line: impl Into<String>) -> Self {
        self.hint = Some(line.into());
        self
    }

    /// The next step: this problem's own, else its code's.
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
