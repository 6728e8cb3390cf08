//! Laws of the parser for any bytes: no panic, deterministic results, linear work.

use proptest::prelude::*;
use tarsus_skills::{Parsed, check_line, parse};

/// Pieces with a meaning for the parser; texts of them reach more code than random bytes.
const PIECES: &[&str] = &[
    "---",
    "\n",
    "\n  ",
    "\n- ",
    "name: ",
    "description: ",
    "metadata: ",
    "a",
    "b: ",
    ": ",
    ":",
    "- ",
    "? ",
    "{",
    "}",
    "[",
    "]",
    ",",
    "\"",
    "'",
    "\\",
    "\\u",
    "#",
    " #",
    "&a ",
    "*a",
    "!t ",
    "!!str ",
    "|",
    ">",
    "|2-\n",
    "\t",
    " ",
    "%YAML 1.2\n",
    "...",
    "é",
    "🎧",
    "\u{2028}",
    "\u{FEFF}",
    "\r\n",
    "\r",
    "\0",
    "0x1F",
    "1e3",
    "~",
    "<<: ",
    "@",
    "`",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..60).prop_map(|pieces| pieces.concat())
}

fn holds(bytes: &[u8]) {
    let parsed = parse(bytes, "SKILL.md", "folder");
    assert_eq!(parsed, parse(bytes, "SKILL.md", "folder"));
    if let Parsed::Loaded(skill) | Parsed::Degraded(skill, _) = &parsed {
        assert!(!skill.name.is_empty() && !skill.description.is_empty());
    }
    assert_eq!(check_line("p", &parsed).ok, matches!(parsed, Parsed::Loaded(_)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_parse_deterministically(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        holds(&bytes);
    }

    #[test]
    fn any_yaml_parses_deterministically(block in text()) {
        holds(format!("---\ndescription: d\n{block}\n---\n# x\n").as_bytes());
        holds(format!("---\n{block}\n---\n").as_bytes());
    }
}

/// Files of about 50,000 bytes that make a naive parser slow or overflow its stack.
#[test]
fn large_hostile_files_are_parsed() {
    let times = |piece: &str| piece.repeat(50_000 / piece.len());
    let keys: String = (0..5_000).map(|number| format!("k{number}: v\n")).collect();
    let lists: String = (0..3_000).map(|number| format!("k{number}: [a]\n")).collect();
    let anchors: String = (0..3_000).map(|number| format!("- &a{number} x\n- *a{number}\n")).collect();
    let indents: String = (0..300).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    let blocks = [
        format!("x: {}", times("[")),
        format!("x: {}", times("{a: ")),
        format!("x: [{}]", times("a, ")),
        format!("x: {{{}}}", times("a: [b], ")),
        format!("x: \"{}", times("\\\"")),
        times("a: '\n"),
        times("a: '''\n"),
        times("\n"),
        format!("a:\n  - x\n{}{}", "\n".repeat(20_000), "  # c\n".repeat(4_000)),
        times("- "),
        times("? "),
        times(": "),
        times("a: "),
        times("!"),
        times("&a "),
        times("a: |\n"),
        format!("a: >\n{}", times(" \n")),
        format!("a: {}", times("b ")),
        format!("a: b\n{}", times(" c\n")),
        format!("x:\n{anchors}"),
        keys,
        lists,
        indents,
        format!("a: &a [x]\nb: &b [{}]\nc: [{}]", "*a,".repeat(90), "*b,".repeat(10_000)),
        format!("a: &a [{}]\nb: [{}]", "[],".repeat(4_000), "*a,".repeat(4_000)),
    ];
    for block in blocks {
        let file = format!("---\nname: a\ndescription: d\n{block}\n---\n{}", "#".repeat(1_000));
        let parsed = parse(file.as_bytes(), "SKILL.md", "a");
        let (Parsed::Loaded(skill) | Parsed::Degraded(skill, _)) = parsed else { panic!("{:.40}", file) };
        assert_eq!(skill.description, "d");
    }
}
