//! Similar names: confusable or one edit apart; and the names of popular packages.

use crate::normalize::NormalizedText;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Similarity {
    /// One edit apart.
    Near,
    Same,
}

/// Shorter names are one edit away from too many words.
const MIN_LENGTH: usize = 5;

/// The similarity to the most similar known name.
pub(crate) fn similarity(name: &str, known: &[&str]) -> Option<Similarity> {
    if known.contains(&name) {
        return Some(Similarity::Same);
    }
    let name = plain(name);
    let is_near = |known: &&str| {
        // A much shorter one needs no closer look.
        known.len() + 1 >= name.len() && {
            let known = plain(known);
            known.len() >= MIN_LENGTH && (name == known || one_edit(&name, &known))
        }
    };
    known.iter().any(is_near).then_some(Similarity::Near)
}

/// Ignores case and dashes, and replaces confusable characters.
fn plain(name: &str) -> Vec<char> {
    // The fast path for most names.
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    let letters = if plain { name.to_ascii_lowercase() } else { NormalizedText::new(name).text };
    let letters = letters.chars().filter(|letter| !matches!(letter, '-' | '_' | '.' | ' '));
    let alike = |letter| match letter {
        '0' => 'o',
        '1' => 'l',
        '3' => 'e',
        '5' => 's',
        other => other,
    };
    letters.map(alike).collect()
}

/// Whether one character was added, removed or replaced, or two neighbours swapped.
fn one_edit<T: PartialEq>(a: &[T], b: &[T]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let start = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let (short, long) = (&short[start..], &long[start..]);
    match long.len() - short.len() {
        0 => match (short, long) {
            ([first, second, rest @ ..], [other, another, others @ ..]) => {
                short[1..] == long[1..] || (first == another && second == other && rest == others)
            }
            ([_], [_]) => true,
            _ => false,
        },
        1 => *short == long[1..],
        _ => false,
    }
}

/// Popular packages, and words that many names are made of. The ones after the line are real too, and one edit away from
/// another one.
const WELL_KNOWN: &[&str] = &[
    "analyzer",
    "anthropic",
    "axios",
    "backup",
    "beautifulsoup",
    "beautifulsoup4",
    "boto3",
    "browser",
    "calendar",
    "chalk",
    "clawdbot",
    "clawhub",
    "colorama",
    "commander",
    "config",
    "configuration",
    "converter",
    "cryptography",
    "database",
    "deploy",
    "discord",
    "django",
    "docker",
    "dotenv",
    "downloader",
    "electron",
    "eslint",
    "express",
    "fastapi",
    "finance",
    "flask",
    "formatter",
    "generator",
    "github",
    "gitlab",
    "gmail",
    "google",
    "helper",
    "httpx",
    "javascript",
    "kubernetes",
    "langchain",
    "linkedin",
    "lodash",
    "manager",
    "markdown",
    "matplotlib",
    "moltbot",
    "mongodb",
    "monitor",
    "notion",
    "numpy",
    "openai",
    "openclaw",
    "openpyxl",
    "pandas",
    "parser",
    "pillow",
    "playwright",
    "postgres",
    "postgresql",
    "prettier",
    "puppeteer",
    "pydantic",
    "pytest",
    "python",
    "pytorch",
    "react",
    "redis",
    "requests",
    "scheduler",
    "scipy",
    "scraper",
    "security",
    "selenium",
    "shopify",
    "slack",
    "spotify",
    "sqlalchemy",
    "sqlite",
    "stripe",
    "summarizer",
    "telegram",
    "tensorflow",
    "terminal",
    "terraform",
    "trading",
    "translator",
    "twitter",
    "typescript",
    "urllib3",
    "uvicorn",
    "validate",
    "validator",
    "wallet",
    "weather",
    "webapp",
    "webpack",
    "whatsapp",
    "youtube",
    //
    "clawdhub",
    "preact",
    "analyser",
];
const MIN_KNOWN_NAME: usize = 6;

/// Whether a text contains a misspelt well-known name. A suffix makes another form of the word, and a prefix another
/// word, so that neither counts.
pub(crate) fn is_misspelt(text: &[u8]) -> bool {
    let words =
        text.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| word.len() + 1 >= MIN_KNOWN_NAME);
    let is_known = |word: &[u8]| WELL_KNOWN.iter().any(|known| known.as_bytes() == word);
    words.filter(|word| !is_known(word)).any(|word| {
        let known = WELL_KNOWN.iter().map(|known| known.as_bytes());
        known.filter(|known| known.len() >= MIN_KNOWN_NAME && known.first() == word.first()).any(|known| {
            let turned = known.len() == word.len() && known.last() == word.iter().nth_back(1);
            (known.last() == word.last() || turned) && one_edit(word, known)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn typos_and_confusables_are_near() {
        let cases = [
            ("weather", Some(Similarity::Same)),
            ("wether", Some(Similarity::Near)),
            ("weatherr", Some(Similarity::Near)),
            ("wheather", Some(Similarity::Near)),
            ("waether", Some(Similarity::Near)),
            ("weathar", Some(Similarity::Near)),
            ("we4ther", Some(Similarity::Near)),
            ("wеather", Some(Similarity::Near)),
            ("Wea-ther", Some(Similarity::Near)),
            ("weather-map", None),
            ("leather-x", None),
            ("", None),
        ];
        for (name, expected) in cases {
            assert_eq!(similarity(name, &["weather"]), expected, "{name}");
        }
        assert_eq!(similarity("gif", &["git"]), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn one_edit_is_symmetric(a in "[ab]{0,7}", b in "[ab]{0,7}") {
            let (a, b): (Vec<_>, Vec<_>) = (a.chars().collect(), b.chars().collect());
            prop_assert_eq!(one_edit(&a, &b), one_edit(&b, &a));
        }
    }
}
