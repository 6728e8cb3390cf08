//! Decides whether a skill can be used: on this machine, with this configuration, by this agent.
//!
//! A pure function of its inputs, except that programs are looked up on PATH. Values of the configuration and of secrets
//! are checked but never returned.

pub mod command;
mod config_path;
mod install;
mod machine;
mod tools;
mod variables;

use std::borrow::Cow;

use tarsus_guard::DeclaredCapabilities;
use tarsus_home::config::json5::Node;
use tarsus_home::config::view::{SkillEntry, Skills};
use tarsus_home::settings::SkillRecords;
use tarsus_protocol::skills::{ConfigCheck, SkillInstall, SkillNeeds};

pub use machine::{EnvLookup, MachineState};
pub use tools::{AgentTools, UnavailableTools};
pub use variables::IneffectiveSetting;
pub(crate) use variables::resolve_settings;

use crate::environment::SecretResolver;
use crate::filter::AgentFilter;
use crate::{Metadata, Requires, Skill, SkillSource};

/// A skill to be evaluated.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    /// The parsed file.
    pub skill: &'a Skill,
    /// Its key in `skills.entries`.
    pub key: Cow<'a, str>,
    /// The capabilities that it declares.
    pub capabilities: &'a DeclaredCapabilities,
    /// Source of its root.
    pub source: SkillSource,
    /// Whether its file could be read only in part.
    pub degraded: bool,
    /// Whether the scan of its folder blocks it.
    pub blocked: bool,
}

/// The inputs of an evaluation, the same for all skills of an agent.
pub struct EligibilityRules<'a> {
    /// This machine.
    pub machine: &'a MachineState,
    /// The `skills` section of the configuration.
    pub skills: &'a Skills,
    /// The whole configuration, which skills may require to be set at some path.
    pub config: &'a Node,
    /// The agent's allowlist of skills.
    pub filter: AgentFilter,
    /// The tools that the agent can call.
    pub tools: AgentTools<'a>,
    /// Whether skills whose file could be read only in part are used too.
    pub lenient: bool,
    /// Resolves the secrets of settings.
    pub secrets: SecretResolver<'a>,
    /// The owner's decisions about skills.
    pub records: &'a SkillRecords,
}

/// Whether a skill can be used, and what keeps it from that.
#[derive(Debug, Clone, PartialEq)]
pub struct Eligibility {
    /// Whether it can be used on this machine. The agent's allowlist is not considered.
    pub eligible: bool,
    /// Whether the scan of its folder blocks it.
    pub blocked: bool,
    /// Whether it is disabled in the configuration.
    pub disabled: bool,
    /// Whether it is bundled and `skills.allowBundled` does not name it.
    pub blocked_by_allowlist: bool,
    /// Whether the agent's allowlist does not name it.
    pub blocked_by_agent_filter: bool,
    /// Whether its file could be read only in part, and such skills are not used.
    pub degraded: bool,
    /// Whether it is for other systems.
    pub platform_incompatible: bool,
    /// The tools that its capabilities need and the agent cannot call; none for a skill with `always`.
    pub unavailable_tools: Vec<UnavailableTools>,
    /// Its requirements.
    pub requirements: SkillNeeds,
    /// The requirements that are not met; none for a skill with `always`.
    pub missing: SkillNeeds,
    /// Each required path of the configuration.
    pub config_checks: Vec<ConfigCheck>,
    /// Settings of variables that have no effect.
    pub ineffective_settings: Vec<IneffectiveSetting>,
    /// Whether it may be offered to the model.
    pub model_visible: bool,
    /// Whether it allows people to invoke it.
    pub user_invocable: bool,
    /// Whether people can invoke it here.
    pub command_visible: bool,
    /// How its requirements can be installed here, the preferred option first.
    pub install: Vec<SkillInstall>,
}

/// Returns the metadata of a skill: its own block, else, if `lenient`, that of another vendor.
#[must_use]
pub fn declared(skill: &Skill, lenient: bool) -> Option<&Metadata> {
    let vendor = || skill.vendor_metadata.as_ref().filter(|_| lenient).map(|vendor| &vendor.metadata);
    skill.metadata.as_deref().or_else(vendor)
}

