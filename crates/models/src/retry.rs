//! Delays between attempts. Pure: the same seed gives the same delays.

use std::time::Duration;

use crate::error::ModelError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts for each model, including the first.
    pub max_attempts: u32,
    /// The upper bound of the first delay; it doubles with each attempt.
    pub base_delay: Duration,
    /// The upper bound of all delays, except those that a server asks for.
    pub max_delay: Duration,
    /// A server that asks for a longer delay is not called again.
    pub max_retry_after: Duration,
    /// Spreads the attempts of clients that fail at the same moment.
    pub seed: u64,
}

impl RetryPolicy {
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self {
            max_attempts: 3,
            base_delay: Duration::from_secs(1),
            max_delay: Duration::from_secs(20),
            max_retry_after: Duration::from_secs(60),
            seed,
        }
    }

    /// The delay before the next attempt on the same model, `None` when it is not called again.
    #[must_use]
    pub fn delay(&self, attempt: u32, failure: &ModelError) -> Option<Duration> {
        if !failure.is_retryable() || attempt >= self.max_attempts {
            return None;
        }
        let retry_after = failure.retry_after.unwrap_or_default();
        if retry_after > self.max_retry_after {
            return None;
        }
        let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
        let max = self.base_delay.saturating_mul(doubled).min(self.max_delay);
        // Between half and all of it, but never earlier than the server asks.
        let own = max / 2 + (max / 2).mul_f64(self.jitter(attempt));
        Some(own.max(retry_after.saturating_add(own / 4)))
    }

    /// A number in 0..1 derived from seed and attempt (SplitMix64).
    fn jitter(&self, attempt: u32) -> f64 {
        let mut mixed =
            self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(u64::from(attempt) + 1));
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::tests::CLASSES;
    use tarsus_protocol::NoAnswer;

    fn failed(class: NoAnswer, retry_after: Option<u64>) -> ModelError {
        ModelError { retry_after: retry_after.map(Duration::from_secs), ..ModelError::new(class, "x") }
    }

    #[test]
    fn only_transient_errors_are_retried_up_to_the_limit() {
        let policy = RetryPolicy::new(7);
        for class in CLASSES {
            let pauses = (1..=4).map(|attempt| policy.delay(attempt, &failed(class, None)).is_some());
            let expected =
                if failed(class, None).is_retryable() { [true, true, false, false] } else { [false; 4] };
            assert!(pauses.eq(expected), "{class:?}");
        }
        assert_eq!(policy.delay(1, &failed(NoAnswer::RateLimit, Some(61))), None, "too long to wait for");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn delay_is_bounded_grows_and_respects_retry_after(seed: u64, retry_after in prop::option::of(0_u64..=60)) {
            let policy = RetryPolicy { max_attempts: 10, ..RetryPolicy::new(seed) };
            for attempt in 1..9 {
                let failure = failed(NoAnswer::RateLimit, retry_after);
                let pause = policy.delay(attempt, &failure).unwrap();
                prop_assert_eq!(Some(pause), policy.delay(attempt, &failure), "the same every time");
                prop_assert!(pause >= Duration::from_secs(retry_after.unwrap_or(0)));
                prop_assert!(pause <= Duration::from_secs(20.max(retry_after.unwrap_or(0) + 5)));
                if retry_after.is_none() {
                    let max = Duration::from_secs(1 << (attempt - 1)).min(Duration::from_secs(20));
                    prop_assert!(pause >= max / 2 && pause <= max);
                }
            }
        }
    }
}
