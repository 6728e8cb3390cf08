//! `tarsus models …`.

use clap::Subcommand;

/// `tarsus models …`; without a word more, how they stand.
#[derive(Debug, Subcommand)]
pub enum Models {
    /// The models that can be used: context, price, and whether their key is there
    #[command(
        after_help = "Examples:\n  tarsus models list\n  tarsus models list --all     those without a key too"
    )]
    List {
        /// Every model that is known, also where a key is missing
        #[arg(long)]
        all: bool,
    },
    /// Which model the agent uses, whether it can be asked, and what runs on this machine
    #[command(
        after_help = "Examples:\n  tarsus models status\n  tarsus models status --agent research --json"
    )]
    Status,
    /// Choose the model that is asked, and those that stand in for it
    #[command(
        after_help = "Examples:\n  tarsus models set anthropic/claude-sonnet-4-5\n  tarsus models set openai/gpt-5 --fallback groq/llama-3.3-70b-versatile\n  tarsus models set ollama/qwen3:4b --agent home\n  tarsus models set              what runs on this machine, else what there is a key for"
    )]
    Set {
        /// provider/model [default: one that runs on this machine, else one whose key is set]
        model: Option<String>,
        /// A model to ask when those before it fail; may be given more than once, in order
        #[arg(long, value_name = "MODEL")]
        fallback: Vec<String>,
    },
    /// Ask a model a small question, and say how it answered
    #[command(after_help = "Examples:\n  tarsus models test\n  tarsus models test ollama/qwen3:4b --json")]
    Test {
        /// provider/model [default: the agent's]
        model: Option<String>,
    },
}