/// Evaluates one skill.
#[must_use]
pub fn evaluate(candidate: &Candidate<'_>, rules: &EligibilityRules<'_>) -> Eligibility {
    let Candidate { skill, ref key, source, .. } = *candidate;
    let no_metadata = Metadata::default();
    let metadata = declared(skill, rules.lenient).unwrap_or(&no_metadata);
    let no_settings = SkillEntry::default();
    let settings = rules.skills.entries.get(&**key).unwrap_or(&no_settings);

    let disabled = settings.enabled == Some(false) || rules.records.is_disabled(key);
    let degraded = candidate.degraded && !rules.lenient;
    let blocked_by_allowlist = source == SkillSource::Bundled && !is_allowed(rules.skills, key, &skill.name);
    let blocked_by_agent_filter = !rules.filter.allows(&skill.name);

    let Requires { bins, any_bins, env, config } = metadata.requires.clone().unwrap_or_default();
    let requirements =
        SkillNeeds { bins, any_bins, env, config, os: metadata.os.clone().unwrap_or_default() };
    let check = |path: &String| ConfigCheck {
        path: path.clone(),
        satisfied: config_path::is_set(rules.config, path),
    };
    let config_checks: Vec<ConfigCheck> = requirements.config.iter().map(check).collect();
    let (missing, ineffective_settings) = match metadata.is_always() {
        true => (SkillNeeds::default(), Vec::new()),
        false => missing(&requirements, &config_checks, metadata, settings, rules),
    };

    let unavailable_tools = match metadata.is_always() {
        true => Vec::new(),
        false => rules.tools.unavailable(candidate.capabilities),
    };

    let is_met = missing == SkillNeeds::default() && unavailable_tools.is_empty();
    let eligible = is_met && !candidate.blocked && !disabled && !degraded && !blocked_by_allowlist;
    let usable = eligible && !blocked_by_agent_filter;
    let user_invocable = skill.invocation.user_invocable;
    Eligibility {
        eligible,
        blocked: candidate.blocked,
        disabled,
        blocked_by_allowlist,
        blocked_by_agent_filter,
        degraded,
        platform_incompatible: !missing.os.is_empty(),
        unavailable_tools,
        requirements,
        missing,
        config_checks,
        ineffective_settings,
        model_visible: usable && !skill.invocation.disable_model_invocation,
        user_invocable,
        command_visible: usable && user_invocable,
        install: install::options(&metadata.install, rules),
    }
}

/// Whether `skills.allowBundled` names a bundled skill by key or name, or names none at all.
fn is_allowed(skills: &Skills, key: &str, name: &str) -> bool {
    let listed = skills.allow_bundled.as_deref().unwrap_or_default();
    listed.is_empty()
        || listed.iter().map(|allowed| allowed.trim()).any(|allowed| allowed == key || allowed == name)
}

fn missing(
    needs: &SkillNeeds,
    config_checks: &[ConfigCheck],
    metadata: &Metadata,
    settings: &SkillEntry,
    rules: &EligibilityRules<'_>,
) -> (SkillNeeds, Vec<IneffectiveSetting>) {
    let machine = rules.machine;
    let has_program = |bin: &String| machine.programs.find(bin).is_some();
    let fits = needs.os.is_empty() || needs.os.iter().any(|os| machine.is_system(os));
    let has_any = needs.any_bins.is_empty() || needs.any_bins.iter().any(has_program);
    let (env, ineffective) = variables::missing(&needs.env, metadata, settings, rules);
    let unset = config_checks.iter().filter(|check| !check.satisfied);
    let missing = SkillNeeds {
        bins: needs.bins.iter().filter(|bin| !has_program(bin)).cloned().collect(),
        any_bins: if has_any { Vec::new() } else { needs.any_bins.clone() },
        env,
        config: unset.map(|check| check.path.clone()).collect(),
        os: if fits { Vec::new() } else { needs.os.clone() },
    };
    (missing, ineffective)
}
