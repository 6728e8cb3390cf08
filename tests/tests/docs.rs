//! The examples of the user guide, run as they stand: each page in a home of its own, from top to bottom.
//! In an expected answer `…` stands for any text.

use std::fs;
use std::path::PathBuf;

use tarsus_tests::TestHome;

/// A command of a page, and what the page says it prints.
#[derive(Debug, PartialEq, Eq)]
struct Example {
    command: Vec<String>,
    expected: String,
}

/// The `$ tarsus …` lines of the page's `console` blocks.
fn examples(page: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match line.strip_prefix("$ tarsus ") {
                Some(command) => {
                    examples.push(Example { command: words(command), expected: String::new() });
                }
                None => {
                    let example = examples.last_mut().expect("an answer follows its command");
                    example.expected.push_str(line);
                    example.expected.push('\n');
                }
            },
        }
    }
    examples
}

/// A command line as a shell splits it, as far as the guide needs it: white space and quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in command.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// Whether `text` is `pattern` with some text for each `…`.
fn matches(text: &str, pattern: &str) -> bool {
    let mut pieces = pattern.split('…');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

fn check(page: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs").join(page);
    let examples = examples(&fs::read_to_string(&path).unwrap());
    assert!(!examples.is_empty(), "{page} has no example");
    let home = TestHome::new();
    for example in examples {
        let output = home.tarsus(&example.command).output().unwrap();
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8(printed).unwrap();
        assert!(
            matches(&printed, &example.expected),
            "docs/{page}: tarsus {}\n--- the page says\n{}--- it printed\n{printed}",
            example.command.join(" "),
            example.expected,
        );
    }
}

#[test]
fn the_examples_of_every_page_do_what_they_say() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pages: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
    assert!(pages.len() >= 5, "{pages:?}");
    for page in pages {
        check(&page);
    }
}

#[test]
fn a_wrong_answer_is_found() {
    let table = [
        ("a\nb\n", "a\nb\n", true),
        ("a\nb\n", "a\n", false),
        ("a 12 b\n", "a … b\n", true),
        ("a 12 c\n", "a … b\n", false),
        ("a\nx\ny\nb\n", "a\n…b\n", true),
        ("", "…", true),
        ("ab", "ab…b", false),
    ];
    for (text, pattern, expected) in table {
        assert_eq!(matches(text, pattern), expected, "{text:?} {pattern:?}");
    }
    assert_eq!(words(r#"set a '[{ id: "x y" }]'  b"#), ["set", "a", r#"[{ id: "x y" }]"#, "b"]);
}
