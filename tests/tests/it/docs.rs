//! Runs the examples of the user guide and the README as they are: each page in its own home, from top to
//! bottom. In expected output, `…` matches any text; a line after `> ` is typed.

use std::process::Command;

use tarsus_tests::{TestHome, run_with_input};

use crate::workspace::{file, source_files};

/// A command of a page, its typed input, and its expected output.
#[derive(Debug, Default, PartialEq, Eq)]
struct Example {
    command: String,
    typed: String,
    expected: String,
}

/// The `$ …` lines of the page's `console` blocks.
fn examples(page: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match line.strip_prefix("$ ") {
                Some(command) => examples.push(Example { command: command.to_owned(), ..Example::default() }),
                None => {
                    let example = examples.last_mut().expect("an answer follows its command");
                    let (text, line) = match line.strip_prefix("> ") {
                        Some(line) => (&mut example.typed, line),
                        None => (&mut example.expected, line),
                    };
                    text.push_str(line);
                    text.push('\n');
                }
            },
        }
    }
    examples
}

/// Splits a command line like a shell, as far as the guide needs it: white space and quotes.
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

/// Whether `text` matches `pattern`, with any text for each `…`.
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

/// The program itself, or a shell command.
fn command(home: &TestHome, line: &str) -> Command {
    match line.strip_prefix("tarsus ") {
        Some(arguments) => home.tarsus(words(arguments)),
        None => {
            let mut shell = home.command("sh");
            shell.args(["-c", line]);
            shell
        }
    }
}

/// Runs the examples of a page and returns their number.
fn check(name: &str, page: &str, home: &TestHome) -> usize {
    let examples = examples(page);
    let count = examples.len();
    for Example { command: line, typed, expected } in examples {
        let output = run_with_input(&mut command(home, &line), typed.as_bytes());
        let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(
            matches(&printed, &expected),
            "{name}: {line}\n--- the page says\n{expected}--- it printed\n{printed}"
        );
    }
    count
}

#[test]
fn examples_of_every_page_print_what_the_page_says() {
    for path in source_files("docs", &["md"]) {
        let count = check(&path, &file(&path), &TestHome::new());
        let has_examples = !path.starts_with("docs/dev/") && path != "docs/README.md";
        assert!(count > 0 || !has_examples, "{path} has no example");
    }
}

#[cfg(unix)]
#[test]
fn session_of_the_readme_prints_what_it_says() {
    let apps = tarsus_tests::apps::Apps::new();
    // The game of the session, as it is on this machine.
    let program = apps.home.path().join(&apps.process);
    let page = file("README.md")
        .replace("/opt/games/last-z-game", program.to_str().unwrap())
        .replace("/opt/games/last-z", &apps.launch_path());
    assert!(check("README.md", &page, &apps.home) > 0);
}

/// Lines without the width of their columns and the end that a terminal adds.
#[cfg(unix)]
fn squeezed(text: &str) -> String {
    let line = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n";
    text.lines().map(line).collect()
}

#[cfg(unix)]
#[test]
fn first_start_prints_what_the_pages_say() {
    let home = TestHome::new();
    let mut terminal = tarsus_tests::terminal::Terminal::start(&home, &["up", "--port", "0"]);
    let printed = squeezed(&terminal.wait_for("runs it in the background.\r\n"));
    terminal.press("\u{3}");
    assert!(terminal.end().0.success());
    let port = printed.split("http://127.0.0.1:").nth(1).unwrap().split('/').next().unwrap();
    for name in ["README.md", "docs/getting-started/first-ten-minutes.md"] {
        let page = file(name);
        let (_, rest) = page.split_once("$ tarsus up\n").unwrap();
        let (block, _) = rest.split_once("```\n").unwrap();
        let expected = squeezed(block).replace("18789", port).replace("ready in 15 ms", "ready in … ms");
        assert!(matches(&printed, &expected), "{name}:\n{expected}--- it printed\n{printed}");
    }
}

#[test]
fn wrong_output_is_detected() {
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
