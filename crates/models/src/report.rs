//! How models stand, as every surface shows it.

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

use crate::catalog::{BUILT_IN, Catalog, Model};
use crate::failure::Failure;
use crate::key::Key;
use crate::local::{LocalServer, first_model};
use crate::name::ModelName;

/// The models of an agent by name, the first one first; those that are no names are left in their words.
#[must_use]
pub fn chosen(config: &Config, agent: &Agent) -> Vec<Result<ModelName, String>> {
    let defaults = config.agents.defaults.model.as_ref();
    let own = agent.model.as_ref().filter(|model| model.primary.is_some());
    let Some(choice) = own.or(defaults) else { return Vec::new() };
    let names = choice.primary.iter().chain(&choice.fallbacks);
    names.map(|name| name.parse().map_err(|_| name.clone())).collect()
}

/// The models that there are: those that the agent uses, that the configuration or a server on this machine lists, and
/// that are known of providers whose key is set; with `all`, of every provider.
#[must_use]
pub fn list(
    catalog: &Catalog,
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
            let problem = ModelProblem { model: name.to_string(), problem: failure.what };
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    };
    used.iter().for_each(|name| add(name, &|_| true));
    found.iter().flat_map(|server| &server.models).for_each(|name| add(name, &|_| true));
    for provider in catalog.providers() {
        let is_wanted =
            |row: &ModelRow| all || row.key != KeyState::Missing || catalog.is_configured(provider);
        let names = catalog.listed(provider).filter_map(|id| ModelName::new(provider, id).ok());
        names.for_each(|name| add(&name, &is_wanted));
    }
    ModelsReport { models: rows.into_values().collect(), problems }
}

fn row(model: &Model, used: &[ModelName], variables: Lookup<'_>) -> ModelRow {
    let place = used.iter().position(|name| *name == model.name);
    ModelRow {
        model: model.name.to_string(),
        name: model.facts.label.clone(),
        used_as: place.map(|place| if place == 0 { UsedAs::Primary } else { UsedAs::Fallback }),
        api: model.dialect.as_str().to_owned(),
        local: model.is_local,
        key: match &model.key {
            Key::None => KeyState::NotNeeded,
            Key::Given(_) => KeyState::Set,
            Key::Variables(names) if names.iter().any(|name| is_set(variables, name)) => KeyState::Set,
            Key::Variables(_) => KeyState::Missing,
        },
        context_window: model.facts.window,
        max_tokens: model.facts.max_output,
        reasoning: model.facts.reasoning,
        images: model.facts.images,
        cost: model.facts.price.map(|price| {
            let (input, output) = price.dollars();
            ModelCost { input, output }
        }),
    }
}

fn is_set(variables: Lookup<'_>, name: &str) -> bool {
    variables(name).is_some_and(|value| !value.trim().is_empty())
}

/// How the models of an agent stand. Keys are looked for where they are kept, and not shown. The variables are asked
/// before this returns.
pub fn status(
    catalog: &Catalog,
    agent: &Agent,
    chosen: &[Result<ModelName, String>],
    found: &[LocalServer],
    home: &Home,
    variables: Lookup<'_>,
) -> impl Future<Output = ModelsStatus> + Send + use<> {
    let state = |name: &Result<ModelName, String>| match name {
        Ok(name) => match catalog.model(name) {
            Ok(model) => Ok((model.key.resolve(home, variables), model)),
            Err(failure) => Err((name.to_string(), failure.what)),
        },
        Err(text) => Err((text.clone(), "it has to be provider/model".to_owned())),
    };
    let states: Vec<_> = chosen.iter().map(state).collect();
    let keys = BUILT_IN.iter().flat_map(|provider| provider.key_variables);
    let suggestion = first_model(found, variables).filter(|_| chosen.is_empty());
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
        provider: server.place.provider.clone(),
        address: server.place.base_url.clone(),
        models: server.models.iter().map(ToString::to_string).collect(),
    }
}

fn state(model: &Model, failure: Option<Failure>) -> ModelState {
    ModelState {
        model: model.name.to_string(),
        ok: failure.is_none(),
        problem: failure.map(|failure| failure.what),
        api: Some(model.dialect.as_str().to_owned()),
        address: Some(shown(&model.base_url)),
        key: Some(model.key.whence()),
        context_window: Some(model.window()),
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

/// An address without what may be secret in it.
fn shown(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path().trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsus_home::Choice;

    use super::*;
    use crate::local::Place;

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
        let place = Place { provider: "ollama".into(), base_url: "http://127.0.0.1:11434/v1".into() };
        vec![LocalServer { place, models: vec!["ollama/qwen3:4b".parse().unwrap()] }]
    }

    #[test]
    fn the_list_has_what_can_be_asked_and_all_has_the_rest() {
        let config = config();
        let catalog = Catalog::new(&config.models);
        let chosen = chosen(&config, config.agents.default_agent().unwrap());
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
    async fn the_status_says_of_each_model_whether_it_can_be_asked() {
        let config = config();
        let agent = config.agents.default_agent().unwrap();
        let chosen = chosen(&config, agent);
        let home =
            Home::locate(&Choice { state_flag: Some("/nowhere".into()), ..Choice::default() }).unwrap();
        let catalog = Catalog::new(&config.models);
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
