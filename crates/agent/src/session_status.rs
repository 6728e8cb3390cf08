//! The status of a session, as a card: for the tool `session_status` and the command `/status`.

use std::fmt;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use tarsus_home::config::Config;
use tarsus_models::ModelCatalog;
use tarsus_protocol::exec::{Reasoning, ThinkingLevel, Verbose};
use tarsus_store::{LastUsage, RequestUsage, SessionKey, StoreError, UsageTotals};

use crate::model::chosen_models;
use crate::prompt::chat::Channel;
use crate::services::Services;

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
    /// `None` where each front end decides.
    pub verbose: Option<Verbose>,
    /// The model of the last answer, where it is another one.
    pub answered_by: Option<String>,
    /// Model requests of the session.
    pub requests: u64,
    /// Messages that are being answered or wait for it.
    pub open_runs: u64,
    /// The operating system, its version and the processor.
    pub os: String,
    pub channel: Channel,
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
        services: &Services,
        zone: TimeZone,
        channel: Channel,
    ) -> Result<Self, StoreError> {
        let store = &services.store;
        let settings = store.session(session)?.map(|session| session.settings).unwrap_or_default();
        let own = settings.model.as_ref().map(|model| model.as_str());
        let model = chosen_models(config, session.agent(), own).into_iter().next();
        let window = model
            .as_ref()
            .and_then(|model| ModelCatalog::new(&config.models).model(&model.parse().ok()?).ok());
        let spent = store.usage_in_session(session)?;
        let last = store.last_usage(session)?.map(|LastUsage { usage, .. }| usage);
        let answered_by = last.as_ref().map(|usage| usage.model.as_str().to_owned());
        Ok(Self {
            session: session.clone(),
            answered_by: answered_by.filter(|name| Some(name) != model.as_ref()),
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
            context: last.as_ref().map(RequestUsage::total),
            window: window.map(|model| model.context_window().into()),
            now: services.clock.now().to_zoned(zone),
            thinking: settings.thinking_level.unwrap_or_default(),
            reasoning: settings.reasoning.unwrap_or_default(),
            verbose: settings.verbose,
            requests: spent.requests,
            open_runs: store.open_runs(session)?,
            os: services.machine.os.clone(),
            channel,
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

    /// The message that asks for the status is one of the open ones in its own session.
    fn queue(&self) -> String {
        match self.open_runs {
            0 => "empty".to_owned(),
            1 => "1 message in progress, none waiting".to_owned(),
            many => format!("1 message in progress, {} waiting", grouped(many - 1)),
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
        write!(f, "Model: {}{own}", self.model.as_deref().unwrap_or("none"))?;
        if let Some(other) = &self.answered_by {
            write!(f, ", last answer by {other}")?;
        }
        let Tokens { input, output, cache_read, cache_write } = self.tokens;
        let plural = if self.requests == 1 { "" } else { "s" };
        write!(f, "\nUsage: {} request{plural}, ", grouped(self.requests))?;
        write!(f, "{} tokens in, {} out", grouped(input), grouped(output))?;
        for (tokens, what) in [(cache_read, "read from the cache"), (cache_write, "written to the cache")] {
            if tokens > 0 {
                write!(f, ", {} {what}", grouped(tokens))?;
            }
        }
        writeln!(f, "\nCost: {}", self.cost())?;
        writeln!(f, "Context: {}", self.context())?;
        writeln!(f, "Time: {}", self.now.strftime("%A, %Y-%m-%d %H:%M %Z (%Q)"))?;
        writeln!(f, "Queue: {}", self.queue())?;
        let (version, channel) = (env!("CARGO_PKG_VERSION"), self.channel.as_str());
        writeln!(f, "Runtime: Tarsus {version}, {}, channel {channel}", self.os)?;
        let (thinking, reasoning) = (self.thinking.as_str(), self.reasoning.as_str());
        let verbose = self.verbose.map_or("default", Verbose::as_str);
        write!(f, "Thinking: {thinking} · Reasoning: {reasoning} · Verbose: {verbose}")
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
    let (sent, dollars) = (grouped(input + cache_read + cache_write), *cost_nano_usd as f64 / 1e9);
    let plural = if *requests == 1 { "" } else { "s" };
    let unpriced = match unpriced {
        0 => String::new(),
        some => format!(" ({some} without a known price)"),
    };
    let (requests, output) = (grouped(*requests), grouped(*output));
    format!("{requests} request{plural}, {sent} tokens in, {output} out, ${dollars:.4}{unpriced}")
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
            reasoning: Reasoning::Stream,
            verbose: Some(Verbose::Full),
            answered_by: Some("ollama/qwen3:4b".to_owned()),
            requests: 1_200,
            open_runs: 3,
            os: "linux 6.12.9 (x86_64)".to_owned(),
            channel: Channel::Terminal,
        }
    }

    #[test]
    fn card_shows_every_known_fact() {
        let expected = "\
Session: agent:main:main
Model: openai/gpt-5 (chosen for this session), last answer by ollama/qwen3:4b
Usage: 1,200 requests, 1,234,567 tokens in, 890 out, 1,000 read from the cache
Cost: $1.2345, plus 2 requests without a known price
Context: 32,000 of 128,000 tokens (25 %)
Time: Monday, 2026-11-16 18:30 UTC (UTC)
Queue: 1 message in progress, 2 waiting
Runtime: Tarsus VERSION, linux 6.12.9 (x86_64), channel terminal
Thinking: low · Reasoning: stream · Verbose: full";
        assert_eq!(facts().to_string(), expected.replace("VERSION", env!("CARGO_PKG_VERSION")));
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
            answered_by: None,
            requests: 0,
            open_runs: 0,
            verbose: None,
            ..facts()
        };
        let lines = |facts: &SessionStatus| {
            facts.to_string().lines().skip(1).take(4).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(
            lines(&new),
            ["Model: none", "Usage: 0 requests, 0 tokens in, 0 out", "Cost: $0.0000", "Context: unknown"]
        );
        assert!(
            new.to_string().contains("\nQueue: empty\n") && new.to_string().ends_with("Verbose: default")
        );
        let unpriced = SessionStatus { unpriced: 1, window: Some(0), context: Some(5), ..new };
        assert_eq!(lines(&unpriced)[2..], ["Cost: unknown", "Context: 5 tokens"]);
    }
}
