//! Relative links in the Markdown files of the project lead to files and headings that exist.

use std::collections::BTreeSet;

use crate::workspace::{file, root, source_files};

/// The link targets of a page, without code blocks and code spans.
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

/// The anchors of a page's headings, as code hosts generate them.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#'));
    let letters = |heading: &str| -> String {
        let kept = heading.trim().to_lowercase();
        let kept = kept.chars().filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
    };
    headings.map(letters).collect()
}

/// Why a link of the page at `path` is broken.
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

/// The folders of the pages that are in the program, and on disk for agents.
const GUIDE: [&str; 4] = ["docs/getting-started", "docs/guides", "docs/concepts", "docs/reference"];

/// The pages of the guide, as paths from the root.
fn guide() -> Vec<String> {
    GUIDE.iter().flat_map(|folder| source_files(folder, &["md"])).collect()
}

/// The target of a relative link of the page at `path`, as a path from the root.
fn resolve(path: &str, target: &str) -> String {
    let (target, _) = target.split_once('#').unwrap_or((target, ""));
    let mut parts: Vec<&str> = path.split('/').collect();
    if !target.is_empty() {
        parts.pop();
        for part in target.split('/') {
            match part {
                ".." => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
    }
    parts.join("/")
}

#[test]
fn pages_of_the_guide_link_only_to_pages_of_the_guide() {
    let guide = guide();
    let mut faults = Vec::new();
    for path in &guide {
        for target in targets(&file(path)).iter().filter(|target| !target.contains("://")) {
            if !guide.contains(&resolve(path, target)) {
                faults.push(format!("{path}: {target} is not in the program"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_page_has_links_and_is_in_the_index() {
    let index: BTreeSet<String> =
        targets(&file("docs/README.md")).iter().map(|target| resolve("docs/README.md", target)).collect();
    let mut faults = Vec::new();
    for path in guide() {
        let see_also = section(&file(&path), "See also").map_or(0, |section| targets(section).len());
        if see_also == 0 {
            faults.push(format!("{path} has no links under \"See also\""));
        }
        if !index.contains(&path) {
            faults.push(format!("docs/README.md does not link to {path}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The text under `## heading`, if the page has that heading.
fn section<'p>(page: &'p str, heading: &str) -> Option<&'p str> {
    page.split_once(&format!("\n## {heading}\n")).map(|(_, rest)| rest)
}

#[test]
fn broken_links_are_found() {
    let page = "# A page\n[a](README.md#what) [b](#a-page) [c](https://example.org/x)\n```\n[d](no.md)\n```\n`[e](no.md)`\n";
    assert_eq!(targets(page), ["README.md#what", "#a-page", "https://example.org/x"]);
    assert_eq!(fault("x.md", page, "#a-page"), None);
    assert!(fault("x.md", page, "no.md").is_some() && fault("x.md", page, "#b").is_some());
    assert_eq!(resolve("docs/a/b.md", "../c/d.md#e"), "docs/c/d.md");
    assert_eq!(resolve("docs/a/b.md", "#e"), "docs/a/b.md");
    assert_eq!(anchors("## What `a.b` does, and why"), BTreeSet::from(["what-ab-does-and-why".to_owned()]));
}
