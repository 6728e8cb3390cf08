//! Which models answer in a session: those that it chose, else those of its agent, else the one that is found.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tarsus_home::Home;
use tarsus_home::config::Config;
use tarsus_home::config::view::AgentId;
use tarsus_host::Clock;
use tarsus_models::{
    Catalog, Chain, Connections, Limits, ModelName, Policy, find_local, first_model, report,
};

/// Finds the value of a variable by its name.
pub type Variables = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Gets models ready to be asked.
pub trait Models: Send + Sync {
    /// The model that was chosen and its fallbacks; `None` when none is chosen and none is found.
    fn chain<'a>(&'a self, config: &'a Config, chosen: &'a [String]) -> BoxFuture<'a, Option<Chain>>;
}

/// The models of providers and of servers on this machine.
pub struct Providers {
    home: Home,
    connections: Connections,
    clock: Clock,
    variables: Variables,
}

impl Providers {
    /// Connections are made when they are needed, and kept.
    #[must_use]
    pub fn new(home: Home, clock: Clock, variables: Variables) -> Self {
        Self { home, connections: Connections::new(Limits::DEFAULT, clock.clone()), clock, variables }
    }

    /// The names that were chosen; one that is no name stands in the way of nothing but itself.
    async fn names(&self, catalog: &Catalog, chosen: &[String]) -> Vec<ModelName> {
        if chosen.is_empty() {
            let found = find_local(&catalog.local_places()).await;
            return first_model(&found, &|name| (self.variables)(name)).into_iter().collect();
        }
        let read = |name: &String| {
            let read = name.parse();
            read.inspect_err(|error| tracing::warn!(%error, name, "a chosen model is none")).ok()
        };
        chosen.iter().filter_map(read).collect()
    }
}

impl Models for Providers {
    fn chain<'a>(&'a self, config: &'a Config, chosen: &'a [String]) -> BoxFuture<'a, Option<Chain>> {
        Box::pin(async move {
            let catalog = Catalog::new(&config.models);
            let names = self.names(&catalog, chosen).await;
            if names.is_empty() {
                return None;
            }
            let variables = |name: &str| (self.variables)(name);
            // Any number will do, as long as others have another.
            let policy = Policy::new(self.clock.wall_ms().cast_unsigned());
            Some(self.connections.chain(&catalog, &names, &self.home, &variables, policy).await)
        })
    }
}

/// No model, whatever is chosen: what needs none works all the same.
pub struct NoModels;

impl Models for NoModels {
    fn chain<'a>(&'a self, _: &'a Config, _: &'a [String]) -> BoxFuture<'a, Option<Chain>> {
        Box::pin(std::future::ready(None))
    }
}

/// The models of a session, the first to be asked first. A model that the session chose goes before those of the agent,
/// which are there when it fails.
#[must_use]
pub fn chosen(config: &Config, agent: &AgentId, own: Option<&str>) -> Vec<String> {
    let of_agent = config.agents.get(agent).map(|agent| report::chosen(config, agent)).unwrap_or_default();
    // One that is no name stands in its own words.
    let of_agent = of_agent.into_iter().map(|name| name.map_or_else(|text| text, |name| name.to_string()));
    let mut chosen: Vec<String> = Vec::new();
    for name in own.map(str::to_owned).into_iter().chain(of_agent) {
        if !chosen.contains(&name) {
            chosen.push(name);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_session_chooses_before_its_agent_and_the_agent_before_all() {
        let config: Config = serde_json::from_value(json!({"agents": {
            "defaults": {"model": {"primary": "p/all", "fallbacks": ["p/spare"]}},
            "list": [{"id": "main"}, {"id": "own", "model": "q/own"}],
        }}))
        .unwrap();
        for (agent, own, expected) in [
            ("main", None, &["p/all", "p/spare"][..]),
            ("main", Some("r/mine"), &["r/mine", "p/all", "p/spare"]),
            ("main", Some("p/spare"), &["p/spare", "p/all"]),
            ("own", None, &["q/own"]),
            ("unknown", None, &[]),
        ] {
            assert_eq!(chosen(&config, &agent.parse().unwrap(), own), expected, "{agent} {own:?}");
        }
        assert!(chosen(&Config::default(), &AgentId::main(), None).is_empty());
    }
}
