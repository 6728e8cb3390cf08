//! Relative links in the Markdown files of the project lead to files and headings that exist.

use std::collections::BTreeSet;

use crate::workspace::{file, root, source_files};

/// The targets of the links on a page, code blocks and code spans aside.
fn targets(page: &str) -> Vec<String> {
    let mut targets = Vec::new();
    let mut in_code = false;
    for line in page.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            let prose: String = line.split('`').step_by(2).collect();
            let ends = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            targets.extend(ends.map(|(target, _)| target.to_owned()));
        }
    }
    targets
}

/// The anchors of a page's headings, as code hosts make them.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#'));
    let letters = |heading: &str| -> String {
        let kept = heading.trim().to_lowercase();
        let kept = kept.chars().filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
    };
    headings.map(letters).collect()
}

/// Why a link of the page at `path` leads nowhere.
fn fault(path: &str, page: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (to, anchor) = target.split_once('#').map_or((target, None), |(to, anchor)| (to, Some(anchor)));
    let folder = root().join(path).parent().unwrap().to_path_buf();
    if !to.is_empty() && !folder.join(to).exists() {
        return Some(format!("{path}: {target} does not exist"));
    }
    let linked =
        if to.is_empty() { page.to_owned() } else { std::fs::read_to_string(folder.join(to)).ok()? };
    match anchor {
        Some(anchor) if !anchors(&linked).contains(anchor) => {
            Some(format!("{path}: {target} names no heading"))
        }
        _ => None,
    }
}

#[test]
fn relative_links_resolve() {
    let mut pages = source_files("docs", &["md"]);
    pages.extend(
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "studio/README.md"]
            .map(str::to_owned),
    );
    let mut faults = Vec::new();
    for path in pages {
        let page = file(&path);
        faults.extend(targets(&page).iter().filter_map(|target| fault(&path, &page, target)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn broken_links_are_found() {
    let page = "# A page\n[a](README.md#what) [b](#a-page) [c](https://example.org/x)\n```\n[d](no.md)\n```\n`[e](no.md)`\n";
    assert_eq!(targets(page), ["README.md#what", "#a-page", "https://example.org/x"]);
    assert_eq!(fault("x.md", page, "#a-page"), None);
    assert!(fault("x.md", page, "no.md").is_some() && fault("x.md", page, "#b").is_some());
    assert_eq!(anchors("## What `a.b` does, and why"), BTreeSet::from(["what-ab-does-and-why".to_owned()]));
}
