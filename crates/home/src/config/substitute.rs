//! `${VAR}` in strings, filled in when a configuration is read and never written back. `$${` stands for a
//! plain `${`. Only names in capitals count, so that other uses of `${…}` stay as they are.

/// A variable that is not set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing(pub(super) String);

/// Where variables are looked up.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The text with all variables filled in.
pub(super) fn expand(text: &str, lookup: Lookup<'_>) -> Result<String, Missing> {
    let mut out = String::with_capacity(text.len());
    for part in parts(text) {
        match part {
            Part::Plain(plain) => out.push_str(plain),
            Part::Variable(name) => out.push_str(&lookup(name).ok_or_else(|| Missing(name.to_owned()))?),
        }
    }
    Ok(out)
}

/// Whether the text has a variable in it.
pub(super) fn has_variable(text: &str) -> bool {
    parts(text).any(|part| matches!(part, Part::Variable(_)))
}

/// Whether the text is one variable and nothing else.
pub(super) fn is_variable(text: &str) -> bool {
    let mut parts = parts(text);
    matches!((parts.next(), parts.next()), (Some(Part::Variable(_)), None))
}

enum Part<'t> {
    Plain(&'t str),
    Variable(&'t str),
}

fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((name, after)) = variable(rest) {
            rest = after;
            return Some(Part::Variable(name));
        }
        // The escape gives its second half; everything else runs to the next `$`.
        let from = if rest.starts_with("$${") { 1 } else { 0 };
        let skip = if from == 1 { 3 } else { rest.chars().next().map_or(0, char::len_utf8) };
        let end = rest[skip..].find('$').map_or(rest.len(), |at| skip + at);
        let plain = &rest[from..end];
        rest = &rest[end..];
        Some(Part::Plain(plain))
    })
}

/// `${NAME}` at the beginning, and what follows it.
fn variable(text: &str) -> Option<(&str, &str)> {
    let (name, after) = text.strip_prefix("${")?.split_once('}')?;
    let capital = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    let is_name = name.bytes().next().is_some_and(capital)
        && name.bytes().all(|byte| capital(byte) || byte.is_ascii_digit());
    is_name.then_some((name, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_filled_in_and_everything_else_stays() {
        let lookup = |name: &str| match name {
            "HOME" => Some("/home/ada".to_owned()),
            "TWICE" => Some("${HOME}".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        let missing = |name: &str| Err(Missing(name.to_owned()));
        let ok = |text: &str| Ok(text.to_owned());
        let table = [
            ("", ok("")),
            ("plain $ text", ok("plain $ text")),
            ("${HOME}/x", ok("/home/ada/x")),
            ("a${HOME}b${EMPTY}c", ok("a/home/adabc")),
            ("$${HOME}", ok("${HOME}")),
            ("$$${HOME}", ok("$${HOME}")),
            ("${TWICE}", ok("${HOME}")),
            ("${lower} ${} ${A-B} ${1A}", ok("${lower} ${} ${A-B} ${1A}")),
            ("${HOME", ok("${HOME")),
            ("é$é${HOME}é", ok("é$é/home/adaé")),
            ("${NOPE} ${HOME}", missing("NOPE")),
        ];
        for (text, expected) in table {
            assert_eq!(expand(text, &lookup), expected, "{text:?}");
        }
    }

    #[test]
    fn only_a_variable_alone_is_one() {
        let table = [
            ("${A}", true),
            ("${A}${B}", false),
            ("x${A}", false),
            ("${A} ", false),
            ("$${A}", false),
            ("", false),
        ];
        for (text, alone) in table {
            assert_eq!(is_variable(text), alone, "{text:?}");
        }
    }
}
