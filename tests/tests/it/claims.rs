//! Every guarantee in docs/dev/security-tests.md and docs/dev/studio-tests.md names a test that exists.

use std::collections::BTreeSet;

use crate::workspace::file;

/// A row of the page: a guarantee, a file and a test in it.
#[derive(Debug, PartialEq, Eq)]
struct Claim {
    promise: String,
    file: String,
    test: String,
}

/// The pages of guarantees, with the minimum number of rows.
const PAGES: [(&str, usize); 2] = [("docs/dev/security-tests.md", 121), ("docs/dev/studio-tests.md", 97)];

/// The rows of every table of guarantees of a page.
///
/// # Errors
/// The first table row that does not have three cells, the last two of them code.
fn claims(page: &str) -> Result<Vec<Claim>, String> {
    let code = |cell: &str| cell.trim().strip_prefix('`')?.strip_suffix('`').map(str::to_owned);
    let claim = |row: &str| {
        let [promise, file, test] =
            row.strip_prefix('|')?.strip_suffix('|')?.split('|').collect::<Vec<_>>()[..]
        else {
            return None;
        };
        let promise = Some(promise.trim().to_owned()).filter(|promise| !promise.is_empty())?;
        Some(Claim { promise, file: code(file)?, test: code(test)? })
    };
    let mut in_table = false;
    let mut rows = Vec::new();
    for line in page.lines().map(str::trim) {
        match line {
            "| guarantee | file | test |" => in_table = true,
            "|---|---|---|" => {}
            _ if !line.contains('|') => in_table = false,
            row if in_table => rows.push(claim(row).ok_or_else(|| row.to_owned())?),
            _ => {}
        }
    }
    Ok(rows)
}

/// Platforms on which the project is tested: a test for one of them counts.
const OF_A_SYSTEM: [&str; 3] = ["#[cfg(unix)]", "#[cfg(windows)]", "#[cfg(target_os = \"linux\")]"];

/// The tests of a source file that run somewhere: functions marked as tests, and examples that must
/// not compile. Ignored tests, and those excluded from some builds, prove nothing.
fn tests(source: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let (mut marked, mut runs) = (false, true);
    for line in source.lines().map(str::trim) {
        if let Some(example) = line.trim_start_matches(['/', '!', ' ']).strip_prefix("```compile_fail") {
            names.insert(&line[line.len() - example.len() - "compile_fail".len()..]);
        }
        match line {
            "#[test]" => marked = true,
            _ if line.starts_with("#[tokio::test") => marked = true,
            _ if OF_A_SYSTEM.contains(&line) => {}
            _ if line.starts_with("#[ignore") || line.starts_with("#[cfg") => runs = false,
            _ if line.starts_with("#[") || line.starts_with("//") => {}
            _ => {
                if let Some((_, rest)) = line.split_once("fn ").filter(|_| marked && runs) {
                    names.extend(rest.split(['(', '<']).next());
                }
                (marked, runs) = (false, true);
            }
        }
    }
    names
}

/// The browser tests of a file, without skipped and focused ones.
fn browser_tests(source: &str) -> BTreeSet<&str> {
    let named = source.lines().filter_map(|line| line.trim().strip_prefix("test(\"")?.split_once("\", "));
    named.map(|(name, _)| name).collect()
}

#[test]
fn every_promise_names_a_test_that_exists() {
    for (page, least) in PAGES {
        let claims = claims(&file(page)).unwrap();
        assert!(claims.len() >= least, "{page} has {} rows", claims.len());
        let is_shown = |claim: &Claim| {
            let source = file(&claim.file);
            let tests = if claim.file.ends_with(".ts") { browser_tests(&source) } else { tests(&source) };
            tests.contains(claim.test.as_str())
        };
        let missing: Vec<&Claim> = claims.iter().filter(|claim| !is_shown(claim)).collect();
        assert!(missing.is_empty(), "{missing:#?}");
    }
}

#[test]
fn no_promise_is_made_twice() {
    for (page, _) in PAGES {
        let claims = claims(&file(page)).unwrap();
        let promises: BTreeSet<&str> = claims.iter().map(|claim| claim.promise.as_str()).collect();
        assert_eq!(promises.len(), claims.len(), "{page}");
    }
}

#[test]
fn only_what_is_marked_as_a_test_counts_as_one() {
    let source = "
#[test]
#[cfg(unix)]
fn plain() {}

fn helper() {}

    #[tokio::test(start_paused = true)]
    async fn waits() {}

proptest! {
    /// A law.
    #[test]
    fn holds(x in 0..3) {}
}
// #[test]
fn commented_out() {}

#[test]
#[ignore]
fn ignored() {}

#[cfg(any())]
#[test]
fn left_out() {}
//! ```compile_fail,E0382
//! ```
";
    assert_eq!(tests(source), BTreeSet::from(["compile_fail,E0382", "holds", "plain", "waits"]));
    let page = "test(\"runs\", async () => {\n  test.skip(\"not\", async () => {\ntest.only(\"nor\", f)\n";
    assert_eq!(browser_tests(page), BTreeSet::from(["runs"]));
}

#[test]
fn a_line_of_a_table_that_is_no_row_is_an_error() {
    let page = "Text.\n| guarantee | file | test |\n|---|---|---|\n| A | `f.rs` | `t` |\n";
    let claim = Claim { promise: "A".into(), file: "f.rs".into(), test: "t".into() };
    assert_eq!(claims(page), Ok(vec![claim]));
    for odd in [
        "| not | a row |",
        "| A | f.rs | `t` |",
        "| | `f.rs` | `t` |",
        "| A | `f.rs` | `t`",
        "|A|`f`|`t`|more|",
    ] {
        assert_eq!(claims(&format!("{page}{odd}\n")), Err(odd.to_owned()));
    }
}
