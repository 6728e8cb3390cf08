//! Tokens and what they cost. Money is counted in billionths of a dollar, in whole numbers.

use tarsus_home::config::view::Cost;

/// Tokens of one request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens that were sent, without those that the provider had kept or keeps from now on.
    pub input: u32,
    /// Tokens that came back, thoughts among them.
    pub output: u32,
    /// Tokens that the provider had kept.
    pub cache_read: u32,
    /// Tokens that the provider keeps from now on.
    pub cache_write: u32,
}

impl Usage {
    /// All tokens.
    #[must_use]
    pub fn total(&self) -> u64 {
        [self.input, self.output, self.cache_read, self.cache_write].into_iter().map(u64::from).sum()
    }

    /// Tokens of a request whose provider counts kept tokens among those that were sent.
    pub(crate) fn with_kept(sent: u64, kept: u64, output: u64) -> Self {
        let whole = |tokens: u64| u32::try_from(tokens).unwrap_or(u32::MAX);
        Self {
            input: whole(sent.saturating_sub(kept)),
            output: whole(output),
            cache_read: whole(kept),
            cache_write: 0,
        }
    }
}

/// How many tokens a text may have, before a provider has counted: four bytes are one, a Chinese, Japanese or Korean
/// letter is one by itself.
#[must_use]
pub fn estimated_tokens(text: &str) -> u64 {
    if text.is_ascii() {
        return (text.len() as u64).div_ceil(4);
    }
    let is_wide = |letter: char| {
        matches!(letter, '\u{1100}'..='\u{11FF}' | '\u{2E80}'..='\u{A4CF}' | '\u{AC00}'..='\u{D7FF}'
            | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..='\u{3FFFF}')
    };
    let (wide, bytes) = text.chars().fold((0_u64, 0_u64), |(wide, bytes), letter| match is_wide(letter) {
        true => (wide + 1, bytes),
        false => (wide, bytes + letter.len_utf8() as u64),
    });
    wide + bytes.div_ceil(4)
}

/// What tokens cost, in billionths of a dollar for a thousand of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Price {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
}

impl Price {
    /// The price that a configuration gives, in dollars for a million tokens. What is no sensible amount is nothing.
    #[must_use]
    pub fn new(cost: &Cost) -> Self {
        // A dollar for a million is a thousandth of a dollar, a million billionths, for a thousand.
        let scaled = |dollars: f64| {
            if dollars.is_finite() && dollars > 0.0 { (dollars * 1e6).round().min(1e12) as u64 } else { 0 }
        };
        Self {
            input: scaled(cost.input),
            output: scaled(cost.output),
            cache_read: scaled(cost.cache_read),
            cache_write: scaled(cost.cache_write),
        }
    }

    /// Dollars for a million tokens that are sent, and for a million that come back.
    #[must_use]
    pub fn dollars(&self) -> (f64, f64) {
        (self.input as f64 / 1e6, self.output as f64 / 1e6)
    }

    /// What these tokens cost, in billionths of a dollar, rounded up.
    #[must_use]
    pub fn of(&self, usage: &Usage) -> u64 {
        let parts = [
            (self.input, usage.input),
            (self.output, usage.output),
            (self.cache_read, usage.cache_read),
            (self.cache_write, usage.cache_write),
        ];
        let sum: u128 = parts.into_iter().map(|(price, tokens)| u128::from(price) * u128::from(tokens)).sum();
        u64::try_from(sum.div_ceil(1_000)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(input: f64, output: f64, cache_read: f64, cache_write: f64) -> Price {
        Price::new(&Cost { input, output, cache_read, cache_write })
    }

    #[test]
    fn tokens_cost_what_the_table_says() {
        let usage = Usage { input: 1_000_000, output: 1_000, cache_read: 2_000_000, cache_write: 10 };
        for (price, nano) in [
            (price(3.0, 15.0, 0.3, 3.75), 3_000_000_000 + 15_000_000 + 600_000_000 + 37_500),
            (price(0.0375, 0.0, 0.0, 0.0), 37_500_000),
            (price(f64::NAN, -1.0, f64::INFINITY, 0.0), 0),
            (price(f64::MAX, 0.0, 0.0, 0.0), 1_000_000_000_000_000),
        ] {
            assert_eq!(price.of(&usage), nano, "{price:?}");
        }
        assert_eq!(
            price(0.000_001, 0.0, 0.0, 0.0).of(&Usage { input: 1, ..Usage::default() }),
            1,
            "rounded up"
        );
    }

    #[test]
    fn tokens_are_estimated_by_bytes_and_by_wide_letters() {
        for (text, tokens) in
            [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("你好", 2), ("한글 ab", 3), ("é", 1)]
        {
            assert_eq!(estimated_tokens(text), tokens, "{text}");
        }
    }

    #[test]
    fn kept_tokens_are_told_apart_from_sent_ones() {
        let expected = Usage { input: 20, output: 7, cache_read: 80, cache_write: 0 };
        assert_eq!(Usage::with_kept(100, 80, 7), expected);
        assert_eq!(Usage::with_kept(10, 80, 7).input, 0);
        assert_eq!(Usage::with_kept(u64::MAX, 0, 0).input, u32::MAX);
    }
}
