//! `tarsus prompt …`.

use clap::{Subcommand, ValueEnum};

/// `tarsus prompt …`.
#[derive(Debug, Subcommand)]
pub enum Prompt {
    /// Print the prompt, and how large each part of it is (on standard error)
    #[command(
        after_help = "Examples:\n  tarsus prompt show\n  tarsus prompt show --mode minimal\n  tarsus prompt show --session agent:main:telegram:group:42\n  tarsus prompt show --json          the text and the sizes in one value"
    )]
    Show {
        /// The session that it is for, as in agent:main:main; it decides which files are told [default: the main one]
        #[arg(long, value_name = "KEY")]
        session: Option<String>,
        /// How much is said [default: what suits the session and the model]
        #[arg(long, value_enum)]
        mode: Option<PromptMode>,
    },
}

/// How much is said.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum PromptMode {
    /// All of it.
    Full,
    /// What a sub-agent or a small model needs.
    Minimal,
    /// One line.
    None,
}
