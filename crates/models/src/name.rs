//! The name of a model, `provider/model`.

use std::fmt;
use std::str::FromStr;

/// The most characters that the store keeps of a model's name.
const LONGEST: usize = 200;

/// `provider/model`. The second part may have slashes of its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelName {
    text: String,
    slash: usize,
}

/// A text that is not the name of a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not a model: it has to be provider/model, without spaces, of at most {LONGEST} characters"
)]
pub struct NotAModel {
    text: String,
}

impl ModelName {
    /// A model of a provider.
    ///
    /// # Errors
    /// When the two do not make a name.
    pub fn new(provider: &str, id: &str) -> Result<Self, NotAModel> {
        format!("{provider}/{id}").parse()
    }

    /// The whole name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The first part.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.text[..self.slash]
    }

    /// The second part, as the provider knows it.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.text[self.slash + 1..]
    }
}

impl FromStr for ModelName {
    type Err = NotAModel;

    fn from_str(text: &str) -> Result<Self, NotAModel> {
        let is_plain = |letter: char| !letter.is_whitespace() && !letter.is_control();
        match text.find('/') {
            Some(slash)
                if slash > 0
                    && slash + 1 < text.len()
                    && text.chars().count() <= LONGEST
                    && text.chars().all(is_plain) =>
            {
                Ok(Self { text: text.to_owned(), slash })
            }
            _ => Err(NotAModel { text: text.chars().take(LONGEST).collect() }),
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
    fn a_name_has_a_provider_and_a_model() {
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
