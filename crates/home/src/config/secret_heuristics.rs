//! Recognises secrets that no type declares, by the name of their key or by the text itself.
//!
//! Errs on the side of hiding: a placeholder that a client sends back keeps the stored value.

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

/// Prefixes of `…key` names that are not secrets.
const PUBLIC_KEY_PREFIXES: [&str; 9] =
    ["main", "session", "skill", "public", "cache", "sort", "partition", "routing", "idempotency"];

/// Prefixes of well-known API keys and tokens.
const KNOWN_KEY_PREFIXES: [&str; 16] = [
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

const MIN_KEY_LENGTH: usize = 16;

/// True if the name of a key or variable suggests that it holds a secret.
#[must_use]
pub fn names_a_secret(name: &str) -> bool {
    let words = split_words(name);
    let whole = words.concat();
    // `secrets` is the section that configures secret providers; `tokens` (plural) is a count.
    if whole == "secrets" {
        return false;
    }
    let names_key = |words: &[String]| match words {
        [.., before, last] if last == "key" => !PUBLIC_KEY_PREFIXES.contains(&before.as_str()),
        [.., last] => last == "pat" || last == "bearer",
        [] => false,
    };
    whole.ends_with("token") || names_key(&words) || SECRET_WORDS.iter().any(|word| whole.contains(word))
}

/// True for maps with user-chosen keys, such as `env`, where any string may be a secret.
pub(super) fn is_free_form_map(name: &str) -> bool {
    matches!(split_words(name).concat().as_str(), "env" | "vars" | "environment" | "headers" | "cookies")
}

/// Splits a name into lower-case words.
fn split_words(name: &str) -> Vec<String> {
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

/// True if a text is or contains a well-known kind of key, or a URL with credentials.
pub(super) fn looks_like_secret(text: &str) -> bool {
    text.split(|char: char| char.is_whitespace() || matches!(char, '"' | '\'' | ',' | ';' | '(' | ')'))
        .any(is_known_key)
        || is_secret_url(text)
}

fn is_known_key(word: &str) -> bool {
    word.len() >= MIN_KEY_LENGTH
        && KNOWN_KEY_PREFIXES.iter().any(|start| word.starts_with(start))
        && word
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.' | '=' | '/' | '+'))
}

/// True if a URL has a password, a secret query parameter, or is a known webhook.
fn is_secret_url(text: &str) -> bool {
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

/// Masks everything after a key with a secret's name, and every word that looks like a secret. Keeps the number of
/// characters.
pub(super) fn mask_line(line: &str) -> String {
    let end = secret_key_end(line).unwrap_or(line.len());
    let (before, after) = line.split_at(end);
    let mut masked = String::with_capacity(line.len());
    for word in before.split_inclusive(|char: char| char.is_whitespace() || matches!(char, '"' | '\'' | ','))
    {
        if looks_like_secret(word) {
            masked.extend(word.chars().map(mask_char));
        } else {
            masked.push_str(word);
        }
    }
    masked.extend(after.chars().map(mask_char));
    masked
}

fn mask_char(char: char) -> char {
    match char {
        '"' | '\'' | '{' | '}' | '[' | ']' | ':' | ',' | '=' | '*' | '/' => char,
        char if char.is_whitespace() => char,
        _ => '•',
    }
}

/// Returns the end of the first key with a secret's name that is followed by a value.
fn secret_key_end(line: &str) -> Option<usize> {
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
    fn key_names_of_secrets_are_recognised() {
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
    fn known_keys_and_credential_urls_look_like_secrets() {
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
            assert_eq!(looks_like_secret(text), expected, "{text}");
        }
    }

    #[test]
    fn a_line_is_masked_after_a_secret_key_with_a_value() {
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
            assert_eq!(mask_line(line), covered);
        }
    }
}
