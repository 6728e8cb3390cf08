//! Spending limits, checked before every request.

use std::fmt;

use tarsus_home::config::view;

/// Spending limits; `None` is unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    pub daily_tokens: Option<u64>,
    pub daily_nano_usd: Option<u64>,
    pub turn_tokens: Option<u64>,
}

/// Usage that counts against a budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BudgetUsage {
    pub daily_tokens: u64,
    /// Counts only models with a known price.
    pub daily_nano_usd: u64,
    pub turn_tokens: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BudgetExceeded {
    #[error(
        "the daily budget of {limit} tokens is used up ({used} used); it resets tomorrow, and agents.defaults.budget.dailyTokens changes it"
    )]
    DailyTokens { limit: u64, used: u64 },
    #[error("the daily budget of {} is used up ({} used); it resets tomorrow, and agents.defaults.budget.dailyUsd changes it", Dollars(*limit), Dollars(*used))]
    DailyUsd { limit: u64, used: u64 },
    #[error(
        "the budget of {limit} tokens per turn is used up ({used} used); agents.defaults.budget.turnTokens changes it"
    )]
    TurnTokens { limit: u64, used: u64 },
}

impl Budget {
    /// Reads the limits of a configuration. A negative or non-finite amount allows nothing.
    #[must_use]
    pub fn new(budget: &view::Budget) -> Self {
        // A cast from a float saturates and turns NaN into zero.
        let nano = |dollars: f64| (dollars * 1e9).round() as u64;
        Self {
            daily_tokens: budget.daily_tokens,
            daily_nano_usd: budget.daily_usd.map(nano),
            turn_tokens: budget.turn_tokens,
        }
    }

    /// # Errors
    /// The first limit that is reached.
    pub fn check(&self, used: &BudgetUsage) -> Result<(), BudgetExceeded> {
        let reached = |limit: Option<u64>, used: u64| limit.filter(|limit| used >= *limit);
        if let Some(limit) = reached(self.daily_tokens, used.daily_tokens) {
            return Err(BudgetExceeded::DailyTokens { limit, used: used.daily_tokens });
        }
        if let Some(limit) = reached(self.daily_nano_usd, used.daily_nano_usd) {
            return Err(BudgetExceeded::DailyUsd { limit, used: used.daily_nano_usd });
        }
        if let Some(limit) = reached(self.turn_tokens, used.turn_tokens) {
            return Err(BudgetExceeded::TurnTokens { limit, used: used.turn_tokens });
        }
        Ok(())
    }
}

/// Nano-dollars, displayed as dollars.
struct Dollars(u64);

impl fmt::Display for Dollars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${:.2}", self.0 as f64 / 1e9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceeded_budget_error_has_limit_and_usage() {
        let config = view::Budget { daily_tokens: Some(100), daily_usd: Some(0.5), turn_tokens: Some(10) };
        let budget = Budget::new(&config);
        let used = |daily_tokens, daily_nano_usd, turn_tokens| BudgetUsage {
            daily_tokens,
            daily_nano_usd,
            turn_tokens,
        };
        let checked = |used: BudgetUsage| budget.check(&used).map_err(|reached| reached.to_string());
        let words = |text: &str| Err(text.to_owned());
        for (used, expected) in [
            (used(99, 499_999_999, 9), Ok(())),
            (
                used(100, 0, 10),
                words(
                    "the daily budget of 100 tokens is used up (100 used); it resets tomorrow, and agents.defaults.budget.dailyTokens changes it",
                ),
            ),
            (
                used(0, 750_000_000, 0),
                words(
                    "the daily budget of $0.50 is used up ($0.75 used); it resets tomorrow, and agents.defaults.budget.dailyUsd changes it",
                ),
            ),
            (
                used(0, 0, 11),
                words(
                    "the budget of 10 tokens per turn is used up (11 used); agents.defaults.budget.turnTokens changes it",
                ),
            ),
        ] {
            assert_eq!(checked(used), expected);
        }
        assert_eq!(Budget::default().check(&used(u64::MAX, u64::MAX, u64::MAX)), Ok(()));
    }

    #[test]
    fn invalid_amounts_allow_nothing() {
        for dollars in [f64::NAN, -1.0, 0.0] {
            let budget = Budget::new(&view::Budget { daily_usd: Some(dollars), ..view::Budget::default() });
            assert_eq!(budget.daily_nano_usd, Some(0), "{dollars}");
        }
    }
}
