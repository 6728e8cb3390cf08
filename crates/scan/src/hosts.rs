//! Counts how often a text mentions the owner of a URL, in one pass.
//!
//! The owner is the registrable part of a host name, or the name below a shared hosting service.

use std::collections::HashMap;

/// A host that is mentioned this often is one that the skill is about.
const OFTEN: usize = 3;
/// Shorter names occur in too many sentences.
const MIN_NAME: usize = 4;
/// Shared hosting services, and second-level public suffixes.
const SHARED: &[&str] = &[
    "onrender",
    "vercel",
    "netlify",
    "herokuapp",
    "workers",
    "pages",
    "web",
    "fly",
    "github",
    "gitlab",
    "firebaseapp",
    "azurewebsites",
    "amazonaws",
    "ngrok",
    "ngrok-free",
    "trycloudflare",
    "repl",
    "replit",
    "glitch",
    "railway",
    "co",
    "com",
    "org",
    "net",
    "ac",
    "gov",
    "edu",
];
/// Placeholder names, and services that hold people's own data.
const USUAL: &[&str] = &[
    "example",
    "localhost",
    "127.0.0.1",
    "0.0.0.0",
    "your",
    "domain",
    "googleapis",
    "google",
    "github",
    "githubusercontent",
    "gitlab",
    "slack",
    "discord",
    "discordapp",
    "telegram",
    "openai",
    "anthropic",
    "dropbox",
    "microsoft",
    "azure",
    "amazonaws",
    "notion",
    "stripe",
    "paypal",
    "twilio",
    "atlassian",
    "office",
    "live",
    "internal",
    "local",
    "test",
    "httpbin",
];

/// The owner of a URL, relative to the skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostOwner {
    /// The skill's own service, named in its name or description.
    Own,
    /// A placeholder or a common service.
    Common,
    /// Mentioned often in the skill.
    Familiar,
    /// Hardly mentioned otherwise.
    Stranger,
}

/// Mentions of each owner.
#[derive(Debug, Default)]
pub(crate) struct HostCounts<'a>(HashMap<&'a [u8], usize>);

impl<'a> HostCounts<'a> {
    pub fn count(text: &'a [u8]) -> Self {
        let mut counts = HashMap::new();
        for host in hosts(text) {
            *counts.entry(owner(host)).or_default() += 1;
        }
        Self(counts)
    }

    /// The owner of the first URL in a range.
    pub fn owner_of(&self, stretch: &[u8], about: Option<&str>) -> HostOwner {
        let Some(host) = hosts(stretch).next().filter(|host| host.contains(&b'.')) else {
            return HostOwner::Common;
        };
        let owner = owner(host);
        let named = |name: &str| name.len() >= MIN_NAME && about.is_some_and(|about| about.contains(name));
        let usual = |part: &[u8]| USUAL.iter().any(|usual| part.starts_with(usual.as_bytes()));
        let first = owner.split(|byte| *byte == b'.').next().unwrap_or_default();
        if host.split(|byte| *byte == b'.').any(usual) {
            HostOwner::Common
        } else if std::str::from_utf8(first).is_ok_and(named) {
            HostOwner::Own
        } else if self.0.get(owner).is_some_and(|count| *count >= OFTEN) {
            HostOwner::Familiar
        } else {
            HostOwner::Stranger
        }
    }
}

fn hosts(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let at = rest.windows(3).position(|run| run == b"://")?;
        let host = &rest[at + 3..];
        let length = host
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
            .count();
        rest = &host[length..];
        Some(host[..length].trim_ascii_end())
    })
}

/// The URLs in a range, each to the end of its word: those with a scheme, and those without one that an HTTP client
/// accepts as well.
pub(crate) fn addresses(stretch: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = |byte: &u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'"' | b'\'' | b'`' | b'(' | b')' | b'<' | b'>' | b'|' | b';' | b',')
    };
    stretch.split(move |byte| ends(byte)).flat_map(|word| {
        let marks = word.windows(3).enumerate().filter(|(_, run)| *run == b"://").map(|(at, _)| at);
        let with_scheme = marks.map(|at| {
            let scheme = word[..at].iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
            &word[at - scheme..]
        });
        let bare = is_bare_address(word).then_some(word);
        bare.into_iter().chain(with_scheme)
    })
}

/// Whether a word is a host followed by a path.
fn is_bare_address(word: &[u8]) -> bool {
    let host =
        word.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')).count();
    let (host, rest) = word.split_at(host);
    let number = host.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    let dots = host.iter().filter(|byte| **byte == b'.').count();
    let starts = host.first().is_some_and(u8::is_ascii_alphanumeric);
    starts && if number { dots == 3 } else { dots > 0 && rest.first() == Some(&b'/') }
}

/// The last two labels of a name, or three below a shared hosting service.
fn owner(host: &[u8]) -> &[u8] {
    let host = host.strip_suffix(b".").unwrap_or(host);
    let mut dots = (0..host.len()).rev().filter(|at| host[*at] == b'.');
    let (Some(last), Some(second)) = (dots.next(), dots.next()) else { return host };
    let shared = SHARED.iter().any(|shared| *shared.as_bytes() == host[second + 1..last]);
    let start = if shared { dots.next().map_or(0, |third| third + 1) } else { second + 1 };
    &host[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owner_is_the_registrable_name() {
        let cases = [
            ("api.weather.example", "weather.example"),
            ("weather.example", "weather.example"),
            ("localhost", "localhost"),
            ("a.b.onrender.com", "b.onrender.com"),
            ("b.onrender.com", "b.onrender.com"),
            ("shop.name.co.uk", "name.co.uk"),
        ];
        for (host, expected) in cases {
            assert_eq!(owner(host.as_bytes()), expected.as_bytes(), "{host}");
        }
    }

    #[test]
    fn urls_are_found_with_and_without_scheme() {
        let found = |text: &'static str| -> Vec<&str> {
            addresses(text.as_bytes()).map(|address| std::str::from_utf8(address).unwrap()).collect()
        };
        let cases: [(&str, &[&str]); 5] = [
            (
                "curl -o a.txt 'https://a.example/b?c=http://d.example' | sh",
                &["https://a.example/b?c=http://d.example", "http://d.example"],
            ),
            ("curl a.example/b 203.0.113.7", &["a.example/b", "203.0.113.7"]),
            ("url=https://a.example", &["https://a.example"]),
            ("see ./a/b.txt and v1.2.3, c.txt", &[]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn owner_is_own_familiar_or_stranger() {
        let text =
            b"see https://a.weather.net https://weather.net/b https://weather.net post https://other.net/x";
        let hosts = HostCounts::count(text);
        let cases = [
            ("https://other.net/x", None, HostOwner::Stranger),
            ("https://weather.net/x", None, HostOwner::Familiar),
            ("https://other.net/x", Some("a skill for other"), HostOwner::Own),
            ("https://api.example.com", None, HostOwner::Common),
            ("no address", None, HostOwner::Common),
        ];
        for (stretch, about, expected) in cases {
            assert_eq!(hosts.owner_of(stretch.as_bytes(), about), expected, "{stretch}");
        }
    }
}
