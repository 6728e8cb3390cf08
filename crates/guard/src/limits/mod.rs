//! The limits that a skill declares for its own capabilities, and the check of a call against them.
//!
//! A limit only narrows; repeated limits all apply. An unreadable limit allows nothing, and a call whose facts are
//! unknown violates every limit.

mod host;
mod lists;
mod path;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tarsus_protocol::capability::Capability;

use crate::call_facts::{CallFacts, PathBases, Program};
use crate::sanitize::sanitize;
use host::HostRule;
use lists::AllowLists;
use path::PathRule;
use tarsus_protocol::tool::{ToolId, ToolTier};

/// Programs that one question names.
const MAX_NAMED_PROGRAMS: usize = 20;

/// The limits of one skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillLimits {
    /// Capabilities whose limits cannot be read at all.
    closed: BTreeSet<Capability>,
    /// Programs that may be started (`shell.mode: restricted`, `shell.allow`).
    programs: AllowLists<String>,
    /// Each program needs the owner's approval (`shell.mode: restricted` without `shell.allow`).
    asks_for_programs: bool,
    /// `network.web_search: false`.
    no_search: bool,
    /// `network.web_fetch: false`.
    no_fetch: bool,
    /// Hosts that may receive requests (`network.hosts`).
    hosts: AllowLists<HostRule>,
    /// Providers that may search (`network.provider`).
    providers: AllowLists<String>,
    /// Where files may be written (`filesystem.paths`).
    paths: AllowLists<PathRule>,
    /// How deep sessions may be started (`sessions.maxDepth`).
    depth: Option<u32>,
}

/// The effect of a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConstraintEffect {
    /// It is enforced as a limit.
    Enforced,
    /// It lists the programs that may be started.
    ProgramList,
    /// Only the programs of a program list beside it may be started; without one, each needs the owner's approval.
    Restricted,
    /// It is unknown: displayed, not enforced.
    Advisory,
}

impl SkillLimits {
    /// Applies one constraint; returns its effect and a problem if it could not be read. The unreadable part allows
    /// nothing.
    pub(crate) fn narrow(
        &mut self,
        capability: Capability,
        key: &str,
        value: &Value,
    ) -> (ConstraintEffect, Result<(), String>) {
        let key = key.to_ascii_lowercase().replace(['_', '-'], "");
        let problem = match (capability, key.as_str()) {
            (Capability::Shell, "mode") => match value.as_str() {
                Some("full" | "unrestricted") => Ok(()),
                Some("restricted") => return (ConstraintEffect::Restricted, Ok(())),
                _ => {
                    self.programs.close();
                    Err("neither \"restricted\" nor \"full\": it allows nothing".to_owned())
                }
            },
            (Capability::Shell, "allow") => {
                return (
                    ConstraintEffect::ProgramList,
                    self.programs.narrow(value, |name| Ok(name.to_owned())),
                );
            }
            (Capability::Network, "websearch") => disable_unless_true(value, &mut self.no_search),
            (Capability::Network, "webfetch") => disable_unless_true(value, &mut self.no_fetch),
            (Capability::Network, "hosts") => self.hosts.narrow(value, HostRule::parse),
            (Capability::Network, "provider") => {
                let one = value.is_string().then(|| Value::from(vec![value.clone()]));
                let lower = |name: &str| Ok(name.to_ascii_lowercase());
                self.providers.narrow(one.as_ref().unwrap_or(value), lower)
            }
            (Capability::Filesystem, "paths") => self.paths.narrow(value, PathRule::parse),
            (Capability::Sessions, "maxdepth") => {
                let depth = value.as_u64().map(|depth| u32::try_from(depth).unwrap_or(u32::MAX));
                let most = depth.unwrap_or(0);
                self.depth = Some(self.depth.map_or(most, |before| before.min(most)));
                depth.map(drop).ok_or_else(|| "not a whole number: it is taken as 0".to_owned())
            }
            _ => return (ConstraintEffect::Advisory, Ok(())),
        };
        (ConstraintEffect::Enforced, problem)
    }

    pub(crate) fn ask_for_programs(&mut self) {
        self.asks_for_programs = true;
    }

    /// Closes a capability whose limits cannot be read.
    pub(crate) fn close(&mut self, capability: Capability) {
        self.closed.insert(capability);
    }

