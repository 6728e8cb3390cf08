//! A call, and everything that is looked at to judge it.

use std::borrow::Cow;

use serde_json::Value;
use sha2::{Digest, Sha256};
use tarsus_home::settings::Enforcement;
use tarsus_protocol::authorize::{Inspector, Reason, Verdict};
use tarsus_protocol::text::hex;

use crate::activation::{Activation, SkillId};
use crate::facts::{Facts, Places};
use crate::skills::Skills;

/// A tool call as a model or a command wants it.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The tool, as it was named.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// What these arguments would touch. They are read off the same arguments that are carried out.
    pub facts: Facts,
    /// The skill whose command leads straight to this tool (`command-dispatch: tool`).
    pub dispatched_by: Option<SkillId>,
}

/// What a call is judged by.
#[derive(Debug, Clone)]
pub struct Context<'a> {
    /// The agent that calls.
    pub agent: &'a str,
    /// The session that it calls in.
    pub session: &'a str,
    /// The run, where there is one.
    pub run: Option<&'a str>,
    /// When the limits on community skills apply.
    pub enforcement: Enforcement,
    /// The skills of the snapshot.
    pub skills: &'a Skills,
    /// The skills that have had a say in the session.
    pub active: &'a Activation,
    /// What paths in declarations are relative to.
    pub places: Places<'a>,
    /// Whether the agent has the tool.
    pub tool_policy: Said,
    /// What the sandbox says, where one is asked.
    pub sandbox: Option<Said>,
    /// What the policy for commands says; has to be asked about `exec` and `process`.
    pub exec_policy: Option<Said>,
    /// What the policy of the app says; has to be asked about `app_launch` and `app_stop`.
    pub app_policy: Option<Said>,
    /// What the budget says, where there is one.
    pub budget: Option<Said>,
    /// The latest calls of the run whose results were the same as the time before.
    pub recent: &'a [CallDigest],
}

/// What a policy decided, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// What it comes to.
    pub verdict: Verdict,
    /// Why, in a sentence without a full stop.
    pub why: Cow<'static, str>,
    /// The command that would change it.
    pub remedy: Option<String>,
}

impl Said {
    /// Yes.
    pub fn allow(why: impl Into<Cow<'static, str>>) -> Self {
        Self { verdict: Verdict::Allow, why: why.into(), remedy: None }
    }

    /// After a yes of the owner.
    pub fn ask(why: impl Into<Cow<'static, str>>) -> Self {
        Self { verdict: Verdict::NeedsApproval, why: why.into(), remedy: None }
    }

    /// No.
    pub fn deny(why: impl Into<Cow<'static, str>>) -> Self {
        Self { verdict: Verdict::Deny, why: why.into(), remedy: None }
    }

    pub(crate) fn reason(&self, inspector: Inspector) -> Reason {
        Reason {
            inspector,
            verdict: self.verdict,
            message: self.why.clone(),
            skill: None,
            capability: None,
            remedy: self.remedy.clone(),
        }
    }
}

/// SHA-256 over a tool and its arguments, whatever the order of their members: tells whether two calls are the same without keeping what they say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallDigest([u8; 32]);

impl CallDigest {
    /// The digest of a call.
    #[must_use]
    pub fn of(tool: &str, arguments: &Value) -> Self {
        let mut hash = Sha256::new();
        text(&mut hash, tool);
        value(&mut hash, arguments);
        Self(hash.finalize().into())
    }

    /// Its digits.
    #[must_use]
    pub fn to_hex(self) -> String {
        hex(&self.0)
    }
}

/// Every value begins with its kind and its length, so that no two of them are the same bytes.
fn value(hash: &mut Sha256, of: &Value) {
    match of {
        Value::Null => hash.update("n"),
        Value::Bool(false) => hash.update("f"),
        Value::Bool(true) => hash.update("t"),
        Value::Number(number) => {
            hash.update("#");
            text(hash, &number.to_string());
        }
        Value::String(string) => {
            hash.update("s");
            text(hash, string);
        }
        Value::Array(items) => {
            hash.update("a");
            length(hash, items.len());
            items.iter().for_each(|item| value(hash, item));
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(key, _)| *key);
            hash.update("o");
            length(hash, members.len());
            for (key, member) in members {
                text(hash, key);
                value(hash, member);
            }
        }
    }
}

fn text(hash: &mut Sha256, text: &str) {
    length(hash, text.len());
    hash.update(text);
}

fn length(hash: &mut Sha256, length: usize) {
    hash.update((length as u64).to_le_bytes());
}
