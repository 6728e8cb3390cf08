//! Built-in facts about common models. The configuration overrides all of it, as prices and limits change.

use tarsus_home::config::view::Cost;

use super::{ModelInfo, ToolCallMode};
use crate::name::ModelName;
use crate::usage::Price;

/// Provider, id, context window, output limit, reasoning, images, dollars per million tokens (input, output, cache read,
/// cache write).
type Row = (&'static str, &'static str, u32, u32, bool, bool, [f64; 4]);

const KNOWN: &[Row] = &[
    ("anthropic", "claude-opus-4-5", 200_000, 64_000, true, true, [5.0, 25.0, 0.5, 6.25]),
    ("anthropic", "claude-sonnet-4-5", 200_000, 64_000, true, true, [3.0, 15.0, 0.3, 3.75]),
    ("anthropic", "claude-haiku-4-5", 200_000, 64_000, true, true, [1.0, 5.0, 0.1, 1.25]),
    ("openai", "gpt-5", 400_000, 128_000, true, true, [1.25, 10.0, 0.125, 0.0]),
    ("openai", "gpt-5-mini", 400_000, 128_000, true, true, [0.25, 2.0, 0.025, 0.0]),
    ("openai", "gpt-5-nano", 400_000, 128_000, true, true, [0.05, 0.4, 0.005, 0.0]),
    ("openai", "gpt-4.1", 1_047_576, 32_768, false, true, [2.0, 8.0, 0.5, 0.0]),
    ("openai", "gpt-4.1-mini", 1_047_576, 32_768, false, true, [0.4, 1.6, 0.1, 0.0]),
    ("google", "gemini-2.5-pro", 1_048_576, 65_536, true, true, [1.25, 10.0, 0.125, 0.0]),
    ("google", "gemini-2.5-flash", 1_048_576, 65_536, true, true, [0.3, 2.5, 0.03, 0.0]),
    ("groq", "llama-3.3-70b-versatile", 131_072, 32_768, false, false, [0.59, 0.79, 0.0, 0.0]),
    ("deepseek", "deepseek-chat", 128_000, 8_192, false, false, [0.28, 0.42, 0.028, 0.0]),
    ("mistral", "mistral-large-latest", 128_000, 16_384, false, false, [2.0, 6.0, 0.0, 0.0]),
    ("xai", "grok-4", 256_000, 64_000, false, true, [3.0, 15.0, 0.75, 0.0]),
    ("moonshot", "kimi-k2-0905-preview", 262_144, 16_384, false, false, [0.6, 2.5, 0.15, 0.0]),
    ("zai", "glm-4.6", 204_800, 131_072, false, false, [0.6, 2.2, 0.11, 0.0]),
];

/// Defaults for models of a family without a row of their own, such as newer ones. Their price is not known.
const FAMILIES: &[(&str, &str, u32, u32, bool, bool)] = &[
    ("anthropic", "claude-", 200_000, 32_000, true, true),
    ("openai", "gpt-5", 400_000, 128_000, true, true),
    ("openai", "gpt-4", 128_000, 16_384, false, true),
    ("openai", "o", 200_000, 100_000, true, true),
    ("google", "gemini-", 1_048_576, 65_536, true, true),
];

pub(super) fn ids(provider: &str) -> impl Iterator<Item = &'static str> {
    KNOWN.iter().filter(move |row| row.0 == provider).map(|row| row.1)
}

/// The facts about a model; a dated version (`…-20250929`) is looked up by its plain name.
pub(super) fn info(name: &ModelName) -> Option<ModelInfo> {
    let id = match name.id().rsplit_once('-') {
        Some((plain, date)) if date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()) => plain,
        _ => name.id(),
    };
    let row = KNOWN.iter().find(|row| row.0 == name.provider() && row.1 == id);
    let of_row = row.map(|row| {
        let &(_, _, context_window, max_output, reasoning, images, [input, output, cache_read, cache_write]) =
            row;
        (context_window, max_output, reasoning, images, Some(Cost { input, output, cache_read, cache_write }))
    });
    let (context_window, max_output, reasoning, images, cost) = of_row.or_else(|| {
        let family = FAMILIES.iter().find(|row| row.0 == name.provider() && id.starts_with(row.1))?;
        let &(_, _, context_window, max_output, reasoning, images) = family;
        Some((context_window, max_output, reasoning, images, None))
    })?;
    Some(ModelInfo {
        label: name.id().to_owned(),
        context_window: Some(context_window),
        max_output: Some(max_output),
        reasoning,
        images,
        price: cost.as_ref().map(Price::new),
        tool_calls: ToolCallMode::Auto,
    })
}
