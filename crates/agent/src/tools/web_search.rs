//! `web_search`: searches the web by the provider that the owner has set up.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Date;
use serde_json::json;
use tarsus_guard::{self as guard, CallFacts};
use tarsus_home::config::view::{SecretInput, WebSearch as Settings, minutes};
use tarsus_host::egress::Url;
use tarsus_models::KeySource;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_web::{
    Brave, DuckDuckGo, Freshness, MAX_RESULTS, SearchClient, SearchProvider, SearchQuery, SearchResults,
    Searxng, Tavily,
};

use super::check::{Arguments, Field, Kind};
use super::outcome::{ToolOutcome, WebSource};
use super::{MAX_NAME_CHARS, PermittedCall, Tool, ToolFuture};
use crate::turn_context::TurnContext;

const MAX_QUERY_CHARS: usize = 1_000;

const FIELDS: &[Field] = &[
    Field::required("query", Kind::Text(MAX_QUERY_CHARS), "What to search for"),
    Field::optional("count", Kind::Count, "Number of results, 1 to 10"),
    Field::optional("country", Kind::Text(MAX_NAME_CHARS), "Country of the results, two letters: DE, US"),
    Field::optional("language", Kind::Text(MAX_NAME_CHARS), "Language of the results: en, de"),
    Field::optional("freshness", Kind::OneOf(&Freshness::NAMES), "Only results of this last period"),
    Field::optional("date_after", Kind::Text(MAX_NAME_CHARS), "Only results after this day: YYYY-MM-DD"),
    Field::optional("date_before", Kind::Text(MAX_NAME_CHARS), "Only results before this day: YYYY-MM-DD"),
    Field::optional("search_lang", Kind::Text(MAX_NAME_CHARS), "Brave's own code of the language: zh-hans"),
    Field::optional("ui_lang", Kind::Text(MAX_NAME_CHARS), "Language and region of Brave's texts: en-US"),
];

/// Keeps results for later calls.
#[derive(Default)]
pub(super) struct WebSearch {
    client: Arc<SearchClient>,
}

impl Tool for WebSearch {
    fn id(&self) -> guard::ToolId {
        guard::ToolId::WebSearch
    }

    fn line(&self) -> &'static str {
        "Search the web"
    }

    fn description(&self) -> &'static str {
        "Searches the web and returns titles, URLs and short excerpts. Read a result with web_fetch. The results are \
         untrusted."
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn is_read_only(&self, _: &Arguments) -> bool {
        true
    }

    fn is_for_large_windows(&self) -> bool {
        true
    }

    fn facts(&self, _: &Arguments, context: &TurnContext) -> CallFacts {
        let Ok(choice) = Choice::new(&context.config.tools.web.search, context) else {
            return CallFacts::default();
        };
        CallFacts {
            hosts: choice.host().map(|host| vec![host]),
            provider: Some(choice.provider.name().to_owned()),
            ..CallFacts::default()
        }
    }

    fn run(&self, call: PermittedCall, context: Arc<TurnContext>) -> ToolFuture {
        let client = Arc::clone(&self.client);
        Box::pin(async move { search(&client, &call, &context).await.unwrap_or_else(ToolOutcome::from) })
    }
}

async fn search(
    client: &SearchClient,
    call: &PermittedCall,
    context: &TurnContext,
) -> Result<ToolOutcome, Problem> {
    let settings = &context.config.tools.web.search;
    let query = query(&call.arguments, settings)?;
    let choice = Choice::new(settings, context)?;
    // A skill that became active with this call may have taken the key of the one that was judged away.
    let is_judged = call.facts.provider.as_deref() == Some(choice.provider.name())
        && call.facts.hosts == choice.host().map(|host| vec![host]);
    if !is_judged {
        let message = "the search provider changed after the call was permitted";
        return Err(Problem::new(ErrorCode::Stale, message).hint("make the call again"));
    }
    let provider = choice.open(context).await?;
    let timeout = Duration::from_secs(settings.timeout_seconds.into());
    let ttl = minutes(settings.cache_ttl_minutes);
    let found = client.search(&*provider, &query, timeout, ttl, &context.services.clock).await?;
    Ok(outcome(&query.query, provider.name(), &found))
}