    /// Returns why a call violates the limits; `None` if it does not.
    #[must_use]
    pub fn violation(&self, tool: ToolId, facts: &CallFacts, path_bases: PathBases<'_>) -> Option<String> {
        if matches!(tool.tier(), ToolTier::Needs(capability) if self.closed.contains(&capability)) {
            return Some("its limits cannot be read".to_owned());
        }
        match tool {
            ToolId::Exec | ToolId::Process | ToolId::AppLaunch | ToolId::AppStop | ToolId::AppPropose => {
                let is = |program: &Program, name: &String| is_allowed_program(program, name, path_bases);
                let programs = facts.programs.as_deref();
                let is_unknown = self.asks_for_programs && programs.is_none_or(<[Program]>::is_empty);
                let unknown = || is_unknown.then(|| "which programs it would use is not known".to_owned());
                self.programs.violation(programs, "programs", is, program_path).or_else(unknown)
            }
            ToolId::WebSearch if self.no_search => Some("searching the web is switched off".to_owned()),
            ToolId::WebSearch => {
                let provider = facts.provider.as_ref().map(std::slice::from_ref);
                let is = |name: &String, allowed: &String| name.to_ascii_lowercase() == *allowed;
                let by_provider = self.providers.violation(provider, "providers", is, |name| sanitize(name));
                by_provider.or_else(|| self.host_violation(facts))
            }
            ToolId::WebFetch if self.no_fetch => Some("fetching pages is switched off".to_owned()),
            ToolId::WebFetch => self.host_violation(facts),
            ToolId::Write | ToolId::Edit | ToolId::ApplyPatch => {
                let is = |path: &PathBuf, rule: &PathRule| rule.covers(path, path_bases);
                let shown = |path: &PathBuf| sanitize(&path.to_string_lossy());
                self.paths.violation(facts.paths.as_deref(), "paths", is, shown)
            }
            ToolId::SessionsSpawn => {
                let most = self.depth?;
                match facts.depth {
                    Some(depth) if depth <= most => None,
                    Some(depth) => Some(format!("a session of depth {depth} is deeper than {most}")),
                    None => Some("how deep the session would be is not known".to_owned()),
                }
            }
            _ => None,
        }
    }

    /// Returns what the owner has to approve before a call that violates no limit; `None` if nothing.
    #[must_use]
    pub fn question(&self, tool: ToolId, facts: &CallFacts) -> Option<String> {
        if !self.asks_for_programs || tool.tier() != ToolTier::Needs(Capability::Shell) {
            return None;
        }
        let programs = facts.programs.iter().flatten().take(MAX_NAMED_PROGRAMS).map(program_path);
        let mut names: Vec<String> = programs.collect();
        let more = facts.programs.iter().flatten().count().saturating_sub(names.len());
        if more > 0 {
            names.push(format!("and {more} more"));
        }
        Some(format!("each program needs your approval: {}", names.join(", ")))
    }

    fn host_violation(&self, facts: &CallFacts) -> Option<String> {
        let is = |host: &String, rule: &HostRule| rule.covers(host);
        self.hosts.violation(facts.hosts.as_deref(), "hosts", is, |host| sanitize(host))
    }

    /// Whether a tool is disabled by a switch, whatever a call is about.
    pub(crate) const fn switches_off(&self, tool: ToolId) -> bool {
        match tool {
            ToolId::WebSearch => self.no_search,
            ToolId::WebFetch => self.no_fetch,
            _ => false,
        }
    }

    /// Describes the limits of the wanted capabilities.
    #[must_use]
    pub fn descriptions(&self, wanted: impl Fn(Capability) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        let mut line = |capability: Capability, text: String| {
            if wanted(capability) {
                lines.push(format!("{capability}: {text}"));
            }
        };
        for capability in &self.closed {
            line(*capability, "nothing: its limits cannot be read".to_owned());
        }
        if let Some(programs) = self.programs.description(|name| sanitize(name)) {
            line(Capability::Shell, programs);
        }
        if self.asks_for_programs {
            line(Capability::Shell, "each program needs your approval".to_owned());
        }
        if let Some(paths) = self.paths.description(|path| sanitize(&path.to_string())) {
            line(Capability::Filesystem, paths);
        }
        for (off, what) in [(self.no_search, "no web search"), (self.no_fetch, "no web fetch")] {
            if off {
                line(Capability::Network, what.to_owned());
            }
        }
        if let Some(hosts) = self.hosts.description(HostRule::to_string) {
            line(Capability::Network, hosts);
        }
        if let Some(providers) = self.providers.description(|name| sanitize(name)) {
            line(Capability::Network, format!("search by {providers}"));
        }
        if let Some(depth) = self.depth {
            line(Capability::Sessions, format!("at most {depth} deep"));
        }
        lines
    }
}

fn program_path(program: &Program) -> String {
    sanitize(&program.path.to_string_lossy())
}

/// Matches a full path, or a plain name that was found on the PATH. A program in the workspace never matches by name:
/// agents can write there.
fn is_allowed_program(program: &Program, allowed: &str, path_bases: PathBases<'_>) -> bool {
    let has_folder = |name: &str| name.contains(['/', std::path::MAIN_SEPARATOR]);
    if has_folder(allowed) {
        return program.path == Path::new(allowed);
    }
    let is_installed = program.path.is_absolute() && !program.path.starts_with(path_bases.workspace);
    is_installed && !has_folder(&program.written) && same_name(&program.written, allowed)
}

#[cfg(not(windows))]
fn same_name(written: &str, allowed: &str) -> bool {
    written == allowed
}

/// `git` and `Git.EXE` are the same program there.
#[cfg(windows)]
fn same_name(written: &str, allowed: &str) -> bool {
    let plain = |name: &str| {
        let name = name.to_ascii_lowercase();
        name.strip_suffix(".exe").map_or_else(|| name.clone(), str::to_owned)
    };
    plain(written) == plain(allowed)
}

fn disable_unless_true(value: &Value, switch: &mut bool) -> Result<(), String> {
    *switch |= *value != Value::Bool(true);
    if value.is_boolean() { Ok(()) } else { Err("neither true nor false: it is taken as false".to_owned()) }
}
