//! `tarsus prompt …`.

use clap::{Subcommand, ValueEnum};

/// `tarsus prompt …`.
#[derive(Debug, Subcommand)]
pub enum Prompt {
    /// Print the system prompt, and the size of its sections on standard error
    #[command(
        after_help = "Examples:\n  tarsus prompt show\n  tarsus prompt show --mode minimal\n  tarsus prompt show --session agent:main:telegram:group:42\n  tarsus prompt show --json          text and sizes in one value"
    )]
    Show {
        /// The session, such as agent:main:main; it determines the included files [default: the main session]
        #[arg(long, value_name = "KEY")]
        session: Option<String>,
        /// The length of the prompt [default: chosen for the session and the model]
        #[arg(long, value_enum)]
        mode: Option<PromptMode>,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum PromptMode {
    /// All sections.
    Full,
    /// The sections for sub-agents and small models.
    Minimal,
    /// One line.
    None,
}
