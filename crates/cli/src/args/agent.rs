//! `tarsus agent …`.

use clap::Args;

/// `tarsus agent --message …`.
#[derive(Debug, Args)]
pub struct Agent {
    /// What is said; `-` reads it from standard input
    #[arg(long, short, value_name = "TEXT")]
    pub message: String,
    /// The session: a whole key, or a name of one of the agent's [default: main]
    #[arg(long, value_name = "KEY")]
    pub session_key: Option<String>,
    /// The model that answers this time, as provider/model
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Print the answer as it comes; with --json a line for each piece, and the result as the last
    #[arg(long)]
    pub stream: bool,
}
