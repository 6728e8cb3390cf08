//! The classes of files that occur in practice, each with a small example.

use tarsus_skills::{Parsed, Skill, check_line, parse};

fn parsed(block: &str) -> Parsed {
    parse(format!("---\n{block}\n---\nBody\n").as_bytes(), "SKILL.md", "folder")
}

fn loaded(block: &str) -> Skill {
    match parsed(block) {
        Parsed::Loaded(skill) => skill,
        other => panic!("{block:?} gives {other:?}"),
    }
}

fn code(skill: &Skill) -> Vec<&'static str> {
    skill.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect()
}

#[test]
fn free_text_that_is_not_valid_yaml_is_repaired() {
    for text in [
        "Use when: x",
        "@handle",
        "`code` first",
        "%percent",
        "[beta] x",
        "{x} y",
        ", x",
        "- x",
        "\"foo\" bar",
        "> text",
        "*bold* text",
        "'quoted' then: more",
        "a: b: c",
    ] {
        let skill = loaded(&format!("name: folder\ndescription: {text}"));
        assert_eq!((skill.description.as_str(), code(&skill)), (text, vec!["line-repaired"]), "{text}");
        assert_eq!(skill.diagnostics[0].line, Some(3), "{text}");
    }
}

#[test]
fn control_characters_in_a_value_are_kept() {
    assert_eq!(loaded("name: folder\ndescription: a\u{1}b\u{80}c\td").description, "a\u{1}b\u{80}c\td");
}

#[test]
fn key_is_limited_to_1024_characters() {
    assert_eq!(loaded(&format!("name: folder\ndescription: d\n{}: v", "é".repeat(1_024))).description, "d");
    let Parsed::Degraded(_, error) = parsed(&format!("description: d\n{}: v", "é".repeat(1_025))) else {
        panic!("a longer key is taken")
    };
    assert_eq!((error.code.as_str(), error.line), ("KEY_OVER_1024_CHARS", Some(3)));
}

#[test]
fn anchor_expansion_is_limited() {
    let used = |times: usize| format!("description: d\na: &a b\nx: [{}]", vec!["*a"; times].join(", "));
    assert_eq!(loaded(&format!("name: folder\n{}", used(100))).description, "d");
    let bomb = "description: d\na: &a [x, x]\nb: &b [*a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c]";
    for block in [used(101).as_str(), bomb] {
        let Parsed::Degraded(_, error) = parsed(block) else { panic!("{block:?} is taken") };
        assert_eq!(error.code.as_str(), "YAML_EXCEPTION", "{block:?}");
    }
}

