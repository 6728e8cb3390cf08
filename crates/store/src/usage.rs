//! What runs have cost: tokens and money.

use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, Row, params};
use tarsus_home::config::AgentId;

use crate::error::{QueryError, StoreError};
use crate::names::{Line, RunId, SessionKey};
use crate::{run, session, sql};

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

impl Spent {
    /// All tokens.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.input + self.output + self.cache_read + self.cache_write
    }
}

/// What the last request of a session reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastUsage {
    /// What it cost.
    pub usage: Usage,
    /// The number of the answer that it brought: what came after that is not counted in it.
    pub item: u64,
}

impl Usage {
    /// All tokens.
    #[must_use]
    pub fn total(&self) -> u64 {
        [self.input, self.output, self.cache_read, self.cache_write].into_iter().map(u64::from).sum()
    }
}

/// Writes down what a request has cost, with the number of the answer that it brought.
pub(crate) fn insert(db: &Connection, usage: &Usage, item: Option<u64>) -> Result<(), QueryError> {
    if usage.cost_nano_usd.is_some_and(|cost| cost > HIGHEST_COST) {
        let unit = "billionths of a dollar";
        return Err(StoreError::TooLarge { what: "the cost of a request", limit: HIGHEST_COST, unit }.into());
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
pub(crate) fn spent_by_day(db: &Connection, span_ms: Range<i64>) -> Result<Vec<DaySpent>, QueryError> {
    // Division cuts towards zero: days before 1970 are not told apart, and nothing was spent then.
    let mut query = db.prepare_cached(&format!(
        "SELECT at_ms / ?3 * ?3 AS day_ms, {SUMS} WHERE at_ms >= ?1 AND at_ms < ?2 GROUP BY day_ms ORDER BY day_ms"
    ))?;
    let days = query.query_map([span_ms.start, span_ms.end, DAY_MS], |row| {
        Ok(DaySpent { day_ms: row.get("day_ms")?, spent: spent_from_row(row)? })
    })?;
    Ok(days.collect::<rusqlite::Result<_>>()?)
}

/// What was spent since a moment, by all agents or by one.
pub(crate) fn spent_since(
    db: &Connection,
    since_ms: i64,
    agent: Option<&AgentId>,
) -> Result<Spent, QueryError> {
    let mut query =
        db.prepare_cached(&format!("SELECT {SUMS} WHERE at_ms >= ?1 AND (?2 IS NULL OR agent = ?2)"))?;
    Ok(query.query_row(params![since_ms, agent.map(AgentId::as_str)], spent_from_row)?)
}

/// What was spent in a session, in all its transcripts.
pub(crate) fn spent_in_session(db: &Connection, key: &SessionKey) -> Result<Spent, QueryError> {
    let mut query = db.prepare_cached(&format!("SELECT {SUMS} WHERE session_key = ?1"))?;
    Ok(query.query_row([key.as_str()], spent_from_row)?)
}

/// What was spent in a run.
pub(crate) fn spent_in_run(db: &Connection, run: &RunId) -> Result<Spent, QueryError> {
    let mut query = db.prepare_cached(&format!("SELECT {SUMS} WHERE run = ?1"))?;
    Ok(query.query_row([run.as_str()], spent_from_row)?)
}

/// What the last request reported whose answer is in the present transcript of a session.
pub(crate) fn last_for_session(db: &Connection, key: &SessionKey) -> Result<Option<LastUsage>, QueryError> {
    let Some(ids) = session::find_ids(db, key)? else { return Ok(None) };
    // From the newest on: the first one is nearly always it.
    let mut query = db.prepare_cached(
        "SELECT run, model, input, output, cache_read, cache_write, cost_nano_usd, at_ms, item FROM usage
         WHERE session_key = ?1 AND item IS NOT NULL
           AND (SELECT transcript FROM items WHERE number = item) = ?2
         ORDER BY id DESC LIMIT 1",
    )?;
    let found = query.query_row(params![key.as_str(), ids.transcript], |row| {
        let cost: Option<i64> = row.get("cost_nano_usd")?;
        let usage = Usage {
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

fn spent_from_row(row: &Row<'_>) -> rusqlite::Result<Spent> {
    Ok(Spent {
        requests: sql::u64_column(row, "requests")?,
        input: sql::u64_column(row, "input")?,
        output: sql::u64_column(row, "output")?,
        cache_read: sql::u64_column(row, "cache_read")?,
        cache_write: sql::u64_column(row, "cache_write")?,
        cost_nano_usd: sql::u64_column(row, "cost_nano_usd")?,
        unpriced: sql::u64_column(row, "unpriced")?,
    })
}
