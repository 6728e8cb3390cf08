//! Which models there are and how each is reached: what is built in, with what the configuration says on top.
//!
//! Pure. A model that is not listed anywhere can still be asked, as long as its provider is known: providers
//! have new models every week.

mod built_in;
mod known;

use std::collections::BTreeMap;

use tarsus_home::config::view::{self, Input, SecretInput};
use tarsus_host::egress::{Host, Url};

pub use built_in::{BUILT_IN, BuiltIn};

use crate::failure::{Class, Failure};
use crate::key::Key;
use crate::local::Place;
use crate::name::ModelName;
use crate::request::Request;
use crate::usage::Price;
use crate::wire::Dialect;

/// How calls of tools come from a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum ToolCalls {
    /// In the provider's own way only.
    Native,
    /// As text only: tools are described in the prompt, and the provider is not told of them.
    Text,
    /// In the provider's own way; a reply that is nothing but a call written as text is taken as one too.
    #[default]
    Auto,
}

/// What is known about a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The name people see.
    pub label: String,
    /// How many tokens it can look at, where that is known.
    pub window: Option<u32>,
    /// How many tokens it can answer with, where that is known.
    pub max_output: Option<u32>,
    /// Whether it can be asked to think.
    pub reasoning: bool,
    /// Whether it sees pictures.
    pub images: bool,
    /// What it costs, where that is known.
    pub price: Option<Price>,
    /// How calls of tools come from it.
    pub tool_calls: ToolCalls,
}

/// A model, and all that is needed to ask it but the key itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Its name.
    pub name: ModelName,
    /// How it is spoken to.
    pub dialect: Dialect,
    /// Where it is.
    pub base_url: Url,
    /// Where its key comes from.
    pub key: Key,
    /// Headers to send along.
    pub headers: BTreeMap<String, SecretInput>,
    /// Whether it runs on this machine.
    pub is_local: bool,
    /// What is known about it.
    pub facts: Facts,
}

impl Model {
    /// How many tokens to count on: what is known, else what is usual. A local server that is given more than it has
    /// room for often cuts the beginning off in silence, so little is assumed there.
    #[must_use]
    pub fn window(&self) -> u32 {
        self.facts.window.unwrap_or(if self.is_local { 8_192 } else { 128_000 })
    }

    /// The bound of an answer: what is asked for, else the model's own, as long as half of its window is left to read with.
    pub(crate) fn answer_tokens(&self, request: &Request) -> Option<u32> {
        let own = self.facts.max_output.map(|most| most.min(self.facts.window.unwrap_or(u32::MAX) / 2));
        request.max_tokens.or(own)
    }
}

/// The providers and their models.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    configured: BTreeMap<String, view::Provider>,
}

impl Catalog {
    /// What is built in, with the configuration on top.
    #[must_use]
    pub fn new(models: &view::Models) -> Self {
        Self { configured: models.providers.clone() }
    }

    /// The names of all providers: those of the configuration, then the others that are built in.
    pub fn providers(&self) -> impl Iterator<Item = &str> {
        let configured = self.configured.keys().map(String::as_str);
        let others = BUILT_IN.iter().map(|provider| provider.id);
        configured.chain(others.filter(|id| !self.configured.contains_key(*id)))
    }

    /// Whether the configuration names models of a provider itself.
    #[must_use]
    pub fn is_configured(&self, provider: &str) -> bool {
        self.configured.get(provider).is_some_and(|entry| !entry.models.is_empty())
    }

    /// Where servers on this machine may be: those of the configuration, and where the built-in ones usually are.
    #[must_use]
    pub fn local_places(&self) -> Vec<Place> {
        let any = |provider: &str| self.model(&ModelName::new(provider, "any").ok()?).ok();
        let local = self.providers().filter_map(any).filter(|model| {
            model.is_local && model.key == Key::None && model.dialect == Dialect::OpenaiCompletions
        });
        local
            .map(|model| Place {
                provider: model.name.provider().into(),
                base_url: model.base_url.to_string(),
            })
            .collect()
    }

