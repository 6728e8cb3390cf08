//! Expands `${VAR}` in strings when a configuration is read; the result is never written back. `$${` escapes `${`.
//! Only upper-case names are variables, so that other uses of `${…}` stay unchanged.

/// The name of a variable that is not set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnsetVariable(pub(super) String);

/// Looks up the value of a variable.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Expands all variables.
pub(super) fn expand(text: &str, lookup: Lookup<'_>) -> Result<String, UnsetVariable> {
    let mut out = String::with_capacity(text.len());
    for segment in segments(text) {
        match segment {
            Segment::Plain(plain) => out.push_str(plain),
            Segment::Variable(name) => {
                out.push_str(&lookup(name).ok_or_else(|| UnsetVariable(name.to_owned()))?)
            }
        }
    }
    Ok(out)
}

pub(super) fn has_variable(text: &str) -> bool {
    segments(text).any(|segment| matches!(segment, Segment::Variable(_)))
}

/// True if the text is exactly one variable.
pub(super) fn is_variable(text: &str) -> bool {
    let mut segments = segments(text);
    matches!((segments.next(), segments.next()), (Some(Segment::Variable(_)), None))
}

enum Segment<'t> {
    Plain(&'t str),
    Variable(&'t str),
}

fn segments(text: &str) -> impl Iterator<Item = Segment<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((name, after)) = parse_variable(rest) {
            rest = after;
            return Some(Segment::Variable(name));
        }
        // `$${` yields `${`; everything else runs to the next `$`.
        let from = if rest.starts_with("$${") { 1 } else { 0 };
        let skip = if from == 1 { 3 } else { rest.chars().next().map_or(0, char::len_utf8) };
        let end = rest[skip..].find('$').map_or(rest.len(), |at| skip + at);
        let plain = &rest[from..end];
        rest = &rest[end..];
        Some(Segment::Plain(plain))
    })
}

/// Parses `${NAME}` at the start; returns the name and the rest.
fn parse_variable(text: &str) -> Option<(&str, &str)> {
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
    fn variables_are_expanded_and_other_text_is_kept() {
        let lookup = |name: &str| match name {
            "HOME" => Some("/home/ada".to_owned()),
            "TWICE" => Some("${HOME}".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        let missing = |name: &str| Err(UnsetVariable(name.to_owned()));
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
    fn is_variable_requires_a_single_variable() {
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
