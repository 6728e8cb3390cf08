//! Discovery: roots, limits, special files, and partial walks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tarsus_home::config::view::{Agent, AgentId, Config};
use tarsus_home::{Home, HomeOptions};
use tarsus_skills::{
    Catalog, DiscoveredRoot, DiscoveryLimit, DiscoveryLimits, LimitReached, SkillRoot, SkillRoots,
    SkillSource, SkipReason, Skipped,
};

/// Far in the future, so that every file is older than a clock tick of the file system.
const LATER_MS: i64 = 4_000_000_000_000;

fn skill(dir: &Path, name: &str) {
    fs::create_dir_all(dir).unwrap();
    fs::write(dir.join("SKILL.md"), format!("---\nname: {name}\ndescription: d\n---\n")).unwrap();
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    (folder, path)
}

fn root(source: SkillSource, path: &Path) -> SkillRoot {
    SkillRoot::new(source, path.to_path_buf(), &[])
}

fn names(discovered: &DiscoveredRoot) -> Vec<String> {
    discovered.skills.iter().map(|found| found.name().into_owned()).collect()
}

#[test]
fn roots_are_sorted_by_precedence() {
    let mut config = Config::default();
    config.skills.load.extra_dirs = vec!["~/one".to_owned(), "/two".to_owned()];
    let shown = |state: Option<&str>| {
        let choice = HomeOptions {
            user_home: Some("/home/ada".into()),
            state_flag: state.map(PathBuf::from),
            working_dir: "/".into(),
            ..HomeOptions::default()
        };
        let home = Home::locate(&choice).unwrap();
        let roots = SkillRoots::for_agent(
            &home,
            &config,
            &Agent::named(AgentId::main()),
            Some(Path::new("/bundled")),
        );
        let list =
            roots.list.iter().map(|root| (root.source, root.path.display().to_string().replace('\\', "/")));
        list.collect::<Vec<_>>()
    };
    let row = |source, path: &str| (source, path.to_owned());
    let usual = vec![
        row(SkillSource::Extra, "/home/ada/one"),
        row(SkillSource::Extra, "/two"),
        row(SkillSource::Extra, "/home/ada/.openclaw/plugin-skills"),
        row(SkillSource::Bundled, "/bundled"),
        row(SkillSource::Managed, "/home/ada/.openclaw/skills"),
        row(SkillSource::Personal, "/home/ada/.agents/skills"),
        row(SkillSource::Project, "/home/ada/.openclaw/workspace/.agents/skills"),
        row(SkillSource::Workspace, "/home/ada/.openclaw/workspace/skills"),
    ];
    assert_eq!(shown(None), usual);
    assert!(shown(Some("/elsewhere")).iter().all(|(source, _)| *source != SkillSource::Personal));
}

/// In memory if the system has such a folder, because the test creates ten thousand folders.
fn light_folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

#[test]
fn thousands_of_skills_are_kept_and_sorted() {
    // Making files takes much longer on Windows.
    let number = if cfg!(windows) { 1_000 } else { 10_000 };
    let folder = light_folder();
    let top = folder.path();
    let all: Vec<_> = (0..number).map(|number| format!("skill-{number:05}")).collect();
    for name in &all {
        fs::create_dir(top.join(name)).unwrap();
        fs::write(top.join(name).join("SKILL.md"), format!("---\nname: {name}\ndescription: d\n---\n"))
            .unwrap();
    }
    let discovered =
        DiscoveredRoot::walk(&root(SkillSource::Managed, top), &DiscoveryLimits::default(), None, LATER_MS);
    assert_eq!(
        (names(&discovered), discovered.skipped.as_slice(), discovered.limits.as_slice()),
        (all, &[][..], &[][..])
    );
    let catalog = Catalog::new(&[Arc::new(discovered)], &DiscoveryLimits::default(), &|_| false);
    assert_eq!((catalog.entries.len(), catalog.shadowed.len(), catalog.limits.len()), (number, 0, 0));
}

