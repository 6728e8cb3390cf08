//! The status of a session, as a card: for the tool `session_status` and the command `/status`.

use std::fmt;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use tarsus_home::config::Config;
use tarsus_models::ModelCatalog;
use tarsus_protocol::exec::{Reasoning, ThinkingLevel};
use tarsus_store::{LastUsage, SessionKey, Store, StoreError, UsageTotals};

use crate::model::chosen_models;

/// The status of a session; unknown values are `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionStatus {
    pub session: SessionKey,
    /// The model that answers.
    pub model: Option<String>,
    /// Whether the model was chosen for this session.
    pub is_own_model: bool,
    pub tokens: Tokens,
    /// Cost in billionths of a dollar of the requests with a known price.
    pub cost_nano_usd: u64,
    /// Requests without a known price.
    pub unpriced: u64,
    /// Tokens of the context at the last request.
    pub context: Option<u64>,
    /// Tokens of the model's context window.
    pub window: Option<u64>,
    /// The time in the user's time zone.
    pub now: Zoned,
    pub thinking: ThinkingLevel,
    pub reasoning: Reasoning,
}

/// Tokens of several requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
}

impl SessionStatus {
    /// Reads the status of a session at one moment.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn load(
        session: &SessionKey,
        config: &Config,
        store: &Store,
        now: Timestamp,
        zone: TimeZone,
    ) -> Result<Self, StoreError> {
        let settings = store.session(session)?.map(|session| session.settings).unwrap_or_default();
        let own = settings.model.as_ref().map(|model| model.as_str());
        let model = chosen_models(config, session.agent(), own).into_iter().next();
        let window = model
            .as_ref()
            .and_then(|model| ModelCatalog::new(&config.models).model(&model.parse().ok()?).ok());
        let spent = store.usage_in_session(session)?;
        let context = store.last_usage(session)?.map(|LastUsage { usage, .. }| {
            [usage.input, usage.output, usage.cache_read, usage.cache_write].into_iter().map(u64::from).sum()
        });
        Ok(Self {
            session: session.clone(),
            model,
            is_own_model: own.is_some(),
            tokens: Tokens {
                input: spent.input,
                output: spent.output,
                cache_read: spent.cache_read,
                cache_write: spent.cache_write,
            },
            cost_nano_usd: spent.cost_nano_usd,
            unpriced: spent.unpriced,
            context,
            window: window.map(|model| model.context_window().into()),
            now: now.to_zoned(zone),
            thinking: settings.thinking_level.unwrap_or(ThinkingLevel::Off),
            reasoning: settings.reasoning.unwrap_or(Reasoning::Off),
        })
    }

    fn cost(&self) -> String {
        let Self { cost_nano_usd, unpriced, .. } = *self;
        let (dollars, rest) = (cost_nano_usd / 1_000_000_000, cost_nano_usd % 1_000_000_000);
        let known = format!("${}.{:04}", grouped(dollars), rest / 100_000);
        match (cost_nano_usd, unpriced) {
            (_, 0) => known,
            (0, _) => "unknown".to_owned(),
            (_, 1) => format!("{known}, plus 1 request without a known price"),
            (_, many) => format!("{known}, plus {} requests without a known price", grouped(many)),
        }
    }

    fn context(&self) -> String {
        match (self.context, self.window) {
            (Some(used), Some(window)) if window > 0 => {
                let percent = used.saturating_mul(100) / window;
                format!("{} of {} tokens ({percent} %)", grouped(used), grouped(window))
            }
            (Some(used), _) => format!("{} tokens", grouped(used)),
            (None, Some(window)) => format!("0 of {} tokens", grouped(window)),
            (None, None) => "unknown".to_owned(),
        }
    }
}

/// The card, without a line break at its end.
impl fmt::Display for SessionStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Session: {}", self.session)?;
        let own = if self.is_own_model { " (chosen for this session)" } else { "" };
        writeln!(f, "Model: {}{own}", self.model.as_deref().unwrap_or("none"))?;
        let Tokens { input, output, cache_read, cache_write } = self.tokens;
        write!(f, "Tokens: {} in, {} out", grouped(input), grouped(output))?;
        for (tokens, what) in [(cache_read, "read from the cache"), (cache_write, "written to the cache")] {
            if tokens > 0 {
                write!(f, ", {} {what}", grouped(tokens))?;
            }
        }
        writeln!(f, "\nCost: {}", self.cost())?;
        writeln!(f, "Context: {}", self.context())?;
        writeln!(f, "Time: {}", self.now.strftime("%A, %Y-%m-%d %H:%M %Z (%Q)"))?;
        let (thinking, reasoning) = (self.thinking.as_str(), self.reasoning.as_str());
        // The last two cannot be enabled yet.
        write!(f, "Thinking: {thinking} · Reasoning: {reasoning} · Verbose: off · Elevated: off")
    }
}

/// Start of the current day, in milliseconds since 1970.
pub fn today_ms(now: Timestamp, zone: &TimeZone) -> i64 {
    let now = now.to_zoned(zone.clone());
    // Some days have no midnight and start later.
    now.start_of_day().unwrap_or(now).timestamp().as_millisecond()
}

/// Requests, tokens and cost in one line.
pub fn usage_text(spent: &UsageTotals) -> String {
    let UsageTotals { requests, input, output, cache_read, cache_write, cost_nano_usd, unpriced } = spent;
    let (sent, dollars) = (input + cache_read + cache_write, *cost_nano_usd as f64 / 1e9);
    let unpriced = match unpriced {
        0 => String::new(),
        some => format!(" ({some} without a known price)"),
    };
    format!("{requests} requests, {sent} tokens in, {output} out, ${dollars:.4}{unpriced}")
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
    use super::*;

    fn facts() -> SessionStatus {
        SessionStatus {
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
            thinking: ThinkingLevel::Low,
            reasoning: Reasoning::Off,
        }
    }

    #[test]
    fn card_shows_every_known_fact() {
        let expected = "\
Session: agent:main:main
Model: openai/gpt-5 (chosen for this session)
Tokens: 1,234,567 in, 890 out, 1,000 read from the cache
Cost: $1.2345, plus 2 requests without a known price
Context: 32,000 of 128,000 tokens (25 %)
Time: Monday, 2026-11-16 18:30 UTC (UTC)
Thinking: low · Reasoning: off · Verbose: off · Elevated: off";
        assert_eq!(facts().to_string(), expected);
    }

    #[test]
    fn card_names_unknown_facts() {
        let new = SessionStatus {
            model: None,
            is_own_model: false,
            tokens: Tokens::default(),
            cost_nano_usd: 0,
            unpriced: 0,
            context: None,
            window: None,
            ..facts()
        };
        let lines = |facts: &SessionStatus| {
            facts.to_string().lines().skip(1).take(4).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(lines(&new), ["Model: none", "Tokens: 0 in, 0 out", "Cost: $0.0000", "Context: unknown"]);
        let unpriced = SessionStatus { unpriced: 1, window: Some(0), context: Some(5), ..new };
        assert_eq!(lines(&unpriced)[2..], ["Cost: unknown", "Context: 5 tokens"]);
    }
}
