//! The command line: every command, flag, help text and example.

mod agent;
mod apps;
mod gateway;
mod models;
mod prompt;
mod sessions;
mod skills;

use std::path::PathBuf;

use clap::{ArgMatches, Args, CommandFactory, Parser, Subcommand, ValueEnum};

pub use agent::Agent;
pub use apps::{Apps, Consent, Values};
pub use gateway::{Call, Gateway, Listen, Logs, Up};
pub use models::Models;
pub use prompt::{Prompt, PromptMode};
pub use sessions::{Backup, Sessions};
pub use skills::{Scan, Skills};

use crate::environment::VARIABLES;
use crate::text::columns;

/// A personal agent on your own machine.
#[derive(Debug, Parser)]
#[command(
    name = "tarsus",
    version,
    propagate_version = false,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "Examples:\n  tarsus up                       start the gateway and the page\n  tarsus gateway start            the same in the background\n  tarsus status                   what is running, and its state\n  tarsus help config              how to read and change the configuration\n  tarsus docs                     the user guide"
)]
pub struct Arguments {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Returns the clap command, with the environment variables appended to the help.
pub fn command() -> clap::Command {
    let command = Arguments::command();
    let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let variables: Vec<_> =
        VARIABLES.iter().map(|&(name, purpose)| [format!("  {name}"), purpose.to_owned()]).collect();
    command.after_help(format!("{examples}\n\nEnvironment:\n{}", columns(&variables)))
}

/// The command without its arguments, such as `tarsus apps launch`.
pub fn command_line(matches: &ArgMatches) -> String {
    let mut name = "tarsus".to_owned();
    let mut step = matches.subcommand();
    while let Some((word, matches)) = step {
        name.push(' ');
        name.push_str(word);
        step = matches.subcommand();
    }
    name
}

/// Flags of all commands.
#[derive(Debug, Args)]
pub struct Global {
    /// Print one JSON value instead of text (errors too, on standard output)
    #[arg(long, global = true, display_order = 100)]
    pub json: bool,
    /// The agent to use [default: the default agent of the configuration]
    #[arg(long, global = true, value_name = "ID", display_order = 101)]
    pub agent: Option<String>,
    /// The state folder [default: OPENCLAW_STATE_DIR, else ~/.openclaw]
    #[arg(long, global = true, value_name = "DIR", display_order = 102)]
    pub state_dir: Option<PathBuf>,
    /// The configuration file [default: OPENCLAW_CONFIG_PATH, else openclaw.json in the state folder]
    #[arg(long, global = true, value_name = "FILE", display_order = 103)]
    pub config: Option<PathBuf>,
    /// Disable colours
    #[arg(long, global = true, display_order = 104)]
    pub no_color: bool,
    /// Print more details; repeat for more
    #[arg(short, long, global = true, action = clap::ArgAction::Count, display_order = 105)]
    pub verbose: u8,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start the gateway and Studio in this terminal, reachable from this machine only
    #[command(
        after_help = "Examples:\n  tarsus up\n  tarsus up --port 19000\n  tarsus up --demo                a scripted model, an app and example skills\n\nCtrl-C shuts down gracefully; a second Ctrl-C stops immediately."
    )]
    Up(Up),
    /// Run, start, stop and query the gateway
    #[command(
        subcommand,
        arg_required_else_help = true,
        after_help = "Examples:\n  tarsus gateway start            in the background\n  tarsus gateway status\n  tarsus gateway call health\n  tarsus gateway restart\n  tarsus gateway stop"
    )]
    Gateway(Gateway),
    /// Print the gateway's log, newest line last
    #[command(
        after_help = "Examples:\n  tarsus logs\n  tarsus logs --follow\n  tarsus logs -n 200 --level warn\n  tarsus logs --json              one JSON object per line, as stored"
    )]
    Logs(Logs),
    /// Show what is running and its state
    #[command(after_help = "Examples:\n  tarsus status\n  tarsus status --json")]
    Status,
    /// Find problems and show how to fix them
    #[command(
        after_help = "Examples:\n  tarsus doctor\n  tarsus doctor --strict                   exit code 6 if there are warnings\n  tarsus doctor --generate-gateway-token   if someone else may know the old one"
    )]
    Doctor {
        /// Create a new gateway token instead; the old one becomes invalid
        #[arg(long, conflicts_with = "strict")]
        generate_gateway_token: bool,
        /// Exit with code 6 if there are warnings
        #[arg(long)]
        strict: bool,
    },
    /// Manage the applications that agents may launch: the menu, and its steps as commands
    #[command(
        after_help = "Examples:\n  tarsus apps                         the menu\n  tarsus apps list\n  tarsus apps launch \"Last Z\"\n  tarsus apps stop \"Last Z\"\n  tarsus apps ask \"open last z\"\n  tarsus apps policy \"Last Z\" --mode off"
    )]
    Apps {
        /// The step [default: the menu]
        #[command(subcommand)]
        step: Option<Apps>,
    },
    /// List, check, install and scan the skills of agents
    #[command(
        after_help = "Examples:\n  tarsus skills                       the list\n  tarsus skills info video-frames     one skill and its requirements\n  tarsus skills check                 the state of all skills\n  tarsus skills validate my-skill     a skill that you are writing"
    )]
    Skills {
        /// The step [default: the list]
        #[command(subcommand)]
        step: Option<Skills>,
    },
    /// Send a message to an agent and print its answer
    #[command(
        after_help = "Examples:\n  tarsus agent --message \"open last z\"\n  tarsus agent -m \"what is in my notes?\" --stream\n  tarsus agent -m - --session-key work --json < question.txt\n\nUses a running gateway; without one, the command runs the agent itself."
    )]
    Agent(Agent),
    /// List, select and test language models
    #[command(
        after_help = "Examples:\n  tarsus models                       the state of the models\n  tarsus models list\n  tarsus models set anthropic/claude-sonnet-4-5\n  tarsus models test"
    )]
    Models {
        /// The step [default: the state]
        #[command(subcommand)]
        step: Option<Models>,
    },
    /// List, show, export and delete sessions
    #[command(
        after_help = "Examples:\n  tarsus sessions                     the list\n  tarsus sessions show main\n  tarsus sessions export main --out main.jsonl\n  tarsus sessions delete agent:main:cron:old"
    )]
    Sessions {
        /// The step [default: the list]
        #[command(subcommand)]
        step: Option<Sessions>,
    },
    /// Back up what cannot be recreated: sessions, settings, apps, memory
    #[command(
        after_help = "Examples:\n  tarsus backup\n  tarsus backup --to /media/usb\n\nWorks while Tarsus is running. `tarsus docs sessions` describes the contents and how to restore them."
    )]
    Backup(Backup),
    /// Show the system prompt
    #[command(
        subcommand,
        arg_required_else_help = true,
        after_help = "Examples:\n  tarsus prompt show\n  tarsus prompt show --mode minimal\n  tarsus prompt show --agent research --json"
    )]
    Prompt(Prompt),
    /// Read and change openclaw.json, keeping its comments and layout
    #[command(
        subcommand,
        arg_required_else_help = true,
        after_help = "Examples:\n  tarsus config get gateway.port\n  tarsus config set gateway.port 19000\n  tarsus config set agents.defaults.model.primary openai/gpt-5\n  tarsus config unset gateway.port\n  tarsus config validate"
    )]
    Config(Config),
    /// Read and verify the tamper-evident audit log
    #[command(
        subcommand,
        arg_required_else_help = true,
        after_help = "Examples:\n  tarsus audit tail\n  tarsus audit tail --category security --since 2h\n  tarsus audit verify\n  tarsus audit export > audit.jsonl\n  tarsus audit reset --reason \"restored a backup\""
    )]
    Audit(Audit),
    /// Explain a decision: show its audit record with all reasons
    #[command(
        after_help = "Examples:\n  tarsus audit tail --category security     each line starts with its record number\n  tarsus explain 1042"
    )]
    Explain {
        /// The number of the record
        id: u64,
    },
    /// Check the security of this set-up
    #[command(
        subcommand,
        arg_required_else_help = true,
        after_help = "Examples:\n  tarsus security audit\n  tarsus security audit --strict     exit code 6 if there are warnings"
    )]
    Security(Security),
    /// Print the user guide
    #[command(
        after_help = "Examples:\n  tarsus docs            the list of pages\n  tarsus docs config     one page"
    )]
    Docs {
        /// The page to print
        page: Option<String>,
    },
    /// Print the licences of Tarsus and its dependencies
    #[command(after_help = "Examples:\n  tarsus licenses\n  tarsus licenses --json")]
    Licenses,
    /// Print a completion script for your shell
    #[command(
        after_help = "Examples:\n  tarsus completion bash > ~/.local/share/bash-completion/completions/tarsus\n  tarsus completion zsh  > ~/.zfunc/_tarsus\n  tarsus completion fish > ~/.config/fish/completions/tarsus.fish"
    )]
    Completion {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page of a command
    #[command(after_help = "Examples:\n  tarsus man | man -l -\n  tarsus man config set | man -l -")]
    Man {
        /// The command, word by word
        command: Vec<String>,
    },
}

