//! Name conflicts between skills, and changes between catalogs.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tarsus_skills::{
    Catalog, CatalogChanges, DiscoveredRoot, DiscoveryLimit, DiscoveryLimits, LimitReached, Parsed,
    SkillRoot, SkillSource,
};

fn write(top: &Path, source: SkillSource, dir: &str, text: &str) {
    let dir = top.join(source.id()).join(dir);
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("SKILL.md"), text).unwrap();
}

fn good(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n")
}

fn catalog(top: &Path, limits: &DiscoveryLimits) -> Catalog {
    let discovered = |source: SkillSource| {
        let root = SkillRoot::new(source, top.join(source.id()), &[]);
        Arc::new(DiscoveredRoot::walk(&root, limits, None, 0))
    };
    Catalog::new(&SkillSource::ALL.map(discovered), limits, &|_| false)
}

fn shadowed(catalog: &Catalog) -> Vec<(String, SkillSource, SkillSource)> {
    let row = |shadowed: &tarsus_skills::Shadowed| {
        (shadowed.loser.name().into_owned(), shadowed.loser.source, shadowed.winner.source)
    };
    catalog.shadowed.iter().map(row).collect()
}

#[test]
fn later_source_wins_and_losers_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    for source in SkillSource::ALL {
        write(folder.path(), source, "x", &good("x", source.id()));
    }
    let catalog = catalog(folder.path(), &DiscoveryLimits::default());
    assert_eq!(
        catalog.entries.iter().map(|found| found.source).collect::<Vec<_>>(),
        [SkillSource::Workspace]
    );
    let expected: Vec<_> =
        SkillSource::ALL[..5].iter().map(|loser| ("x".to_owned(), *loser, SkillSource::Workspace)).collect();
    assert_eq!(shadowed(&catalog), expected);
}

#[test]
fn later_path_of_one_source_wins() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), SkillSource::Workspace, "A", &good("dup", "first"));
    write(folder.path(), SkillSource::Workspace, "B", &good("dup", "second"));
    let catalog = catalog(folder.path(), &DiscoveryLimits::default());
    assert_eq!(catalog.get("dup").unwrap().dir_name(), "B");
    assert_eq!(catalog.shadowed[0].loser.dir_name(), "A");
}

#[test]
fn broken_file_never_takes_the_name_of_a_working_one() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), SkillSource::Extra, "x", &good("x", "works"));
    write(folder.path(), SkillSource::Workspace, "x", "# no frontmatter\n");
    write(folder.path(), SkillSource::Workspace, "y", "# no frontmatter either\n");
    let catalog = catalog(folder.path(), &DiscoveryLimits::default());
    assert_eq!(catalog.get("x").unwrap().source, SkillSource::Extra);
    assert_eq!(shadowed(&catalog), [("x".to_owned(), SkillSource::Workspace, SkillSource::Extra)]);
    assert!(matches!(&*catalog.get("y").unwrap().parsed, Parsed::Malformed(_)));
}

#[test]
fn managed_skill_that_replaces_a_bundled_one_is_marked() {
    let folder = tempfile::tempdir().unwrap();
    for source in [SkillSource::Bundled, SkillSource::Managed] {
        write(folder.path(), source, "x", &good("x", source.id()));
    }
    for source in [SkillSource::Bundled, SkillSource::Workspace] {
        write(folder.path(), source, "y", &good("y", "the same"));
    }
    let catalog = catalog(folder.path(), &DiscoveryLimits::default());
    let marks: Vec<_> = catalog.shadowed.iter().map(|one| one.covers_bundled()).collect();
    assert_eq!(marks, [true, false]);
}

#[test]
fn skills_beyond_the_limit_of_a_source_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        write(folder.path(), SkillSource::Managed, name, &good(name, "d"));
        write(folder.path(), SkillSource::Project, name, &good(name, "d"));
    }
    let catalog = catalog(folder.path(), &DiscoveryLimits { skills: 2, ..DiscoveryLimits::default() });
    assert_eq!(catalog.entries.iter().map(|found| found.name().into_owned()).collect::<Vec<_>>(), ["a", "b"]);
    let reached =
        |source| LimitReached { source, path: None, limit: DiscoveryLimit::Skills, most: 2, left: 1 };
    assert_eq!(catalog.limits, [reached(SkillSource::Managed), reached(SkillSource::Project)]);
}

#[test]
fn changes_are_listed_by_name_without_touched_files() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        write(folder.path(), SkillSource::Managed, name, &good(name, "first"));
    }
    let before = catalog(folder.path(), &DiscoveryLimits::default());
    write(folder.path(), SkillSource::Managed, "a", &good("a", "first"));
    assert!(catalog(folder.path(), &DiscoveryLimits::default()).changes_since(&before).is_empty());

    write(folder.path(), SkillSource::Managed, "b", &good("b", "second"));
    write(folder.path(), SkillSource::Managed, "d", &good("d", "first"));
    fs::remove_dir_all(folder.path().join("openclaw-managed/c")).unwrap();
    let names = |name: &str| vec![name.to_owned()];
    assert_eq!(
        catalog(folder.path(), &DiscoveryLimits::default()).changes_since(&before),
        CatalogChanges { added: names("d"), changed: names("b"), removed: names("c"), others: false }
    );
}
