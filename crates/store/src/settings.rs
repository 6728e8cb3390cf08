//! What a session sets for itself, in place of what the configuration says. `None` means: as configured.

use tarsus_protocol::exec::{Ask, ExecHost, Reasoning, Security, ThinkingLevel};

use crate::names::Line;

/// The settings of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// The model, as `provider/model`.
    pub model: Option<Line>,
    /// How long the model thinks.
    pub thinking_level: Option<ThinkingLevel>,
    /// Whether people see what it thinks.
    pub reasoning: Option<Reasoning>,
    /// Where programs run.
    pub exec_host: Option<ExecHost>,
    /// Which programs run without asking.
    pub exec_security: Option<Security>,
    /// When a person is asked.
    pub exec_ask: Option<Ask>,
}
