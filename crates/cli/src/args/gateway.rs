//! `tarsus gateway …` and `tarsus logs`.

use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, value_parser};
use serde_json::Value;
use tarsus_home::settings::LogLevel;

/// `tarsus gateway …`.
#[derive(Debug, Subcommand)]
pub enum Gateway {
    /// Run the gateway in this terminal, without the welcome of `tarsus up`
    #[command(
        after_help = "Examples:\n  tarsus gateway run\n  tarsus gateway run --port 0 --json\n\nFor a service manager: SIGTERM stops it in order, the log is in the state folder."
    )]
    Run(Listen),
    /// Start the gateway in the background, and wait until it is ready
    #[command(after_help = "Examples:\n  tarsus gateway start\n  tarsus gateway start --port 19000")]
    Start(Listen),
    /// Stop the gateway of this state folder in order, wherever it was started
    #[command(after_help = "Examples:\n  tarsus gateway stop")]
    Stop,
    /// Stop the gateway if it runs, and start it in the background
    #[command(
        after_help = "Examples:\n  tarsus gateway restart\n  tarsus gateway restart --port 19000\n\nThe port is the configuration's again, unless --port is given."
    )]
    Restart(Listen),
    /// Which process is the gateway, since when, where it listens, and whether it answers
    #[command(
        after_help = "Examples:\n  tarsus gateway status\n  tarsus gateway status --json\n\nThe exit code is 7 when no gateway answers."
    )]
    Status,
    /// Ask the running gateway for one thing, and print the answer as JSON
    #[command(
        after_help = "Examples:\n  tarsus gateway call health\n  tarsus gateway call skills.status --params '{\"agentId\":\"main\"}'\n  tarsus gateway call agent.wait --params '{\"runId\":\"r1\",\"timeoutMs\":60000}' --timeout 70"
    )]
    Call(Call),
}

/// `tarsus up`.
#[derive(Debug, Args)]
pub struct Up {
    /// Where it listens.
    #[command(flatten)]
    pub listen: Listen,
    /// Show everything with a scripted model, in a folder of its own that is removed at the end; no key needed
    #[arg(long)]
    pub demo: bool,
}

/// Where a gateway listens.
#[derive(Debug, Args)]
pub struct Listen {
    /// The port [default: gateway.port of the configuration, else 18789; 0 takes any free one]
    #[arg(long)]
    pub port: Option<u16>,
}

/// `tarsus gateway call`.
#[derive(Debug, Args)]
pub struct Call {
    /// The method, as in skills.status
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub method: String,
    /// Its parameters
    #[arg(long, value_name = "JSON", value_parser = json, allow_hyphen_values = true)]
    pub params: Option<Value>,
    /// How long the answer may take
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = value_parser!(u64).range(1..=3600))]
    pub timeout: u64,
}

fn json(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text)
}

/// `tarsus logs`.
#[derive(Debug, Args)]
pub struct Logs {
    /// Go on with what is written from now on, until Ctrl-C
    #[arg(short, long)]
    pub follow: bool,
    /// At most this many lines, the newest
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50, value_parser = value_parser!(u32).range(0..=100_000))]
    pub lines: u32,
    /// Only what is at least this serious
    #[arg(long, value_parser = level())]
    pub level: Option<LogLevel>,
}

fn level() -> impl TypedValueParser<Value = LogLevel> {
    PossibleValuesParser::new(["error", "warn", "info", "debug", "trace"]).map(|word| match word.as_str() {
        "error" => LogLevel::Error,
        "warn" => LogLevel::Warn,
        "info" => LogLevel::Info,
        "debug" => LogLevel::Debug,
        _ => LogLevel::Trace,
    })
}
