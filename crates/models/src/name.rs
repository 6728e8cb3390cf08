//! The name of a model, `provider/model`.

use std::fmt;
use std::str::FromStr;

/// The store keeps no longer names.
const MAX_CHARS: usize = 200;

/// `provider/model`. The model part may contain slashes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelName {
    text: String,
    slash: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a model name: use provider/model, without spaces, at most {MAX_CHARS} characters")]
pub struct InvalidModelName {
    text: String,
}

impl ModelName {
    /// # Errors
    /// When provider and id do not form a valid name.
    pub fn new(provider: &str, id: &str) -> Result<Self, InvalidModelName> {
        format!("{provider}/{id}").parse()
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    #[must_use]
    pub fn provider(&self) -> &str {
        &self.text[..self.slash]
    }

    /// The part after the first slash, as the provider knows it.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.text[self.slash + 1..]
    }
}

impl FromStr for ModelName {
    type Err = InvalidModelName;

    fn from_str(text: &str) -> Result<Self, InvalidModelName> {
        let is_plain = |letter: char| !letter.is_whitespace() && !letter.is_control();
        match text.find('/') {
            Some(slash)
                if slash > 0
                    && slash + 1 < text.len()
                    && text.chars().count() <= MAX_CHARS
                    && text.chars().all(is_plain) =>
            {
                Ok(Self { text: text.to_owned(), slash })
            }
            _ => Err(InvalidModelName { text: text.chars().take(MAX_CHARS).collect() }),
        }
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_provider_and_model() {
        let long = format!("p/{}", "m".repeat(199));
        for text in ["", "/", "gpt", "a/", "/b", "a/b c", "a/b\n", "a /b", long.as_str()] {
            assert!(text.parse::<ModelName>().is_err(), "{text:?}");
        }
        for (text, provider, id) in [
            ("openai/gpt-5", "openai", "gpt-5"),
            ("openrouter/z-ai/glm-4.6:free", "openrouter", "z-ai/glm-4.6:free"),
            ("ollama/千问", "ollama", "千问"),
        ] {
            let name: ModelName = text.parse().unwrap();
            assert_eq!((name.provider(), name.id(), name.to_string()), (provider, id, text.to_owned()));
        }
    }
}
