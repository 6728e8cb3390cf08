//! Which models answer in a session: the one chosen for it, those of its agent, else one found on this machine.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tarsus_home::Home;
use tarsus_home::config::Config;
use tarsus_home::config::view::AgentId;
use tarsus_host::Clock;
use tarsus_models::{
    ModelCatalog, ModelChain, ModelConnections, ModelLimits, ModelName, RetryPolicy, find_local_servers,
    report, suggest_model,
};

/// Finds the value of a variable by its name.
pub type EnvLookup = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Resolves model names to models that accept requests.
pub trait ModelSource: Send + Sync {
    /// The named models in this order, the first one and its fallbacks; `None` when no name is given and no model is
    /// found.
    fn resolve_chain<'a>(
        &'a self,
        config: &'a Config,
        names: &'a [String],
    ) -> BoxFuture<'a, Option<ModelChain>>;
}

/// The models of the configured providers and of servers on this machine.
pub struct ProviderModels {
    home: Home,
    connections: ModelConnections,
    clock: Clock,
    variables: EnvLookup,
}

impl ProviderModels {
    /// Connections are opened when they are needed, and kept.
    #[must_use]
    pub fn new(home: Home, clock: Clock, variables: EnvLookup) -> Self {
        Self {
            home,
            connections: ModelConnections::new(ModelLimits::DEFAULT, clock.clone()),
            clock,
            variables,
        }
    }

    /// Parses the names; an invalid one is skipped with a warning.
    async fn parse_names(&self, catalog: &ModelCatalog, names: &[String]) -> Vec<ModelName> {
        if names.is_empty() {
            let found = find_local_servers(&catalog.local_endpoints()).await;
            return suggest_model(&found, &|name| (self.variables)(name)).into_iter().collect();
        }
        let parse = |name: &String| {
            let parsed = name.parse();
            parsed
                .inspect_err(|error| tracing::warn!(%error, name, "a chosen model has an invalid name"))
                .ok()
        };
        names.iter().filter_map(parse).collect()
    }
}

impl ModelSource for ProviderModels {
    fn resolve_chain<'a>(
        &'a self,
        config: &'a Config,
        names: &'a [String],
    ) -> BoxFuture<'a, Option<ModelChain>> {
        Box::pin(async move {
            let catalog = ModelCatalog::new(&config.models);
            let names = self.parse_names(&catalog, names).await;
            if names.is_empty() {
                return None;
            }
            let variables = |name: &str| (self.variables)(name);
            // The seed only has to differ between processes.
            let policy = RetryPolicy::new(self.clock.wall_ms().cast_unsigned());
            let chain = ModelChain::open(&self.connections, &catalog, &names, &self.home, &variables, policy);
            Some(chain.await)
        })
    }
}

/// A source without models: everything that needs none works all the same.
pub struct NoModelSource;

impl ModelSource for NoModelSource {
    fn resolve_chain<'a>(&'a self, _: &'a Config, _: &'a [String]) -> BoxFuture<'a, Option<ModelChain>> {
        Box::pin(std::future::ready(None))
    }
}

/// The model names of a session in the order in which they are tried: the session's own choice, then those of its agent
/// as fallbacks.
#[must_use]
pub fn chosen_models(config: &Config, agent: &AgentId, own: Option<&str>) -> Vec<String> {
    let of_agent =
        config.agents.get(agent).map(|agent| report::configured(config, agent)).unwrap_or_default();
    // An invalid name is kept as it is written.
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
    fn session_choice_comes_before_agent_and_defaults() {
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
            assert_eq!(chosen_models(&config, &agent.parse().unwrap(), own), expected, "{agent} {own:?}");
        }
        assert!(chosen_models(&Config::default(), &AgentId::main(), None).is_empty());
    }
}
