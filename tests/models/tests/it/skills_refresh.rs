//! "refresh skills": answered without a model, in the language of the request.

use std::fs;

use tarsus_test_models::{Chunk, Reply};

use crate::scene::{Scene, Setup, answer};

fn skill(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Does what {name} does\n---\n\n{body}\n")
}

fn write(scene: &Scene, name: &str, text: &str) {
    let folder = scene.skills().join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("SKILL.md"), text).unwrap();
}

#[tokio::test]
async fn refresh_says_what_changed_without_a_model() {
    let skills = vec![("old", skill("old", "Do it.")), ("notes", skill("notes", "Do it."))];
    let scene = Scene::with(Setup { skills, ..Setup::default() }, []);
    let unchanged = "The skills were read again: 2 ready.\nNothing changed.";
    assert_eq!(answer(&scene.send("a", "Refresh skills").await), unchanged);
    fs::remove_dir_all(scene.skills().join("old")).unwrap();
    write(&scene, "notes", &skill("notes", "Do it twice."));
    write(&scene, "fresh", &skill("fresh", "Do it."));
    let changed = "已重新读取技能：2 个就绪。\n+ 新增：fresh（就绪）\n~ 已更改：notes（就绪）\n- 已移除：old";
    assert_eq!(answer(&scene.send("b", "刷新技能").await), changed);
    assert_eq!(answer(&scene.send("c", "please reload my skills!").await), unchanged);
    assert!(scene.requests().is_empty());
}

#[tokio::test]
async fn refresh_reports_what_a_watcher_read_before() {
    let scene = Scene::with(Setup { skills: vec![("a", skill("a", "Do it."))], ..Setup::default() }, []);
    write(&scene, "b", &skill("b", "Do it."));
    assert!(!scene.library.refresh().is_empty());
    write(&scene, "b", &skill("b", "Do it twice."));
    assert!(!scene.library.refresh().is_empty());
    let expected = "The skills were read again: 2 ready.\n+ new: b (ready)";
    assert_eq!(answer(&scene.send("a", "refresh skills").await), expected);
}

#[tokio::test]
async fn other_sentences_about_skills_go_to_the_model() {
    let scene = Scene::with_replies([Reply::answer([Chunk::text("Bien.")])]);
    assert_eq!(answer(&scene.send("a", "refresh my skills in French").await), "Bien.");
}
