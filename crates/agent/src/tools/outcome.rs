//! What comes of a call.

use serde_json::Value;
use tarsus_apps::conversation::Page;
use tarsus_guard::Activation;
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::event::AppsChanged;
use tarsus_protocol::{Block, Problem};

/// What comes of a call: what the model is told, and what the runtime has to know.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// What the model is told.
    pub content: Vec<Block>,
    /// Whether the call failed.
    pub is_error: bool,
    /// What a surface may show besides; the model does not see it.
    pub details: Option<Value>,
    /// Where the content came from, when it is that of a file.
    pub origin: Option<Origin>,
    /// The skills that have a say from now on, because their files were read or are named in the content.
    pub activated: Activation,
    /// What was done to apps.
    pub apps: Vec<AppsChanged>,
    /// The page that the person is shown last in the answer, word for word: a yes that follows counts for it.
    pub page: Option<Page>,
}

/// Where a file lies that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// In the agent's workspace.
    Workspace,
    /// In the folder of a skill, wherever that is; if in several, of the one that is trusted least.
    Skill {
        /// Its name.
        name: String,
        /// How far it is trusted.
        tier: TrustTier,
    },
    /// Among the pages of the user guide.
    Docs,
    /// In a folder of `tools.fs.roots`.
    Root,
}

impl Outcome {
    /// A text for the model.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Block::text(text)], ..Self::default() }
    }

    /// The same with what surfaces may show besides.
    #[must_use]
    pub fn with_details(self, details: Value) -> Self {
        Self { details: Some(details), ..self }
    }
}

/// A call that failed: what, where, why and what next.
impl From<Problem> for Outcome {
    fn from(problem: Problem) -> Self {
        let mut lines = vec![problem.message.clone()];
        lines.extend(problem.place.as_ref().map(|place| match place.line {
            Some(line) => format!("in {}, line {line}", place.path.display()),
            None => format!("in {}", place.path.display()),
        }));
        lines.extend(problem.notes.iter().cloned());
        lines.push(problem.next_step().to_owned());
        Self { is_error: true, ..Self::text(lines.join("\n")) }
    }
}