#[test]
fn every_reached_limit_is_reported() {
    let (_folder, top) = folder();
    for name in ["a", "b", "c"] {
        skill(&top.join(name), name);
    }
    skill(&top.join("d/e/f"), "too-deep");
    let reached = |limits: DiscoveryLimits| {
        let discovered = DiscoveredRoot::walk(&root(SkillSource::Extra, &top), &limits, None, LATER_MS);
        (names(&discovered), discovered.limits)
    };
    let limit = |limit, most, left| LimitReached {
        source: SkillSource::Extra,
        path: Some(top.clone()),
        limit,
        most,
        left,
    };
    let abc = || ["a", "b", "c"].map(str::to_owned).to_vec();
    assert_eq!(reached(DiscoveryLimits::default()), (abc(), vec![limit(DiscoveryLimit::Depth, 2, 1)]));
    // The root itself is the first of three.
    let few = DiscoveryLimits { candidates: 3, ..DiscoveryLimits::default() };
    assert_eq!(reached(few), (abc()[..2].to_vec(), vec![limit(DiscoveryLimit::Candidates, 3, 2)]));

    let small = DiscoveryLimits { file_bytes: 10, ..DiscoveryLimits::default() };
    let discovered = DiscoveredRoot::walk(&root(SkillSource::Extra, &top), &small, None, LATER_MS);
    let skipped: Vec<_> =
        discovered.skipped.iter().map(|skipped| (skipped.path.clone(), skipped.reason.clone())).collect();
    let too_large = |name| (top.join(name).join("SKILL.md"), SkipReason::TooLarge(10));
    assert_eq!(skipped, [too_large("a"), too_large("b"), too_large("c")]);
}

#[test]
fn missing_root_is_empty_and_a_file_as_root_is_reported() {
    let (_folder, top) = folder();
    let discovered = DiscoveredRoot::walk(
        &root(SkillSource::Workspace, &top.join("none")),
        &DiscoveryLimits::default(),
        None,
        0,
    );
    assert_eq!((discovered.skills.len(), discovered.skipped.len()), (0, 0));

    fs::write(top.join("file"), "").unwrap();
    let discovered = DiscoveredRoot::walk(
        &root(SkillSource::Workspace, &top.join("file")),
        &DiscoveryLimits::default(),
        None,
        0,
    );
    assert_eq!(
        discovered.skipped.iter().map(|skipped| &skipped.reason).collect::<Vec<_>>(),
        [&SkipReason::NotAFolder]
    );
}

