//! Token usage and its cost. Money is counted in nano-dollars, as integers.

use tarsus_home::config::view::Cost;

/// Tokens of one request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Prompt tokens, without those read from or written to the provider's cache.
    pub input: u32,
    /// Response tokens, including reasoning.
    pub output: u32,
    pub cache_read: u32,
    pub cache_write: u32,
}

impl Usage {
    #[must_use]
    pub fn total(&self) -> u64 {
        [self.input, self.output, self.cache_read, self.cache_write].into_iter().map(u64::from).sum()
    }

    /// For providers that count cached tokens as part of the prompt.
    pub(crate) fn with_cached(sent: u64, kept: u64, output: u64) -> Self {
        let whole = |tokens: u64| u32::try_from(tokens).unwrap_or(u32::MAX);
        Self {
            input: whole(sent.saturating_sub(kept)),
            output: whole(output),
            cache_read: whole(kept),
            cache_write: 0,
        }
    }
}

/// Estimates the tokens of a text before a provider has counted them: four bytes are one token, a Chinese, Japanese or
/// Korean character is one token.
#[must_use]
pub fn estimate_tokens(text: &str) -> u64 {
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

/// Price per thousand tokens, in nano-dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Price {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
}

impl Price {
    /// Reads a price in dollars per million tokens. Negative and non-finite amounts count as zero.
    #[must_use]
    pub fn new(cost: &Cost) -> Self {
        // One dollar per million tokens is a million nano-dollars per thousand tokens.
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

    /// Dollars per million tokens, for input and output.
    #[must_use]
    pub fn usd_per_million(&self) -> (f64, f64) {
        (self.input as f64 / 1e6, self.output as f64 / 1e6)
    }

    /// The cost of these tokens in nano-dollars, rounded up.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> u64 {
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
    fn cost_is_exact_and_rounded_up() {
        let usage = Usage { input: 1_000_000, output: 1_000, cache_read: 2_000_000, cache_write: 10 };
        for (price, nano) in [
            (price(3.0, 15.0, 0.3, 3.75), 3_000_000_000 + 15_000_000 + 600_000_000 + 37_500),
            (price(0.0375, 0.0, 0.0, 0.0), 37_500_000),
            (price(f64::NAN, -1.0, f64::INFINITY, 0.0), 0),
            (price(f64::MAX, 0.0, 0.0, 0.0), 1_000_000_000_000_000),
        ] {
            assert_eq!(price.cost(&usage), nano, "{price:?}");
        }
        assert_eq!(
            price(0.000_001, 0.0, 0.0, 0.0).cost(&Usage { input: 1, ..Usage::default() }),
            1,
            "rounded up"
        );
    }

    #[test]
    fn tokens_are_estimated_by_bytes_and_wide_characters() {
        for (text, tokens) in
            [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("你好", 2), ("한글 ab", 3), ("é", 1)]
        {
            assert_eq!(estimate_tokens(text), tokens, "{text}");
        }
    }

    #[test]
    fn cached_tokens_are_subtracted_from_input() {
        let expected = Usage { input: 20, output: 7, cache_read: 80, cache_write: 0 };
        assert_eq!(Usage::with_cached(100, 80, 7), expected);
        assert_eq!(Usage::with_cached(10, 80, 7).input, 0);
        assert_eq!(Usage::with_cached(u64::MAX, 0, 0).input, u32::MAX);
    }
}