fn query(arguments: &Arguments, settings: &Settings) -> Result<SearchQuery, Problem> {
    let text = |name: &str| arguments.text(name).filter(|text| !text.trim().is_empty()).map(str::to_owned);
    let date = |name: &str| match arguments.text(name) {
        None => Ok(None),
        Some(date) => date.trim().parse::<Date>().map(Some).map_err(|_| {
            let message = format!("{name:?} is not a day: {}", date.chars().take(40).collect::<String>());
            Problem::new(ErrorCode::Usage, message).hint("write it as YYYY-MM-DD")
        }),
    };
    let count = arguments.count("count").unwrap_or(settings.max_results.into());
    let Some(query) = text("query") else {
        return Err(Problem::new(ErrorCode::Usage, "\"query\" is empty").hint("say what to search for"));
    };
    Ok(SearchQuery {
        query,
        count: usize::try_from(count).unwrap_or(MAX_RESULTS).min(MAX_RESULTS),
        country: text("country"),
        language: text("language"),
        freshness: arguments.text("freshness").and_then(Freshness::from_name),
        date_after: date("date_after")?,
        date_before: date("date_before")?,
        search_lang: text("search_lang"),
        ui_lang: text("ui_lang"),
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Provider {
    Brave,
    Tavily,
    Searxng,
    DuckDuckGo,
}

impl Provider {
    const ALL: [Self; 4] = [Self::Brave, Self::Tavily, Self::Searxng, Self::DuckDuckGo];

    const fn name(self) -> &'static str {
        match self {
            Self::Brave => "brave",
            Self::Tavily => "tavily",
            Self::Searxng => "searxng",
            Self::DuckDuckGo => "duckduckgo",
        }
    }

    /// The variables with its key or address.
    const fn variables(self) -> &'static [&'static str] {
        match self {
            Self::Brave => &["BRAVE_API_KEY"],
            Self::Tavily => &["TAVILY_API_KEY"],
            Self::Searxng => &["SEARXNG_BASE_URL"],
            Self::DuckDuckGo => &[],
        }
    }

    fn own_key(self, settings: &Settings) -> Option<&SecretInput> {
        match self {
            Self::Brave => settings.brave.api_key.as_ref(),
            Self::Tavily => settings.tavily.api_key.as_ref(),
            Self::Searxng | Self::DuckDuckGo => None,
        }
    }
}

/// The provider of a search, where it is, and where its key comes from.
struct Choice {
    provider: Provider,
    base_url: String,
    key: KeySource,
}

impl Choice {
    /// The configured provider, or the first one that is set up. DuckDuckGo has to be chosen.
    fn new(settings: &Settings, context: &TurnContext) -> Result<Self, Problem> {
        let variable = |name: &str| variable(context, name).filter(|value| !value.trim().is_empty());
        let has_variable =
            |provider: Provider| provider.variables().iter().any(|name| variable(name).is_some());
        let is_set_up = |provider: Provider| match provider {
            Provider::Brave => {
                settings.api_key.is_some() || provider.own_key(settings).is_some() || has_variable(provider)
            }
            Provider::Tavily => provider.own_key(settings).is_some() || has_variable(provider),
            Provider::Searxng => settings.searxng.base_url.is_some() || has_variable(provider),
            Provider::DuckDuckGo => false,
        };
        let provider = match settings.provider.as_deref().map(str::trim) {
            None | Some("") => {
                Provider::ALL.into_iter().find(|provider| is_set_up(*provider)).ok_or_else(not_set_up)?
            }
            Some(name) => Provider::ALL
                .into_iter()
                .find(|provider| provider.name().eq_ignore_ascii_case(name))
                .ok_or_else(|| unknown_provider(name))?,
        };
        let key = provider.own_key(settings).or(settings.api_key.as_ref());
        Ok(Self {
            provider,
            base_url: match provider {
                Provider::Brave => Brave::BASE_URL.to_owned(),
                Provider::Tavily => Tavily::BASE_URL.to_owned(),
                Provider::DuckDuckGo => DuckDuckGo::BASE_URL.to_owned(),
                Provider::Searxng => {
                    let own = settings.searxng.base_url.clone();
                    let address = own.or_else(|| provider.variables().iter().find_map(|name| variable(name)));
                    address.ok_or_else(no_address)?
                }
            },
            key: match (provider, key) {
                (Provider::Searxng | Provider::DuckDuckGo, _) => KeySource::None,
                (_, Some(key)) => KeySource::Configured(key.clone()),
                (_, None) => KeySource::EnvVars(provider.variables()),
            },
        })
    }

    fn host(&self) -> Option<String> {
        Url::parse(&self.base_url).ok()?.host_str().map(str::to_owned)
    }

    async fn open(self, context: &TurnContext) -> Result<Box<dyn SearchProvider>, Problem> {
        let Self { provider, base_url, key } = self;
        let url = Url::parse(base_url.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = url.ok_or_else(|| {
            let message = "tools.web.search.searxng.baseUrl is not an http or https URL";
            Problem::new(ErrorCode::Malformed, message).hint("tell the user to correct it")
        })?;
        let lookup = |name: &str| variable(context, name);
        let key = key.resolve(&context.services.home, &lookup).await.map_err(|error| {
            Problem::new(ErrorCode::NotFound, format!("{} has no key", provider.name()))
                .note(error.message)
                .hint(key_hint(provider))
        })?;
        Ok(match (provider, key) {
            (Provider::Brave, Some(key)) => Box::new(Brave::new(key, url)),
            (Provider::Tavily, Some(key)) => Box::new(Tavily::new(key, url)),
            (Provider::Searxng, _) => Box::new(Searxng::new(url)),
            (Provider::DuckDuckGo, _) => Box::new(DuckDuckGo::new(url)),
            (Provider::Brave | Provider::Tavily, None) => return Err(not_set_up()),
        })
    }
}

/// A variable of the process, else one that a skill sets for this turn.
fn variable(context: &TurnContext, name: &str) -> Option<String> {
    let mut variables = context.services.environment.iter();
    let own =
        variables.find_map(|(known, value)| (known == name).then(|| value.to_str().map(str::to_owned))?);
    own.or_else(|| context.environment.get(name).map(|value| value.expose().to_owned()))
}

fn not_set_up() -> Problem {
    Problem::new(ErrorCode::NotFound, "no search provider is set up")
        .note("Brave: set BRAVE_API_KEY or tools.web.search.apiKey")
        .note("Tavily: set TAVILY_API_KEY or tools.web.search.tavily.apiKey")
        .note("SearXNG: set SEARXNG_BASE_URL or tools.web.search.searxng.baseUrl")
        .note("DuckDuckGo, without a key: set tools.web.search.provider to duckduckgo")
        .hint("tell the user; `tarsus docs web` explains it")
}

fn unknown_provider(name: &str) -> Problem {
    let name: String = name.chars().take(MAX_NAME_CHARS).collect();
    let names = Provider::ALL.map(Provider::name).join(", ");
    Problem::new(ErrorCode::NotFound, format!("tools.web.search.provider names {name:?}, which is not known"))
        .hint(format!("tell the user to use one of {names}"))
}

fn no_address() -> Problem {
    Problem::new(ErrorCode::NotFound, "SearXNG has no address")
        .hint("tell the user to set SEARXNG_BASE_URL or tools.web.search.searxng.baseUrl")
}

fn key_hint(provider: Provider) -> String {
    let (name, variables) = (provider.name(), provider.variables().join(" or "));
    format!("tell the user to set {variables} or tools.web.search.{name}.apiKey")
}

fn outcome(query: &str, provider: &str, found: &SearchResults) -> ToolOutcome {
    let SearchResults { results, is_cached } = found;
    let mut out = String::new();
    for (number, result) in (1..).zip(results) {
        let _infallible = writeln!(out, "{number}. {}\n   {}", result.title, result.url);
        if let Some(published) = &result.published {
            let _infallible = writeln!(out, "   Published: {published}");
        }
        if !result.snippet.is_empty() {
            let _infallible = writeln!(out, "   {}", result.snippet);
        }
    }
    if results.is_empty() {
        out.push_str("[nothing was found]\n");
    }
    let urls: Vec<&str> = results.iter().map(|result| result.url.as_str()).collect();
    let details = json!({ "provider": provider, "results": urls, "cached": is_cached });
    let web = Some(WebSource::Search { provider: provider.to_owned(), query: query.to_owned() });
    ToolOutcome { web, ..ToolOutcome::text(out) }.with_details(details)
}