#[cfg(unix)]
#[test]
fn pipes_and_sockets_are_skipped_without_blocking() {
    let (_folder, top) = folder();
    fs::create_dir(top.join("pipe")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        top.join("pipe/SKILL.md"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    fs::create_dir(top.join("socket")).unwrap();
    let _listener = std::os::unix::net::UnixListener::bind(top.join("socket/SKILL.md")).unwrap();
    let discovered =
        DiscoveredRoot::walk(&root(SkillSource::Workspace, &top), &DiscoveryLimits::default(), None, 0);
    assert_eq!(discovered.skills.len(), 0);
    assert_eq!(
        discovered.skipped.iter().map(|skipped| &skipped.reason).collect::<Vec<_>>(),
        [&SkipReason::NotAFile, &SkipReason::NotAFile]
    );
}

#[cfg(unix)]
#[test]
fn link_loops_are_reported() {
    let (_folder, top) = folder();
    for name in ["a", "b"] {
        skill(&top.join(name).join(format!("in-{name}")), &format!("in-{name}"));
    }
    std::os::unix::fs::symlink("../b", top.join("a/to-b")).unwrap();
    std::os::unix::fs::symlink("../a", top.join("b/to-a")).unwrap();
    let discovered =
        DiscoveredRoot::walk(&root(SkillSource::Workspace, &top), &DiscoveryLimits::default(), None, 0);
    assert_eq!(names(&discovered), ["in-a", "in-a", "in-b", "in-b"]);
    let skipped: Vec<_> =
        discovered.skipped.iter().map(|skipped| (skipped.path.clone(), skipped.reason.clone())).collect();
    let circle = |path: &str| (top.join(path), SkipReason::LinkLoop);
    assert_eq!(skipped, [circle("a/to-b/to-a"), circle("b/to-a/to-b")]);
}

#[test]
fn each_plugin_folder_is_a_root() {
    let (_folder, top) = folder();
    skill(&top.join("plugins/whole"), "whole");
    skill(&top.join("plugins/several/one"), "one");
    skill(&top.join("plugins/several/two"), "two");
    let plugins = SkillRoot { each_child: true, ..root(SkillSource::Extra, &top.join("plugins")) };
    let discovered = DiscoveredRoot::walk(&plugins, &DiscoveryLimits::default(), None, 0);
    assert_eq!(names(&discovered), ["one", "two", "whole"]);
}

#[test]
fn installed_slug_is_the_key_unless_declared() {
    let (_folder, top) = folder();
    skill(&top.join("a"), "a");
    fs::create_dir(top.join("a/.openclaw")).unwrap();
    fs::write(top.join("a/.openclaw/source-origin.json"), r#"{"version":1,"slug":"the-slug"}"#).unwrap();
    skill(&top.join("b"), "b");
    let discovered =
        DiscoveredRoot::walk(&root(SkillSource::Managed, &top), &DiscoveryLimits::default(), None, 0);
    let keys: Vec<_> = discovered.skills.iter().map(|found| found.key().into_owned()).collect();
    assert_eq!(keys, ["the-slug", "b"]);
}

#[test]
fn invalid_origin_file_is_reported_and_the_skill_loads() {
    let (_folder, top) = folder();
    let notes: [(&str, Vec<u8>, &str); 4] = [
        ("broken", b"{".to_vec(), "EOF while parsing an object at line 1 column 1"),
        ("empty", br#"{"slug":""}"#.to_vec(), "its slug is empty"),
        ("huge", vec![b' '; 65_537], "it has more than 65536 bytes"),
        ("nameless", br#"{"version":1}"#.to_vec(), "missing field `slug` at line 1 column 13"),
    ];
    for (name, note, _) in &notes {
        skill(&top.join(name), name);
        fs::create_dir(top.join(name).join(".openclaw")).unwrap();
        fs::write(top.join(name).join(".openclaw/source-origin.json"), note).unwrap();
    }
    let (root, limits) = (root(SkillSource::Managed, &top), DiscoveryLimits::default());
    let expected: Vec<_> = notes
        .iter()
        .map(|(name, _, why)| Skipped {
            source: SkillSource::Managed,
            path: top.join(name).join(".openclaw/source-origin.json"),
            reason: SkipReason::Origin((*why).to_owned()),
        })
        .collect();
    let first = DiscoveredRoot::walk(&root, &limits, None, LATER_MS);
    assert_eq!(names(&first), ["broken", "empty", "huge", "nameless"]);
    assert_eq!(first.skipped, expected);
    // The same when the skill itself need not be read again.
    assert_eq!(DiscoveredRoot::walk(&root, &limits, Some(&first), LATER_MS).skipped, expected);

    let repaired = top.join("broken/.openclaw/source-origin.json");
    fs::write(&repaired, r#"{"slug":"whole"}"#).unwrap();
    let again = first.walk_again(&BTreeSet::from([repaired]), LATER_MS);
    assert_eq!((&*again.skills[0].key(), again.skipped.as_slice()), ("whole", &expected[1..]));
}

#[cfg(unix)]
#[test]
fn missing_link_target_is_reported_if_a_link_was_refused() {
    let (_folder, top) = folder();
    skill(&top.join("root/in"), "in");
    skill(&top.join("outside/ext"), "ext");
    let missing = top.join("missing");
    let root = SkillRoot::new(SkillSource::Workspace, top.join("root"), std::slice::from_ref(&missing));
    let limits = DiscoveryLimits::default();
    let quiet = DiscoveredRoot::walk(&root, &limits, None, LATER_MS);
    assert_eq!(quiet.skipped, []);

    let link = top.join("root/ext");
    std::os::unix::fs::symlink(top.join("outside/ext"), &link).unwrap();
    let skipped =
        |path: &Path, reason| Skipped { source: SkillSource::Workspace, path: path.to_path_buf(), reason };
    let expected = [
        skipped(&missing, SkipReason::LinkTarget("No such file or directory (os error 2)".to_owned())),
        skipped(&link, SkipReason::OutsideRoot),
    ];
    let refused = quiet.walk_again(&BTreeSet::from([link.clone()]), LATER_MS);
    assert_eq!(refused.skipped, expected);
    assert_eq!(refused.walk_again(&BTreeSet::from([link.clone()]), LATER_MS).skipped, expected);
    fs::remove_file(&link).unwrap();
    assert_eq!(refused.walk_again(&BTreeSet::from([link]), LATER_MS).skipped, []);
}

#[test]
fn unchanged_files_are_not_read_again() {
    let (_folder, top) = folder();
    skill(&top.join("a"), "a");
    skill(&top.join("b"), "b");
    let (root, limits) = (root(SkillSource::Managed, &top), DiscoveryLimits::default());
    let first = DiscoveredRoot::walk(&root, &limits, None, LATER_MS);
    skill(&top.join("b"), "c");
    let second = DiscoveredRoot::walk(&root, &limits, Some(&first), LATER_MS);
    assert_eq!(names(&second), ["a", "c"]);
    assert!(Arc::ptr_eq(&first.skills[0], &second.skills[0]));
    assert!(!Arc::ptr_eq(&first.skills[1], &second.skills[1]));

    // Read within the tick in which it was written: a later change may not show in its times.
    let racy = DiscoveredRoot::walk(&root, &limits, None, 0);
    let again = DiscoveredRoot::walk(&root, &limits, Some(&racy), LATER_MS);
    assert!(!Arc::ptr_eq(&racy.skills[0], &again.skills[0]));
}

#[test]
fn partial_walk_equals_full_walk() {
    let (_folder, top) = folder();
    for name in ["a", "b", "group/c", "skills/d", "skills/deep/e"] {
        skill(&top.join(name), name.rsplit('/').next().unwrap());
    }
    let (root, limits) = (root(SkillSource::Extra, &top), DiscoveryLimits::default());
    let mut discovered = DiscoveredRoot::walk(&root, &limits, None, LATER_MS);
    type Change = (&'static str, fn(&Path));
    let changes: [Change; 9] = [
        ("a", |path| fs::remove_dir_all(path).unwrap()),
        ("b/SKILL.md", |path| fs::write(path, "no frontmatter").unwrap()),
        ("group/new", |path| skill(path, "new")),
        ("skills/deep/e/SKILL.md", |path| fs::remove_file(path).unwrap()),
        ("skills/deeper/than/two/f", |path| skill(path, "f")),
        ("skills/d/SKILL.md", |path| skill(path.parent().unwrap(), "renamed")),
        ("SKILL.md", |path| skill(path.parent().unwrap(), "the root itself")),
        ("SKILL.md", |path| fs::remove_file(path).unwrap()),
        ("skills", |path| fs::remove_dir_all(path).unwrap()),
    ];
    for (path, change) in changes {
        let path = top.join(path);
        change(&path);
        discovered = discovered.walk_again(&BTreeSet::from([path.clone()]), LATER_MS);
        let whole = DiscoveredRoot::walk(&root, &limits, None, LATER_MS);
        assert_eq!(
            (&discovered.skills, &discovered.skipped, &discovered.limits),
            (&whole.skills, &whole.skipped, &whole.limits),
            "{}",
            path.display()
        );
    }
}
