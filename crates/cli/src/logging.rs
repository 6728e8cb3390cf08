//! Log set-up: JSON lines in a rotating file for the gateway, plain lines on standard error with `-v`.

use std::sync::Mutex;

use tarsus_home::files::Rotating;
use tarsus_home::settings::LogLevel;
use tarsus_protocol::{ErrorCode, Problem};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// The level that `-v` shows on standard error.
fn level(verbose: u8) -> LevelFilter {
    match verbose {
        0 => LevelFilter::OFF,
        1 => LevelFilter::INFO,
        _ => LevelFilter::TRACE,
    }
}

/// The level of the log file.
pub fn filter(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}

/// Installs the subscribers: `file` with its level, and standard error as `-v` asks.
pub fn start(verbose: u8, file: Option<(Rotating, LevelFilter)>) -> Result<(), Problem> {
    if verbose == 0 && file.is_none() {
        return Ok(());
    }
    let on_disk = file.map(|(file, level)| layer().json().with_writer(Mutex::new(file)).with_filter(level));
    let on_terminal =
        layer().with_ansi(false).without_time().with_writer(std::io::stderr).with_filter(level(verbose));
    tracing_subscriber::registry()
        .with(on_disk)
        .with(on_terminal)
        .try_init()
        .map_err(|error| Problem::new(ErrorCode::Failed, format!("cannot start the logs: {error}")))
}
