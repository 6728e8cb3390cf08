//! Model servers that run on this machine, found by asking the ports that they usually have. Loopback only, bounded in
//! time and size; what answers with something else is not one.

use std::time::Duration;

use futures_util::future::join_all;
use serde::Deserialize;
use tarsus_home::config::Lookup;
use tarsus_host::egress::{self, Egress, Rule};

use crate::catalog::BUILT_IN;
use crate::name::ModelName;

/// How long a server on this machine may take to say what it has.
const PATIENCE: Duration = Duration::from_millis(1_500);
/// The largest list of models that is read.
const MOST_BYTES: usize = 1024 * 1024;
/// Models of a server that are listed.
const MOST_MODELS: usize = 200;

/// Where a server may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The provider that is there.
    pub provider: String,
    /// Its address, as `http://127.0.0.1:11434/v1`.
    pub base_url: String,
}

/// A server that answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    /// Where.
    pub place: Place,
    /// Its models, in its order; none when it has loaded none.
    pub models: Vec<ModelName>,
}

/// The servers that answer at these places, in their order. All are asked at once.
pub async fn find_local(places: &[Place]) -> Vec<LocalServer> {
    let limits = egress::Limits { connect: PATIENCE, total: PATIENCE, body: MOST_BYTES, redirects: 0 };
    let egress = Egress::new(Rule::Loopback, limits);
    let found = join_all(places.iter().map(|place| look(&egress, place))).await;
    found.into_iter().flatten().collect()
}

/// Nobody at a place is the usual case, and no failure.
async fn look(egress: &Egress, place: &Place) -> Option<LocalServer> {
    #[derive(Deserialize)]
    struct List {
        data: Option<Vec<Entry>>,
        object: Option<String>,
    }
    #[derive(Deserialize)]
    struct Entry {
        id: String,
    }
    let request = egress::Request::get(&format!("{}/models", place.base_url.trim_end_matches('/'))).ok()?;
    let answer = egress.send(request).await.ok().filter(|answer| answer.status == 200)?;
    let list: List = serde_json::from_slice(&answer.body().await.ok()?).ok()?;
    // Something else at this port may well answer with an object, but not with this one.
    if list.data.is_none() && list.object.as_deref() != Some("list") {
        return None;
    }
    let ids = list.data.unwrap_or_default().into_iter().map(|entry| entry.id);
    let models = ids.filter_map(|id| ModelName::new(&place.provider, &id).ok()).take(MOST_MODELS).collect();
    Some(LocalServer { place: place.clone(), models })
}

/// The model to begin with when none is configured: one on this machine, else one whose key is set.
#[must_use]
pub fn first_model(found: &[LocalServer], variables: Lookup<'_>) -> Option<ModelName> {
    let speaks = |model: &&ModelName| !model.id().to_ascii_lowercase().contains("embed");
    let local = found.iter().find_map(|server| server.models.iter().find(speaks));
    let is_set = |name: &str| variables(name).is_some_and(|value| !value.trim().is_empty());
    local.cloned().or_else(|| {
        let hosted =
            BUILT_IN.iter().filter(|provider| provider.key_variables.iter().any(|name| is_set(name)));
        hosted.filter_map(|provider| ModelName::new(provider.id, provider.first_model?).ok()).next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_on_this_machine_goes_before_a_key_and_nothing_is_made_up() {
        let server = |models: &[&str]| LocalServer {
            place: Place { provider: "ollama".into(), base_url: "http://127.0.0.1:1/v1".into() },
            models: models.iter().map(|model| model.parse().unwrap()).collect(),
        };
        let key = |name: &str| (name == "GEMINI_API_KEY").then(|| "k".to_owned());
        let blank = |_: &str| Some(" ".to_owned());
        let none = |_: &str| None;
        let first = |found: &[LocalServer], variables: Lookup<'_>| {
            first_model(found, variables).map(|model| model.to_string())
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
