//! How long to wait before a model is asked again. Pure: the same seed gives the same pauses.

use std::time::Duration;

use crate::failure::Failure;

/// When to try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Tries of each model, the first one among them.
    pub tries: u32,
    /// The pause after the first failure, at most; it doubles with each.
    pub first_pause: Duration,
    /// The longest pause of our own.
    pub longest_pause: Duration,
    /// The longest pause that a server can ask for; one that asks for more is not asked again.
    pub longest_wish: Duration,
    /// Makes pauses differ between those who fail at the same moment.
    pub seed: u64,
}

impl Policy {
    /// What holds unless a test says otherwise.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self {
            tries: 3,
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_secs(20),
            longest_wish: Duration::from_secs(60),
            seed,
        }
    }

    /// The pause before the next try of the same model, after so many; nothing when there is none.
    #[must_use]
    pub fn pause(&self, tries: u32, failure: &Failure) -> Option<Duration> {
        if !failure.class.is_retried() || tries >= self.tries {
            return None;
        }
        let wish = failure.retry_after.unwrap_or_default();
        if wish > self.longest_wish {
            return None;
        }
        let doubled = 2_u32.saturating_pow(tries.saturating_sub(1));
        let most = self.first_pause.saturating_mul(doubled).min(self.longest_pause);
        // Between half of it and all of it; never sooner than the server wants.
        let own = most / 2 + (most / 2).mul_f64(self.share(tries));
        Some(own.max(wish.saturating_add(own / 4)))
    }

    /// A number from 0 to below 1 that seed and try give (SplitMix64).
    fn share(&self, tries: u32) -> f64 {
        let mut mixed = self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(u64::from(tries) + 1));
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::failure::Class;

    fn failed(class: Class, retry_after: Option<u64>) -> Failure {
        Failure { retry_after: retry_after.map(Duration::from_secs), ..Failure::new(class, "x") }
    }

    #[test]
    fn only_what_may_pass_is_tried_again_and_three_times_at_most() {
        let policy = Policy::new(7);
        for class in Class::ALL {
            let pauses = (1..=4).map(|tries| policy.pause(tries, &failed(class, None)).is_some());
            let expected = if class.is_retried() { [true, true, false, false] } else { [false; 4] };
            assert!(pauses.eq(expected), "{class:?}");
        }
        assert_eq!(policy.pause(1, &failed(Class::RateLimit, Some(61))), None, "too long to wait for");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn a_pause_is_bounded_grows_and_honours_the_server(seed: u64, wish in prop::option::of(0_u64..=60)) {
            let policy = Policy { tries: 10, ..Policy::new(seed) };
            for tries in 1..9 {
                let failure = failed(Class::RateLimit, wish);
                let pause = policy.pause(tries, &failure).unwrap();
                prop_assert_eq!(Some(pause), policy.pause(tries, &failure), "the same every time");
                prop_assert!(pause >= Duration::from_secs(wish.unwrap_or(0)));
                prop_assert!(pause <= Duration::from_secs(20.max(wish.unwrap_or(0) + 5)));
                if wish.is_none() {
                    let most = Duration::from_secs(1 << (tries - 1)).min(Duration::from_secs(20));
                    prop_assert!(pause >= most / 2 && pause <= most);
                }
            }
        }
    }
}
