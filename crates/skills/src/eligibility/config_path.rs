//! Checks whether a path of the configuration is set. Values are never returned.

use tarsus_home::config::json5::{Node, NodeKind, PathStep};

/// Paths that are on by default, so they count as set if the file does not mention them.
const SET_BY_DEFAULT: [&str; 2] = ["browser.enabled", "browser.evaluateEnabled"];

/// Names that are never a key, in any object.
const NEVER_A_KEY: [&str; 3] = ["__proto__", "constructor", "prototype"];

/// Whether the value at a dotted path is set: not null, false, 0 or an empty string.
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
        match node.child(&PathStep::Key(step.to_owned())) {
            Some(child) => node = child,
            None => return SET_BY_DEFAULT.contains(&path),
        }
    }
    match &node.kind {
        NodeKind::Null => false,
        NodeKind::Bool(value) => *value,
        NodeKind::Number(number) => number.as_f64().is_some_and(|worth| worth != 0.0 && !worth.is_nan()),
        NodeKind::String(text) => !text.trim().is_empty(),
        NodeKind::Array(_) | NodeKind::Object(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use tarsus_home::config::json5::{Document, JsonDialect};

    use super::*;

    #[test]
    fn path_is_set_if_its_value_is_not_empty() {
        let text =
            "{ a: { t: true, f: false, n: 0, m: -1, z: 0.0, e: '', s: ' ', x: 'x', o: {}, l: [], u: null,
            list: [{ k: 1 }] }, browser: { evaluateEnabled: false }, constructor: 1 }";
        let document = Document::parse_object(text.as_bytes(), JsonDialect::Json5).unwrap();
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
