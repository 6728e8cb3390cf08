//! `tarsus agent …`.

use clap::Args;

/// `tarsus agent --message …`.
#[derive(Debug, Args)]
pub struct Agent {
    /// The message; `-` reads it from standard input
    #[arg(long, short, value_name = "TEXT")]
    pub message: String,
    /// The session: a full key, or the name of one of the agent's sessions [default: main]
    #[arg(long, value_name = "KEY")]
    pub session_key: Option<String>,
    /// The model for this message, as provider/model
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Print the answer while it is generated; with --json, one line per piece and the result last
    #[arg(long)]
    pub stream: bool,
}
