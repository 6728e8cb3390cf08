//! An agent's allowlist of skills.

use std::collections::BTreeSet;

use tarsus_home::config::view::{Agent, Agents};

/// The skills that an agent may use, by name. White space around a name is ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentFilter(Option<BTreeSet<String>>);

impl AgentFilter {
    /// Reads the agent's own list, else the one for all agents, else allows every skill. An empty list allows none.
    #[must_use]
    pub fn for_agent(agents: &Agents, agent: &Agent) -> Self {
        let listed = agent.skills.as_ref().or(agents.defaults.skills.as_ref());
        Self(listed.map(|names| {
            names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()).map(str::to_owned).collect()
        }))
    }

    /// Whether the agent may use the skill of this name.
    #[must_use]
    pub fn allows(&self, name: &str) -> bool {
        self.0.as_ref().is_none_or(|names| names.contains(name.trim()))
    }

    /// The allowed names that no skill has, sorted.
    #[must_use]
    pub fn unknown<'n>(&self, known: impl IntoIterator<Item = &'n str>) -> Vec<&str> {
        let Some(names) = &self.0 else { return Vec::new() };
        let mut unknown: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        for name in known {
            unknown.remove(name.trim());
        }
        unknown.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(own: Option<&[&str]>, common: Option<&[&str]>) -> AgentFilter {
        let list =
            |names: Option<&[&str]>| names.map(|names| names.iter().map(|&name| name.to_owned()).collect());
        let mut agents = Agents::default();
        agents.defaults.skills = list(common);
        agents.list[0].skills = list(own);
        AgentFilter::for_agent(&agents, &agents.list[0])
    }

    #[test]
    fn own_list_overrides_the_common_one_and_an_empty_list_allows_none() {
        type List = Option<&'static [&'static str]>;
        let table: [(List, List, bool, bool); 7] = [
            (None, None, true, true),
            (None, Some(&[]), false, false),
            (None, Some(&["a"]), true, false),
            (Some(&[]), Some(&["a"]), false, false),
            (Some(&["b"]), Some(&["a"]), false, true),
            (Some(&["a", "b"]), None, true, true),
            (Some(&[" a ", "", "A"]), None, true, false),
        ];
        for (own, common, a, b) in table {
            let filter = filter(own, common);
            assert_eq!((filter.allows("a"), filter.allows("b")), (a, b), "{own:?} {common:?}");
        }
    }

    #[test]
    fn names_that_no_skill_has_are_reported() {
        assert_eq!(filter(Some(&["b", "x", "a", "x"]), None).unknown(["a", "b", "c"]), ["x"]);
        assert!(filter(None, None).unknown(["a"]).is_empty());
        assert!(filter(Some(&[]), None).unknown(["a"]).is_empty());
    }
}