#[test]
fn lenient_yaml_of_the_loader_is_accepted() {
    let cases = [
        ("x: {\n  \"a\": 1\n}", r#"{"a":1}"#),
        ("x: {b:{\"c\":1}, d:[2]}", r#"{b:{"c":1}, d:[2]}"#),
        ("x:\n  {\n    b:{c: [1]}\n  }", r#"{"b":{"c":[1]}}"#),
        ("x: !!str 5", "5"),
        ("x: !own 0x1F", "0x1F"),
        ("x: 0x1F", "31"),
        ("x: &a [1]", "[1]"),
        ("x: a\u{feff}b", "a\u{feff}b"),
        ("x: [\"a\u{1}b\"]", r#"["a\u0001b"]"#),
        ("x: a\n\t\ny: b", "a"),
        ("x:\n  <<: {a: 1}", r#"{"<<":{"a":1}}"#),
    ];
    for (block, value) in cases {
        let skill = loaded(&format!("name: folder\ndescription: d\n{block}"));
        assert_eq!(skill.frontmatter.get("x"), Some(value), "{block:?}");
    }
}

#[test]
fn broken_block_reports_code_message_and_line() {
    let cases = [
        ("name: a\ndescription: d\nx: {a: 1", "BAD_INDENT", 4),
        ("name: a\ndescription: d\nhint: [x] [y]", "UNEXPECTED_TOKEN", 4),
        ("name: a\ndescription: d\nhint: \"x\" or \"y\"", "UNEXPECTED_TOKEN", 4),
        ("name: a\ndescription: d\nauthor: me: you", "BLOCK_AS_IMPLICIT_KEY", 4),
        ("name: a\ndescription: d\nplain prose", "MISSING_CHAR", 4),
        ("name: a\ndescription: d\nplain prose\nover: lines", "MULTILINE_IMPLICIT_KEY", 4),
        ("name: a\ndescription: d\n<<<<<<< HEAD\nx: 1\n=======\n>>>>>>> b", "MULTILINE_IMPLICIT_KEY", 4),
        ("name: a\ndescription: d\nmetadata:\n\tx: 1", "TAB_AS_INDENT", 5),
        ("name: a\ndescription: d\nname: b", "DUPLICATE_KEY", 4),
        ("name: a\ndescription: d\nx: {a: 1, a: 2}", "DUPLICATE_KEY", 4),
        ("name: a\ndescription: d\nx: @y", "BAD_SCALAR_START", 4),
        ("name: a\ndescription: d\nx: `y`", "BAD_SCALAR_START", 4),
        ("name: a\ndescription: d\nx: \"\\q\"", "BAD_DQ_ESCAPE", 4),
        ("name: a\ndescription: d\nx: *nowhere", "YAML_EXCEPTION", 4),
        ("name: a\ndescription: d\nx: {\na: 1\n}", "BAD_INDENT", 5),
        ("name: a\ndescription: d\nx: [1, 2\ny: z", "BAD_INDENT", 5),
        ("name: a\ndescription: d\nx: {\n\t\"a\": 1\n}", "BAD_INDENT", 5),
        ("name: a\ndescription: d\nx: {\"a\": \"b}", "MISSING_CHAR", 4),
        ("name: a\ndescription: d\nx: {\"a\": \"b\"\n  \"c\": 1}", "MISSING_CHAR", 5),
        ("name: a\ndescription: d\nx: {\"a\": \"b\" \"c\": 1}", "UNEXPECTED_TOKEN", 4),
        ("name: a\ndescription: d\nx: {a: 1: 2}", "BLOCK_IN_FLOW", 4),
        ("name: a\ndescription: d\nx: {a: b}}", "UNEXPECTED_TOKEN", 4),
        ("name: a\ndescription: d\nx: \"a\"#b", "MISSING_CHAR", 4),
        ("name: a\ndescription: d\nx: \"a\":{\"b\": 1}", "UNEXPECTED_TOKEN", 4),
        ("name: a\ndescription: d\nx: first\n  second: y", "BLOCK_AS_IMPLICIT_KEY", 4),
        ("name: a\ndescription: d\nx:\n  first\n  second: y", "MULTILINE_IMPLICIT_KEY", 5),
        ("name: a\ndescription: d\nx:\n  - y\n  z", "BAD_INDENT", 6),
        ("name: a\ndescription: d\nx:\n  - y\n- z", "BLOCK_AS_IMPLICIT_KEY", 6),
        ("name: a\ndescription: d\nx:\n    y: 1\n  z: 2", "BAD_INDENT", 6),
        ("name: a\ndescription: d\n- x", "MULTILINE_IMPLICIT_KEY", 4),
        ("name: a\ndescription: d\n**bold** prose\nx: y", "MISSING_CHAR", 4),
        ("name: a\ndescription: d\nprose\n# note\nx: y", "MISSING_CHAR", 4),
        ("name: a\ndescription: d\nx: |y", "UNEXPECTED_TOKEN", 4),
        ("name: a\ndescription: d\nx: %y", "BAD_SCALAR_START", 4),
        ("name: a\ndescription: d\nx: , y", "BAD_SCALAR_START", 4),
        ("name: a\ndescription: d\nx: ] y", "UNEXPECTED_TOKEN", 4),
        ("name: a\ndescription: d\nx: !e!f y", "TAG_RESOLVE_FAILED", 4),
        ("name: a\ndescription: d\n--- x", "MULTIPLE_DOCS", 4),
        (" name: a\ndescription: d", "UNEXPECTED_TOKEN", 3),
    ];
    for (block, code, line) in cases {
        let Parsed::Degraded(skill, error) = parsed(block) else { panic!("{block:?} is not degraded") };
        assert_eq!((error.code.as_str(), error.line), (code, Some(line)), "{block:?}: {}", error.message);
        assert_eq!(skill.description, "d", "{block:?}");
    }
}

#[test]
fn wrong_file_name_is_degraded_and_no_frontmatter_malformed() {
    for name in ["skill.md", "Skill.md", "SKILL.MD"] {
        let file = b"---\nname: a\ndescription: d\n---\n";
        let Parsed::Degraded(skill, error) = parse(file, name, "a") else { panic!("{name}") };
        assert_eq!((skill.name.as_str(), error.code.as_str()), ("a", "WRONG_FILE_NAME"));
        let Parsed::Malformed(error) = parse(b"# text\n", name, "a") else { panic!("{name}") };
        assert_eq!(error.code.as_str(), "WRONG_FILE_NAME");
        assert_eq!(
            error.diagnostics.iter().map(|note| note.code.as_str()).collect::<Vec<_>>(),
            ["NO_FRONTMATTER"]
        );
    }
    let Parsed::Malformed(error) = parse(b"\n---\nname: a\n---\n", "SKILL.md", "a") else { panic!() };
    assert_eq!((error.code.as_str(), error.message.as_str()), ("NO_FRONTMATTER", "description is required"));
}

#[test]
fn vendor_metadata_and_dropped_installers_are_reported() {
    let skill =
        loaded("name: folder\ndescription: d\nmetadata: {\"moltbot\":{\"requires\":{\"bins\":[\"jq\"]}}}");
    assert_eq!((skill.metadata.is_none(), code(&skill)), (true, vec!["vendor-metadata"]));
    let line = check_line("SKILL.md", &Parsed::Loaded(skill));
    assert_eq!(
        line.vendor_metadata.map(|vendor| (vendor.vendor, vendor.requires.map(|needs| needs.bins))),
        Some(("moltbot".to_owned(), Some(vec!["jq".to_owned()])))
    );
    let skill = loaded(
        "name: folder\ndescription: d\nmetadata: {\"openclaw\":{\"install\":[{\"kind\":\"pip\",\"package\":\"x\"}]}}",
    );
    assert_eq!(code(&skill), ["installer-dropped"]);
    assert_eq!(
        skill.diagnostics[0].message,
        "installer 1 of the metadata is ignored: its kind `pip` is not one of brew, node, go, uv, download"
    );
}

#[test]
fn unreadable_metadata_is_reported() {
    let skill = loaded("name: folder\ndescription: d\nmetadata: { openclaw: { emoji: 🎧 } }");
    assert_eq!((skill.metadata.is_none(), code(&skill)), (true, vec!["metadata-unreadable"]));
}

#[test]
fn rule_violations_load_with_diagnostics() {
    let long = "x".repeat(1_025);
    let skill = loaded(&format!("name: My Skill\ndescription: {long}\ntools: [a]"));
    assert_eq!(code(&skill), ["name-outside-rule", "description-outside-rule", "tools-not-offered"]);
    assert_eq!(code(&loaded("description: d")), ["name-from-folder"]);
    assert_eq!(code(&loaded("name: other\ndescription: d")), ["name-not-folder"]);
}
