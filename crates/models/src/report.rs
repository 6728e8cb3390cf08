//! The listing and status of models, shared by all surfaces.

use std::collections::BTreeMap;
use std::future::Future;

use futures_util::future::join_all;
use tarsus_home::Home;
use tarsus_home::config::Lookup;
use tarsus_home::config::view::{Agent, Config};
use tarsus_host::egress::Url;
use tarsus_protocol::models::{
    KeyState, LocalModels, ModelCost, ModelProblem, ModelRow, ModelState, ModelsReport, ModelsStatus, UsedAs,
};

use crate::catalog::{BUILT_IN_PROVIDERS, Model, ModelCatalog};
use crate::error::ModelError;
use crate::key::KeySource;
use crate::local::{LocalServer, suggest_model};
use crate::name::ModelName;

/// The configured models of an agent, primary first; invalid names are returned as text.
#[must_use]
pub fn configured(config: &Config, agent: &Agent) -> Vec<Result<ModelName, String>> {
    let defaults = config.agents.defaults.model.as_ref();
    let own = agent.model.as_ref().filter(|model| model.primary.is_some());
    let Some(choice) = own.or(defaults) else { return Vec::new() };
    let names = choice.primary.iter().chain(&choice.fallbacks);
    names.map(|name| name.parse().map_err(|_| name.clone())).collect()
}

