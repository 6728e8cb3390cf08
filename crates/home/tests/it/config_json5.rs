//! Properties of the JSON5 parser and editor, on generated files and tables of edge cases.

use crate::json5_generator::{Choices, file, files, new_path, new_value, paths};
use serde_json::{Value, json};
use tarsus_home::config::json5::{
    Document, Edit, EditError, JsonDialect, MAX_DEPTH, MAX_VALUES, Member, NodeKind, Path, PathStep,
    SourceText, read_members, same_value,
};
use tarsus_protocol::ErrorCode;

fn parse(text: &str) -> Document {
    Document::parse(text.as_bytes(), JsonDialect::Json5).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn path(text: &str) -> Path {
    text.parse().unwrap()
}

fn set(text: &str, at: &str, value: Value) -> String {
    parse(text).edited(&Edit::set(path(at), value)).unwrap().text().to_owned()
}

fn unset(text: &str, at: &str) -> String {
    parse(text).edited(&Edit::Unset { path: path(at) }).unwrap().text().to_owned()
}

/// Reference implementation of an edit on plain values.
fn set_value(value: &mut Value, steps: &[PathStep], new: Value) {
    let Some((step, rest)) = steps.split_first() else {
        *value = new;
        return;
    };
    if value.is_null() {
        *value = if matches!(step, PathStep::Index(_)) { json!([]) } else { json!({}) };
    }
    match (value, step) {
        (Value::Array(items), step) => {
            let index = match step {
                PathStep::Index(index) => *index,
                PathStep::Key(name) => name.parse().unwrap(),
            };
            if index == items.len() {
                items.push(Value::Null);
            }
            set_value(&mut items[index], rest, new);
        }
        (Value::Object(members), PathStep::Key(name)) => {
            set_value(members.entry(name.clone()).or_insert(Value::Null), rest, new);
        }
        other => panic!("{other:?}"),
    }
}

fn remove_value(value: &mut Value, steps: &[PathStep]) {
    let (step, rest) = steps.split_first().unwrap();
    match (value, step) {
        (Value::Array(items), PathStep::Index(index)) if rest.is_empty() => {
            items.remove(*index);
        }
        (Value::Array(items), PathStep::Index(index)) => remove_value(&mut items[*index], rest),
        (Value::Object(members), PathStep::Key(name)) if rest.is_empty() => {
            members.shift_remove(name);
        }
        (Value::Object(members), PathStep::Key(name)) => remove_value(&mut members[name], rest),
        other => panic!("{other:?}"),
    }
}

fn assert_same(actual: &Value, expected: &Value, context: &str) {
    assert!(same_value(actual, expected), "{context}\nactual:   {actual}\nexpected: {expected}");
}

#[test]
fn generated_files_parse_like_the_json5_crate() {
    for seed in 0..files() {
        let text = file(seed);
        let document = parse(&text);
        assert_eq!(document.text(), text);
        // The `json5` crate rejects a byte order mark and reads numbers beyond 64 bits as floats.
        let theirs: Value = json5::from_str(text.trim_start_matches('\u{FEFF}')).unwrap();
        assert_same(&document.value(), &theirs, &text);
    }
}

#[test]
fn unset_after_set_restores_the_bytes() {
    for seed in 0..files() {
        let text = file(seed);
        let document = parse(&text);
        let mut choices = Choices::new(seed ^ 0xABCD);
        for _ in 0..6 {
            let path = new_path(&mut choices, &document);
            let value = new_value(&mut choices);
            let set = document.edited(&Edit::set(path.clone(), value.clone())).unwrap();
            let mut expected = document.value();
            set_value(&mut expected, path.steps(), value);
            let context = format!("seed {seed}, {path}\n{text}\n---\n{}", set.text());
            assert_same(&set.value(), &expected, &context);
            let back = set.edited(&Edit::Unset { path }).unwrap();
            assert_eq!(back.text(), text, "{context}");
        }
    }
}

#[test]
fn a_new_member_adds_whole_lines_and_at_most_one_comma() {
    for seed in 0..files() {
        let text = file(seed);
        let document = parse(&text);
        let mut choices = Choices::new(seed ^ 0x1234);
        let path = new_path(&mut choices, &document);
        let set = document.edited(&Edit::set(path.clone(), new_value(&mut choices))).unwrap();
        let (mut old, mut new) = (text.as_str(), set.text());
        while let (Some(left), Some(right)) = (old.chars().next(), new.chars().next()) {
            if left != right {
                break;
            }
            (old, new) = (&old[left.len_utf8()..], &new[right.len_utf8()..]);
        }
        // Only insertions: the old text is a subsequence of the new one.
        let mut rest = new.chars();
        assert!(old.chars().all(|char| rest.any(|other| other == char)), "seed {seed}, {path}\n{text}");
    }
}

#[test]
fn a_replaced_value_touches_only_its_own_bytes() {
    for seed in 0..files() {
        let text = file(seed);
        let document = parse(&text);
        let (_, all) = paths(&document);
        let mut choices = Choices::new(seed ^ 0x77);
        if all.is_empty() {
            continue;
        }
        let path = Path::from_steps(choices.pick(&all)).unwrap();
        let value = new_value(&mut choices);
        let old = document.get(&path).unwrap();
        let edited = document.edited(&Edit::set(path.clone(), value.clone())).unwrap();
        let new = edited.get(&path).unwrap();
        assert_eq!(edited.text()[..new.span.start], text[..old.span.start]);
        assert_eq!(edited.text()[new.span.end..], text[old.span.end..]);
        assert_same(&new.to_value(), &value, &text);
        let mut expected = document.value();
        set_value(&mut expected, path.steps(), value);
        assert_same(&edited.value(), &expected, &text);

        let again = edited.edited(&Edit::set(path, new.to_value())).unwrap();
        assert_eq!(again.text(), edited.text(), "an equal value changes nothing");
    }
}

#[test]
fn remove_and_insert_change_only_their_element() {
    for seed in 0..files() {
        let text = file(seed);
        let document = parse(&text);
        let (containers, all) = paths(&document);
        let mut choices = Choices::new(seed ^ 0x99);
        if all.is_empty() {
            continue;
        }
        for _ in 0..4 {
            let steps = choices.pick(&all);
            let path = Path::from_steps(steps.clone()).unwrap();
            let removed = document.edited(&Edit::Remove { path: path.clone() });
            let removed = removed.unwrap_or_else(|error| panic!("seed {seed}, {path}: {error}\n{text}"));
            let mut expected = document.value();
            remove_value(&mut expected, &steps);
            assert_same(
                &removed.value(),
                &expected,
                &format!("seed {seed}, {path}\n{text}\n---\n{}", removed.text()),
            );
            let unset = document.edited(&Edit::Unset { path }).unwrap();
            assert!(unset.text().len() <= removed.text().len());
        }
        for steps in containers.into_iter().filter(|steps| !steps.is_empty()) {
            let path = Path::from_steps(steps).unwrap();
            let Value::Array(items) = document.get(&path).unwrap().to_value() else { continue };
            let index = choices.below(items.len() + 1);
            let value = new_value(&mut choices);
            let edited =
                document.edited(&Edit::Insert { path: path.at(index), value: value.clone() }).unwrap();
            let mut expected = items;
            expected.insert(index, value);
            assert_same(&edited.get(&path).unwrap().to_value(), &Value::Array(expected), &text);
        }
    }
}

#[test]
fn edits_follow_the_surrounding_style() {
    let config = "// mine\n{\n  gateway: {\n    mode: 'local', // keep\n  },\n  \"list\": [1, 2]\n}\n";
    let table = [
        (
            config,
            "gateway.mode",
            json!("remote"),
            "// mine\n{\n  gateway: {\n    mode: 'remote', // keep\n  },\n  \"list\": [1, 2]\n}\n",
        ),
        (
            config,
            "gateway.port",
            json!(1),
            "// mine\n{\n  gateway: {\n    mode: 'local', // keep\n    port: 1,\n  },\n  \"list\": [1, 2]\n}\n",
        ),
        (
            config,
            "list[2]",
            json!(3),
            "// mine\n{\n  gateway: {\n    mode: 'local', // keep\n  },\n  \"list\": [1, 2, 3]\n}\n",
        ),
        (
            config,
            "a.b.c",
            json!(true),
            "// mine\n{\n  gateway: {\n    mode: 'local', // keep\n  },\n  \"list\": [1, 2],\n  \"a\": {\n    \"b\": {\n      \"c\": true\n    }\n  }\n}\n",
        ),
        ("{}", "a.b", json!([1]), "{\n  \"a\": {\n    \"b\": [1]\n  }\n}"),
        ("{\"a\":{}}", "a.b.c", json!(1), "{\"a\":{\"b\": { \"c\": 1 }}}"),
        ("{a:1}", "b", json!({"x": {}}), "{a:1, b: { x: {} }}"),
        ("{\r\n\ta: 1 // x\r\n}", "b.c", json!(2), "{\r\n\ta: 1, // x\r\n\tb: {\r\n\t\tc: 2\r\n\t}\r\n}"),
        ("\u{FEFF}{a: 1,}\n", "b", json!(2), "\u{FEFF}{a: 1, b: 2,}\n"),
        ("{ 'a': 1 /* x */ }", "b", json!("q"), "{ 'a': 1, /* x */ 'b': \"q\" }"),
        (
            "{\n  \"a\": 1\n}\n",
            "l[0].name",
            json!("x"),
            "{\n  \"a\": 1,\n  \"l\": [\n    {\n      \"name\": \"x\"\n    }\n  ]\n}\n",
        ),
    ];
    for (before, at, value, after) in table {
        assert_eq!(set(before, at, value), after, "{at} in {before}");
    }
}

#[test]
fn unset_removes_only_the_lines_of_the_member() {
    let table = [
        ("{\n  // about a\n  a: 1, // trailing\n  b: 2\n}", "a", "{\n  // about a\n  b: 2\n}"),
        ("{\n  a: 1,\n  b: 2 // last\n}", "b", "{\n  a: 1\n}"),
        ("{a: 1, b: 2}", "a", "{b: 2}"),
        ("{a: 1, b: 2}", "b", "{a: 1}"),
        ("{\n  a: 1, // x\n  b: 2 }", "b", "{\n  a: 1 // x\n  }"),
        ("{\n  a: {\n    b: 1\n  },\n  c: 2\n}", "a.b", "{\n  c: 2\n}"),
        ("{\n  a: {b: 1},\n}", "a.b", "{\n  a: {},\n}"),
        ("{\n  a: {\n    // why\n    b: 1\n  }\n}", "a.b", "{\n  a: {\n    // why\n  }\n}"),
        ("{\n  a: 1,\n}", "a", "{}"),
        ("{l: [1, 2, 3]}", "l[1]", "{l: [1, 3]}"),
    ];
    for (before, at, after) in table {
        assert_eq!(unset(before, at), after, "{at} in {before}");
    }
}

#[test]
fn impossible_edits_are_errors_with_a_reason() {
    let document = parse("{a: 1, l: [1], o: {}}");
    let wrong = |at: &str, place: &str, found, wanted| EditError::WrongKind {
        path: path(at),
        place: place.to_owned(),
        found,
        wanted,
    };
    let table = [
        (Edit::set(path("a.b"), 1), wrong("a.b", "`a`", "a number", "an object")),
        (Edit::set(path("l.x"), 1), wrong("l.x", "`l`", "a list", "an object")),
        (Edit::set(path("o[0]"), 1), wrong("o[0]", "`o`", "an object", "a list")),
        (Edit::set(path("[0]"), 1), wrong("[0]", "the whole file", "an object", "a list")),
        (Edit::set(path("l[2]"), 1), EditError::PastEnd { path: path("l[2]"), length: 1 }),
        (Edit::set(path("o.n[1]"), 1), EditError::PastEnd { path: path("o.n[1]"), length: 0 }),
        (Edit::Insert { path: path("a[0]"), value: json!(1) }, wrong("a[0]", "`a`", "a number", "a list")),
        (Edit::Insert { path: path("x[0]"), value: json!(1) }, EditError::NotFound(path("x[0]"))),
        (Edit::Unset { path: path("o.x") }, EditError::NotFound(path("o.x"))),
        (Edit::Remove { path: path("l[1]") }, EditError::NotFound(path("l[1]"))),
    ];
    for (edit, error) in table {
        assert_eq!(document.edited(&edit), Err(error));
    }
    let deep = path(&vec!["x"; MAX_DEPTH].join("."));
    let error = document.edited(&Edit::set(deep, json!({"y": {}}))).unwrap_err();
    assert!(matches!(&error, EditError::Beyond(inner) if inner.code == ErrorCode::TooLarge), "{error}");
}

/// (text, valid JSON5, valid JSON)
const ODD: &[(&str, bool, bool)] = &[
    ("", false, false),
    ("   ", false, false),
    ("// only a comment", false, false),
    ("{}", true, true),
    ("[]", true, true),
    ("{,}", false, false),
    ("[,]", false, false),
    ("[1,,2]", false, false),
    ("{a:1,}", true, false),
    ("[1,]", true, false),
    ("{\"a\":1,}", true, false),
    ("{} {}", false, false),
    ("{} // end", true, false),
    ("{/* open", false, false),
    ("{/*/ */}", true, false),
    ("{/ a}", false, false),
    ("{a 1}", false, false),
    ("{a: }", false, false),
    ("{a: b}", false, false),
    ("{1: 2}", false, false),
    ("{a-b: 2}", false, false),
    ("{\\u0061: 2}", true, false),
    ("{\\u0031: 2}", false, false),
    ("{\\x61: 2}", false, false),
    ("{a\u{200D}b: 2}", true, false),
    ("{ünï: 2}", true, false),
    ("{null: 1, true: 2}", true, false),
    ("{\"a\": tru}", false, false),
    ("{\"a\": \\u0074rue}", false, false),
    ("'a'", true, false),
    ("\"a", false, false),
    ("\"a\nb\"", false, false),
    ("\"a\\\nb\"", true, false),
    ("\"a\\\r\nb\"", true, false),
    ("\"a\tb\"", true, false),
    ("\"\u{2028}\"", true, true),
    ("\"\\u12\"", false, false),
    ("\"\\xZZ\"", false, false),
    ("\"\\x41\"", true, false),
    ("\"\\q\"", true, false),
    ("\"\\1\"", false, false),
    ("\"\\0\"", true, false),
    ("\"\\01\"", false, false),
    ("\"\\/\"", true, true),
    ("\"\\uD800\"", false, false),
    ("\"\\uDC00\\uD800\"", false, false),
    ("\"\\uD83D\\uDE00\"", true, true),
    ("01", false, false),
    ("1.", true, false),
    ("1a", false, false),
    ("0x1G", false, false),
    ("1.2.3", false, false),
    ("--1", false, false),
    ("- 1", false, false),
    ("\u{A0}1", true, false),
    ("\u{FEFF}1", true, true),
    ("1\u{FEFF}", true, false),
    ("\u{180E}1", false, false),
    ("`a`", false, false),
    ("#", false, false),
];

#[test]
fn odd_texts_parse_according_to_the_dialect() {
    for (text, json5_takes, json_takes) in ODD {
        let takes = |dialect| Document::parse(text.as_bytes(), dialect).is_ok();
        assert_eq!(
            (takes(JsonDialect::Json5), takes(JsonDialect::Json)),
            (*json5_takes, *json_takes),
            "{text:?}"
        );
        let plain = text.trim_start_matches('\u{FEFF}');
        assert_eq!(serde_json::from_str::<Value>(plain).is_ok(), *json_takes, "serde_json on {text:?}");
        assert_eq!(json5::from_str::<Value>(plain).is_ok(), *json5_takes, "json5 on {text:?}");
    }
}

const WRONG: &[(&str, u32, u32, &str)] = &[
    ("{\n  mode \"local\"\n}", 2, 8, "expected `:` after the key \"mode\""),
    ("{\n  mode: local\n}", 2, 9, "expected a value, found `local`; strings need quotes"),
    ("{a: 1 b: 2}", 1, 7, "expected `,` or `}` after the value of the key \"a\", found `b`"),
    ("[1 2]", 1, 4, "expected `,` or `]` after the value, found a number"),
    ("{a: 1", 1, 6, "expected `,` or `}` after the value of the key \"a\", found the end of the file"),
    ("{é: 'x\n}", 1, 5, "unterminated string on this line; expected `'`"),
    ("{\n a: 1,\n \"\\u0061\": 2}", 3, 2, "the key \"a\" is already set at line 2, column 2"),
    ("{a: Infinity}", 1, 5, "expected a finite number"),
    ("{a: 1\u{7}}", 1, 6, "unexpected U+0007"),
    ("{} x", 1, 4, "expected the end of the file, found `x`"),
    ("", 1, 1, "expected a value, found the end of the file"),
];

#[test]
fn syntax_errors_name_position_and_expectation() {
    for &(text, line, column, label) in WRONG {
        let error = Document::parse(text.as_bytes(), JsonDialect::Json5).unwrap_err();
        assert_eq!((error.line, error.column, error.label()), (line, column, label), "{text:?}");
        assert_eq!(error.code, ErrorCode::Malformed);
    }
}

/// Asserts that [`read_members`] and `parse_object` agree on values, spans and errors.
fn members_agree(text: &str, dialect: JsonDialect) {
    let whole =
        Document::parse_object(text.as_bytes(), dialect).map(|document| match &document.root().kind {
            NodeKind::Object(members) => members.clone(),
            other => panic!("{other:?}"),
        });
    let one_by_one = SourceText::new(text.as_bytes().to_vec())
        .and_then(|text| read_members(&text, dialect, |member: Member| member, |member| &member.key.name));
    assert_eq!(one_by_one, whole, "{text:?}");
}

#[test]
fn read_members_agrees_with_parse_object() {
    let odd = ODD.iter().map(|(text, ..)| (*text).to_owned());
    let inside = ODD.iter().map(|(text, ..)| format!("{{\"a\": [{text}], 'b': {text}}}"));
    let wrong = WRONG.iter().map(|(text, ..)| (*text).to_owned());
    let limits = [
        "{a:".repeat(5_000),
        format!("{{a: [{}]}}", "0,".repeat(MAX_VALUES)),
        // The maximum number of values, and one more.
        format!("{{a: [{}]}}", "0,".repeat(MAX_VALUES - 2)),
        format!("{{a: [{}]}}", "0,".repeat(MAX_VALUES - 1)),
        "{}".to_owned(),
        "{,}".to_owned(),
        "{\"a\": 1,}".to_owned(),
        "{\"a\": 1} {".to_owned(),
        "{\"a\": 1, \"a\": 2} {".to_owned(),
        format!("{{{}\"k3\": 0}}", (0..20).map(|at| format!("\"k{at}\": {at},\n")).collect::<String>()),
    ];
    for text in odd.chain(inside).chain(wrong).chain(limits) {
        for dialect in [JsonDialect::Json5, JsonDialect::Json] {
            members_agree(&text, dialect);
        }
    }
}

#[test]
fn depth_and_number_of_values_are_limited() {
    for open in ["[", "{a:"] {
        let deep = open.repeat(5_000);
        let error = Document::parse(deep.as_bytes(), JsonDialect::Json5).unwrap_err();
        assert_eq!(error.code, ErrorCode::TooLarge);
        assert_eq!(error.column as usize, open.len() * MAX_DEPTH + 1);
    }
    let just = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
    assert!(Document::parse(just.as_bytes(), JsonDialect::Json).is_ok());
    let many = format!("[{}]", "0,".repeat(MAX_VALUES));
    assert_eq!(Document::parse(many.as_bytes(), JsonDialect::Json5).unwrap_err().code, ErrorCode::TooLarge);
}

#[test]
fn a_duplicate_is_found_among_many_keys() {
    let mut text = String::from("{");
    for at in 0..100_000 {
        text.push_str(&format!("k{at}: {at},\n"));
    }
    let document = parse(&format!("{text}}}"));
    assert_eq!(document.get(&path("k99999")).unwrap().to_value(), json!(99_999));
    let error = Document::parse(format!("{text}k7: 0}}").as_bytes(), JsonDialect::Json5).unwrap_err();
    assert_eq!(error.label(), "the key \"k7\" is already set at line 8, column 1");
}
