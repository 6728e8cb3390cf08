//! Recognises secrets that no type declares, by the name of their key or by the text itself.
//!
//! Errs on the side of hiding: a placeholder that a client sends back keeps the stored value.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::substitute;

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
/// Characters of a token after `Bearer`.
const MIN_TOKEN_LENGTH: usize = 8;

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

/// True if a text is or contains a well-known kind of key, a PEM block, the value of an `Authorization` header, a
/// connection string with a password, or a URL with credentials.
pub(super) fn looks_like_secret(text: &str) -> bool {
    text.contains(PEM_BEGIN)
        || text
            .split(|char: char| char.is_whitespace() || matches!(char, '"' | '\'' | ',' | ';' | '(' | ')'))
            .any(is_known_key)
        || credentials_start(text).is_some()
        || has_secret_setting(text)
        || text.match_indices("://").any(|(at, _)| is_secret_url(&text[at..]))
}

/// The beginning of a PEM block. Certificates are hidden with the keys.
const PEM_BEGIN: &str = "-----BEGIN ";
const PEM_END: &str = "-----END ";

/// The place of the credentials after `Basic` or `Bearer`, as in an `Authorization` header.
fn credentials_start(text: &str) -> Option<usize> {
    let is_end = |char: char| char.is_whitespace() || matches!(char, '"' | '\'' | ',' | ';');
    let mut at = 0;
    for word in text.split_inclusive(is_end) {
        let start = at + word.len();
        at = start;
        let scheme = word.trim_end_matches(is_end).trim_start_matches(['"', '\'']);
        let credentials = text[start..].trim_start().split(is_end).next().unwrap_or_default();
        let is_secret = match scheme.to_ascii_lowercase().as_str() {
            // What it decodes to is `user:password`.
            "basic" => {
                let padded = credentials.trim_end_matches('=');
                STANDARD_NO_PAD.decode(padded).is_ok_and(|decoded| decoded.contains(&b':'))
            }
            "bearer" => is_opaque_token(credentials),
            _ => false,
        };
        if is_secret {
            return Some(start);
        }
    }
    None
}

/// True for what stands after `Bearer`, and for no word of a sentence.
fn is_opaque_token(word: &str) -> bool {
    word.len() >= MIN_TOKEN_LENGTH
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte))
        && (word.len() >= MIN_KEY_LENGTH || word.bytes().any(|byte| byte.is_ascii_digit()))
}

/// True for settings in one string, such as `Server=db; Password = …` or `host=db password=…`.
fn has_secret_setting(text: &str) -> bool {
    let is_secret = |part: &str| {
        part.split_once('=').is_some_and(|(name, value)| {
            let (name, value) = (name.trim(), value.trim());
            let is_literal = !value.is_empty() && !substitute::is_variable(value);
            is_literal && (names_a_secret(name) || name.eq_ignore_ascii_case("pwd"))
        })
    };
    // With semicolons between the settings, there may be spaces around `=`.
    (text.contains(';') && text.split(';').any(is_secret))
        || text
            .split(|char: char| char.is_whitespace() || matches!(char, ';' | '&' | '"' | '\''))
            .any(is_secret)
}

fn is_known_key(word: &str) -> bool {
    word.len() >= MIN_KEY_LENGTH
        && KNOWN_KEY_PREFIXES.iter().any(|start| word.starts_with(start))
        && word
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.' | '=' | '/' | '+'))
}

/// True if the URL that begins before this `://` has a password or a key as its user, a secret query parameter, or is
/// a known webhook.
fn is_secret_url(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("://") else { return false };
    let rest =
        rest.split(|char: char| char.is_whitespace() || matches!(char, '"' | '\'')).next().unwrap_or(rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let account = authority.rsplit_once('@').map(|(account, _)| account);
    let has_password = account.is_some_and(|account| match account.split_once(':') {
        Some((_, password)) => !password.is_empty(),
        None => is_known_key(account),
    });
    let parameters = rest.split_once('?').map_or("", |(_, parameters)| parameters);
    let names = parameters.split(['&', '#', ';']).filter_map(|part| part.split_once('='));
    has_password
        || names.into_iter().any(|(name, value)| !value.is_empty() && names_a_secret(name))
        || ["hooks.slack.com/services/", "discord.com/api/webhooks/"]
            .iter()
            .any(|hook| rest.starts_with(hook))
}

/// Masks the secrets of a comment line by line, and the whole of a PEM block. Keeps the number of characters.
pub(super) fn mask_comment(comment: &str) -> String {
    let mut in_block = false;
    let mask = |line: &str| {
        let begins = line.contains(PEM_BEGIN);
        let is_hidden = in_block || begins;
        in_block = is_hidden && !line.contains(PEM_END);
        if is_hidden { line.chars().map(mask_char).collect() } else { mask_line(line) }
    };
    comment.split_inclusive('\n').map(mask).collect()
}

/// Masks everything after a key with a secret's name or the scheme of an `Authorization` header, and every word that
/// looks like a secret.
pub(super) fn mask_line(line: &str) -> String {
    let ends = [secret_key_end(line), credentials_start(line)];
    let end = ends.into_iter().flatten().min().unwrap_or(line.len());
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
            ("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n", true),
            ("the key is\n-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl", true),
            ("Basic YWRhOmxvdmVsYWNl", true),
            ("Authorization: basic YWRhOmxvdmU=", true),
            ("curl -H 'X: y' -H \"Authorization: Bearer tok3n-of-ada\" https://x.example", true),
            ("Bearer abcdefghijklmnopqrstuvwx", true),
            ("Server=db;User Id=ada;Password=lovelace;", true),
            ("Server=db;Uid=ada;Pwd=lovelace", true),
            ("Server = db; Password = lovelace", true),
            ("host=db user=ada password=lovelace", true),
            ("Endpoint=sb://bus.example/;SharedAccessKeyName=Root;SharedAccessKey=abc=", true),
            ("DefaultEndpointsProtocol=https;AccountName=ada;AccountKey=abc==", true),
            ("AUTH_TOKEN=abc node server.js", true),
            ("see http://x.example and postgres://ada:lovelace@db/x", true),
            ("jdbc:postgresql://ada:lovelace@db/x", true),
            ("redis://:lovelace@cache:6379", true),
            ("https://ghp_0123456789abcdef@github.com/a/b", true),
            ("Basic settings", false),
            ("Basic authentication is off", false),
            ("a bearer of news", false),
            ("Bearer authentication", false),
            ("Server=db;Database=x;Timeout=30", false),
            ("password=", false),
            ("--token=${TOKEN}", false),
            ("--token=abc", true),
            ("http://localhost:8080/users/ada@x.example", false),
            ("git@github.com:a/b.git", false),
            ("-----", false),
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
    fn pem_blocks_and_headers_in_comments_are_masked() {
        let comment = "/* -----BEGIN KEY-----\nMIIE\n-----END KEY-----\nof ada\nwith Bearer tok3n-of-ada */";
        let masked = mask_comment(comment);
        assert!(!masked.contains("MIIE") && !masked.contains("tok3n"), "{masked}");
        assert!(masked.contains("\nof ada\nwith Bearer "), "{masked}");
        assert_eq!(masked.chars().count(), comment.chars().count());
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
