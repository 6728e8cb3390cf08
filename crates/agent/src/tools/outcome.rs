//! The outcome of a tool call.

use serde_json::Value;
use tarsus_apps::conversation::Page;
use tarsus_guard::Activation;
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::event::AppsChanged;
use tarsus_protocol::{Block, Problem};

/// The outcome of a tool call, for the model and for the runtime.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolOutcome {
    /// The content for the model.
    pub content: Vec<Block>,
    pub is_error: bool,
    /// Details for clients; the model does not get them.
    pub details: Option<Value>,
    /// Where the file lies whose content this is.
    pub origin: Option<FileOrigin>,
    /// Where the content comes from, if that is the web.
    pub web: Option<WebSource>,
    /// Skills that became active, because their files were read or are named in the content.
    pub activated: Activation,
    pub apps: Vec<AppsChanged>,
    /// A page that is shown verbatim at the end of the answer; the user's next reply refers to it.
    pub page: Option<Page>,
}

/// Where a file lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOrigin {
    Workspace,
    /// In the folder of a skill; if several contain it, of the least trusted one.
    Skill {
        name: String,
        tier: TrustTier,
    },
    /// In the user guide.
    Docs,
    /// In a folder of `tools.fs.roots`.
    Root,
}

/// What of the web a content is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebSource {
    Page { url: String },
    Search { provider: String, query: String },
}

impl ToolOutcome {
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Block::text(text)], ..Self::default() }
    }

    #[must_use]
    pub fn with_details(self, details: Value) -> Self {
        Self { details: Some(details), ..self }
    }
}

/// A failed call: the problem as text for the model.
impl From<Problem> for ToolOutcome {
    fn from(problem: Problem) -> Self {
        let mut lines = vec![problem.message.clone()];
        lines.extend(problem.location.as_ref().map(|place| match place.line {
            Some(line) => format!("in {}, line {line}", place.path.display()),
            None => format!("in {}", place.path.display()),
        }));
        lines.extend(problem.notes.iter().cloned());
        lines.push(problem.next_step().to_owned());
        Self { is_error: true, ..Self::text(lines.join("\n")) }
    }
}
