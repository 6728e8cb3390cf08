//! How a session stands, as a card: for the tool, and for whoever asks by a command.

use std::fmt::Write as _;

use jiff::Zoned;
use tarsus_store::SessionKey;

/// How a session stands. What is `None` is not known.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusFacts {
    /// The session.
    pub session: SessionKey,
    /// The model that answers.
    pub model: Option<String>,
    /// Whether the session chose it for itself.
    pub is_own_model: bool,
    /// What was spent in the session.
    pub tokens: Tokens,
    /// What that cost, in billionths of a dollar, as far as prices are known.
    pub cost_nano_usd: u64,
    /// Requests whose price is not known.
    pub unpriced: u64,
    /// Tokens of the context at the last request.
    pub context: Option<u64>,
    /// Tokens that the model has room for.
    pub window: Option<u64>,
    /// The time where the person is.
    pub now: Zoned,
    /// How long the model thinks.
    pub thinking: String,
    /// Whether what it thinks is shown.
    pub reasoning: String,
    /// Whether calls of tools are shown in full.
    pub verbose: String,
    /// Whether programs may have more rights.
    pub elevated: String,
}

/// Tokens of several requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Sent.
    pub input: u64,
    /// Answered.
    pub output: u64,
    /// Sent before and kept by the provider.
    pub cache_read: u64,
    /// Newly kept by the provider.
    pub cache_write: u64,
}

/// The card.
#[must_use]
pub fn card(facts: &StatusFacts) -> String {
    let mut card = format!("Session: {}\n", facts.session);
    let own = if facts.is_own_model { " (chosen for this session)" } else { "" };
    let model = facts.model.as_deref().unwrap_or("none");
    // Writing to a text does not fail.
    let _ = writeln!(card, "Model: {model}{own}");
    let Tokens { input, output, cache_read, cache_write } = facts.tokens;
    let _ = write!(card, "Tokens: {} in, {} out", grouped(input), grouped(output));
    for (tokens, what) in [(cache_read, "read from the cache"), (cache_write, "written to it")] {
        if tokens > 0 {
            let _ = write!(card, ", {} {what}", grouped(tokens));
        }
    }
    let _ = writeln!(card, "\nCost: {}", cost(facts));
    let _ = writeln!(card, "Context: {}", context(facts));
    let _ = writeln!(card, "Time: {}", facts.now.strftime("%A, %Y-%m-%d %H:%M %Z (%Q)"));
    let StatusFacts { thinking, reasoning, verbose, elevated, .. } = facts;
    let _ = write!(
        card,
        "Thinking: {thinking} · Reasoning: {reasoning} · Verbose: {verbose} · Elevated: {elevated}"
    );
    card
}

fn cost(StatusFacts { cost_nano_usd, unpriced, .. }: &StatusFacts) -> String {
    let (dollars, rest) = (cost_nano_usd / 1_000_000_000, cost_nano_usd % 1_000_000_000);
    let known = format!("${}.{:04}", grouped(dollars), rest / 100_000);
    match (cost_nano_usd, unpriced) {
        (_, 0) => known,
        (0, _) => "not known".to_owned(),
        (_, 1) => format!("{known}, and 1 request whose price is not known"),
        (_, many) => format!("{known}, and {} requests whose price is not known", grouped(*many)),
    }
}

fn context(StatusFacts { context, window, .. }: &StatusFacts) -> String {
    match (context, window) {
        (Some(used), Some(window)) if *window > 0 => {
            let percent = used.saturating_mul(100) / window;
            format!("{} of {} tokens ({percent} %)", grouped(*used), grouped(*window))
        }
        (Some(used), _) => format!("{} tokens", grouped(*used)),
        (None, Some(window)) => format!("nothing of {} tokens yet", grouped(*window)),
        (None, None) => "not known".to_owned(),
    }
}

/// A number with commas between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    use super::*;

    fn facts() -> StatusFacts {
        StatusFacts {
            session: "agent:main:main".parse().unwrap(),
            model: Some("openai/gpt-5".to_owned()),
            is_own_model: true,
            tokens: Tokens { input: 1_234_567, output: 890, cache_read: 1_000, cache_write: 0 },
            cost_nano_usd: 1_234_567_890,
            unpriced: 2,
            context: Some(32_000),
            window: Some(128_000),
            // Zones with names need files that not every machine has.
            now: "2026-11-16T18:30:00Z".parse::<Timestamp>().unwrap().to_zoned(TimeZone::UTC),
            thinking: "low".to_owned(),
            reasoning: "off".to_owned(),
            verbose: "on".to_owned(),
            elevated: "off".to_owned(),
        }
    }

    #[test]
    fn the_card_says_what_is_known() {
        let expected = "\
Session: agent:main:main
Model: openai/gpt-5 (chosen for this session)
Tokens: 1,234,567 in, 890 out, 1,000 read from the cache
Cost: $1.2345, and 2 requests whose price is not known
Context: 32,000 of 128,000 tokens (25 %)
Time: Monday, 2026-11-16 18:30 UTC (UTC)
Thinking: low · Reasoning: off · Verbose: on · Elevated: off";
        assert_eq!(card(&facts()), expected);
    }

    #[test]
    fn what_is_not_known_is_said_to_be_so() {
        let new = StatusFacts {
            model: None,
            is_own_model: false,
            tokens: Tokens::default(),
            cost_nano_usd: 0,
            unpriced: 0,
            context: None,
            window: None,
            ..facts()
        };
        let lines =
            |facts: &StatusFacts| card(facts).lines().skip(1).take(4).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            lines(&new),
            ["Model: none", "Tokens: 0 in, 0 out", "Cost: $0.0000", "Context: not known"]
        );
        let unpriced = StatusFacts { unpriced: 1, window: Some(0), context: Some(5), ..new };
        assert_eq!(lines(&unpriced)[2..], ["Cost: not known", "Context: 5 tokens"]);
    }
}
