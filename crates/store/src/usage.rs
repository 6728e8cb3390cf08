//! Usage of runs: tokens and cost.

use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, Row, params};
use tarsus_home::config::AgentId;

use crate::error::{QueryError, StoreError};
use crate::names::{RunId, SessionKey, SingleLine};
use crate::{run, session, sql};

/// Maximum cost of one request in billionths of a dollar: a million dollars, so that sums cannot overflow.
const MAX_COST: u64 = 1_000_000_000_000_000;

/// Usage of one model request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestUsage {
    /// The run that made the request.
    pub run: RunId,
    /// Model name as `provider/model`.
    pub model: SingleLine,
    /// Input tokens.
    pub input: u32,
    /// Output tokens.
    pub output: u32,
    /// Tokens read from the provider's cache.
    pub cache_read: u32,
    /// Tokens written to the provider's cache.
    pub cache_write: u32,
    /// Cost in billionths of a dollar, if the price is known.
    pub cost_nano_usd: Option<u64>,
    /// Time in milliseconds since 1970.
    pub at_ms: i64,
}

/// Usage of several requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UsageTotals {
    /// Number of requests.
    pub requests: u64,
    /// Input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Tokens read from providers' caches.
    pub cache_read: u64,
    /// Tokens written to providers' caches.
    pub cache_write: u64,
    /// Cost in billionths of a dollar of the requests with a known price.
    pub cost_nano_usd: u64,
    /// Number of requests without a known price.
    pub unpriced: u64,
}

impl UsageTotals {
    /// Tokens of all kinds.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.input + self.output + self.cache_read + self.cache_write
    }
}

/// Usage of a session's last request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastUsage {
    /// Usage of the request.
    pub usage: RequestUsage,
    /// Number of its answer. Later items are not included in the token count.
    pub item: u64,
}

impl RequestUsage {
    /// Tokens of all kinds.
    #[must_use]
    pub fn total(&self) -> u64 {
        [self.input, self.output, self.cache_read, self.cache_write].into_iter().map(u64::from).sum()
    }
}

/// Stores the usage of a request; `item` is the number of its answer.
pub(crate) fn insert(db: &Connection, usage: &RequestUsage, item: Option<u64>) -> Result<(), QueryError> {
    if usage.cost_nano_usd.is_some_and(|cost| cost > MAX_COST) {
        let unit = "billionths of a dollar";
        return Err(StoreError::TooLarge { what: "the cost of a request", limit: MAX_COST, unit }.into());
    }
    let run = run::find(db, &usage.run)?.ok_or_else(|| StoreError::NoRun(usage.run.clone()))?;
    db.prepare_cached(
        "INSERT INTO usage
           (run, session_key, agent, model, at_ms, input, output, cache_read, cache_write, cost_nano_usd,
            item)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
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
        usage.cost_nano_usd.map(sql::to_i64),
        item.map(sql::to_i64),
    ])?;
    Ok(())
}

/// Usage of one day (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DailyUsage {
    /// Start of the day in milliseconds since 1970.
    pub day_ms: i64,
    /// Usage of the day.
    pub totals: UsageTotals,
}

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// Usage by day, in order; days without requests are left out.
pub(crate) fn usage_by_day(db: &Connection, span_ms: Range<i64>) -> Result<Vec<DailyUsage>, QueryError> {
    // Division truncates towards zero, which is wrong only for days before 1970.
    let mut query = db.prepare_cached(&format!(
        "SELECT at_ms / ?3 * ?3 AS day_ms, {SUMS} WHERE at_ms >= ?1 AND at_ms < ?2 GROUP BY day_ms ORDER BY day_ms"
    ))?;
    let days = query.query_map([span_ms.start, span_ms.end, DAY_MS], |row| {
        Ok(DailyUsage { day_ms: row.get("day_ms")?, totals: totals_from_row(row)? })
    })?;
    Ok(days.collect::<rusqlite::Result<_>>()?)
}

/// Usage since a point in time, of all agents or one.
pub(crate) fn usage_since(
    db: &Connection,
    since_ms: i64,
    agent: Option<&AgentId>,
) -> Result<UsageTotals, QueryError> {
    let mut query =
        db.prepare_cached(&format!("SELECT {SUMS} WHERE at_ms >= ?1 AND (?2 IS NULL OR agent = ?2)"))?;
    Ok(query.query_row(params![since_ms, agent.map(AgentId::as_str)], totals_from_row)?)
}

/// Usage of a session, including earlier transcripts.
pub(crate) fn usage_in_session(db: &Connection, key: &SessionKey) -> Result<UsageTotals, QueryError> {
    let mut query = db.prepare_cached(&format!("SELECT {SUMS} WHERE session_key = ?1"))?;
    Ok(query.query_row([key.as_str()], totals_from_row)?)
}

/// Usage of a run.
pub(crate) fn usage_in_run(db: &Connection, run: &RunId) -> Result<UsageTotals, QueryError> {
    let mut query = db.prepare_cached(&format!("SELECT {SUMS} WHERE run = ?1"))?;
    Ok(query.query_row([run.as_str()], totals_from_row)?)
}

/// Usage of the last request whose answer is in the current transcript of a session.
pub(crate) fn last_for_session(db: &Connection, key: &SessionKey) -> Result<Option<LastUsage>, QueryError> {
    let Some(ids) = session::find_ids(db, key)? else { return Ok(None) };
    // Newest first: it nearly always matches.
    let mut query = db.prepare_cached(
        "SELECT run, model, input, output, cache_read, cache_write, cost_nano_usd, at_ms, item FROM usage
         WHERE session_key = ?1 AND item IS NOT NULL
           AND (SELECT transcript FROM items WHERE number = item) = ?2
         ORDER BY id DESC LIMIT 1",
    )?;
    let found = query.query_row(params![key.as_str(), ids.transcript], |row| {
        let cost: Option<i64> = row.get("cost_nano_usd")?;
        let usage = RequestUsage {
            run: sql::require(sql::parsed_column(row, "run")?, "run")?,
            model: sql::require(sql::parsed_column(row, "model")?, "model")?,
            input: row.get("input")?,
            output: row.get("output")?,
            cache_read: row.get("cache_read")?,
            cache_write: row.get("cache_write")?,
            cost_nano_usd: cost.map(i64::cast_unsigned),
            at_ms: row.get("at_ms")?,
        };
        Ok(LastUsage { usage, item: sql::u64_column(row, "item")? })
    });
    Ok(found.optional()?)
}

const SUMS: &str = "count(*) AS requests, ifnull(sum(input), 0) AS input, ifnull(sum(output), 0) AS output, \
     ifnull(sum(cache_read), 0) AS cache_read, ifnull(sum(cache_write), 0) AS cache_write, \
     ifnull(sum(cost_nano_usd), 0) AS cost_nano_usd, count(*) - count(cost_nano_usd) AS unpriced FROM usage";

fn totals_from_row(row: &Row<'_>) -> rusqlite::Result<UsageTotals> {
    Ok(UsageTotals {
        requests: sql::u64_column(row, "requests")?,
        input: sql::u64_column(row, "input")?,
        output: sql::u64_column(row, "output")?,
        cache_read: sql::u64_column(row, "cache_read")?,
        cache_write: sql::u64_column(row, "cache_write")?,
        cost_nano_usd: sql::u64_column(row, "cost_nano_usd")?,
        unpriced: sql::u64_column(row, "unpriced")?,
    })
}
