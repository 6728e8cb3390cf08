//! The files of bundled skills are consistent: every link has a target, and every reference is linked. `skills.rs` tests
//! with the program itself that each skill follows the AgentSkills rules.

use std::fs;
use std::path::{Path, PathBuf};

fn skills() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../skills");
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Problems of a skill: references must be files directly below `references`, linked from SKILL.md, without further links.
fn faults(skill: &Path) -> Vec<String> {
    let body = fs::read_to_string(skill.join("SKILL.md")).unwrap_or_default();
    let linked = links(&body);
    let mut faults: Vec<String> = linked
        .iter()
        .filter(|name| !skill.join(name).is_file())
        .map(|name| format!("{name} is not there"))
        .collect();
    if body.lines().count() > 500 {
        faults.push("the text is longer than 500 lines".to_owned());
    }
    for entry in fs::read_dir(skill.join("references")).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = format!("references/{}", path.file_name().unwrap().to_str().unwrap());
        if !path.is_file() {
            faults.push(format!("{name} is no file"));
            continue;
        }
        if !linked.contains(&name) {
            faults.push(format!("{name} is not linked from SKILL.md"));
        }
        if !links(&fs::read_to_string(&path).unwrap()).is_empty() {
            faults.push(format!("{name} links on to further files"));
        }
    }
    faults.sort();
    faults
}

/// The relative links in a text.
fn links(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).filter(|target| !target.contains("://")).collect()
}

#[test]
fn bundled_skills_ship_every_linked_reference_and_no_other() {
    let skills = skills();
    assert_eq!(skills.len(), 8, "{skills:?}");
    for skill in skills {
        assert_eq!(faults(&skill), [""; 0], "{}", skill.display());
    }
}

#[test]
fn a_skill_with_faults_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("one");
    fs::create_dir_all(skill.join("references/deep")).unwrap();
    fs::write(skill.join("references/a.md"), "See [b](references/b.md).").unwrap();
    fs::write(skill.join("references/b.md"), "").unwrap();
    let text = "Read [a](references/a.md), [c](references/c.md) and [a page](https://example.org).\n";
    fs::write(skill.join("SKILL.md"), text).unwrap();
    assert_eq!(
        faults(&skill),
        [
            "references/a.md links on to further files",
            "references/b.md is not linked from SKILL.md",
            "references/c.md is not there",
            "references/deep is no file",
        ]
    );
}