/// `tarsus security …`.
#[derive(Debug, Subcommand)]
pub enum Security {
    /// Find weaknesses of this set-up and show how to fix them
    #[command(
        after_help = "Examples:\n  tarsus security audit\n  tarsus security audit --json\n  tarsus security audit --strict     exit code 6 if there are warnings"
    )]
    Audit {
        /// Exit with code 6 if there are warnings
        #[arg(long)]
        strict: bool,
    },
}

/// `tarsus config …`.
#[derive(Debug, Subcommand)]
pub enum Config {
    /// Print the path of the configuration
    #[command(after_help = "Examples:\n  tarsus config path")]
    Path,
    /// Print a value or the whole configuration; secrets are hidden
    #[command(
        after_help = "Examples:\n  tarsus config get\n  tarsus config get agents.list[0].name\n  tarsus config get gateway --json"
    )]
    Get {
        /// The path: names joined by dots, list indexes in brackets
        key: Option<String>,
    },
    /// Change one value; the rest of the file stays unchanged, byte for byte
    #[command(
        after_help = "Examples:\n  tarsus config set gateway.port 19000\n  tarsus config set agents.list '[{ id: \"main\" }]'\n  tarsus config set --string skills.entries.notes.env.MODE 1\n\nA value that is valid JSON5 is used as such, anything else as a string."
    )]
    Set {
        /// The path
        key: String,
        /// The new value
        #[arg(allow_hyphen_values = true)]
        value: String,
        /// Use the value as a string, even if it is valid JSON5
        #[arg(long)]
        string: bool,
    },
    /// Remove one value, and sections that become empty
    #[command(after_help = "Examples:\n  tarsus config unset gateway.port")]
    Unset {
        /// The path
        key: String,
    },
    /// Check the configuration and show all errors with their positions
    #[command(
        after_help = "Examples:\n  tarsus config validate\n  tarsus config validate --strict     fail on unknown keys, too (exit code 6)"
    )]
    Validate {
        /// Exit with code 6 if there are warnings
        #[arg(long)]
        strict: bool,
    },
    /// Print the JSON Schema of the configuration
    #[command(after_help = "Examples:\n  tarsus config schema > openclaw.schema.json")]
    Schema,
}

