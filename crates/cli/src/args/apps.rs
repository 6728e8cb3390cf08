//! `tarsus apps …`.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use tarsus_apps::Mode;

/// `tarsus apps …`; without a word more, the menu.
#[derive(Debug, Subcommand)]
pub enum Apps {
    /// Every registered app: who may launch it, and whether it runs
    #[command(after_help = "Examples:\n  tarsus apps list\n  tarsus apps list --json")]
    List,
    /// One app, with everything that is stored about it
    #[command(after_help = "Examples:\n  tarsus apps show \"Last Z\"")]
    Show {
        /// The app
        name: String,
    },
    /// Which apps run, and as which processes
    #[command(after_help = "Examples:\n  tarsus apps status\n  tarsus apps status \"Last Z\" --json")]
    Status {
        /// The app [default: all of them]
        name: Option<String>,
    },
    /// Check the registry and show every mistake; repairs nothing
    #[command(after_help = "Examples:\n  tarsus apps validate\n  tarsus apps validate --json")]
    Validate,
    /// Make an empty registry
    #[command(after_help = "Examples:\n  tarsus apps create")]
    Create,
    /// Register an app
    #[command(
        after_help = "Examples:\n  tarsus apps add --name Editor --launch-path /usr/bin/gedit --process-name gedit --mode full\n  tarsus apps add --name \"Last Z\" --launch-path 'C:\\Games\\Last Z.lnk' --mode allowlist --allow main --yes"
    )]
    Add {
        /// The name by which people and agents call it
        #[arg(long)]
        name: String,
        /// What it is
        #[command(flatten)]
        values: Values,
        /// The answer to the question whether to save
        #[command(flatten)]
        consent: Consent,
    },
    /// Change what is stored about an app; what is not named stays as it is
    #[command(
        after_help = "Examples:\n  tarsus apps edit Editor --process-name gedit\n  tarsus apps edit Editor --clear-runtime-exe --yes"
    )]
    Edit {
        /// The app
        name: String,
        /// What changes
        #[command(flatten)]
        values: Values,
        /// Forget the program that really runs
        #[arg(long, conflicts_with = "runtime_exe")]
        clear_runtime_exe: bool,
        /// Forget the name of its process
        #[arg(long, conflicts_with = "process_name")]
        clear_process_name: bool,
        /// The answer to the question whether to save
        #[command(flatten)]
        consent: Consent,
    },
    /// Take an app out of the registry
    #[command(after_help = "Examples:\n  tarsus apps delete Editor\n  tarsus apps delete Editor --yes")]
    Delete {
        /// The app
        name: String,
        /// The answer to the question whether to save
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
        mode: Mode,
        /// An agent on the allowlist; several with commas, or again for each
        #[arg(long, value_name = "AGENT", value_delimiter = ',')]
        allow: Vec<String>,
        /// The answer to the question whether to save
        #[command(flatten)]
        consent: Consent,
    },
    /// Launch an app, if its policy lets the agent
    #[command(
        after_help = "Examples:\n  tarsus apps launch \"Last Z\"\n  tarsus apps launch \"Last Z\" --agent system_engineer --json"
    )]
    Launch {
        /// The app
        name: String,
    },
    /// Stop an app: ask it to close, and end it when it does not
    #[command(
        after_help = "Examples:\n  tarsus apps stop \"Last Z\"\n  tarsus apps stop \"Last Z\" --yes     also when its mode is off"
    )]
    Stop {
        /// The app
        name: String,
        /// The answer to the question that is asked in mode off
        #[command(flatten)]
        consent: Consent,
    },
    /// One request in plain words, answered as the chat would
    #[command(after_help = "Examples:\n  tarsus apps ask \"open last z\"\n  tarsus apps ask 打开微信")]
    Ask {
        /// The request
        request: String,
    },
}

/// What is stored about an app.
#[derive(Debug, Args)]
pub struct Values {
    /// What is launched: a program, a shortcut, a bundle, a .desktop file
    #[arg(long, value_name = "PATH")]
    pub launch_path: Option<String>,
    /// The program that really runs, as a full path
    #[arg(long, value_name = "PATH")]
    pub runtime_exe: Option<String>,
    /// The name of its process
    #[arg(long, value_name = "NAME")]
    pub process_name: Option<String>,
    /// Who may launch it
    #[arg(long, value_parser = mode())]
    pub mode: Option<Mode>,
    /// An agent on the allowlist; several with commas, or again for each
    #[arg(long, value_name = "AGENT", value_delimiter = ',')]
    pub allow: Vec<String>,
}

/// The explicit yes.
#[derive(Debug, Clone, Copy, Args)]
pub struct Consent {
    /// Yes to what would be asked
    #[arg(long)]
    pub yes: bool,
}

/// `full`, `allowlist` or `off`, with what each means in the help.
fn mode() -> impl TypedValueParser<Value = Mode> {
    let known = Mode::ALL.map(|mode| {
        PossibleValue::new(mode.as_str()).help(match mode {
            Mode::Full => "Any agent",
            Mode::Allowlist => "Only the agents listed",
            Mode::Off => "Nobody",
        })
    });
    PossibleValuesParser::new(known).try_map(|word| word.parse::<Mode>())
}
