//! Resolves model names: built-in providers, overridden by the configuration.
//!
//! Pure. An unlisted model of a known provider can be used too, as providers release new ones every week.

mod built_in;
mod known;

use std::collections::BTreeMap;

use tarsus_home::config::view::{self, Input, SecretInput};
use tarsus_host::egress::{Host, Url};

pub use built_in::{BUILT_IN_PROVIDERS, BuiltInProvider};

use tarsus_protocol::NoAnswer;

use crate::error::ModelError;
use crate::key::KeySource;
use crate::local::LocalEndpoint;
use crate::name::ModelName;
use crate::request::ModelRequest;
use crate::usage::Price;
use crate::wire::Dialect;

/// The form in which a model calls tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum ToolCallMode {
    /// The provider's tool calls only.
    Native,
    /// Text only: tools are described in the prompt, and are not sent to the provider.
    Text,
    /// The provider's tool calls; a reply that consists only of calls written as text is accepted too.
    #[default]
    Auto,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// The display name.
    pub label: String,
    pub context_window: Option<u32>,
    pub max_output: Option<u32>,
    pub reasoning: bool,
    pub images: bool,
    pub price: Option<Price>,
    pub tool_calls: ToolCallMode,
}

/// Everything needed to call a model, except the key itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub name: ModelName,
    pub dialect: Dialect,
    pub base_url: Url,
    pub key: KeySource,
    pub headers: BTreeMap<String, SecretInput>,
    /// Whether the address is on this machine.
    pub is_local: bool,
    pub info: ModelInfo,
}

impl Model {
    /// The known context window, else a default. It is small for local servers, which silently drop the beginning of a
    /// prompt that does not fit.
    #[must_use]
    pub fn context_window(&self) -> u32 {
        self.info.context_window.unwrap_or(if self.is_local { 8_192 } else { 128_000 })
    }

    /// The output limit: the requested one, else the model's, but at most half of its context window.
    pub(crate) fn answer_tokens(&self, request: &ModelRequest) -> Option<u32> {
        let own = self.info.max_output.map(|most| most.min(self.info.context_window.unwrap_or(u32::MAX) / 2));
        request.max_tokens.or(own)
    }
}

#[derive(Debug, Clone, Default)]
pub struct ModelCatalog {
    configured: BTreeMap<String, view::Provider>,
}

impl ModelCatalog {
    #[must_use]
    pub fn new(models: &view::Models) -> Self {
        Self { configured: models.providers.clone() }
    }

    /// All provider names: configured ones first, then the other built-in ones.
    pub fn providers(&self) -> impl Iterator<Item = &str> {
        let configured = self.configured.keys().map(String::as_str);
        let others = BUILT_IN_PROVIDERS.iter().map(|provider| provider.id);
        configured.chain(others.filter(|id| !self.configured.contains_key(*id)))
    }

    #[must_use]
    pub fn has_configured_models(&self, provider: &str) -> bool {
        self.configured.get(provider).is_some_and(|entry| !entry.models.is_empty())
    }

    /// Addresses of local servers: the configured ones and the default ports of the built-in providers.
    #[must_use]
    pub fn local_endpoints(&self) -> Vec<LocalEndpoint> {
        let any = |provider: &str| self.model(&ModelName::new(provider, "any").ok()?).ok();
        let local = self.providers().filter_map(any).filter(|model| {
            model.is_local && model.key == KeySource::None && model.dialect == Dialect::OpenaiCompletions
        });
        local
            .map(|model| LocalEndpoint {
                provider: model.name.provider().into(),
                base_url: model.base_url.to_string(),
            })
            .collect()
    }

