//! `tarsus apps …`.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use tarsus_apps::AppMode;

/// `tarsus apps …`; without a subcommand, the menu.
#[derive(Debug, Subcommand)]
pub enum Apps {
    /// List registered apps, their launch policies and whether they are running
    #[command(after_help = "Examples:\n  tarsus apps list\n  tarsus apps list --json")]
    List,
    /// Show everything stored about one app
    #[command(after_help = "Examples:\n  tarsus apps show \"Last Z\"")]
    Show {
        /// The app
        name: String,
    },
    /// Show which apps are running, with their process ids
    #[command(after_help = "Examples:\n  tarsus apps status\n  tarsus apps status \"Last Z\" --json")]
    Status {
        /// The app [default: all of them]
        name: Option<String>,
    },
    /// Check the registry and show every error; repairs nothing
    #[command(after_help = "Examples:\n  tarsus apps validate\n  tarsus apps validate --json")]
    Validate,
    /// Create an empty registry
    #[command(after_help = "Examples:\n  tarsus apps create")]
    Create,
    /// Register an app
    #[command(
        after_help = "Examples:\n  tarsus apps add --name Editor --launch-path /usr/bin/gedit --process-name gedit --mode full\n  tarsus apps add --name \"Last Z\" --launch-path 'C:\\Games\\Last Z.lnk' --mode allowlist --allow main --yes"
    )]
    Add {
        /// The name that people and agents use for it
        #[arg(long)]
        name: String,
        /// Its values
        #[command(flatten)]
        values: Values,
        /// Confirmation of the change
        #[command(flatten)]
        consent: Consent,
    },
    /// Change stored values of an app; other values are kept
    #[command(
        after_help = "Examples:\n  tarsus apps edit Editor --process-name gedit\n  tarsus apps edit Editor --clear-runtime-exe --yes"
    )]
    Edit {
        /// The app
        name: String,
        /// The new values
        #[command(flatten)]
        values: Values,
        /// Remove the stored executable
        #[arg(long, conflicts_with = "runtime_exe")]
        clear_runtime_exe: bool,
        /// Remove the stored process name
        #[arg(long, conflicts_with = "process_name")]
        clear_process_name: bool,
        /// Confirmation of the change
        #[command(flatten)]
        consent: Consent,
    },
    /// Delete an app from the registry
    #[command(after_help = "Examples:\n  tarsus apps delete Editor\n  tarsus apps delete Editor --yes")]
    Delete {
        /// The app
        name: String,
        /// Confirmation of the change
        #[command(flatten)]
        consent: Consent,
    },
    /// Change who may launch an app
    #[command(
        after_help = "Examples:\n  tarsus apps policy \"Last Z\" --mode off\n  tarsus apps policy \"Last Z\" --mode allowlist --allow main --allow writer --yes"
    )]
    Policy {
        /// The app
        name: String,
        /// Who may launch it
        #[arg(long, value_parser = mode())]
        mode: AppMode,
        /// An agent on the allowlist; separate several with commas, or repeat the flag
        #[arg(long, value_name = "AGENT", value_delimiter = ',')]
        allow: Vec<String>,
        /// Confirmation of the change
        #[command(flatten)]
        consent: Consent,
    },
    /// Launch an app, if its launch policy allows it
    #[command(
        after_help = "Examples:\n  tarsus apps launch \"Last Z\"\n  tarsus apps launch \"Last Z\" --agent system_engineer --json"
    )]
    Launch {
        /// The app
        name: String,
    },
    /// Stop an app: ask it to close, and kill it if it does not
    #[command(
        after_help = "Examples:\n  tarsus apps stop \"Last Z\"\n  tarsus apps stop \"Last Z\" --yes     also when its mode is off"
    )]
    Stop {
        /// The app
        name: String,
        /// Confirmation for an app in mode off
        #[command(flatten)]
        consent: Consent,
    },
    /// Answer one request in plain language, as the chat would
    #[command(after_help = "Examples:\n  tarsus apps ask \"open last z\"\n  tarsus apps ask 打开微信")]
    Ask {
        /// The request
        request: String,
    },
}

impl Apps {
    /// Whether it only stops something or takes a right away.
    pub fn takes_away(&self) -> bool {
        match self {
            Self::Stop { .. } | Self::Delete { .. } => true,
            Self::Policy { mode, .. } => *mode == AppMode::Off,
            _ => false,
        }
    }
}

/// Stored values of an app.
#[derive(Debug, Args)]
pub struct Values {
    /// What to launch: a program, shortcut, bundle or .desktop file
    #[arg(long, value_name = "PATH")]
    pub launch_path: Option<String>,
    /// Full path of the executable that runs after the launch
    #[arg(long, value_name = "PATH")]
    pub runtime_exe: Option<String>,
    /// Name of its process
    #[arg(long, value_name = "NAME")]
    pub process_name: Option<String>,
    /// Who may launch it
    #[arg(long, value_parser = mode())]
    pub mode: Option<AppMode>,
    /// An agent on the allowlist; separate several with commas, or repeat the flag
    #[arg(long, value_name = "AGENT", value_delimiter = ',')]
    pub allow: Vec<String>,
}

/// Explicit confirmation.
#[derive(Debug, Clone, Copy, Args)]
pub struct Consent {
    /// Confirm without asking
    #[arg(long)]
    pub yes: bool,
}

/// `full`, `allowlist` or `off`, each with its help text.
fn mode() -> impl TypedValueParser<Value = AppMode> {
    let known = AppMode::ALL.map(|mode| {
        PossibleValue::new(mode.as_str()).help(match mode {
            AppMode::Full => "Any agent",
            AppMode::Allowlist => "Only the agents listed",
            AppMode::Off => "Nobody",
        })
    });
    PossibleValuesParser::new(known).try_map(|word| word.parse::<AppMode>())
}
