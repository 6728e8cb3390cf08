//! Folder trees, and what OpenClaw's loader found in them. One place where we give one reason and it gives two, and
//! three trees where we decide otherwise, are written out here.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tarsus_skills::{DiscoveredRoot, Limits, Parsed, Root, Source};

fn cases() -> Option<Vec<Value>> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/skills-discovery-cases.jsonl");
    let Ok(text) = fs::read_to_string(&path) else {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    };
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn skill(dir: &Path, name: &str) {
    fs::create_dir_all(dir).unwrap();
    fs::write(dir.join("SKILL.md"), format!("---\nname: {name}\ndescription: d\n---\n")).unwrap();
}

fn deep(root: &Path) {
    for depth in 1..=8 {
        let dir: PathBuf = (0..depth).map(|step| format!("l{depth}_{step}")).collect();
        skill(&root.join(dir), &format!("depth{depth}"));
    }
}

fn trees(top: &Path, over_limit: bool) {
    let t = |path: &str| top.join(path);
    for name in ["a", "b", ".hidden", "node_modules/x", "a/nested"] {
        skill(&t("t1").join(name), name.rsplit('/').next().unwrap());
    }
    deep(&t("t2"));
    deep(&t("t2b/skills"));
    skill(&t("t3"), "rootskill");
    skill(&t("t3/child"), "child");
    skill(&t("t4"), "rootskill");
    skill(&t("t4/skills/c1"), "c1");
    skill(&t("t4b/other"), "other");
    skill(&t("t4b/skills/c1"), "c1");
    fs::create_dir_all(t("t5/low")).unwrap();
    fs::write(t("t5/low/skill.md"), "---\nname: low\ndescription: d\n---\n").unwrap();
    skill(&t("outside/ext"), "ext");
    skill(&t("t6/in"), "in");
    symlink(t("outside/ext"), t("t6/ext")).unwrap();
    symlink(t("t6/in"), t("t6/alias")).unwrap();
    for tree in ["t7", "t9", "t12"] {
        fs::create_dir_all(t(tree).join("s")).unwrap();
    }
    symlink(t("outside/ext/SKILL.md"), t("t7/s/SKILL.md")).unwrap();
    skill(&t("t8/s"), "inner");
    fs::rename(t("t8/s/SKILL.md"), t("t8/s/real.md")).unwrap();
    symlink("real.md", t("t8/s/SKILL.md")).unwrap();
    fs::write(t("outside/linked.md"), "---\nname: ext\ndescription: d\n---\n").unwrap();
    fs::hard_link(t("outside/linked.md"), t("t9/s/SKILL.md")).unwrap();
    skill(&t("t10/ok"), "ok");
    let head = "---\nname: big\ndescription: d\n---\n";
    let length = if over_limit { 300_000 } else { 256_001 };
    fs::create_dir_all(t("t10/big")).unwrap();
    fs::write(t("t10/big/SKILL.md"), format!("{head}{}", "x".repeat(length - head.len()))).unwrap();
    skill(&t("t11/s/SKILL.md/sub"), "sub");
    symlink("nowhere.md", t("t12/s/SKILL.md")).unwrap();
    for number in 0..310 {
        skill(&t(&format!("t13/s{number:03}")), &format!("s{number:03}"));
    }
    fs::create_dir_all(t("t14/bad")).unwrap();
    fs::write(t("t14/bad/SKILL.md"), "# no frontmatter\n").unwrap();
    skill(&t("t14/bad/sub"), "sub");
    skill(&t("t14/good"), "good");
    skill(&t("t15/A"), "dup");
    skill(&t("t15/B"), "dup");
    symlink(t("t1"), t("t16")).unwrap();
    skill(&t("t17/z"), "z");
    symlink(".", t("t17/loop")).unwrap();
}

/// What a discovered shows, in the words of the cases, each list sorted.
fn shown(discovered: &DiscoveredRoot, top: &Path) -> (Vec<String>, Vec<String>) {
    let path = |path: &Path| path.strip_prefix(top).unwrap().display().to_string();
    let (mut names, mut notes) = (Vec::new(), Vec::new());
    for found in &discovered.skills {
        match &*found.parsed {
            Parsed::Loaded(skill) => names.push(format!("{} @ {}", skill.name, path(found.path()))),
            Parsed::Degraded(_, error) | Parsed::Malformed(error) => {
                notes.push(format!("{}: {}", path(found.path()), error.message));
            }
        }
    }
    notes.extend(
        discovered.skipped.iter().map(|skipped| format!("{}: {}", path(&skipped.path), skipped.reason)),
    );
    names.sort();
    notes.sort();
    (names, notes)
}

fn look(top: &Path, dir: &str, source: Source, allowed: &[PathBuf]) -> DiscoveredRoot {
    DiscoveredRoot::walk(&Root::new(source, top.join(dir), allowed), &Limits::default(), None, 0)
}

fn sources() -> impl Iterator<Item = (&'static str, Source)> {
    Source::ALL.into_iter().map(|source| (source.id(), source))
}

#[test]
fn every_tree_gives_what_openclaw_finds_in_it() {
    let Some(cases) = cases() else { return };
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let texts = |case: &Value, key: &str| -> Vec<String> {
        case[key].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    for over_limit in [false, true] {
        let top = top.join(over_limit.to_string());
        trees(&top, over_limit);
        for case in &cases {
            let id = case["id"].as_str().unwrap();
            // Decided otherwise: the lower-case name, the number of skills, the loop. And a source that is not ours.
            if ["lowercase-skill.md", "310-skills-default-limits", "symlink-loop"].contains(&id) {
                continue;
            }
            let Some((_, source)) = sources().find(|(id, _)| case["source"] == *id) else { continue };
            let allowed = if id.contains("-allowed") { vec![top.join("outside")] } else { Vec::new() };
            let discovered = look(&top, case["dir"].as_str().unwrap(), source, &allowed);

            let mut names = texts(case, "names");
            names.sort();
            // `kind: path: text` without its kind; of several about one path the first.
            let mut notes: Vec<_> =
                texts(case, "diags").iter().map(|note| note.split_once(": ").unwrap().1.to_owned()).collect();
            notes.dedup_by(|later, first| later.split(": ").next() == first.split(": ").next());
            notes.sort();
            assert_eq!(shown(&discovered, &top), (names, notes), "{id}");
        }
    }
}

#[test]
fn where_we_decide_otherwise_nothing_is_lost_and_nothing_is_found_twice() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    trees(&top, false);

    let lower = look(&top, "t5", Source::Workspace, &[]);
    assert_eq!(lower.skills.len(), 1);
    assert!(matches!(&*lower.skills[0].parsed, Parsed::Degraded(skill, _) if skill.name == "low"));

    let many = look(&top, "t13", Source::Workspace, &[]);
    assert_eq!((many.skills.len(), many.limits.as_slice()), (310, &[][..]));

    let (names, notes) = shown(&look(&top, "t17", Source::Workspace, &[]), &top);
    assert_eq!(names, ["z @ t17/z/SKILL.md"]);
    assert_eq!(notes, ["t17/loop: Link leads back to a folder that it lies in."]);
}
