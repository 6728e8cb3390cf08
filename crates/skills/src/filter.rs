//! The skills that one agent may use: all of them, none, or those named.

use std::collections::BTreeSet;

use tarsus_home::config::view::{Agent, Agents};

/// The skills that one agent may use, by name. Spaces around a name do not count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentFilter(Option<BTreeSet<String>>);

impl AgentFilter {
    /// What the configuration says for an agent: its own list, else the common one, else every skill. An empty list
    /// means none.
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

    /// The names, sorted; none of them when the agent may use every skill.
    #[must_use]
    pub fn names(&self) -> Option<&BTreeSet<String>> {
        self.0.as_ref()
    }

    /// The names that no skill has, sorted.
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
    fn its_own_list_counts_before_the_common_one_and_an_empty_list_means_none() {
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
