//! `tarsus skills …`.

use std::path::PathBuf;

use clap::Subcommand;

/// `tarsus skills …`; without a word more, the list.
#[derive(Debug, Subcommand)]
pub enum Skills {
    /// Every skill: whether it is ready, and where it comes from
    #[command(
        after_help = "Examples:\n  tarsus skills list\n  tarsus skills list --eligible\n  tarsus skills list -v          what is missing, and what was shadowed or skipped\n  tarsus skills list --json"
    )]
    List {
        /// Only those that are ready
        #[arg(long)]
        eligible: bool,
    },
    /// One skill: where it is, what it needs, and how to get that
    #[command(after_help = "Examples:\n  tarsus skills info weather\n  tarsus skills info weather --json")]
    Info {
        /// Its name or key
        name: String,
    },
    /// How many skills are ready, what the others miss, and what was left out of the prompt
    #[command(after_help = "Examples:\n  tarsus skills check\n  tarsus skills check --json")]
    Check,
    /// Check SKILL.md files or folders of them, wherever they are
    #[command(
        after_help = "Examples:\n  tarsus skills validate my-skill\n  tarsus skills validate --strict my-skill     by the rules of the AgentSkills reference\n  tarsus skills validate --json skills/*       one JSON object a line"
    )]
    Validate {
        /// Judge by the rules of the AgentSkills reference instead
        #[arg(long)]
        strict: bool,
        /// A SKILL.md, or a folder that holds one or several
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// Switch a skill on, for every agent
    #[command(after_help = "Examples:\n  tarsus skills enable weather")]
    Enable {
        /// Its name or key
        name: String,
    },
    /// Switch a skill off, for every agent
    #[command(after_help = "Examples:\n  tarsus skills disable weather")]
    Disable {
        /// Its name or key
        name: String,
    },
    /// Read all skills again, and say what changed since the last time
    #[command(after_help = "Examples:\n  tarsus skills refresh\n  tarsus skills refresh --json")]
    Refresh,
    /// What the model is told about the skills of an agent
    #[command(after_help = "Examples:\n  tarsus skills prompt\n  tarsus skills prompt --agent work")]
    Prompt,
    /// Print what changes among the skills, until Ctrl-C
    #[command(
        after_help = "Examples:\n  tarsus skills watch\n  tarsus skills watch --json     one JSON object a line"
    )]
    Watch,
}
