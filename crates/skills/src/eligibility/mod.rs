//! What keeps a skill from being used: on this machine, by the configuration, for this agent.
//!
//! Promises: a pure function of its inputs, except that programs are looked for on PATH; what is missing is listed,
//! and no value of the configuration or of a secret leaves. Leaves to others: what was found in the skill's files.

pub mod command;
mod config_path;
mod install;
mod machine;
mod variables;

use std::borrow::Cow;
use std::sync::LazyLock;

use tarsus_home::config::json5::Node;
use tarsus_home::config::view::{SkillEntry, Skills};
use tarsus_home::settings::SkillRecords;
use tarsus_protocol::skills::{ConfigCheck, Names, SkillInstall, SkillNeeds};

pub use machine::{Machine, RemoteNode};
pub use variables::Unmet;

use crate::environment::Secrets;
use crate::filter::AgentFilter;
use crate::{Metadata, Requires, Skill, Source};

/// A skill to be judged.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    /// What its file says.
    pub skill: &'a Skill,
    /// The key of its settings.
    pub key: Cow<'a, str>,
    /// Where it came from.
    pub source: Source,
    /// Whether its file could be read only in part.
    pub degraded: bool,
    /// Whether it must not be used for what was found in its folder.
    pub blocked: bool,
}

/// What it is judged by.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// The machine.
    pub machine: &'a Machine<'a>,
    /// What the configuration says about skills.
    pub skills: &'a Skills,
    /// The whole configuration, which skills may ask to be set at some place.
    pub config: &'a Node,
    /// The agent's list of skills.
    pub filter: &'a AgentFilter,
    /// Whether skills whose file can be read only in part are used too.
    pub lenient: bool,
    /// Where the secrets of settings are looked up.
    pub secrets: Secrets<'a>,
    /// What the owner decided about single skills.
    pub records: &'a SkillRecords,
}

/// How a skill stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Eligibility<'a> {
    /// Whether it could be used here; the agent's list does not count.
    pub eligible: bool,
    /// Whether it must not be used for what was found in its folder.
    pub blocked: bool,
    /// Whether it is switched off.
    pub disabled: bool,
    /// Whether it is a bundled one that `skills.allowBundled` does not name.
    pub blocked_by_allowlist: bool,
    /// Whether the agent's list does not name it.
    pub blocked_by_agent_filter: bool,
    /// Whether its file could be read only in part, and such skills are not used.
    pub degraded: bool,
    /// Whether it is for other systems.
    pub platform_incompatible: bool,
    /// What it needs.
    pub requirements: SkillNeeds<'a>,
    /// What of this is not there; nothing for a skill that is `always` there.
    pub missing: SkillNeeds<'a>,
    /// Each needed place of the configuration.
    pub config_checks: Vec<ConfigCheck<'a>>,
    /// Variables whose settings do not help, and why not.
    pub unmet: Vec<Unmet>,
    /// Whether the model may be told of it.
    pub model_visible: bool,
    /// Whether it lets people invoke it.
    pub user_invocable: bool,
    /// Whether people can invoke it here.
    pub command_visible: bool,
    /// How what it needs can be installed here, the best way first.
    pub install: Vec<SkillInstall<'a>>,
}

/// What a skill declares: its own block, else, when `lenient`, the one under another vendor's name.
#[must_use]
pub fn declared(skill: &Skill, lenient: bool) -> Option<&Metadata> {
    let vendor = || skill.vendor_metadata.as_ref().filter(|_| lenient).map(|vendor| &vendor.metadata);
    skill.metadata.as_deref().or_else(vendor)
}

