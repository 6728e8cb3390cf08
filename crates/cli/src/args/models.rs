//! `tarsus models …`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum Models {
    /// List available models with context window, price and key
    #[command(
        after_help = "Examples:\n  tarsus models list\n  tarsus models list --all     including models without a key"
    )]
    List {
        /// Include models without a key
        #[arg(long)]
        all: bool,
    },
    /// Show the agent's model, whether it is available, and local model servers
    #[command(
        after_help = "Examples:\n  tarsus models status\n  tarsus models status --agent research --json"
    )]
    Status,
    /// Set the model and its fallbacks
    #[command(
        after_help = "Examples:\n  tarsus models set anthropic/claude-sonnet-4-5\n  tarsus models set openai/gpt-5 --fallback groq/llama-3.3-70b-versatile\n  tarsus models set ollama/qwen3:4b --agent home\n  tarsus models set              a local model, else one with a key"
    )]
    Set {
        /// provider/model [default: a local model, else one whose key is set]
        model: Option<String>,
        /// A model to use if the previous ones fail; repeat for more, in order
        #[arg(long, value_name = "MODEL")]
        fallback: Vec<String>,
    },
    /// Send a short question to a model and show the result
    #[command(after_help = "Examples:\n  tarsus models test\n  tarsus models test ollama/qwen3:4b --json")]
    Test {
        /// provider/model [default: the agent's model]
        model: Option<String>,
    },
}