/// `tarsus audit …`.
#[derive(Debug, Subcommand)]
pub enum Audit {
    /// Print the newest records
    #[command(
        after_help = "Examples:\n  tarsus audit tail\n  tarsus audit tail --category security --since 2026-11-01\n  tarsus audit tail -n 5 --json"
    )]
    Tail(AuditFilter),
    /// Verify that no record was edited, removed, reordered or cut off
    #[command(after_help = "Examples:\n  tarsus audit verify\n  tarsus audit verify --json")]
    Verify,
    /// Print all records as stored, one JSON object per line
    #[command(
        after_help = "Examples:\n  tarsus audit export > audit.jsonl\n  tarsus audit export --category security > security.jsonl\n\nKeep a copy elsewhere: it can prove later that the log was replaced as a whole."
    )]
    Export(AuditFilter),
    /// Start a new log after one was tampered with; the old files are kept
    #[command(
        after_help = "Examples:\n  tarsus audit verify                                what is wrong, and where\n  tarsus audit reset --reason \"restored a backup\"     asks first\n  tarsus audit reset --reason \"restored a backup\" --yes --json\n\nUntil then, nothing that has to be recorded is done; stopping, denying and revoking work. The first record of the new log tells of the reset. For you only, not for agents."
    )]
    Reset {
        /// Why; it is recorded
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        consent: Consent,
    },
}

/// Selects records.
#[derive(Debug, Args)]
pub struct AuditFilter {
    /// Only this category
    #[arg(long, value_enum)]
    pub category: Option<Category>,
    /// Only this severity and above
    #[arg(long, value_enum)]
    pub level: Option<Level>,
    /// Only since this time: 30m, 2h, 7d, a date or a timestamp
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// The newest N records [default: tail 20, export all]
    #[arg(short = 'n', long)]
    pub limit: Option<usize>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Category {
    /// Denied, requested, granted, launched.
    Security,
    /// The owner's use of the program.
    Operation,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Level {
    /// All records.
    Info,
    /// Warnings and above.
    Warning,
    /// Only critical records.
    Critical,
}
