//! The tokens and money that a turn spends, and its limits.

use tarsus_models::{Budget, BudgetExceeded, BudgetUsage, FailedAttempt, ModelChain, ModelName, Usage};
use tarsus_store::{self as store, Durability, SingleLine, StoreError};

use crate::run_event::RunEventKind;
use crate::runtime::Runtime;
use crate::session_status::today_ms;
use crate::turn::Turn;
use crate::turn_context::TurnContext;

pub(super) struct Spending<'r> {
    runtime: &'r Runtime,
    budget: Budget,
    today_ms: i64,
    turn_tokens: u64,
}

impl<'r> Spending<'r> {
    pub(super) fn new(runtime: &'r Runtime, context: &TurnContext) -> Self {
        let budget = Budget::new(&context.config.agents.defaults.budget);
        let today_ms = today_ms(runtime.services.clock.now(), &context.zone);
        Self { runtime, budget, today_ms, turn_tokens: 0 }
    }

    /// The limit that is reached, if any: no request is sent then.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(super) fn exceeded_limit(&self) -> Result<Option<BudgetExceeded>, StoreError> {
        let has_daily = self.budget.daily_tokens.is_some() || self.budget.daily_nano_usd.is_some();
        let today = match has_daily {
            true => self.runtime.services.store.usage_since(self.today_ms, None)?,
            false => Default::default(),
        };
        let used = BudgetUsage {
            daily_tokens: today.input + today.output + today.cache_read + today.cache_write,
            daily_nano_usd: today.cost_nano_usd,
            turn_tokens: self.turn_tokens,
        };
        Ok(self.budget.check(&used).err())
    }

    /// Counts an answer and publishes its usage. Returns the row for the store, where the provider reported its tokens.
    pub(super) fn add(
        &mut self,
        turn: &mut Turn<'_>,
        chain: &ModelChain,
        model: &ModelName,
        usage: Option<Usage>,
    ) -> Option<store::RequestUsage> {
        self.count(turn, chain, model, usage?)
    }

    /// Counts failed attempts, and stores what they cost all the same.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(super) async fn add_failed(
        &mut self,
        turn: &mut Turn<'_>,
        chain: &ModelChain,
        tried: &[FailedAttempt],
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
        chain: &ModelChain,
        model: &ModelName,
        usage: Usage,
    ) -> Option<store::RequestUsage> {
        self.turn_tokens += usage.total();
        let link = chain.links().iter().find(|link| link.name == *model);
        let price = link.and_then(|link| link.model.as_ref().ok()?.info().price);
        let cost_nano_usd = price.map(|price| price.cost(&usage));
        let model = model.to_string();
        turn.publish(RunEventKind::UsageRecorded { model: model.clone(), usage, cost_nano_usd });
        Some(store::RequestUsage {
            run: turn.id().clone(),
            model: model.parse::<SingleLine>().ok()?,
            input: usage.input,
            output: usage.output,
            cache_read: usage.cache_read,
            cache_write: usage.cache_write,
            cost_nano_usd,
            at_ms: turn.now_ms(),
        })
    }
}

/// Stores the usage of an answer that is not stored itself.
///
/// # Errors
/// When the store cannot be written.
pub(super) async fn write(turn: &Turn<'_>, spent: Option<store::RequestUsage>) -> Result<(), StoreError> {
    match spent {
        Some(spent) => turn.store().add_usage(spent, Durability::KillSafe).await,
        None => Ok(()),
    }
}
