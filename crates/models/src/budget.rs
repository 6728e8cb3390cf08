//! How much may be spent, checked before a model is asked.

use std::fmt;

use tarsus_home::config::view;

/// What may be spent. What is not set has no bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    /// Tokens a day.
    pub daily_tokens: Option<u64>,
    /// Billionths of a dollar a day.
    pub daily_nano_usd: Option<u64>,
    /// Tokens in one turn.
    pub turn_tokens: Option<u64>,
}

/// What was spent already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// Tokens today.
    pub daily_tokens: u64,
    /// Billionths of a dollar today, as far as prices are known.
    pub daily_nano_usd: u64,
    /// Tokens in this turn.
    pub turn_tokens: u64,
}

/// A budget that is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Reached {
    /// The tokens of a day.
    #[error(
        "the budget of {limit} tokens a day is used up ({used} used); it begins anew tomorrow, agents.defaults.budget.dailyTokens changes it"
    )]
    DailyTokens {
        /// What may be used.
        limit: u64,
        /// What was used.
        used: u64,
    },
    /// The money of a day.
    #[error("the budget of {} a day is used up ({} used); it begins anew tomorrow, agents.defaults.budget.dailyUsd changes it", Dollars(*limit), Dollars(*used))]
    DailyUsd {
        /// What may be spent, in billionths of a dollar.
        limit: u64,
        /// What was spent.
        used: u64,
    },
    /// The tokens of a turn.
    #[error(
        "the budget of {limit} tokens a turn is used up ({used} used); agents.defaults.budget.turnTokens changes it"
    )]
    TurnTokens {
        /// What may be used.
        limit: u64,
        /// What was used.
        used: u64,
    },
}

impl Budget {
    /// The budget of a configuration. An amount of money that is not a sensible one allows nothing.
    #[must_use]
    pub fn new(budget: &view::Budget) -> Self {
        // A cast from a float stops at the ends of its range, and takes NaN for nothing.
        let nano = |dollars: f64| (dollars * 1e9).round() as u64;
        Self {
            daily_tokens: budget.daily_tokens,
            daily_nano_usd: budget.daily_usd.map(nano),
            turn_tokens: budget.turn_tokens,
        }
    }

    /// Whether a model may be asked.
    ///
    /// # Errors
    /// Names the first budget that is used up.
    pub fn check(&self, used: &Used) -> Result<(), Reached> {
        let reached = |limit: Option<u64>, used: u64| limit.filter(|limit| used >= *limit);
        if let Some(limit) = reached(self.daily_tokens, used.daily_tokens) {
            return Err(Reached::DailyTokens { limit, used: used.daily_tokens });
        }
        if let Some(limit) = reached(self.daily_nano_usd, used.daily_nano_usd) {
            return Err(Reached::DailyUsd { limit, used: used.daily_nano_usd });
        }
        if let Some(limit) = reached(self.turn_tokens, used.turn_tokens) {
            return Err(Reached::TurnTokens { limit, used: used.turn_tokens });
        }
        Ok(())
    }
}

/// Billionths of a dollar as people write them.
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
    fn a_reached_budget_is_named_with_its_numbers() {
        let config = view::Budget { daily_tokens: Some(100), daily_usd: Some(0.5), turn_tokens: Some(10) };
        let budget = Budget::new(&config);
        let used =
            |daily_tokens, daily_nano_usd, turn_tokens| Used { daily_tokens, daily_nano_usd, turn_tokens };
        let said = |used: Used| budget.check(&used).map_err(|reached| reached.to_string());
        let words = |text: &str| Err(text.to_owned());
        for (used, expected) in [
            (used(99, 499_999_999, 9), Ok(())),
            (
                used(100, 0, 10),
                words(
                    "the budget of 100 tokens a day is used up (100 used); it begins anew tomorrow, agents.defaults.budget.dailyTokens changes it",
                ),
            ),
            (
                used(0, 750_000_000, 0),
                words(
                    "the budget of $0.50 a day is used up ($0.75 used); it begins anew tomorrow, agents.defaults.budget.dailyUsd changes it",
                ),
            ),
            (
                used(0, 0, 11),
                words(
                    "the budget of 10 tokens a turn is used up (11 used); agents.defaults.budget.turnTokens changes it",
                ),
            ),
        ] {
            assert_eq!(said(used), expected);
        }
        assert_eq!(Budget::default().check(&used(u64::MAX, u64::MAX, u64::MAX)), Ok(()));
    }

    #[test]
    fn money_that_is_no_amount_allows_nothing() {
        for dollars in [f64::NAN, -1.0, 0.0] {
            let budget = Budget::new(&view::Budget { daily_usd: Some(dollars), ..view::Budget::default() });
            assert_eq!(budget.daily_nano_usd, Some(0), "{dollars}");
        }
    }
}
