//! Names that are taken for one another: the same to the eye, or one slip apart; and the names of things that many
//! people install.

use crate::normal::Normal;

/// How much a name is like another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// One letter more, less, other, or two changed places.
    Near,
    /// The same name.
    Same,
}

/// Shorter names are one slip away from too many words.
const SHORTEST: usize = 5;

/// How a name is like the known one that it is most like, when it is like one.
pub(crate) fn likeness(name: &str, known: &[&str]) -> Option<Likeness> {
    if known.contains(&name) {
        return Some(Likeness::Same);
    }
    let name = plain(name);
    let is_near = |known: &&str| {
        // One that is much shorter needs no closer look.
        known.len() + 1 >= name.len() && {
            let known = plain(known);
            known.len() >= SHORTEST && (name == known || one_edit(&name, &known))
        }
    };
    known.iter().any(is_near).then_some(Likeness::Near)
}

/// What is left when look-alikes are read as what they look like and nobody minds case and dashes.
fn plain(name: &str) -> Vec<char> {
    // Most names need no more; many are compared with many.
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    let letters = if plain { name.to_ascii_lowercase() } else { Normal::of(name).text };
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

/// Whether one letter was added, left out or changed, or two neighbours changed places.
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

/// Things that many install, and words that many names are made of. Those behind the line are real as well, and stand
/// one slip beside another one.
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
/// The shortest well-known name whose slips are told from other words.
const SHORTEST_KNOWN: usize = 6;

/// Whether one of the names in a text is that of something well known, but for a slip: what is added at its end makes
/// another form of the word, and what stands before it another word.
pub(crate) fn misspelt(text: &[u8]) -> bool {
    let words =
        text.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| word.len() + 1 >= SHORTEST_KNOWN);
    let is_known = |word: &[u8]| WELL_KNOWN.iter().any(|known| known.as_bytes() == word);
    words.filter(|word| !is_known(word)).any(|word| {
        let known = WELL_KNOWN.iter().map(|known| known.as_bytes());
        known.filter(|known| known.len() >= SHORTEST_KNOWN && known.first() == word.first()).any(|known| {
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
    fn slips_and_disguises_are_near_and_other_names_are_not() {
        let cases = [
            ("weather", Some(Likeness::Same)),
            ("wether", Some(Likeness::Near)),
            ("weatherr", Some(Likeness::Near)),
            ("wheather", Some(Likeness::Near)),
            ("waether", Some(Likeness::Near)),
            ("weathar", Some(Likeness::Near)),
            ("we4ther", Some(Likeness::Near)),
            ("wеather", Some(Likeness::Near)),
            ("Wea-ther", Some(Likeness::Near)),
            ("weather-map", None),
            ("leather-x", None),
            ("", None),
        ];
        for (name, expected) in cases {
            assert_eq!(likeness(name, &["weather"]), expected, "{name}");
        }
        assert_eq!(likeness("gif", &["git"]), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn likeness_does_not_depend_on_the_order(a in "[ab]{0,7}", b in "[ab]{0,7}") {
            let (a, b): (Vec<_>, Vec<_>) = (a.chars().collect(), b.chars().collect());
            prop_assert_eq!(one_edit(&a, &b), one_edit(&b, &a));
        }
    }
}
