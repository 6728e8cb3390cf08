//! A call, and the inputs of the decision about it.

use std::borrow::Cow;

use serde_json::Value;
use sha2::{Digest, Sha256};
use tarsus_home::settings::Enforcement;
use tarsus_protocol::authorize::{Inspector, Reason, Verdict};
use tarsus_text::hex;

use crate::activation::{Activation, SkillId};
use crate::call_facts::{CallFacts, PathBases};
use crate::skill_set::SkillSet;

/// A tool call that a model or a command requests.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The tool's name, unchecked.
    pub tool: String,
    /// The arguments.
    pub arguments: Value,
    /// The facts of the call, derived from the same arguments that will be executed.
    pub facts: CallFacts,
    /// The skill whose command leads straight to this tool (`command-dispatch: tool`).
    pub dispatched_by: Option<SkillId>,
}

/// The inputs of a decision, beside the call itself.
#[derive(Debug, Clone)]
pub struct CallContext<'a> {
    /// The calling agent.
    pub agent: &'a str,
    /// The session of the call.
    pub session: &'a str,
    /// The run, if any.
    pub run: Option<&'a str>,
    /// When the limits on community skills apply.
    pub enforcement: Enforcement,
    /// The skills of the snapshot.
    pub skills: &'a SkillSet,
    /// The skills that are active in the session.
    pub active: &'a Activation,
    /// The folders that paths in declarations are relative to.
    pub path_bases: PathBases<'a>,
    /// Whether the agent has the tool.
    pub tool_policy: PolicyVerdict,
    /// The verdict of the app's launch policy; required for `app_launch` and `app_stop`.
    pub app_policy: Option<PolicyVerdict>,
    /// Recent calls of the run whose results repeated the previous one.
    pub recent: &'a [CallDigest],
}

/// The verdict of one policy, with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// A sentence without a full stop.
    pub reason: Cow<'static, str>,
    /// The command that would change it.
    pub remedy: Option<String>,
}

impl PolicyVerdict {
    /// The policy allows the call.
    pub fn allow(reason: impl Into<Cow<'static, str>>) -> Self {
        Self { verdict: Verdict::Allow, reason: reason.into(), remedy: None }
    }

    /// The policy requires the owner's approval.
    pub fn ask(reason: impl Into<Cow<'static, str>>) -> Self {
        Self { verdict: Verdict::Ask, reason: reason.into(), remedy: None }
    }

    /// The policy denies the call.
    pub fn deny(reason: impl Into<Cow<'static, str>>) -> Self {
        Self { verdict: Verdict::Deny, reason: reason.into(), remedy: None }
    }

    pub(crate) fn to_reason(&self, inspector: Inspector) -> Reason {
        Reason {
            inspector,
            verdict: self.verdict,
            message: self.reason.clone(),
            skill: None,
            capability: None,
            remedy: self.remedy.clone(),
        }
    }
}

/// SHA-256 of a tool and its arguments, independent of the order of object members. Identifies equal calls without
/// keeping their arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallDigest([u8; 32]);

impl CallDigest {
    /// Digests a call.
    #[must_use]
    pub fn new(tool: &str, arguments: &Value) -> Self {
        let mut hash = Sha256::new();
        hash_str(&mut hash, tool);
        hash_value(&mut hash, arguments);
        Self(hash.finalize().into())
    }

    /// The digest in lowercase hexadecimal.
    #[must_use]
    pub fn to_hex(self) -> String {
        hex(&self.0)
    }
}

/// Prefixes every value with its kind and length, so that the encoding is unambiguous.
fn hash_value(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Null => hash.update("n"),
        Value::Bool(false) => hash.update("f"),
        Value::Bool(true) => hash.update("t"),
        Value::Number(number) => {
            hash.update("#");
            hash_str(hash, &number.to_string());
        }
        Value::String(string) => {
            hash.update("s");
            hash_str(hash, string);
        }
        Value::Array(items) => {
            hash.update("a");
            hash_len(hash, items.len());
            items.iter().for_each(|item| hash_value(hash, item));
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(key, _)| *key);
            hash.update("o");
            hash_len(hash, members.len());
            for (key, member) in members {
                hash_str(hash, key);
                hash_value(hash, member);
            }
        }
    }
}

fn hash_str(hash: &mut Sha256, text: &str) {
    hash_len(hash, text.len());
    hash.update(text);
}

fn hash_len(hash: &mut Sha256, length: usize) {
    hash.update((length as u64).to_le_bytes());
}
