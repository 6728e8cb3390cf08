//! Model servers on this machine, found by probing the ports that they usually listen on. Loopback only, bounded in
//! time and size.

use std::time::Duration;

use futures_util::future::join_all;
use serde::Deserialize;
use tarsus_home::config::Lookup;
use tarsus_host::egress::{self, Egress, EgressRule};

use crate::catalog::BUILT_IN_PROVIDERS;
use crate::name::ModelName;

const TIMEOUT: Duration = Duration::from_millis(1_500);
const MAX_BYTES: usize = 1024 * 1024;
const MAX_MODELS: usize = 200;

/// An address at which a model server may listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalEndpoint {
    pub provider: String,
    /// For example `http://127.0.0.1:11434/v1`.
    pub base_url: String,
}

/// A server that answered a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    pub endpoint: LocalEndpoint,
    /// In the server's order; empty when it has no model loaded.
    pub models: Vec<ModelName>,
}

/// Probes all endpoints at once and returns the servers that answer, in the order of the endpoints.
pub async fn find_local_servers(endpoints: &[LocalEndpoint]) -> Vec<LocalServer> {
    let limits = egress::EgressLimits { connect: TIMEOUT, total: TIMEOUT, body: MAX_BYTES, redirects: 0 };
    let egress = Egress::new(EgressRule::Loopback, limits);
    let found = join_all(endpoints.iter().map(|endpoint| probe(&egress, endpoint))).await;
    found.into_iter().flatten().collect()
}

/// Returns `None` when nothing listens there, which is the usual case.
async fn probe(egress: &Egress, endpoint: &LocalEndpoint) -> Option<LocalServer> {
    #[derive(Deserialize)]
    struct List {
        data: Option<Vec<Entry>>,
        object: Option<String>,
    }
    #[derive(Deserialize)]
    struct Entry {
        id: String,
    }
    let request =
        egress::EgressRequest::get(&format!("{}/models", endpoint.base_url.trim_end_matches('/'))).ok()?;
    let answer = egress.send(request).await.ok().filter(|answer| answer.status == 200)?;
    let list: List = serde_json::from_slice(&answer.body().await.ok()?).ok()?;
    // Another service on this port may answer with JSON, but not with this object.
    if list.data.is_none() && list.object.as_deref() != Some("list") {
        return None;
    }
    let ids = list.data.unwrap_or_default().into_iter().map(|entry| entry.id);
    let models = ids.filter_map(|id| ModelName::new(&endpoint.provider, &id).ok()).take(MAX_MODELS).collect();
    Some(LocalServer { endpoint: endpoint.clone(), models })
}

/// Suggests a model when none is configured: a local one, else one whose key is set.
#[must_use]
pub fn suggest_model(found: &[LocalServer], variables: Lookup<'_>) -> Option<ModelName> {
    let speaks = |model: &&ModelName| !model.id().to_ascii_lowercase().contains("embed");
    let local = found.iter().find_map(|server| server.models.iter().find(speaks));
    let is_set = |name: &str| variables(name).is_some_and(|value| !value.trim().is_empty());
    local.cloned().or_else(|| {
        let hosted = BUILT_IN_PROVIDERS
            .iter()
            .filter(|provider| provider.key_variables.iter().any(|name| is_set(name)));
        hosted.filter_map(|provider| ModelName::new(provider.id, provider.default_model?).ok()).next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestion_prefers_local_models_over_keys() {
        let server = |models: &[&str]| LocalServer {
            endpoint: LocalEndpoint { provider: "ollama".into(), base_url: "http://127.0.0.1:1/v1".into() },
            models: models.iter().map(|model| model.parse().unwrap()).collect(),
        };
        let key = |name: &str| (name == "GEMINI_API_KEY").then(|| "k".to_owned());
        let blank = |_: &str| Some(" ".to_owned());
        let none = |_: &str| None;
        let first = |found: &[LocalServer], variables: Lookup<'_>| {
            suggest_model(found, variables).map(|model| model.to_string())
        };
        let qwen = server(&["ollama/nomic-embed-text", "ollama/qwen3:4b"]);
        assert_eq!(first(&[server(&[]), qwen], &key).as_deref(), Some("ollama/qwen3:4b"));
        assert_eq!(
            first(&[server(&["ollama/nomic-embed-text"])], &key).as_deref(),
            Some("google/gemini-2.5-pro")
        );
        assert_eq!(first(&[], &blank), None);
        assert_eq!(first(&[], &none), None);
    }
}
