//! Generates JSON5 files: comments everywhere, odd quoting, nested lists, unknown keys, all line ends, tabs,
//! a byte order mark, one line or many. The same seed yields the same file.

use tarsus_home::config::json5::{Document, Node, NodeKind, Path, PathStep};

/// Number of generated files per property: 2,000, multiplied by `TARSUS_SOAK` in a soak test.
#[allow(clippy::disallowed_methods, reason = "asks how long the test is to run")]
pub fn files() -> u64 {
    2_000 * std::env::var("TARSUS_SOAK").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// A small deterministic source of choices (SplitMix64).
pub struct Choices(u64);

impl Choices {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    pub fn one_in(&mut self, chance: usize) -> bool {
        self.below(chance) == 0
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

struct Style {
    line_break: &'static str,
    unit: &'static str,
    comments: usize,
    one_line: usize,
}

/// Generates the file of a seed; its root is an object.
pub fn file(seed: u64) -> String {
    let mut choices = Choices::new(seed);
    let style = Style {
        line_break: choices.pick(&["\n", "\n", "\r\n", "\r"]),
        unit: choices.pick(&["  ", "  ", "    ", "\t", ""]),
        comments: choices.pick(&[3, 6, 1000]),
        one_line: choices.pick(&[2, 4, 1000, 1]),
    };
    let mut out = String::new();
    if choices.one_in(5) {
        out.push('\u{FEFF}');
    }
    trivia(&mut choices, &style, &mut out, 0, true);
    object(&mut choices, &style, &mut out, 0);
    trivia(&mut choices, &style, &mut out, 0, true);
    if choices.one_in(2) {
        out.push_str(style.line_break);
    }
    out
}

fn trivia(choices: &mut Choices, style: &Style, out: &mut String, depth: usize, may_break: bool) {
    if choices.one_in(4) {
        out.push_str(choices.pick(&["", " ", "   ", "\t", "\u{A0}", "\u{C}"]));
    }
    if choices.one_in(style.comments) {
        let words = ["c", "*", "a: 1,", "}", "é 技", "\"", "/", "token"];
        let word = choices.pick(&words);
        match choices.below(if may_break { 4 } else { 1 }) {
            0 => out.push_str(&format!("/*{word}*/")),
            1 => out.push_str(&format!("/* {word}{} {word}*/", style.line_break)),
            2 => out.push_str(&format!("//{word}\u{2028}")),
            _ => {
                out.push_str(&format!("// {word}{}", style.line_break));
                out.push_str(&style.unit.repeat(depth));
            }
        }
    }
    if choices.one_in(6) {
        out.push(' ');
    }
}

fn object(choices: &mut Choices, style: &Style, out: &mut String, depth: usize) {
    let count = choices.below(if depth == 0 { 7 } else { 5 });
    let mut names: Vec<String> = Vec::new();
    brackets(choices, style, out, depth, ('{', '}'), count, |choices, style, out, depth| {
        loop {
            let (name, text) = key(choices);
            if !names.contains(&name) {
                names.push(name);
                out.push_str(&text);
                break;
            }
        }
        trivia(choices, style, out, depth, true);
        out.push(':');
        trivia(choices, style, out, depth, true);
        value(choices, style, out, depth);
    });
}

fn brackets(
    choices: &mut Choices,
    style: &Style,
    out: &mut String,
    depth: usize,
    (open, close): (char, char),
    count: usize,
    mut item: impl FnMut(&mut Choices, &Style, &mut String, usize),
) {
    let one_line = choices.one_in(style.one_line);
    let ragged = choices.one_in(6);
    out.push(open);
    for at in 0..count {
        let joined = one_line || (ragged && choices.one_in(2));
        if !joined {
            trivia(choices, style, out, depth + 1, true);
            out.push_str(style.line_break);
            out.push_str(&style.unit.repeat(depth + 1));
        }
        trivia(choices, style, out, depth + 1, !one_line);
        item(choices, style, out, depth + 1);
        trivia(choices, style, out, depth + 1, !one_line);
        if at + 1 < count || choices.one_in(3) {
            out.push(',');
        }
        trivia(choices, style, out, depth + 1, !one_line);
    }
    if count == 0 {
        trivia(choices, style, out, depth + 1, !one_line);
    }
    if !one_line && !choices.one_in(6) {
        out.push_str(style.line_break);
        out.push_str(&style.unit.repeat(depth));
    }
    out.push(close);
}

fn key(choices: &mut Choices) -> (String, String) {
    let name = choices.pick(&[
        "gateway",
        "agents",
        "list",
        "skills",
        "entries",
        "a",
        "b",
        "c",
        "mode",
        "port",
        "token",
        "apiKey",
        "my.key",
        "with space",
        "技能",
        "",
        "0",
        "$_x",
        "it's",
        "quote\"d",
        "line\nbreak",
        "enabled",
        "env",
        "channels",
        "id",
    ]);
    let bare = !name.is_empty()
        && name.chars().all(|char| char.is_alphanumeric() || matches!(char, '$' | '_'))
        && !name.starts_with(|char: char| char.is_ascii_digit());
    let text = match choices.below(4) {
        0 if bare => name.to_owned(),
        1 => quote(name, '\''),
        2 if bare && name.is_ascii() => format!("\\u{:04x}{}", name.as_bytes()[0], &name[1..]),
        _ => quote(name, '"'),
    };
    (name.to_owned(), text)
}

fn quote(text: &str, quote: char) -> String {
    let escaped = text.replace('\\', "\\\\").replace('\n', "\\n").replace(quote, &format!("\\{quote}"));
    format!("{quote}{escaped}{quote}")
}

fn value(choices: &mut Choices, style: &Style, out: &mut String, depth: usize) {
    let deep = if depth < 4 { 12 } else { 9 };
    match choices.below(deep) {
        0 => out.push_str("null"),
        1 => out.push_str(choices.pick(&["true", "false"])),
        2 | 3 => out.push_str(choices.pick(&[
            "0",
            "1",
            "-1",
            "+1",
            "18789",
            "2.50",
            ".5",
            "5.",
            "5.e1",
            "0x1F",
            "-0xff",
            "1e3",
            "1E-2",
            "123456789012345678901234567890",
        ])),
        4..=8 => out.push_str(choices.pick(&[
            "\"\"",
            "'single'",
            "\"double\"",
            "'it\\'s'",
            "\"a\\\nb\"",
            "\"\\x41\\u0042\\v\\0\"",
            "'${HOME}'",
            "\"\u{2028}\"",
            "\"\\uD83D\\uDE00\"",
            "'\"'",
            "\"// no comment\"",
            "\"é技\"",
            "\"tab\there\"",
            "'$${X}'",
        ])),
        9 => {
            let count = choices.below(4);
            brackets(choices, style, out, depth, ('[', ']'), count, value);
        }
        _ => object(choices, style, out, depth),
    }
}

/// Returns the paths of all containers, including the root, and of all values except the root.
pub fn paths(document: &Document) -> (Vec<Vec<PathStep>>, Vec<Vec<PathStep>>) {
    fn walk(
        node: &Node,
        at: &mut Vec<PathStep>,
        containers: &mut Vec<Vec<PathStep>>,
        all: &mut Vec<Vec<PathStep>>,
    ) {
        if !at.is_empty() {
            all.push(at.clone());
        }
        match &node.kind {
            NodeKind::Object(members) => {
                containers.push(at.clone());
                for member in members {
                    at.push(PathStep::Key(member.key.name.clone()));
                    walk(&member.value, at, containers, all);
                    at.pop();
                }
            }
            NodeKind::Array(items) => {
                containers.push(at.clone());
                for (index, item) in items.iter().enumerate() {
                    at.push(PathStep::Index(index));
                    walk(item, at, containers, all);
                    at.pop();
                }
            }
            _ => {}
        }
    }
    let (mut containers, mut all) = (Vec::new(), Vec::new());
    walk(document.root(), &mut Vec::new(), &mut containers, &mut all);
    (containers, all)
}

/// Returns a path without a value, below a random container of the document.
pub fn new_path(choices: &mut Choices, document: &Document) -> Path {
    let (containers, _) = paths(document);
    let mut steps = choices.pick(&containers);
    let node = Path::from_steps(steps.clone()).map_or(document.root(), |path| document.get(&path).unwrap());
    match &node.kind {
        NodeKind::Array(items) => steps.push(PathStep::Index(items.len())),
        _ => steps.push(PathStep::Key(choices.pick(&["zz", "new key", "新", "z.y"]).to_owned())),
    }
    for _ in 0..choices.below(4) {
        steps.push(match choices.below(3) {
            0 => PathStep::Index(0),
            _ => PathStep::Key(choices.pick(&["p", "q r", "0"]).to_owned()),
        });
    }
    Path::from_steps(steps).unwrap()
}

pub fn new_value(choices: &mut Choices) -> serde_json::Value {
    choices.pick(&[
        serde_json::json!(null),
        serde_json::json!(true),
        serde_json::json!(7),
        serde_json::json!(-2.5),
        serde_json::json!(""),
        serde_json::json!("it's \"q\"\n\\ \u{2028}\u{1}é"),
        serde_json::json!([]),
        serde_json::json!({}),
        serde_json::json!(["a", "b", 3]),
        serde_json::json!({"x": 1, "y z": {"deep": [{"id": "a"}, {}]}}),
        serde_json::json!([[1, [2]], {"k": "v"}]),
    ])
}
