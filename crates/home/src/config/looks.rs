//! What a secret looks like where no type says that it is one: the name of its key, or the text itself.
//!
//! Hides rather too much than too little: a placeholder that comes back keeps what is stored.

/// Words in the name of a key that holds a secret.
const SECRET_WORDS: [&str; 11] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "apikey",
    "privatekey",
    "accesskey",
    "credential",
    "authorization",
    "cookie",
    "webhook",
];

/// What comes before `key` where it is none that opens something.
const HARMLESS_KEYS: [&str; 9] =
    ["main", "session", "skill", "public", "cache", "sort", "partition", "routing", "idempotency"];

/// How known keys begin.
const KEY_STARTS: [&str; 16] = [
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xapp-",
    "AKIA",
    "eyJ",
];

/// A known key is at least so long.
const SHORTEST_KEY: usize = 16;

/// Whether a key, or a variable, is named like one that holds a secret.
#[must_use]
pub fn names_a_secret(name: &str) -> bool {
    let words = words(name);
    let whole = words.concat();
    // `secrets` is the section that says where secrets are kept; `tokens` counts what a model reads.
    if whole == "secrets" {
        return false;
    }
    let opens = |words: &[String]| match words {
        [.., before, last] if last == "key" => !HARMLESS_KEYS.contains(&before.as_str()),
        [.., last] => last == "pat" || last == "bearer",
        [] => false,
    };
    whole.ends_with("token") || opens(&words) || SECRET_WORDS.iter().any(|word| whole.contains(word))
}

/// Whether a key holds texts under names that anybody may choose, of which any may be a secret.
pub(super) fn names_a_box(name: &str) -> bool {
    matches!(words(name).concat().as_str(), "env" | "vars" | "environment" | "headers" | "cookies")
}

/// The words of a name, in small letters.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = '_';
    for char in name.chars() {
        if char.is_ascii_alphanumeric() {
            let begins =
                !before.is_ascii_alphanumeric() || (char.is_ascii_uppercase() && before.is_ascii_lowercase());
            match words.last_mut() {
                Some(word) if !begins => word.push(char.to_ascii_lowercase()),
                _ => words.push(char.to_ascii_lowercase().to_string()),
            }
        }
        before = char;
    }
    words
}

/// Whether a text looks like a secret, or has one in it: a known kind of key, or an address that lets somebody in.
pub(super) fn secret(text: &str) -> bool {
    text.split(|char: char| char.is_whitespace() || matches!(char, '"' | '\'' | ',' | ';' | '(' | ')'))
        .any(is_key)
        || opens_an_address(text)
}

fn is_key(word: &str) -> bool {
    word.len() >= SHORTEST_KEY
        && KEY_STARTS.iter().any(|start| word.starts_with(start))
        && word
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.' | '=' | '/' | '+'))
}

/// Whether an address names an account with its password, or a secret among its parameters.
fn opens_an_address(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let has_password = authority.rsplit_once('@').is_some_and(|(account, _)| account.contains(':'));
    let parameters = rest.split_once('?').map_or("", |(_, parameters)| parameters);
    let names = parameters.split(['&', '#', ';']).filter_map(|part| part.split_once('='));
    has_password
        || names.into_iter().any(|(name, value)| !value.is_empty() && names_a_secret(name))
        || ["hooks.slack.com/services/", "discord.com/api/webhooks/"]
            .iter()
            .any(|hook| rest.starts_with(hook))
}

/// A line with everything covered that follows a key named like a secret's, and every word that looks like a secret.
/// Keeps the number of characters.
pub(super) fn cover(line: &str) -> String {
    let end = end_of_secret_key(line).unwrap_or(line.len());
    let (before, after) = line.split_at(end);
    let mut covered = String::with_capacity(line.len());
    for word in before.split_inclusive(|char: char| char.is_whitespace() || matches!(char, '"' | '\'' | ','))
    {
        if secret(word) {
            covered.extend(word.chars().map(dot));
        } else {
            covered.push_str(word);
        }
    }
    covered.extend(after.chars().map(dot));
    covered
}

fn dot(char: char) -> char {
    match char {
        '"' | '\'' | '{' | '}' | '[' | ']' | ':' | ',' | '=' | '*' | '/' => char,
        char if char.is_whitespace() => char,
        _ => '•',
    }
}

/// Where the first key that is named like a secret's ends, when a value follows it.
fn end_of_secret_key(line: &str) -> Option<usize> {
    let is_word = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let mut at = 0;
    while let Some(start) = line[at..].find(is_word) {
        let start = at + start;
        let end = line[start..].find(|char| !is_word(char)).map_or(line.len(), |length| start + length);
        let rest = line[end..].trim_start_matches(['"', '\'']).trim_start();
        if names_a_secret(&line[start..end]) && rest.starts_with([':', '=', '"', '\'']) {
            return Some(end);
        }
        at = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_whether_a_secret_follows() {
        let table = [
            ("token botToken GATEWAY_TOKEN apiKey API_KEY x-api-key STRIPE_KEY signingKey GITHUB_PAT", true),
            ("Authorization set-cookie webhookUrl dbPassword clientSecret aws_access_key_id", true),
            (
                "tokens maxTokens secrets mainKey sessionKey session_key publicKey path pattern keyboard key",
                false,
            ),
        ];
        for (names, expected) in table {
            for name in names.split(' ') {
                assert_eq!(names_a_secret(name), expected, "{name}");
            }
        }
    }

    #[test]
    fn a_text_looks_like_a_secret_when_it_is_a_known_key_or_lets_somebody_in() {
        let table = [
            ("sk-0123456789abcdef", true),
            ("the old one is ghp_0123456789abcdef", true),
            ("Bearer eyJhbGciOiJIUzI1NiJ9.e30.sig", true),
            ("postgres://ada:lovelace@db/x", true),
            ("https://x.example/?page=1&access_token=abc", true),
            ("https://hooks.slack.com/services/T0/B0/x", true),
            ("sk-short", false),
            ("https://ada@x.example/path?page=1", false),
            ("http://localhost:11434/v1", false),
            ("sk-learn is a library of some length", false),
            ("", false),
        ];
        for (text, expected) in table {
            assert_eq!(secret(text), expected, "{text}");
        }
    }

    #[test]
    fn a_line_is_covered_only_where_a_value_follows_a_secret_key() {
        let table = [
            ("// the token is made at first start", "// the token is made at first start"),
            ("// token: abc, x", "// token: •••, •"),
            ("  \"apiKey\" \"sk-é\"", "  \"apiKey\" \"••••\""),
            ("GATEWAY_TOKEN=abc", "GATEWAY_TOKEN=•••"),
            ("tokens: 3", "tokens: 3"),
            ("// sk-0123456789abcdef is old", "// ••••••••••••••••••• is old"),
            ("", ""),
        ];
        for (line, covered) in table {
            assert_eq!(cover(line), covered);
        }
    }
}
