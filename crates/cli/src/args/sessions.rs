//! `tarsus sessions …` and `tarsus backup`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Consent;

#[derive(Debug, Subcommand)]
pub enum Sessions {
    /// List sessions, most recently updated first; with --agent, those of one agent
    #[command(
        after_help = "Examples:\n  tarsus sessions list\n  tarsus sessions list --agent ops --limit 10\n  tarsus sessions list --json"
    )]
    List {
        /// The maximum number
        #[arg(short = 'n', long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
        limit: u16,
    },
    /// Show the last items of a session
    #[command(
        after_help = "Examples:\n  tarsus sessions show main\n  tarsus sessions show agent:ops:cron:nightly --limit 100\n  tarsus sessions show main --json"
    )]
    Show {
        /// The session key, or the name of one of the agent's sessions
        key: String,
        /// The maximum number
        #[arg(short = 'n', long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
        limit: u16,
    },
    /// Export all transcripts of a session, one JSON object per line
    #[command(
        after_help = "Examples:\n  tarsus sessions export main > main.jsonl\n  tarsus sessions export main --out main.jsonl\n  tarsus sessions export main --out main.jsonl --force"
    )]
    Export {
        /// The session key, or the name of one of the agent's sessions
        key: String,
        /// The file to write; never left incomplete [default: standard output]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Replace an existing file
        #[arg(long, requires = "out")]
        force: bool,
    },
    /// List the turns that changed files, with the files of each; with --run and --diff, the changed lines
    #[command(
        after_help = "Examples:\n  tarsus sessions changes\n  tarsus sessions changes main --limit 3\n  tarsus sessions changes main --run 3f0c… --diff\n  tarsus sessions changes --json"
    )]
    Changes {
        /// The session key, or the name of one of the agent's sessions
        #[arg(default_value = "main")]
        key: String,
        /// Only this turn
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
        /// Show the changed lines
        #[arg(long)]
        diff: bool,
        /// The maximum number of turns
        #[arg(short = 'n', long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=200))]
        limit: u16,
    },
    /// Put back the files that a turn changed; by default the last one that changed any
    #[command(
        after_help = "Examples:\n  tarsus sessions undo --dry-run\n  tarsus sessions undo\n  tarsus sessions undo main --run 3f0c… --yes\n\nA file that changed since the turn is left as it is, and named."
    )]
    Undo {
        /// The session key, or the name of one of the agent's sessions
        #[arg(default_value = "main")]
        key: String,
        /// The turn, as `tarsus sessions changes` names it
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
        /// Show what would happen, and change nothing
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        consent: Consent,
    },
    /// Delete a session with all its transcripts; its cost stays in the statistics
    #[command(
        after_help = "Examples:\n  tarsus sessions delete agent:main:cron:old\n  tarsus sessions delete main --yes"
    )]
    Delete {
        /// The session key, or the name of one of the agent's sessions
        key: String,
        #[command(flatten)]
        consent: Consent,
    },
}

/// `tarsus backup`.
#[derive(Debug, Args)]
pub struct Backup {
    /// The folder in which the backup's own folder is created [default: tarsus/backups in the state folder]
    #[arg(long, value_name = "FOLDER")]
    pub to: Option<PathBuf>,
}
