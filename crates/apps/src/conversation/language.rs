//! The languages that the conversation speaks.

use serde::{Deserialize, Serialize};

/// A language of the replies. Machine words (`add`, `full`, …) are the same in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// English.
    #[serde(rename = "en")]
    English,
    /// Simplified Chinese.
    #[serde(rename = "zh-CN")]
    Chinese,
}

impl Language {
    /// The language of a locale such as `zh_CN.UTF-8` or `en-GB`; English where it is neither.
    ///
    /// ```
    /// use tarsus_apps::conversation::Language;
    ///
    /// assert_eq!(Language::of_locale("zh_CN.UTF-8"), Language::Chinese);
    /// assert_eq!(Language::of_locale("C"), Language::English);
    /// ```
    #[must_use]
    pub fn of_locale(locale: &str) -> Self {
        let tongue = locale.split(['_', '-', '.', '@']).next().unwrap_or_default();
        if tongue.eq_ignore_ascii_case("zh") { Self::Chinese } else { Self::English }
    }
}
