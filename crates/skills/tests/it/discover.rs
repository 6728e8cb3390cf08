//! Looking through roots: limits, odd files, and looking again at a part.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tarsus_home::config::view::{Agent, AgentId, Config};
use tarsus_home::{Choice, Home};
use tarsus_skills::{
    Catalog, DiscoveredRoot, Limit, LimitReached, Limits, Root, Roots, SkipReason, Skipped, Source,
};

/// Far in the future: every file is then older than the tick of a file system's clock.
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

fn root(source: Source, path: &Path) -> Root {
    Root::new(source, path.to_path_buf(), &[])
}

fn names(discovered: &DiscoveredRoot) -> Vec<String> {
    discovered.skills.iter().map(|found| found.name().into_owned()).collect()
}

#[test]
fn roots_come_in_the_order_of_precedence_and_personal_ones_only_with_the_usual_state_folder() {
    let mut config = Config::default();
    config.skills.load.extra_dirs = vec!["~/one".to_owned(), "/two".to_owned()];
    let shown = |state: Option<&str>| {
        let choice = Choice {
            user_home: Some("/home/ada".into()),
            state_flag: state.map(PathBuf::from),
            working_dir: "/".into(),
            ..Choice::default()
        };
        let home = Home::locate(&choice).unwrap();
        let roots =
            Roots::for_agent(&home, &config, &Agent::named(AgentId::main()), Some(Path::new("/bundled")));
        let list =
            roots.list.iter().map(|root| (root.source, root.path.display().to_string().replace('\\', "/")));
        list.collect::<Vec<_>>()
    };
    let row = |source, path: &str| (source, path.to_owned());
    let usual = vec![
        row(Source::Extra, "/home/ada/one"),
        row(Source::Extra, "/two"),
        row(Source::Extra, "/home/ada/.openclaw/plugin-skills"),
        row(Source::Bundled, "/bundled"),
        row(Source::Managed, "/home/ada/.openclaw/skills"),
        row(Source::Personal, "/home/ada/.agents/skills"),
        row(Source::Project, "/home/ada/.openclaw/workspace/.agents/skills"),
        row(Source::Workspace, "/home/ada/.openclaw/workspace/skills"),
    ];
    assert_eq!(shown(None), usual);
    assert!(shown(Some("/elsewhere")).iter().all(|(source, _)| *source != Source::Personal));
}

/// In memory where the system has such a folder: ten thousand folders are then made in no time.
fn light_folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

#[test]
fn of_thousands_of_skills_none_is_dropped_and_all_are_in_the_order_of_their_names() {
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
    let discovered = DiscoveredRoot::walk(&root(Source::Managed, top), &Limits::default(), None, LATER_MS);
    assert_eq!(
        (names(&discovered), discovered.skipped.as_slice(), discovered.limits.as_slice()),
        (all, &[][..], &[][..])
    );
    let catalog = Catalog::from_roots(&[Arc::new(discovered)], &Limits::default());
    assert_eq!((catalog.entries.len(), catalog.shadowed.len(), catalog.limits.len()), (number, 0, 0));
}

#[test]
fn every_limit_says_where_it_was_reached_and_how_much_was_left() {
    let (_folder, top) = folder();
    for name in ["a", "b", "c"] {
        skill(&top.join(name), name);
    }
    skill(&top.join("d/e/f"), "too-deep");
    let reached = |limits: Limits| {
        let discovered = DiscoveredRoot::walk(&root(Source::Extra, &top), &limits, None, LATER_MS);
        (names(&discovered), discovered.limits)
    };
    let limit = |limit, most, left| LimitReached {
        source: Source::Extra,
        path: Some(top.clone()),
        limit,
        most,
        left,
    };
    let abc = || ["a", "b", "c"].map(str::to_owned).to_vec();
    assert_eq!(reached(Limits::default()), (abc(), vec![limit(Limit::Depth, 2, 1)]));
    // The root itself is the first of three.
    let few = Limits { candidates: 3, ..Limits::default() };
    assert_eq!(reached(few), (abc()[..2].to_vec(), vec![limit(Limit::Candidates, 3, 2)]));

    let small = Limits { file_bytes: 10, ..Limits::default() };
    let discovered = DiscoveredRoot::walk(&root(Source::Extra, &top), &small, None, LATER_MS);
    let skipped: Vec<_> =
        discovered.skipped.iter().map(|skipped| (skipped.path.clone(), skipped.reason.clone())).collect();
    let too_large = |name| (top.join(name).join("SKILL.md"), SkipReason::TooLarge(10));
    assert_eq!(skipped, [too_large("a"), too_large("b"), too_large("c")]);
}