    /// The models that are listed for a provider: those of the configuration, then those that are known.
    pub fn listed<'a>(&'a self, provider: &'a str) -> impl Iterator<Item = &'a str> {
        let own: &'a [view::Model] = self.configured.get(provider).map_or(&[], |entry| &entry.models);
        let known = known::ids(provider).filter(|id| !own.iter().any(|model| model.id == *id));
        own.iter().map(|model| model.id.as_str()).chain(known.map(|id| -> &'a str { id }))
    }

    /// A model by its name.
    ///
    /// # Errors
    /// When its provider is not known, or cannot be spoken to.
    pub fn model(&self, name: &ModelName) -> Result<Model, Failure> {
        let built_in = BUILT_IN.iter().find(|provider| provider.id == name.provider());
        let configured = self.configured.get(name.provider());
        if built_in.is_none() && configured.is_none() {
            let what = format!(
                "{name} has a provider that is not known; models.providers has no {:?}",
                name.provider()
            );
            return Err(Failure::new(Class::BadRequest, what));
        }
        let dialect = match configured.and_then(|provider| provider.api) {
            Some(api) => Dialect::try_from(api).map_err(|api| {
                let what = format!(
                    "the provider {:?} has the api {api:?}, which is not spoken here",
                    name.provider()
                );
                Failure::new(Class::BadRequest, what)
            })?,
            None => built_in.map_or(Dialect::OpenaiCompletions, |provider| provider.dialect),
        };
        let base_url = self.base_url(name, built_in, configured)?;
        let given = configured.and_then(|provider| provider.api_key.clone());
        let key = match (given, built_in) {
            (Some(key), _) => Key::Given(key),
            (None, Some(provider)) if !provider.key_variables.is_empty() => {
                Key::Variables(provider.key_variables)
            }
            _ => Key::None,
        };
        let own = configured.and_then(|provider| provider.models.iter().find(|model| model.id == name.id()));
        Ok(Model {
            name: name.clone(),
            dialect,
            is_local: is_loopback(&base_url),
            base_url,
            key,
            headers: configured.map(|provider| provider.headers.clone()).unwrap_or_default(),
            facts: facts(name, own),
        })
    }

    fn base_url(
        &self,
        name: &ModelName,
        built_in: Option<&BuiltIn>,
        configured: Option<&view::Provider>,
    ) -> Result<Url, Failure> {
        let written = configured.and_then(|provider| provider.base_url.as_deref());
        let Some(text) = written.or(built_in.map(|provider| provider.base_url)) else {
            let what = format!("models.providers.{} has no baseUrl", name.provider());
            return Err(Failure::new(Class::BadRequest, what));
        };
        match Url::parse(text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.host().is_some() => Ok(url),
            _ => {
                let what =
                    format!("the baseUrl of models.providers.{} is not a web address", name.provider());
                Err(Failure::new(Class::BadRequest, what))
            }
        }
    }
}

fn facts(name: &ModelName, own: Option<&view::Model>) -> Facts {
    let known = known::facts(name);
    let Some(own) = own else {
        return known.unwrap_or_else(|| Facts {
            label: name.id().to_owned(),
            window: None,
            max_output: None,
            reasoning: false,
            images: false,
            price: None,
            tool_calls: ToolCalls::Auto,
        });
    };
    let or_known = |own: Option<u32>, pick: fn(&Facts) -> Option<u32>| own.or(known.as_ref().and_then(pick));
    Facts {
        label: own.name.clone().unwrap_or_else(|| own.id.clone()),
        window: or_known(own.context_window, |facts| facts.window),
        max_output: or_known(own.max_tokens, |facts| facts.max_output),
        reasoning: own.reasoning,
        images: own.input.contains(&Input::Image),
        price: own.cost.as_ref().map(Price::new).or(known.and_then(|facts| facts.price)),
        tool_calls: own.tool_calls.map_or(ToolCalls::Auto, |calls| match calls {
            view::ToolCalls::Native => ToolCalls::Native,
            view::ToolCalls::Text => ToolCalls::Text,
            view::ToolCalls::Auto => ToolCalls::Auto,
        }),
    }
}

/// Whether an address is one of this machine by its own words, without asking a name server.
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
