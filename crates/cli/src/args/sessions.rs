//! `tarsus sessions …` and `tarsus backup`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Consent;

/// `tarsus sessions …`; without a word more, the list.
#[derive(Debug, Subcommand)]
pub enum Sessions {
    /// The sessions, the one that was written to last first; with --agent, those of one agent
    #[command(
        after_help = "Examples:\n  tarsus sessions list\n  tarsus sessions list --agent ops --limit 10\n  tarsus sessions list --json"
    )]
    List {
        /// At most this many
        #[arg(short = 'n', long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
        limit: u16,
    },
    /// The last items of a session
    #[command(
        after_help = "Examples:\n  tarsus sessions show main\n  tarsus sessions show agent:ops:cron:nightly --limit 100\n  tarsus sessions show main --json"
    )]
    Show {
        /// Its key, or the name of one of the agent's sessions
        key: String,
        /// At most this many
        #[arg(short = 'n', long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
        limit: u16,
    },
    /// Everything that was ever said in a session, one JSON object a line
    #[command(
        after_help = "Examples:\n  tarsus sessions export main > main.jsonl\n  tarsus sessions export main --out main.jsonl\n  tarsus sessions export main --out main.jsonl --force"
    )]
    Export {
        /// Its key, or the name of one of the agent's sessions
        key: String,
        /// The file to write; it is there whole or not at all [default: standard output]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Replace the file if it is there
        #[arg(long, requires = "out")]
        force: bool,
    },
    /// Delete a session with all its transcripts; what it has cost stays counted
    #[command(
        after_help = "Examples:\n  tarsus sessions delete agent:main:cron:old\n  tarsus sessions delete main --yes"
    )]
    Delete {
        /// Its key, or the name of one of the agent's sessions
        key: String,
        /// The answer to the question whether to delete it
        #[command(flatten)]
        consent: Consent,
    },
}

/// `tarsus backup`.
#[derive(Debug, Args)]
pub struct Backup {
    /// The folder in which a new one is made for this backup [default: tarsus/backups in the state folder]
    #[arg(long, value_name = "FOLDER")]
    pub to: Option<PathBuf>,
}
