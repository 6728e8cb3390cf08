//! The languages of the conversation.

use serde::{Deserialize, Serialize};

/// A language of the replies. Machine words (`add`, `full`, …) are not translated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// The English language.
    #[serde(rename = "en")]
    English,
    /// Simplified Chinese.
    #[serde(rename = "zh-CN")]
    Chinese,
}

impl Language {
    /// The language of a locale such as `zh_CN.UTF-8` or `en-GB`; English for any other.
    ///
    /// ```
    /// use tarsus_apps::conversation::Language;
    ///
    /// assert_eq!(Language::from_locale("zh_CN.UTF-8"), Language::Chinese);
    /// assert_eq!(Language::from_locale("C"), Language::English);
    /// ```
    #[must_use]
    pub fn from_locale(locale: &str) -> Self {
        let tongue = locale.split(['_', '-', '.', '@']).next().unwrap_or_default();
        if tongue.eq_ignore_ascii_case("zh") { Self::Chinese } else { Self::English }
    }
}
