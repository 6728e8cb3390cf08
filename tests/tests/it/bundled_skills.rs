//! The files of every bundled skill hang together: what a text links to is there, and nothing is left over. That each
//! skill keeps to the rules of AgentSkills is tested with the program itself, in `skills.rs`.

use std::fs;
use std::path::{Path, PathBuf};

fn skills() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../skills");
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// What is wrong: references are files right below `references`, each linked from the text, and link no further.
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

/// The files beside it that a text links to.
fn links(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).filter(|target| !target.contains("://")).collect()
}

#[test]
fn every_reference_of_a_bundled_skill_is_there_and_none_is_left_over() {
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
