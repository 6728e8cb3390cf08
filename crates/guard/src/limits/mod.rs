//! The limits that a skill puts on what it asks for, and whether a call keeps them.
//!
//! Promises: a limit only ever narrows; one that cannot be read is the narrowest; a call of which too little is known
//! keeps none. Of a limit that is said twice, both hold. Leaves to others: what a program does once it runs.

mod host;
mod lists;
mod path;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tarsus_protocol::capability::Capability;

use crate::facts::{Facts, Places, Program};
use crate::shown::shown;
use crate::tools::{Tier, Tool};
use host::HostRule;
use lists::Lists;
use path::PathRule;

/// The limits of one skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits {
    /// Capabilities of which the limits cannot be read at all.
    closed: BTreeSet<Capability>,
    /// Programs that may be started (`shell.mode: restricted`, `shell.allow`).
    programs: Lists<String>,
    /// `network.web_search: false`.
    no_search: bool,
    /// `network.web_fetch: false`.
    no_fetch: bool,
    /// Hosts that may be asked (`network.hosts`).
    hosts: Lists<HostRule>,
    /// Who may search (`network.provider`).
    providers: Lists<String>,
    /// Where files may be written (`filesystem.paths`).
    paths: Lists<PathRule>,
    /// How deep sessions may be started (`sessions.maxDepth`).
    depth: Option<u32>,
}

/// What became of a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Read {
    /// It is a limit now.
    Enforced,
    /// It is a limit now: the programs that may be started.
    Programs,
    /// No program may be started but those that are named beside it.
    Restricted,
    /// Nobody knows it; it is shown.
    Advisory,
}

impl Limits {
    /// Takes in one constraint: what became of it, and what cannot be read in it. As far as it cannot be read, the limit
    /// is as narrow as it can be.
    pub(crate) fn narrow(
        &mut self,
        capability: Capability,
        key: &str,
        value: &Value,
    ) -> (Read, Result<(), String>) {
        let key = key.to_ascii_lowercase().replace(['_', '-'], "");
        let problem = match (capability, key.as_str()) {
            (Capability::Shell, "mode") => match value.as_str() {
                Some("full" | "unrestricted") => Ok(()),
                Some("restricted") => return (Read::Restricted, Ok(())),
                _ => {
                    self.programs.close();
                    Err("neither \"restricted\" nor \"full\": it allows nothing".to_owned())
                }
            },
            (Capability::Shell, "allow") => {
                return (Read::Programs, self.programs.narrow(value, |name| Ok(name.to_owned())));
            }
            (Capability::Network, "websearch") => off(value, &mut self.no_search),
            (Capability::Network, "webfetch") => off(value, &mut self.no_fetch),
            (Capability::Network, "hosts") => self.hosts.narrow(value, HostRule::read),
            (Capability::Network, "provider") => {
                let one = value.is_string().then(|| Value::from(vec![value.clone()]));
                let lower = |name: &str| Ok(name.to_ascii_lowercase());
                self.providers.narrow(one.as_ref().unwrap_or(value), lower)
            }
            (Capability::Filesystem, "paths") => self.paths.narrow(value, PathRule::read),
            (Capability::Sessions, "maxdepth") => {
                let depth = value.as_u64().map(|depth| u32::try_from(depth).unwrap_or(u32::MAX));
                let most = depth.unwrap_or(0);
                self.depth = Some(self.depth.map_or(most, |before| before.min(most)));
                depth.map(drop).ok_or_else(|| "not a whole number: it is taken as 0".to_owned())
            }
            _ => return (Read::Advisory, Ok(())),
        };
        (Read::Enforced, problem)
    }

    /// No program may be started.
    pub(crate) fn close_programs(&mut self) {
        self.programs.close();
    }

    /// The limits of a capability cannot be read: it is of no use.
    pub(crate) fn close(&mut self, capability: Capability) {
        self.closed.insert(capability);
    }

    /// Why a call of a tool does not keep the limits; `None` when it does.
    #[must_use]
    pub fn broken_by(&self, tool: Tool, facts: &Facts, places: Places<'_>) -> Option<String> {
        if matches!(tool.tier(), Tier::Needs(capability) if self.closed.contains(&capability)) {
            return Some("its limits cannot be read".to_owned());
        }
        match tool {
            Tool::Exec | Tool::Process | Tool::AppLaunch | Tool::AppStop | Tool::AppPropose => {
                let is = |program: &Program, name: &String| is(program, name, places);
                let shown = |program: &Program| shown(&program.path.to_string_lossy());
                self.programs.broken_by(facts.programs.as_deref(), "programs", is, shown)
            }
            Tool::WebSearch if self.no_search => Some("searching the web is switched off".to_owned()),
            Tool::WebSearch => {
                let provider = facts.provider.as_ref().map(std::slice::from_ref);
                let is = |name: &String, allowed: &String| name.to_ascii_lowercase() == *allowed;
                self.providers.broken_by(provider, "providers", is, |name| shown(name))
            }
            Tool::WebFetch if self.no_fetch => Some("fetching pages is switched off".to_owned()),
            Tool::WebFetch => {
                let is = |host: &String, rule: &HostRule| rule.covers(host);
                self.hosts.broken_by(facts.hosts.as_deref(), "hosts", is, |host| shown(host))
            }
            Tool::Write | Tool::Edit | Tool::ApplyPatch => {
                let is = |path: &PathBuf, rule: &PathRule| rule.covers(path, places);
                let shown = |path: &PathBuf| shown(&path.to_string_lossy());
                self.paths.broken_by(facts.paths.as_deref(), "paths", is, shown)
            }
            Tool::SessionsSpawn => {
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

    /// The limits of the wanted capabilities in words.
    #[must_use]
    pub fn described(&self, wanted: impl Fn(Capability) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        let mut line = |capability: Capability, text: String| {
            if wanted(capability) {
                lines.push(format!("{capability}: {text}"));
            }
        };
        for capability in &self.closed {
            line(*capability, "nothing: its limits cannot be read".to_owned());
        }
        if let Some(programs) = self.programs.described(|name| shown(name)) {
            line(Capability::Shell, programs);
        }
        if let Some(paths) = self.paths.described(|path| shown(&path.to_string())) {
            line(Capability::Filesystem, paths);
        }
        for (off, what) in [(self.no_search, "no web search"), (self.no_fetch, "no web fetch")] {
            if off {
                line(Capability::Network, what.to_owned());
            }
        }
        if let Some(hosts) = self.hosts.described(HostRule::to_string) {
            line(Capability::Network, hosts);
        }
        if let Some(providers) = self.providers.described(|name| shown(name)) {
            line(Capability::Network, format!("search by {providers}"));
        }
        if let Some(depth) = self.depth {
            line(Capability::Sessions, format!("at most {depth} deep"));
        }
        lines
    }
}

/// Whether a program is the one that is meant: by its full path, or by a plain name that was looked up. In the workspace
/// lies what agents write: a program there has no name that counts.
fn is(program: &Program, allowed: &str, places: Places<'_>) -> bool {
    let has_folder = |name: &str| name.contains(['/', std::path::MAIN_SEPARATOR]);
    if has_folder(allowed) {
        return program.path == Path::new(allowed);
    }
    let is_installed = program.path.is_absolute() && !program.path.starts_with(places.workspace);
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

/// A switch: everything but `true` switches off.
fn off(value: &Value, switch: &mut bool) -> Result<(), String> {
    *switch |= *value != Value::Bool(true);
    if value.is_boolean() { Ok(()) } else { Err("neither true nor false: it is taken as false".to_owned()) }
}
