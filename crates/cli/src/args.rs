//! The command line: every command, flag, help text and example.

mod agent;
mod apps;
mod gateway;
mod models;
mod prompt;
mod sessions;
mod skills;

use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

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
    after_help = "Examples:\n  tarsus up                       start the gateway and the page\n  tarsus gateway start            the same in the background\n  tarsus status                   what is running, and whether it is well\n  tarsus help config              how to read and change the configuration\n  tarsus docs                     the user guide"
)]
pub struct Arguments {
    /// What holds for every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
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

/// Flags that every command takes.
#[derive(Debug, Args)]
pub struct Global {
    /// Print one JSON value instead of text (errors too, on standard output)
    #[arg(long, global = true, display_order = 100)]
    pub json: bool,
    /// The agent this is about [default: the configuration's default agent]
    #[arg(long, global = true, value_name = "ID", display_order = 101)]
    pub agent: Option<String>,
    /// The state folder [default: OPENCLAW_STATE_DIR, else ~/.openclaw]
    #[arg(long, global = true, value_name = "DIR", display_order = 102)]
    pub state_dir: Option<PathBuf>,
    /// The configuration file [default: OPENCLAW_CONFIG_PATH, else openclaw.json in the state folder]
    #[arg(long, global = true, value_name = "FILE", display_order = 103)]
    pub config: Option<PathBuf>,
    /// No colours, whatever the terminal can do
    #[arg(long, global = true, display_order = 104)]
    pub no_color: bool,
    /// Say more; twice for everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count, display_order = 105)]
    pub verbose: u8,
}

/// Everything that `tarsus` does.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start Tarsus in this terminal: the gateway and the page, on this machine only
    #[command(
        after_help = "Examples:\n  tarsus up\n  tarsus up --port 19000\n  tarsus up --demo                a scripted model, an app and skills to look at\n\nCtrl-C stops it in order; a second Ctrl-C stops it at once."
    )]
    Up(Up),
    /// The gateway: run, start, stop, look at and ask it
    #[command(
        subcommand,
        arg_required_else_help = true,
        after_help = "Examples:\n  tarsus gateway start            in the background\n  tarsus gateway status\n  tarsus gateway call health\n  tarsus gateway restart\n  tarsus gateway stop"
    )]
    Gateway(Gateway),
    /// What the gateway wrote into its log, newest last
    #[command(
        after_help = "Examples:\n  tarsus logs\n  tarsus logs --follow\n  tarsus logs -n 200 --level warn\n  tarsus logs --json              one JSON object a line, as it is stored"
    )]
    Logs(Logs),
    /// What is running, and whether it is well
    #[command(after_help = "Examples:\n  tarsus status\n  tarsus status --json")]
    Status,
    /// Look for what is wrong, and say how to put it right
    #[command(
        after_help = "Examples:\n  tarsus doctor\n  tarsus doctor --strict                   exit code 6 when there is a warning\n  tarsus doctor --generate-gateway-token   when the old one may be known to others"
    )]
    Doctor {
        /// Make a new token for the gateway instead; the old one opens it no more
        #[arg(long, conflicts_with = "strict")]
        generate_gateway_token: bool,
        /// Exit with 6 when there are warnings
        #[arg(long)]
        strict: bool,
    },
    /// The applications that agents may launch: the menu, and every step of it as a command
    #[command(
        after_help = "Examples:\n  tarsus apps                         the menu\n  tarsus apps list\n  tarsus apps launch \"Last Z\"\n  tarsus apps stop \"Last Z\"\n  tarsus apps ask \"open last z\"\n  tarsus apps policy \"Last Z\" --mode off"
    )]
    Apps {
        /// The step; without one, the menu
        #[command(subcommand)]
        step: Option<Apps>,
    },
    /// What agents know how to do: what is ready, what is missing, and what the model is told
    #[command(
        after_help = "Examples:\n  tarsus skills                       the list\n  tarsus skills info video-frames     one skill, and what it needs\n  tarsus skills check                 how all of them stand\n  tarsus skills validate my-skill     a skill that you write"
    )]
    Skills {
        /// The step; without one, the list
        #[command(subcommand)]
        step: Option<Skills>,
    },
    /// Say something to an agent, and print what it answers
    #[command(
        after_help = "Examples:\n  tarsus agent --message \"open last z\"\n  tarsus agent -m \"what is in my notes?\" --stream\n  tarsus agent -m - --session-key work --json < question.txt\n\nA running gateway answers; without one the command does it all by itself."
    )]
    Agent(Agent),
    /// Language models: which there are, which one is used, and whether it answers
    #[command(
        after_help = "Examples:\n  tarsus models                       how they stand\n  tarsus models list\n  tarsus models set anthropic/claude-sonnet-4-5\n  tarsus models test"
    )]
    Models {
        /// The step; without one, how they stand
        #[command(subcommand)]
        step: Option<Models>,
    },
    /// What was said to agents and by them: listed, shown, exported, deleted
    #[command(
        after_help = "Examples:\n  tarsus sessions                     the list\n  tarsus sessions show main\n  tarsus sessions export main --out main.jsonl\n  tarsus sessions delete agent:main:cron:old"
    )]
    Sessions {
        /// The step; without one, the list
        #[command(subcommand)]
        step: Option<Sessions>,
    },
    /// Copy what cannot be made again: sessions, settings, apps, memory
    #[command(
        after_help = "Examples:\n  tarsus backup\n  tarsus backup --to /media/usb\n\nWorks while everything runs. `tarsus docs sessions` says what is in it and how to put it back."
    )]
    Backup(Backup),
    /// What a model is told before a conversation begins
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
    /// The tamper-evident record of what was decided and done
    #[command(
        subcommand,
        arg_required_else_help = true,
        after_help = "Examples:\n  tarsus audit tail\n  tarsus audit tail --category security --since 2h\n  tarsus audit verify\n  tarsus audit export > audit.jsonl"
    )]
    Audit(Audit),
    /// Why something was decided: a record of the audit chain with every reason that led to it
    #[command(
        after_help = "Examples:\n  tarsus audit tail --category security     the number of each record stands in front\n  tarsus explain 1042"
    )]
    Explain {
        /// The number of the record
        id: u64,
    },
    /// How safe this set-up is
    #[command(
        subcommand,
        arg_required_else_help = true,
        after_help = "Examples:\n  tarsus security audit\n  tarsus security audit --strict     exit code 6 when there is a warning"
    )]
    Security(Security),
    /// The user guide, page by page
    #[command(
        after_help = "Examples:\n  tarsus docs            the list of pages\n  tarsus docs config     one page"
    )]
    Docs {
        /// The page to print
        page: Option<String>,
    },
    /// The licences of Tarsus and of everything built into it
    #[command(after_help = "Examples:\n  tarsus licenses\n  tarsus licenses --json")]
    Licenses,
    /// A completion script for your shell
    #[command(
        after_help = "Examples:\n  tarsus completion bash > ~/.local/share/bash-completion/completions/tarsus\n  tarsus completion zsh  > ~/.zfunc/_tarsus\n  tarsus completion fish > ~/.config/fish/completions/tarsus.fish"
    )]
    Completion {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// The manual page of a command
    #[command(after_help = "Examples:\n  tarsus man | man -l -\n  tarsus man config set | man -l -")]
    Man {
        /// The command, word by word
        command: Vec<String>,
    },
}