/// Judges a skill.
#[must_use]
pub fn judge<'a>(candidate: &Candidate<'a>, rules: &Rules<'_>) -> Eligibility<'a> {
    static NO_SETTINGS: LazyLock<SkillEntry> = LazyLock::new(SkillEntry::default);
    static NO_METADATA: LazyLock<Metadata> = LazyLock::new(Metadata::default);
    static NO_NEEDS: LazyLock<Requires> = LazyLock::new(Requires::default);

    let Candidate { skill, ref key, source, .. } = *candidate;
    let metadata = declared(skill, rules.lenient).unwrap_or(&*NO_METADATA);
    let settings = rules.skills.entries.get(&**key).unwrap_or(&*NO_SETTINGS);
    let requires = metadata.requires.as_ref().unwrap_or(&*NO_NEEDS);

    let disabled = settings.enabled == Some(false);
    let degraded = candidate.degraded && !rules.lenient;
    let blocked_by_allowlist = source == Source::Bundled && !is_allowed(rules.skills, key, &skill.name);
    let blocked_by_agent_filter = !rules.filter.allows(&skill.name);

    let requirements = SkillNeeds {
        bins: requires.bins.as_slice().into(),
        any_bins: requires.any_bins.as_slice().into(),
        env: requires.env.as_slice().into(),
        config: requires.config.as_slice().into(),
        os: metadata.os.as_deref().unwrap_or_default().into(),
    };
    let config_checks: Vec<ConfigCheck<'a>> = requires
        .config
        .iter()
        .map(|path| ConfigCheck {
            path: path.as_str().into(),
            satisfied: config_path::is_set(rules.config, path),
        })
        .collect();
    let (missing, unmet) = if metadata.is_always() {
        (SkillNeeds::default(), Vec::new())
    } else {
        missing(&requirements, &config_checks, metadata, settings, rules)
    };

    let usable = missing == SkillNeeds::default();
    let eligible = usable && !candidate.blocked && !disabled && !degraded && !blocked_by_allowlist;
    let at_hand = eligible && !blocked_by_agent_filter;
    let user_invocable = skill.invocation.user_invocable;
    Eligibility {
        eligible,
        blocked: candidate.blocked,
        disabled,
        blocked_by_allowlist,
        blocked_by_agent_filter,
        degraded,
        platform_incompatible: !missing.os.is_empty(),
        requirements,
        missing,
        config_checks,
        unmet,
        model_visible: at_hand && !skill.invocation.disable_model_invocation,
        user_invocable,
        command_visible: at_hand && user_invocable,
        install: install::options(&metadata.install, rules),
    }
}

/// Whether a bundled skill is one of those allowed, by key or name; all are when none is named.
fn is_allowed(skills: &Skills, key: &str, name: &str) -> bool {
    let listed = skills.allow_bundled.as_deref().unwrap_or_default();
    listed.is_empty()
        || listed.iter().map(|allowed| allowed.trim()).any(|allowed| allowed == key || allowed == name)
}

fn missing<'a>(
    needs: &SkillNeeds<'a>,
    config_checks: &[ConfigCheck<'a>],
    metadata: &'a Metadata,
    settings: &SkillEntry,
    rules: &Rules<'_>,
) -> (SkillNeeds<'a>, Vec<Unmet>) {
    let machine = rules.machine;
    let here = |bin: &String| machine.has_program(bin);
    let fits = needs.os.is_empty() || needs.os.iter().any(|os| machine.is(os));
    let one_of = needs.any_bins.is_empty() || needs.any_bins.iter().any(here);
    let unset = |path: &String| config_checks.iter().any(|check| check.path == *path && !check.satisfied);
    let (env, unmet) = variables::missing(&needs.env, metadata, settings, rules);
    let missing = SkillNeeds {
        bins: those(&needs.bins, |bin| !here(bin)),
        any_bins: if one_of { Cow::default() } else { needs.any_bins.clone() },
        env,
        config: those(&needs.config, unset),
        os: if fits { Cow::default() } else { needs.os.clone() },
    };
    (missing, unmet)
}

/// The names that are meant, without a copy when they are all or none.
fn those<'a>(names: &Names<'a>, is_meant: impl Fn(&String) -> bool) -> Names<'a> {
    match names.iter().filter(|name| is_meant(name)).count() {
        0 => Cow::default(),
        all if all == names.len() => names.clone(),
        _ => names.iter().filter(|name| is_meant(name)).cloned().collect(),
    }
}