    /// The ids of a provider's models: configured ones first, then the other known ones.
    pub fn model_ids<'a>(&'a self, provider: &'a str) -> impl Iterator<Item = &'a str> {
        let own: &'a [view::Model] = self.configured.get(provider).map_or(&[], |entry| &entry.models);
        let known = known::ids(provider).filter(|id| !own.iter().any(|model| model.id == *id));
        own.iter().map(|model| model.id.as_str()).chain(known.map(|id| -> &'a str { id }))
    }

    /// # Errors
    /// When the provider is unknown, its API is not supported, or it has no valid base URL.
    pub fn model(&self, name: &ModelName) -> Result<Model, ModelError> {
        let built_in = BUILT_IN_PROVIDERS.iter().find(|provider| provider.id == name.provider());
        let configured = self.configured.get(name.provider());
        if built_in.is_none() && configured.is_none() {
            let what =
                format!("{name} has an unknown provider: models.providers has no {:?}", name.provider());
            return Err(ModelError::new(NoAnswer::BadRequest, what));
        }
        let dialect = match configured.and_then(|provider| provider.api) {
            Some(api) => Dialect::try_from(api).map_err(|api| {
                let what = format!(
                    "the provider {:?} uses the API {api:?}, which is not supported",
                    name.provider()
                );
                ModelError::new(NoAnswer::BadRequest, what)
            })?,
            None => built_in.map_or(Dialect::OpenaiCompletions, |provider| provider.dialect),
        };
        let base_url = self.base_url(name, built_in, configured)?;
        let given = configured.and_then(|provider| provider.api_key.clone());
        let key = match (given, built_in) {
            (Some(key), _) => KeySource::Configured(key),
            (None, Some(provider)) if !provider.key_variables.is_empty() => {
                KeySource::EnvVars(provider.key_variables)
            }
            _ => KeySource::None,
        };
        let own = configured.and_then(|provider| provider.models.iter().find(|model| model.id == name.id()));
        Ok(Model {
            name: name.clone(),
            dialect,
            is_local: is_loopback(&base_url),
            base_url,
            key,
            headers: configured.map(|provider| provider.headers.clone()).unwrap_or_default(),
            info: info(name, own),
        })
    }

    fn base_url(
        &self,
        name: &ModelName,
        built_in: Option<&BuiltInProvider>,
        configured: Option<&view::Provider>,
    ) -> Result<Url, ModelError> {
        let written = configured.and_then(|provider| provider.base_url.as_deref());
        let Some(text) = written.or(built_in.map(|provider| provider.base_url)) else {
            let what = format!("models.providers.{} has no baseUrl", name.provider());
            return Err(ModelError::new(NoAnswer::BadRequest, what));
        };
        match Url::parse(text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.host().is_some() => Ok(url),
            _ => {
                let what =
                    format!("the baseUrl of models.providers.{} is not a web address", name.provider());
                Err(ModelError::new(NoAnswer::BadRequest, what))
            }
        }
    }
}

fn info(name: &ModelName, own: Option<&view::Model>) -> ModelInfo {
    let known = known::info(name);
    let Some(own) = own else {
        return known.unwrap_or_else(|| ModelInfo {
            label: name.id().to_owned(),
            context_window: None,
            max_output: None,
            reasoning: false,
            images: false,
            price: None,
            tool_calls: ToolCallMode::Auto,
        });
    };
    let or_known =
        |own: Option<u32>, pick: fn(&ModelInfo) -> Option<u32>| own.or(known.as_ref().and_then(pick));
    ModelInfo {
        label: own.name.clone().unwrap_or_else(|| own.id.clone()),
        context_window: or_known(own.context_window, |info| info.context_window),
        max_output: or_known(own.max_tokens, |info| info.max_output),
        reasoning: own.reasoning,
        images: own.input.contains(&Input::Image),
        price: own.cost.as_ref().map(Price::new).or(known.and_then(|info| info.price)),
        tool_calls: own.tool_calls.map_or(ToolCallMode::Auto, |calls| match calls {
            view::ToolCalls::Native => ToolCallMode::Native,
            view::ToolCalls::Text => ToolCallMode::Text,
            view::ToolCalls::Auto => ToolCallMode::Auto,
        }),
    }
}

/// Whether the URL names this machine, without a name lookup.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests;
