//! What runs have cost: tokens and money.

use std::ops::Range;

use rusqlite::{Connection, Row, params};

use crate::error::{Fault, StoreError};
use crate::names::{Line, RunId};
use crate::{run, sql};

/// The most that one request can cost, in billionths of a dollar: a million dollars. Sums stay far from overflow.
const HIGHEST_COST: u64 = 1_000_000_000_000_000;

/// What one request of a run to a model has cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// The run.
    pub run: RunId,
    /// The model, as `provider/model`.
    pub model: Line,
    /// Tokens that were sent.
    pub input: u32,
    /// Tokens that came back.
    pub output: u32,
    /// Tokens that the provider had kept.
    pub cache_read: u32,
    /// Tokens that the provider keeps from now on.
    pub cache_write: u32,
    /// Billionths of a dollar; `None` when the price is not known.
    pub cost_nano_usd: Option<u64>,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
}

/// What was spent in a span of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Requests to models.
    pub requests: u64,
    /// Tokens that were sent.
    pub input: u64,
    /// Tokens that came back.
    pub output: u64,
    /// Tokens that providers had kept.
    pub cache_read: u64,
    /// Tokens that providers keep.
    pub cache_write: u64,
    /// Billionths of a dollar, for the requests whose price is known.
    pub cost_nano_usd: u64,
    /// Requests whose price is not known.
    pub unpriced: u64,
}

pub(crate) fn add(db: &Connection, usage: &Usage) -> Result<(), Fault> {
    if usage.cost_nano_usd.is_some_and(|cost| cost > HIGHEST_COST) {
        let unit = "billionths of a dollar";
        return Err(StoreError::TooLarge { what: "the cost of a request", limit: HIGHEST_COST, unit }.into());
    }
    let run = run::find(db, &usage.run)?.ok_or_else(|| StoreError::NoRun(usage.run.clone()))?;
    db.prepare_cached(
        "INSERT INTO usage
           (run, session_key, agent, model, at_ms, input, output, cache_read, cache_write, cost_nano_usd)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?
    .execute(params![
        run.id.as_str(),
        run.session.as_str(),
        run.session.agent().as_str(),
        usage.model.as_str(),
        usage.at_ms,
        usage.input,
        usage.output,
        usage.cache_read,
        usage.cache_write,
        usage.cost_nano_usd.map(sql::signed),
    ])?;
    Ok(())
}

/// What was spent on one day (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DaySpent {
    /// When the day begins, in milliseconds since 1970.
    pub day_ms: i64,
    /// What was spent.
    pub spent: Spent,
}

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// What was spent on each day of a span on which a model was asked, the first day first.
pub(crate) fn spent_by_day(db: &Connection, span_ms: Range<i64>) -> Result<Vec<DaySpent>, Fault> {
    // Division cuts towards zero: days before 1970 are not told apart, and nothing was spent then.
    let mut query = db.prepare_cached(
        "SELECT at_ms / ?3 * ?3 AS day_ms, count(*) AS requests, ifnull(sum(input), 0) AS input,
           ifnull(sum(output), 0) AS output, ifnull(sum(cache_read), 0) AS cache_read,
           ifnull(sum(cache_write), 0) AS cache_write, ifnull(sum(cost_nano_usd), 0) AS cost_nano_usd,
           count(*) - count(cost_nano_usd) AS unpriced
         FROM usage WHERE at_ms >= ?1 AND at_ms < ?2 GROUP BY day_ms ORDER BY day_ms",
    )?;
    let days = query.query_map([span_ms.start, span_ms.end, DAY_MS], |row| {
        Ok(DaySpent { day_ms: row.get("day_ms")?, spent: spent(row)? })
    })?;
    Ok(days.collect::<rusqlite::Result<_>>()?)
}

fn spent(row: &Row<'_>) -> rusqlite::Result<Spent> {
    Ok(Spent {
        requests: sql::count(row, "requests")?,
        input: sql::count(row, "input")?,
        output: sql::count(row, "output")?,
        cache_read: sql::count(row, "cache_read")?,
        cache_write: sql::count(row, "cache_write")?,
        cost_nano_usd: sql::count(row, "cost_nano_usd")?,
        unpriced: sql::count(row, "unpriced")?,
    })
}
