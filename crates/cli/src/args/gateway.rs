//! `tarsus gateway …` and `tarsus logs`.

use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, value_parser};
use serde_json::Value;
use tarsus_home::settings::LogLevel;

/// `tarsus gateway …`.
#[derive(Debug, Subcommand)]
pub enum Gateway {
    /// Run the gateway in this terminal, without the welcome text of `tarsus up`
    #[command(
        after_help = "Examples:\n  tarsus gateway run\n  tarsus gateway run --port 0 --json\n\nFor service managers: SIGTERM shuts it down gracefully; the log is in the state folder."
    )]
    Run(Listen),
    /// Start the gateway in the background and wait until it is ready
    #[command(after_help = "Examples:\n  tarsus gateway start\n  tarsus gateway start --port 19000")]
    Start(Listen),
    /// Gracefully stop the gateway of this state folder, wherever it was started
    #[command(after_help = "Examples:\n  tarsus gateway stop")]
    Stop,
    /// Stop the gateway if it runs, then start it in the background
    #[command(
        after_help = "Examples:\n  tarsus gateway restart\n  tarsus gateway restart --port 19000\n\nUses the configured port unless --port is given."
    )]
    Restart(Listen),
    /// Show the gateway's process, start time, addresses, and whether it responds
    #[command(
        after_help = "Examples:\n  tarsus gateway status\n  tarsus gateway status --json\n\nThe exit code is 7 if no gateway responds."
    )]
    Status,
    /// Call a method of the running gateway and print the result as JSON
    #[command(
        after_help = "Examples:\n  tarsus gateway call health\n  tarsus gateway call skills.status --params '{\"agentId\":\"main\"}'\n  tarsus gateway call agent.wait --params '{\"runId\":\"r1\",\"timeoutMs\":60000}' --timeout 70"
    )]
    Call(Call),
}

/// `tarsus up`.
#[derive(Debug, Args)]
pub struct Up {
    #[command(flatten)]
    pub listen: Listen,
    /// Start a demo with a scripted model in a temporary folder; needs no API key
    #[arg(long)]
    pub demo: bool,
}

#[derive(Debug, Args)]
pub struct Listen {
    /// The port; 0 uses any free one [default: gateway.port of the configuration, else 18789]
    #[arg(long)]
    pub port: Option<u16>,
}

/// `tarsus gateway call`.
#[derive(Debug, Args)]
pub struct Call {
    /// The method, such as skills.status
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub method: String,
    /// The parameters
    #[arg(long, value_name = "JSON", value_parser = json, allow_hyphen_values = true)]
    pub params: Option<Value>,
    /// The timeout
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = value_parser!(u64).range(1..=3600))]
    pub timeout: u64,
}

fn json(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text)
}

/// `tarsus logs`.
#[derive(Debug, Args)]
pub struct Logs {
    /// Print new lines as they are written, until Ctrl-C
    #[arg(short, long)]
    pub follow: bool,
    /// The number of lines, counted from the newest
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50, value_parser = value_parser!(u32).range(0..=100_000))]
    pub lines: u32,
    /// Only lines of this level and above
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
