//! The hosts that an authorized call may be redirected to, under the limits that it was judged by.

use std::path::Path;

use tarsus_home::settings::Enforcement;

use super::call::{Call, CallContext};
use super::capabilities::restricting;
use crate::call_facts::{CallFacts, PathBases};
use crate::limits::SkillLimits;
use crate::restricting_skill::RestrictingSkill;
use crate::sanitize::sanitize;
use crate::skill_permissions::SkillPermissions;
use tarsus_protocol::tool::ToolId;

/// Limits on the hosts of one authorized call. Without a restricting skill there are none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PermittedHosts {
    /// Every one of these skills must permit a host.
    every: Vec<HostLimit>,
    /// One of these is enough, if there are any.
    any: Vec<HostLimit>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct HostLimit {
    skill: String,
    /// `None` if the owner lifted the limits.
    limits: Option<SkillLimits>,
}

impl PermittedHosts {
    /// The limits that hold for a call which was allowed.
    pub(crate) fn for_call(call: &Call, context: &CallContext<'_>) -> Self {
        if call.facts.hosts.is_none() || context.enforcement == Enforcement::Off {
            return Self::default();
        }
        let (alone, loaded) = restricting(call, context);
        let limit = |skill: &SkillPermissions| HostLimit {
            skill: sanitize(&skill.name),
            limits: skill.network_limits().cloned(),
        };
        let every = alone.iter().filter_map(|skill| match skill {
            RestrictingSkill::Present(skill) => Some(limit(skill)),
            // A call is not allowed while a skill is gone.
            RestrictingSkill::Gone(_) => None,
        });
        let any = loaded.into_iter().filter(|skill| skill.has_network());
        Self { every: every.collect(), any: any.map(limit).collect() }
    }

    /// Why a host may not be contacted; `None` if it may.
    #[must_use]
    pub fn refusal(&self, host: &str) -> Option<String> {
        let every = self.every.iter().find_map(|limit| limit.refusal(host));
        every.or_else(|| {
            let any: Option<Vec<String>> = self.any.iter().map(|limit| limit.refusal(host)).collect();
            any?.into_iter().next()
        })
    }
}

impl HostLimit {
    fn refusal(&self, host: &str) -> Option<String> {
        let facts = CallFacts { hosts: Some(vec![host.to_owned()]), ..CallFacts::default() };
        let path_bases = PathBases { workspace: Path::new(""), home: None };
        let why = self.limits.as_ref()?.violation(ToolId::WebFetch, &facts, path_bases)?;
        Some(format!("the skill {} does not allow it: {why}", self.skill))
    }
}
