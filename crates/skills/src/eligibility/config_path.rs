//! Whether something is set at a place of the configuration. Only yes or no leaves.

use tarsus_home::config::json5::{Kind, Node, Step};

/// Places that count as set when the file does not mention them, because that is how they work by default.
const SET_BY_DEFAULT: [&str; 2] = ["browser.enabled", "browser.evaluateEnabled"];

/// Words that stand for no key of the file, in whatever object they are looked for.
const NEVER_A_KEY: [&str; 3] = ["__proto__", "constructor", "prototype"];

/// Whether the place that `path` names, with dots, holds something: not false, not 0, not an empty text.
pub(super) fn is_set(config: &Node, path: &str) -> bool {
    let mut node = config;
    let mut steps = path.split('.').map(str::trim).filter(|step| !step.is_empty()).peekable();
    if steps.peek().is_none() {
        return false;
    }
    for step in steps {
        if NEVER_A_KEY.contains(&step) {
            return false;
        }
        match node.child(&Step::Key(step.to_owned())) {
            Some(child) => node = child,
            None => return SET_BY_DEFAULT.contains(&path),
        }
    }
    match &node.kind {
        Kind::Null => false,
        Kind::Bool(value) => *value,
        Kind::Number(number) => number.as_f64().is_some_and(|worth| worth != 0.0 && !worth.is_nan()),
        Kind::String(text) => !text.trim().is_empty(),
        Kind::Array(_) | Kind::Object(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use tarsus_home::config::json5::{Dialect, Document};

    use super::*;

    #[test]
    fn a_place_is_set_when_it_holds_something() {
        let text =
            "{ a: { t: true, f: false, n: 0, m: -1, z: 0.0, e: '', s: ' ', x: 'x', o: {}, l: [], u: null,
            list: [{ k: 1 }] }, browser: { evaluateEnabled: false }, constructor: 1 }";
        let document = Document::parse_object(text.as_bytes(), Dialect::Json5).unwrap();
        let table = [
            ("a", true),
            ("a.t", true),
            ("a.f", false),
            ("a.n", false),
            ("a.m", true),
            ("a.z", false),
            ("a.e", false),
            ("a.s", false),
            ("a.x", true),
            ("a.x.length", false),
            ("a.o", true),
            ("a.l", true),
            ("a.u", false),
            ("a.list.0.k", true),
            ("a.list.1", false),
            ("a..t", true),
            (" a . t ", true),
            ("a.nope", false),
            ("nope", false),
            ("", false),
            (".", false),
            ("constructor", false),
            ("a.__proto__", false),
            ("browser.enabled", true),
            ("browser.evaluateEnabled", false),
            ("browser.other", false),
            ("~/.openclaw/openclaw.json", false),
        ];
        for (path, set) in table {
            assert_eq!(is_set(document.root(), path), set, "{path}");
        }
    }
}