#[test]
fn a_missing_root_is_empty_and_a_file_in_its_place_is_said() {
    let (_folder, top) = folder();
    let discovered =
        DiscoveredRoot::walk(&root(Source::Workspace, &top.join("none")), &Limits::default(), None, 0);
    assert_eq!((discovered.skills.len(), discovered.skipped.len()), (0, 0));

    fs::write(top.join("file"), "").unwrap();
    let discovered =
        DiscoveredRoot::walk(&root(Source::Workspace, &top.join("file")), &Limits::default(), None, 0);
    assert_eq!(
        discovered.skipped.iter().map(|skipped| &skipped.reason).collect::<Vec<_>>(),
        [&SkipReason::NotAFolder]
    );
}

#[cfg(unix)]
#[test]
fn a_pipe_or_a_socket_is_no_skill_and_makes_nobody_wait() {
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
    let discovered = DiscoveredRoot::walk(&root(Source::Workspace, &top), &Limits::default(), None, 0);
    assert_eq!(discovered.skills.len(), 0);
    assert_eq!(
        discovered.skipped.iter().map(|skipped| &skipped.reason).collect::<Vec<_>>(),
        [&SkipReason::NotAFile, &SkipReason::NotAFile]
    );
}

#[cfg(unix)]
#[test]
fn links_that_lead_around_in_a_circle_are_said_and_end() {
    let (_folder, top) = folder();
    for name in ["a", "b"] {
        skill(&top.join(name).join(format!("in-{name}")), &format!("in-{name}"));
    }
    std::os::unix::fs::symlink("../b", top.join("a/to-b")).unwrap();
    std::os::unix::fs::symlink("../a", top.join("b/to-a")).unwrap();
    let discovered = DiscoveredRoot::walk(&root(Source::Workspace, &top), &Limits::default(), None, 0);
    assert_eq!(names(&discovered), ["in-a", "in-a", "in-b", "in-b"]);
    let skipped: Vec<_> =
        discovered.skipped.iter().map(|skipped| (skipped.path.clone(), skipped.reason.clone())).collect();
    let circle = |path: &str| (top.join(path), SkipReason::LinkLoop);
    assert_eq!(skipped, [circle("a/to-b/to-a"), circle("b/to-a/to-b")]);
}

#[test]
fn plugin_folders_are_roots_of_their_own() {
    let (_folder, top) = folder();
    skill(&top.join("plugins/whole"), "whole");
    skill(&top.join("plugins/several/one"), "one");
    skill(&top.join("plugins/several/two"), "two");
    let plugins = Root { each_child: true, ..root(Source::Extra, &top.join("plugins")) };
    let discovered = DiscoveredRoot::walk(&plugins, &Limits::default(), None, 0);
    assert_eq!(names(&discovered), ["one", "two", "whole"]);
}

#[test]
fn the_slug_of_an_installed_skill_is_its_key_unless_it_declares_one() {
    let (_folder, top) = folder();
    skill(&top.join("a"), "a");
    fs::create_dir(top.join("a/.openclaw")).unwrap();
    fs::write(top.join("a/.openclaw/source-origin.json"), r#"{"version":1,"slug":"the-slug"}"#).unwrap();
    skill(&top.join("b"), "b");
    let discovered = DiscoveredRoot::walk(&root(Source::Managed, &top), &Limits::default(), None, 0);
    let keys: Vec<_> = discovered.skills.iter().map(|found| found.key().into_owned()).collect();
    assert_eq!(keys, ["the-slug", "b"]);
}

#[test]
fn a_note_of_the_origin_that_is_of_no_use_is_said_and_the_skill_is_loaded() {
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
    let (root, limits) = (root(Source::Managed, &top), Limits::default());
    let expected: Vec<_> = notes
        .iter()
        .map(|(name, _, why)| Skipped {
            source: Source::Managed,
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
fn a_folder_for_links_that_cannot_be_found_is_said_where_a_link_was_refused() {
    let (_folder, top) = folder();
    skill(&top.join("root/in"), "in");
    skill(&top.join("outside/ext"), "ext");
    let missing = top.join("missing");
    let root = Root::new(Source::Workspace, top.join("root"), std::slice::from_ref(&missing));
    let limits = Limits::default();
    let quiet = DiscoveredRoot::walk(&root, &limits, None, LATER_MS);
    assert_eq!(quiet.skipped, []);

    let link = top.join("root/ext");
    std::os::unix::fs::symlink(top.join("outside/ext"), &link).unwrap();
    let skipped =
        |path: &Path, reason| Skipped { source: Source::Workspace, path: path.to_path_buf(), reason };
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
fn a_file_that_did_not_change_is_not_read_again_and_one_that_may_have_is() {
    let (_folder, top) = folder();
    skill(&top.join("a"), "a");
    skill(&top.join("b"), "b");
    let (root, limits) = (root(Source::Managed, &top), Limits::default());
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
fn looking_again_at_what_changed_gives_what_looking_at_everything_gives() {
    let (_folder, top) = folder();
    for name in ["a", "b", "group/c", "skills/d", "skills/deep/e"] {
        skill(&top.join(name), name.rsplit('/').next().unwrap());
    }
    let (root, limits) = (root(Source::Extra, &top), Limits::default());
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