/// `tarsus security …`.
#[derive(Debug, Subcommand)]
pub enum Security {
    /// Look for what makes this set-up less safe than it could be, and say how to put it right
    #[command(
        after_help = "Examples:\n  tarsus security audit\n  tarsus security audit --json\n  tarsus security audit --strict     exit code 6 when there is a warning"
    )]
    Audit {
        /// Exit with 6 when there are warnings
        #[arg(long)]
        strict: bool,
    },
}

/// `tarsus config …`.
#[derive(Debug, Subcommand)]
pub enum Config {
    /// Where the configuration is
    #[command(after_help = "Examples:\n  tarsus config path")]
    Path,
    /// Print a value, or the whole configuration; secrets stay hidden
    #[command(
        after_help = "Examples:\n  tarsus config get\n  tarsus config get agents.list[0].name\n  tarsus config get gateway --json"
    )]
    Get {
        /// Where: names joined by dots, list places in brackets
        key: Option<String>,
    },
    /// Change one value; the rest of the file stays as it is, byte for byte
    #[command(
        after_help = "Examples:\n  tarsus config set gateway.port 19000\n  tarsus config set agents.list '[{ id: \"main\" }]'\n  tarsus config set --string skills.entries.notes.env.MODE 1\n\nA value that is JSON5 is taken as such, anything else as text."
    )]
    Set {
        /// Where
        key: String,
        /// The new value
        #[arg(allow_hyphen_values = true)]
        value: String,
        /// Take the value as text, whatever it looks like
        #[arg(long)]
        string: bool,
    },
    /// Remove one value, and the sections that this leaves empty
    #[command(after_help = "Examples:\n  tarsus config unset gateway.port")]
    Unset {
        /// Where
        key: String,
    },
    /// Check the configuration and show every mistake with its place
    #[command(
        after_help = "Examples:\n  tarsus config validate\n  tarsus config validate --strict     unknown keys count too (exit code 6)"
    )]
    Validate {
        /// Exit with 6 when there are warnings
        #[arg(long)]
        strict: bool,
    },
    /// The JSON Schema of what Tarsus reads
    #[command(after_help = "Examples:\n  tarsus config schema > openclaw.schema.json")]
    Schema,
}

/// `tarsus audit …`.
#[derive(Debug, Subcommand)]
pub enum Audit {
    /// The newest records
    #[command(
        after_help = "Examples:\n  tarsus audit tail\n  tarsus audit tail --category security --since 2026-11-01\n  tarsus audit tail -n 5 --json"
    )]
    Tail(AuditFilter),
    /// Check that nothing was edited, removed, reordered or cut off
    #[command(after_help = "Examples:\n  tarsus audit verify\n  tarsus audit verify --json")]
    Verify,
    /// Print all records as they are stored, one JSON object a line
    #[command(
        after_help = "Examples:\n  tarsus audit export > audit.jsonl\n  tarsus audit export --category security > security.jsonl\n\nKeep a copy elsewhere: it shows later whether the record here was replaced as a whole."
    )]
    Export(AuditFilter),
}

/// Which records.
#[derive(Debug, Args)]
pub struct AuditFilter {
    /// Only this category
    #[arg(long, value_enum)]
    pub category: Option<Category>,
    /// Only this severity and above
    #[arg(long, value_enum)]
    pub level: Option<Level>,
    /// Only since then: 30m, 2h, 7d, a date or a time stamp
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// At most this many, the newest [default: tail 20, export all]
    #[arg(short = 'n', long)]
    pub limit: Option<usize>,
}

/// What kind of record.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Category {
    /// What was refused, asked, granted, launched.
    Security,
    /// What the owner did with the program.
    Operation,
}

/// How much a record matters.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Level {
    /// Everything.
    Info,
    /// Warnings and above.
    Warning,
    /// Only what is critical.
    Critical,
}