/// Lists the models that the agent uses, that the configuration or a local server lists, and that are known of providers
/// whose key is set; with `all`, of every provider.
#[must_use]
pub fn list(
    catalog: &ModelCatalog,
    used: &[ModelName],
    found: &[LocalServer],
    variables: Lookup<'_>,
    all: bool,
) -> ModelsReport {
    let mut rows: BTreeMap<ModelName, ModelRow> = BTreeMap::new();
    let mut problems: Vec<ModelProblem> = Vec::new();
    let mut add = |name: &ModelName, is_wanted: &dyn Fn(&ModelRow) -> bool| match catalog.model(name) {
        Ok(model) => {
            let row = row(&model, used, variables);
            if is_wanted(&row) {
                rows.insert(name.clone(), row);
            }
        }
        Err(failure) => {
            let problem = ModelProblem { model: name.to_string(), problem: failure.message };
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    };
    used.iter().for_each(|name| add(name, &|_| true));
    found.iter().flat_map(|server| &server.models).for_each(|name| add(name, &|_| true));
    for provider in catalog.providers() {
        let is_wanted =
            |row: &ModelRow| all || row.key != KeyState::Missing || catalog.has_configured_models(provider);
        let names = catalog.model_ids(provider).filter_map(|id| ModelName::new(provider, id).ok());
        names.for_each(|name| add(&name, &is_wanted));
    }
    ModelsReport { models: rows.into_values().collect(), problems }
}

fn row(model: &Model, used: &[ModelName], variables: Lookup<'_>) -> ModelRow {
    let place = used.iter().position(|name| *name == model.name);
    ModelRow {
        model: model.name.to_string(),
        name: model.info.label.clone(),
        used_as: place.map(|place| if place == 0 { UsedAs::Primary } else { UsedAs::Fallback }),
        api: model.dialect.as_str().to_owned(),
        local: model.is_local,
        key: match &model.key {
            KeySource::None => KeyState::NotNeeded,
            KeySource::Configured(_) => KeyState::Set,
            KeySource::EnvVars(names) if names.iter().any(|name| is_set(variables, name)) => KeyState::Set,
            KeySource::EnvVars(_) => KeyState::Missing,
        },
        context_window: model.info.context_window,
        max_tokens: model.info.max_output,
        reasoning: model.info.reasoning,
        images: model.info.images,
        cost: model.info.price.map(|price| {
            let (input, output) = price.usd_per_million();
            ModelCost { input, output }
        }),
    }
}

fn is_set(variables: Lookup<'_>, name: &str) -> bool {
    variables(name).is_some_and(|value| !value.trim().is_empty())
}

/// The status of an agent's models. Checks that keys resolve, without showing them. Environment variables are read before
/// this returns.
pub fn status(
    catalog: &ModelCatalog,
    agent: &Agent,
    chosen: &[Result<ModelName, String>],
    found: &[LocalServer],
    home: &Home,
    variables: Lookup<'_>,
) -> impl Future<Output = ModelsStatus> + Send + use<> {
    let state = |name: &Result<ModelName, String>| match name {
        Ok(name) => match catalog.model(name) {
            Ok(model) => Ok((model.key.resolve(home, variables), model)),
            Err(failure) => Err((name.to_string(), failure.message)),
        },
        Err(text) => Err((text.clone(), "it has to be provider/model".to_owned())),
    };
    let states: Vec<_> = chosen.iter().map(state).collect();
    let keys = BUILT_IN_PROVIDERS.iter().flat_map(|provider| provider.key_variables);
    let suggestion = suggest_model(found, variables).filter(|_| chosen.is_empty());
    let status = ModelsStatus {
        agent: agent.id.to_string(),
        models: Vec::new(),
        local: found.iter().map(local).collect(),
        keys: keys.filter(|name| is_set(variables, name)).map(|name| (*name).to_owned()).collect(),
        suggestion: suggestion.map(|model| model.to_string()),
    };
    async move {
        let states = states.into_iter().map(|state| async move {
            match state {
                Ok((key, model)) => self::state(&model, key.await.err()),
                Err((model, problem)) => unusable(model, problem),
            }
        });
        ModelsStatus { models: join_all(states).await, ..status }
    }
}

fn local(server: &LocalServer) -> LocalModels {
    LocalModels {
        provider: server.endpoint.provider.clone(),
        address: server.endpoint.base_url.clone(),
        models: server.models.iter().map(ToString::to_string).collect(),
    }
}

fn state(model: &Model, failure: Option<ModelError>) -> ModelState {
    ModelState {
        model: model.name.to_string(),
        ok: failure.is_none(),
        problem: failure.map(|failure| failure.message),
        api: Some(model.dialect.as_str().to_owned()),
        address: Some(display_url(&model.base_url)),
        key: Some(model.key.describe()),
        context_window: Some(model.context_window()),
    }
}

fn unusable(model: String, problem: String) -> ModelState {
    ModelState {
        model,
        ok: false,
        problem: Some(problem),
        api: None,
        address: None,
        key: None,
        context_window: None,
    }
}

/// A URL without credentials and query.
fn display_url(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path().trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsus_home::HomeOptions;

    use super::*;
    use crate::local::LocalEndpoint;

    fn config() -> Config {
        serde_json::from_value(json!({
            "models": {"providers": {
                "home": {"baseUrl": "http://user:hush@127.0.0.1:9/v1?key=hush", "models": [{"id": "m", "contextWindow": 4096}]},
                "bare": {"models": [{"id": "x"}]},
                "openai": {"apiKey": "hush"},
            }},
            "agents": {"defaults": {"model": {"primary": "anthropic/claude-haiku-4-5", "fallbacks": ["home/m", "odd"]}}},
        }))
        .unwrap()
    }

    fn key(name: &str) -> Option<String> {
        (name == "GROQ_API_KEY").then(|| "hush".to_owned())
    }

    fn found() -> Vec<LocalServer> {
        let place = LocalEndpoint { provider: "ollama".into(), base_url: "http://127.0.0.1:11434/v1".into() };
        vec![LocalServer { endpoint: place, models: vec!["ollama/qwen3:4b".parse().unwrap()] }]
    }

    #[test]
    fn list_shows_usable_models_and_all_shows_the_rest() {
        let config = config();
        let catalog = ModelCatalog::new(&config.models);
        let chosen = configured(&config, config.agents.default_agent().unwrap());
        let used: Vec<ModelName> = chosen.into_iter().flatten().collect();
        let shown = |all| {
            let report = list(&catalog, &used, &found(), &key, all);
            assert!(!format!("{report:?}").contains("hush"));
            let rows = report.models.into_iter().map(|row| (row.model, row.used_as, row.key));
            (rows.collect::<Vec<_>>(), report.problems)
        };
        let row = |model: &str, used, key| (model.to_owned(), used, key);
        let (rows, problems) = shown(false);
        let openai = ["gpt-4.1", "gpt-4.1-mini", "gpt-5", "gpt-5-mini", "gpt-5-nano"];
        let openai = openai.map(|id| row(&format!("openai/{id}"), None, KeyState::Set));
        let mut expected = vec![
            row("anthropic/claude-haiku-4-5", Some(UsedAs::Primary), KeyState::Missing),
            row("groq/llama-3.3-70b-versatile", None, KeyState::Set),
            row("home/m", Some(UsedAs::Fallback), KeyState::NotNeeded),
            row("ollama/qwen3:4b", None, KeyState::NotNeeded),
        ];
        expected.extend(openai);
        assert_eq!(rows, expected);
        let bare =
            ModelProblem { model: "bare/x".into(), problem: "models.providers.bare has no baseUrl".into() };
        assert_eq!(problems, [bare]);
        assert!(shown(true).0.contains(&row("zai/glm-4.6", None, KeyState::Missing)));
    }

    #[tokio::test]
    async fn status_shows_whether_each_model_is_usable() {
        let config = config();
        let agent = config.agents.default_agent().unwrap();
        let chosen = configured(&config, agent);
        let home =
            Home::locate(&HomeOptions { state_flag: Some("/nowhere".into()), ..HomeOptions::default() })
                .unwrap();
        let catalog = ModelCatalog::new(&config.models);
        let status = status(&catalog, agent, &chosen, &found(), &home, &key).await;
        let expected = json!({
            "agent": "main",
            "models": [
                {"model": "anthropic/claude-haiku-4-5", "ok": false, "problem": "no key: ANTHROPIC_API_KEY is not set",
                 "api": "anthropic-messages", "address": "https://api.anthropic.com",
                 "key": "the variable ANTHROPIC_API_KEY", "contextWindow": 200_000},
                {"model": "home/m", "ok": true, "api": "openai-completions", "address": "http://127.0.0.1:9/v1",
                 "key": "no key is needed", "contextWindow": 4096},
                {"model": "odd", "ok": false, "problem": "it has to be provider/model"},
            ],
            "local": [{"provider": "ollama", "address": "http://127.0.0.1:11434/v1", "models": ["ollama/qwen3:4b"]}],
            "keys": ["GROQ_API_KEY"],
        });
        assert_eq!(serde_json::to_value(status).unwrap(), expected);
    }
}
