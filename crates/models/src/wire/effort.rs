//! How hard to think, as a word of the OpenAI dialects. Which words there are differs from model to model.

use crate::name::ModelName;
use crate::request::Thinking;

/// The word; nothing where thinking cannot be told off.
pub(super) fn word(model: &ModelName, level: Thinking) -> Option<&'static str> {
    let version = model.id().strip_prefix("gpt-5").filter(|_| model.provider() == "openai");
    // The first models of version 5 think at least a little; later ones can leave it.
    let (off, minimal) = match version {
        Some(rest) if rest.starts_with('.') => (Some("none"), "low"),
        Some(_) => (Some("minimal"), "minimal"),
        None => (None, "low"),
    };
    match level {
        Thinking::Off => off,
        Thinking::Minimal => Some(minimal),
        Thinking::Low | Thinking::Medium | Thinking::High => Some(level.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_model_gets_words_that_it_knows() {
        for (model, words) in [
            ("openai/gpt-5-mini", [Some("minimal"), Some("minimal"), Some("low")]),
            ("openai/gpt-5.2", [Some("none"), Some("low"), Some("low")]),
            ("openai/o4-mini", [None, Some("low"), Some("low")]),
            ("openrouter/gpt-5", [None, Some("low"), Some("low")]),
        ] {
            let name = model.parse().unwrap();
            let said = [Thinking::Off, Thinking::Minimal, Thinking::Low].map(|level| word(&name, level));
            assert_eq!(said, words, "{model}");
        }
    }
}
