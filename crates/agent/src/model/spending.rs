//! What a turn spends, and whether it may go on.

use tarsus_models::{Budget, Chain, ModelName, Reached, Tried, Usage, Used};
use tarsus_store::{self as store, Durability, Line, StoreError};

use super::ready::Ready;
use crate::runtime::Runtime;
use crate::status;
use crate::told::What;
use crate::turn::Turn;

/// What a turn may spend and has spent.
pub(super) struct Spending<'r> {
    runtime: &'r Runtime,
    budget: Budget,
    /// When today began, in milliseconds since 1970.
    today_ms: i64,
    turn_tokens: u64,
}

impl<'r> Spending<'r> {
    /// Nothing yet.
    pub(super) fn of(runtime: &'r Runtime, ready: &Ready) -> Self {
        let budget = Budget::new(&ready.config.agents.defaults.budget);
        let today_ms = status::today_ms(runtime.given.clock.now(), &ready.bench.zone);
        Self { runtime, budget, today_ms, turn_tokens: 0 }
    }

    /// Whether a model may be asked once more.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(super) fn check(&self) -> Result<Result<(), Reached>, StoreError> {
        let has_daily = self.budget.daily_tokens.is_some() || self.budget.daily_nano_usd.is_some();
        let today = match has_daily {
            true => self.runtime.given.store.spent(self.today_ms, None)?,
            false => Default::default(),
        };
        let used = Used {
            daily_tokens: today.input + today.output + today.cache_read + today.cache_write,
            daily_nano_usd: today.cost_nano_usd,
            turn_tokens: self.turn_tokens,
        };
        Ok(self.budget.check(&used))
    }

    /// Counts an answer, and tells what it took; the row for it, where the provider said how many tokens it were.
    pub(super) fn add(
        &mut self,
        turn: &mut Turn<'_>,
        chain: &Chain,
        model: &ModelName,
        usage: Option<Usage>,
    ) -> Option<store::Usage> {
        self.count(turn, chain, model, usage?)
    }

    /// Counts tries that failed, and writes down what they took all the same.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(super) async fn add_failed(
        &mut self,
        turn: &mut Turn<'_>,
        chain: &Chain,
        tried: &[Tried],
    ) -> Result<(), StoreError> {
        for tried in tried {
            let row = tried.usage.and_then(|usage| self.count(turn, chain, &tried.model, usage));
            write(turn, row).await?;
        }
        Ok(())
    }

    fn count(
        &mut self,
        turn: &mut Turn<'_>,
        chain: &Chain,
        model: &ModelName,
        usage: Usage,
    ) -> Option<store::Usage> {
        self.turn_tokens += usage.total();
        let link = chain.links().iter().find(|link| link.name == *model);
        let price = link.and_then(|link| link.model.as_ref().ok()?.facts().price);
        let cost_nano_usd = price.map(|price| price.of(&usage));
        let model = model.to_string();
        turn.tell(What::Spent { model: model.clone(), usage, cost_nano_usd });
        Some(store::Usage {
            run: turn.run.clone(),
            model: model.parse::<Line>().ok()?,
            input: usage.input,
            output: usage.output,
            cache_read: usage.cache_read,
            cache_write: usage.cache_write,
            cost_nano_usd,
            at_ms: turn.now_ms(),
        })
    }
}

/// Writes down what was spent on an answer that is not kept.
///
/// # Errors
/// When the store cannot be written.
pub(super) async fn write(turn: &Turn<'_>, spent: Option<store::Usage>) -> Result<(), StoreError> {
    match spent {
        Some(spent) => turn.runtime.given.store.add_usage(spent, Durability::KillSafe).await,
        None => Ok(()),
    }
}
