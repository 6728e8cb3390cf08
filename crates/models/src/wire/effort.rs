//! The reasoning effort of the OpenAI dialects; the accepted values depend on the model.

use crate::name::ModelName;
use tarsus_protocol::exec::ThinkingLevel;

/// `None` where reasoning cannot be turned off.
pub(super) fn word(model: &ModelName, level: ThinkingLevel) -> Option<&'static str> {
    let version = model.id().strip_prefix("gpt-5").filter(|_| model.provider() == "openai");
    // The first GPT-5 models always reason a little; later ones can skip it.
    let (off, minimal) = match version {
        Some(rest) if rest.starts_with('.') => (Some("none"), "low"),
        Some(_) => (Some("minimal"), "minimal"),
        None => (None, "low"),
    };
    match level {
        ThinkingLevel::Off => off,
        ThinkingLevel::Minimal => Some(minimal),
        ThinkingLevel::Low | ThinkingLevel::Medium | ThinkingLevel::High => Some(level.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effort_uses_values_that_each_model_accepts() {
        for (model, words) in [
            ("openai/gpt-5-mini", [Some("minimal"), Some("minimal"), Some("low")]),
            ("openai/gpt-5.2", [Some("none"), Some("low"), Some("low")]),
            ("openai/o4-mini", [None, Some("low"), Some("low")]),
            ("openrouter/gpt-5", [None, Some("low"), Some("low")]),
        ] {
            let name = model.parse().unwrap();
            let encoded = [ThinkingLevel::Off, ThinkingLevel::Minimal, ThinkingLevel::Low]
                .map(|level| word(&name, level));
            assert_eq!(encoded, words, "{model}");
        }
    }
}
