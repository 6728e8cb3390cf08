//! How a session stands: what `/status` and the tool `session_status` show.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use tarsus_home::config::Config;
use tarsus_models::Catalog;
use tarsus_protocol::exec::{Reasoning, ThinkingLevel};
use tarsus_store::{LastUsage, SessionKey, Spent, Store, StoreError};

use crate::model::chosen;
use crate::tools::{StatusFacts, Tokens};

/// Looks at a session at one moment.
///
/// # Errors
/// When the store cannot be read.
pub fn of(
    session: &SessionKey,
    config: &Config,
    store: &Store,
    now: Timestamp,
    zone: TimeZone,
) -> Result<StatusFacts, StoreError> {
    let settings = store.session(session)?.map(|session| session.settings).unwrap_or_default();
    let own = settings.model.as_ref().map(|model| model.as_str());
    let model = chosen(config, session.agent(), own).into_iter().next();
    let window =
        model.as_ref().and_then(|model| Catalog::new(&config.models).model(&model.parse().ok()?).ok());
    let spent = store.spent_in_session(session)?;
    let context = store.last_usage(session)?.map(|LastUsage { usage, .. }| {
        [usage.input, usage.output, usage.cache_read, usage.cache_write].into_iter().map(u64::from).sum()
    });
    Ok(StatusFacts {
        session: session.clone(),
        model,
        is_own_model: own.is_some(),
        tokens: Tokens {
            input: spent.input,
            output: spent.output,
            cache_read: spent.cache_read,
            cache_write: spent.cache_write,
        },
        cost_nano_usd: spent.cost_nano_usd,
        unpriced: spent.unpriced,
        context,
        window: window.map(|model| model.window().into()),
        now: now.to_zoned(zone),
        thinking: settings.thinking_level.unwrap_or(ThinkingLevel::Off).as_str().to_owned(),
        reasoning: settings.reasoning.unwrap_or(Reasoning::Off).as_str().to_owned(),
        verbose: "off".to_owned(),
        elevated: "off".to_owned(),
    })
}

/// When the day of a moment began, in milliseconds since 1970.
#[must_use]
pub fn today_ms(now: Timestamp, zone: &TimeZone) -> i64 {
    let now = now.to_zoned(zone.clone());
    // A zone without a midnight on this day begins it a little later.
    now.start_of_day().unwrap_or(now).timestamp().as_millisecond()
}

/// What was spent, in words.
#[must_use]
pub fn spent(spent: &Spent) -> String {
    let Spent { requests, input, output, cache_read, cache_write, cost_nano_usd, unpriced } = spent;
    let (sent, dollars) = (input + cache_read + cache_write, *cost_nano_usd as f64 / 1e9);
    let unpriced = match unpriced {
        0 => String::new(),
        some => format!(" and {some} without a known price"),
    };
    format!("{requests} requests, {sent} tokens sent, {output} came back, ${dollars:.4}{unpriced}")
}
