//! Lists the configured models and reports their cost.

use std::ops::Range;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use tarsus_protocol::rpc::NoParams;
use tarsus_protocol::rpc::models::{CostDay, CostParams, CostReport, CostTotals, ModelEntry, ModelsList};
use tarsus_store::DailyUsage;

use super::failure::Failure;
use crate::gateway::Gateway;

/// Default number of days of a cost report.
const USUAL_DAYS: u32 = 30;

/// The models of the providers, and those that agents use beyond them.
pub(super) fn list(gateway: &Gateway, _: NoParams) -> Result<ModelsList, Failure> {
    let config = gateway.config();
    let mut models: Vec<ModelEntry> = Vec::new();
    for (provider, entry) in &config.models.providers {
        models.extend(entry.models.iter().map(|model| ModelEntry {
            id: model.id.clone(),
            name: model.name.clone().unwrap_or_else(|| model.id.clone()),
            provider: provider.clone(),
            context_window: model.context_window,
            reasoning: Some(model.reasoning),
        }));
    }
    let chosen = config.agents.list.iter().filter_map(|agent| config.agents.model_of(agent));
    for (provider, id) in chosen.filter_map(|model| model.split_once('/')) {
        if !models.iter().any(|model| model.provider == provider && model.id == id) {
            let (id, provider) = (id.to_owned(), provider.to_owned());
            models.push(ModelEntry { name: id.clone(), id, provider, context_window: None, reasoning: None });
        }
    }
    Ok(ModelsList { models })
}

pub(super) fn cost(gateway: &Gateway, params: CostParams) -> Result<CostReport, Failure> {
    let days = days(&params, gateway.now())?;
    let daily: Vec<CostDay> = gateway.store.usage_by_day(days)?.into_iter().map(day).collect();
    let totals = daily.iter().fold(CostTotals::default(), |sum, day| CostTotals {
        input: sum.input + day.cost.input,
        output: sum.output + day.cost.output,
        total_tokens: sum.total_tokens + day.cost.total_tokens,
        total_cost: sum.total_cost + day.cost.total_cost,
    });
    Ok(CostReport { updated_at: gateway.now_ms(), daily, totals })
}

/// The requested UTC days as milliseconds since 1970; the last day is included.
fn days(params: &CostParams, now: Timestamp) -> Result<Range<i64>, Failure> {
    let today = TimeZone::UTC.to_datetime(now).date();
    let read = |name: &str, text: &Option<String>| match text {
        None => Ok(None),
        Some(text) => text.parse::<Date>().map(Some).map_err(|_| {
            Failure::invalid(format!("invalid usage.cost params: at /{name}: must be a day as in 2026-01-31"))
        }),
    };
    let last = read("endDate", &params.end_date)?.unwrap_or(today);
    let back = Span::new().days(params.days.unwrap_or(USUAL_DAYS).saturating_sub(1));
    let first = match read("startDate", &params.start_date)? {
        Some(first) => first,
        None => last.saturating_sub(back),
    };
    let begins = |day: Date| day.to_zoned(TimeZone::UTC).map(|day| day.timestamp().as_millisecond());
    let beyond = |_| Failure::invalid("invalid usage.cost params: a day is beyond the calendar");
    Ok(begins(first).map_err(beyond)?..begins(last.saturating_add(Span::new().days(1))).map_err(beyond)?)
}

fn day(day: DailyUsage) -> CostDay {
    let DailyUsage { day_ms, totals } = day;
    let at = Timestamp::from_millisecond(day_ms).unwrap_or(Timestamp::UNIX_EPOCH);
    // Cached tokens count as input.
    let input = totals.input + totals.cache_read + totals.cache_write;
    let cost = CostTotals {
        input,
        output: totals.output,
        total_tokens: input + totals.output,
        total_cost: totals.cost_nano_usd as f64 / 1e9,
    };
    CostDay { date: TimeZone::UTC.to_datetime(at).date().to_string(), cost }
}
