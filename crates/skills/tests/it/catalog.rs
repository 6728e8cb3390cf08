//! Which of several skills with one name counts, and what became of the others.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tarsus_skills::{Catalog, Changes, DiscoveredRoot, Limit, LimitReached, Limits, Parsed, Root, Source};

fn write(top: &Path, source: Source, dir: &str, text: &str) {
    let dir = top.join(source.id()).join(dir);
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("SKILL.md"), text).unwrap();
}

fn good(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n")
}

fn catalog(top: &Path, limits: &Limits) -> Catalog {
    let discovered = |source: Source| {
        let root = Root::new(source, top.join(source.id()), &[]);
        Arc::new(DiscoveredRoot::walk(&root, limits, None, 0))
    };
    Catalog::from_roots(&Source::ALL.map(discovered), limits)
}

fn shadowed(catalog: &Catalog) -> Vec<(String, Source, Source)> {
    let row = |shadowed: &tarsus_skills::Shadowed| {
        (shadowed.loser.name().into_owned(), shadowed.loser.source, shadowed.winner.source)
    };
    catalog.shadowed.iter().map(row).collect()
}

#[test]
fn the_later_source_wins_and_every_loser_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    for source in Source::ALL {
        write(folder.path(), source, "x", &good("x", source.id()));
    }
    let catalog = catalog(folder.path(), &Limits::default());
    assert_eq!(catalog.entries.iter().map(|found| found.source).collect::<Vec<_>>(), [Source::Workspace]);
    let expected: Vec<_> =
        Source::ALL[..5].iter().map(|loser| ("x".to_owned(), *loser, Source::Workspace)).collect();
    assert_eq!(shadowed(&catalog), expected);
}

#[test]
fn of_one_source_the_later_path_wins() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), Source::Workspace, "A", &good("dup", "first"));
    write(folder.path(), Source::Workspace, "B", &good("dup", "second"));
    let catalog = catalog(folder.path(), &Limits::default());
    assert_eq!(catalog.get("dup").unwrap().dir_name(), "B");
    assert_eq!(catalog.shadowed[0].loser.dir_name(), "A");
}

#[test]
fn a_file_that_does_not_load_never_takes_the_name_of_one_that_does() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), Source::Extra, "x", &good("x", "works"));
    write(folder.path(), Source::Workspace, "x", "# no frontmatter\n");
    write(folder.path(), Source::Workspace, "y", "# no frontmatter either\n");
    let catalog = catalog(folder.path(), &Limits::default());
    assert_eq!(catalog.get("x").unwrap().source, Source::Extra);
    assert_eq!(shadowed(&catalog), [("x".to_owned(), Source::Workspace, Source::Extra)]);
    assert!(matches!(&*catalog.get("y").unwrap().parsed, Parsed::Malformed(_)));
}

#[test]
fn an_installed_skill_in_the_place_of_a_bundled_one_is_marked() {
    let folder = tempfile::tempdir().unwrap();
    for source in [Source::Bundled, Source::Managed] {
        write(folder.path(), source, "x", &good("x", source.id()));
    }
    for source in [Source::Bundled, Source::Workspace] {
        write(folder.path(), source, "y", &good("y", "the same"));
    }
    let catalog = catalog(folder.path(), &Limits::default());
    let marks: Vec<_> = catalog.shadowed.iter().map(|one| one.covers_bundled()).collect();
    assert_eq!(marks, [true, false]);
}

#[test]
fn skills_beyond_the_limit_of_a_source_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        write(folder.path(), Source::Managed, name, &good(name, "d"));
        write(folder.path(), Source::Project, name, &good(name, "d"));
    }
    let catalog = catalog(folder.path(), &Limits { skills: 2, ..Limits::default() });
    assert_eq!(catalog.entries.iter().map(|found| found.name().into_owned()).collect::<Vec<_>>(), ["a", "b"]);
    let reached = |source| LimitReached { source, path: None, limit: Limit::Skills, most: 2, left: 1 };
    assert_eq!(catalog.limits, [reached(Source::Managed), reached(Source::Project)]);
}

#[test]
fn changes_are_told_by_name_and_a_touched_file_is_none() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        write(folder.path(), Source::Managed, name, &good(name, "first"));
    }
    let before = catalog(folder.path(), &Limits::default());
    write(folder.path(), Source::Managed, "a", &good("a", "first"));
    assert!(catalog(folder.path(), &Limits::default()).changes_since(&before).is_empty());

    write(folder.path(), Source::Managed, "b", &good("b", "second"));
    write(folder.path(), Source::Managed, "d", &good("d", "first"));
    fs::remove_dir_all(folder.path().join("openclaw-managed/c")).unwrap();
    let names = |name: &str| vec![name.to_owned()];
    assert_eq!(
        catalog(folder.path(), &Limits::default()).changes_since(&before),
        Changes { added: names("d"), changed: names("b"), removed: names("c"), others: false }
    );
}
