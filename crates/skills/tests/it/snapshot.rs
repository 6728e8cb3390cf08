//! Snapshots and their versions.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use tarsus_home::config::view::AgentId;
use tarsus_home::{Home, HomeOptions, Settings};
use tarsus_host::Clock;
use tarsus_protocol::skills::SkillState;
use tarsus_skills::filter::AgentFilter;
use tarsus_skills::{CatalogChanges, Library, SkillsSnapshot};

use crate::library_input::{inputs, loaded, machine};

fn skill(dir: &Path, name: &str, more: &str) {
    fs::create_dir_all(dir).unwrap();
    fs::write(dir.join("SKILL.md"), format!("---\nname: {name}\ndescription: d\n{more}---\n")).unwrap();
}

fn home(top: &Path) -> Home {
    let choice = HomeOptions { state_flag: Some(top.to_path_buf()), ..HomeOptions::default() };
    Home::locate(&choice).unwrap()
}

fn open(top: &Path, config: &str) -> Library {
    Library::open(inputs(home(top), config), None, Clock::fixed(1_000).0)
}

fn of_main(library: &Library) -> Arc<SkillsSnapshot> {
    library.snapshot(&AgentId::main()).unwrap()
}

fn names(library: &Library, agent: &AgentId) -> Vec<String> {
    let snapshot = library.snapshot(agent).unwrap();
    snapshot.catalog.entries.iter().map(|found| found.name().into_owned()).collect()
}

fn ready(snapshot: &SkillsSnapshot) -> Vec<String> {
    snapshot.evaluation().ready().map(|skill| skill.file.name().into_owned()).collect()
}

#[test]
fn version_increases_only_with_changed_content() {
    let folder = tempfile::tempdir().unwrap();
    let (clock, hand) = Clock::fixed(1_000);
    let library = Library::open(inputs(home(folder.path()), "{}"), None, clock);
    let main = AgentId::main();
    let before = of_main(&library);
    assert_eq!(before.version, 1_000);
    assert!(library.refresh().is_empty());
    assert!(Arc::ptr_eq(&before, &of_main(&library)));

    skill(&folder.path().join("skills/a"), "a", "");
    assert_eq!(library.refresh()[&main].added, ["a"]);
    assert_eq!(of_main(&library).version, 1_001);

    hand.set_wall_ms(5);
    let file = folder.path().join("skills/b/SKILL.md");
    skill(file.parent().unwrap(), "b", "");
    assert_eq!(library.refresh_at(&BTreeSet::from([file]))[&main].added, ["b"]);
    assert_eq!(of_main(&library).version, 1_002);
    assert_eq!(before.catalog.entries.len(), 0);
}

#[test]
fn configuration_changes_versions_of_affected_agents_only() {
    let folder = tempfile::tempdir().unwrap();
    skill(&folder.path().join("skills/a"), "a", "");
    skill(&folder.path().join("skills/b"), "b", "");
    let library = open(folder.path(), "{}");
    let only_judged = [(AgentId::main(), CatalogChanges::default())];
    let steps: [(&str, bool, &[&str]); 6] = [
        ("{}", false, &["a", "b"]),
        ("{ gateway: { port: 4711 } } // a word", false, &["a", "b"]),
        ("{ skills: { entries: { a: { enabled: false } } } }", true, &["b"]),
        ("{ skills: { entries: { a: { enabled: false }, z: { enabled: true } } } }", false, &["b"]),
        ("{ agents: { list: [{ id: 'main', skills: ['a'] }] } }", true, &["a"]),
        ("{ skills: { limits: { maxSkillsInPrompt: 1 } } }", true, &["a", "b"]),
    ];
    for (config, is_new, expected) in steps {
        let before = of_main(&library);
        let different = library.apply_config(loaded(config), Settings::default());
        let now = of_main(&library);
        assert_eq!(
            different.into_iter().collect::<Vec<_>>(),
            &only_judged[..usize::from(is_new)],
            "{config}"
        );
        assert_eq!(now.version, before.version + u64::from(is_new), "{config}");
        assert_eq!(ready(&now), expected, "{config}");
    }
}

#[test]
fn old_snapshot_is_immutable() {
    let folder = tempfile::tempdir().unwrap();
    skill(&folder.path().join("skills/a"), "a", "");
    let library = open(folder.path(), "{}");
    let before = of_main(&library);
    skill(&folder.path().join("skills/b"), "b", "");
    library.refresh();
    library.apply_config(loaded("{ skills: { entries: { a: { enabled: false } } } }"), Settings::default());
    assert_eq!((ready(&before), ready(&of_main(&library))), (vec!["a".to_owned()], vec!["b".to_owned()]));
}

#[test]
fn changed_machine_is_evaluated_without_reading_files() {
    let folder = tempfile::tempdir().unwrap();
    let needs = r#"metadata: {"openclaw": {"primaryEnv": "KEY", "requires": {"env": ["KEY"]}}}"#;
    skill(&folder.path().join("skills/a"), "a", &format!("{needs}\n"));
    let library = open(folder.path(), "{}");
    assert_eq!(ready(&of_main(&library)), [""; 0]);
    fs::remove_dir_all(folder.path().join("skills")).unwrap();

    assert!(library.apply_machine(machine(Some(folder.path()), None)).is_empty());
    assert_eq!(of_main(&library).version, 1_000);
    let different = library.apply_machine(machine(None, Some("KEY")));
    assert_eq!(different.into_iter().collect::<Vec<_>>(), [(AgentId::main(), CatalogChanges::default())]);
    let snapshot = of_main(&library);
    assert_eq!(ready(&snapshot), ["a"]);
    let [row] = snapshot.report().skills.as_slice() else { panic!("{:?}", snapshot.report()) };
    assert_eq!(
        (row.primary_env.as_deref(), row.requirements.env.as_slice()),
        (Some("KEY"), &["KEY".to_owned()][..])
    );
    assert_eq!(snapshot.version, 1_001);
}

#[test]
fn report_prompt_and_ready_skills_come_from_one_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    skill(&folder.path().join("skills/a"), "a", "");
    skill(&folder.path().join("workspace/skills/a"), "a", "version: 2\n");
    skill(&folder.path().join("skills/hidden"), "hidden", "disable-model-invocation: true\n");
    let library = open(folder.path(), "{}");
    let snapshot = of_main(&library);
    let evaluation = snapshot.evaluation();
    assert_eq!(ready(&snapshot), ["a", "hidden"]);
    assert_eq!((evaluation.prompt.listed, &evaluation.filter), (1, &AgentFilter::default()));
    let report: Value = serde_json::from_str(&snapshot.report_json()).unwrap();
    let rows: Vec<_> = report["skills"].as_array().unwrap().iter().map(|row| row["status"].clone()).collect();
    assert_eq!(
        (report["version"].as_u64(), rows),
        (Some(1_000), vec!["ready".into(), "shadowed".into(), "ready".into()])
    );
    assert!(Arc::ptr_eq(&snapshot.report_json(), &of_main(&library).report_json()));
}

#[test]
fn agents_share_roots_and_have_own_workspaces() {
    let folder = tempfile::tempdir().unwrap();
    let other: AgentId = "other".parse().unwrap();
    skill(&folder.path().join("skills/shared"), "shared", "");
    skill(&folder.path().join("workspace/skills/own"), "own", "");
    let library = open(folder.path(), "{ agents: { list: [{ id: 'main' }, { id: 'other' }] } }");
    assert_eq!(names(&library, &AgentId::main()), ["own", "shared"]);
    assert_eq!(names(&library, &other), ["shared"]);

    // The first look goes into the skills that nobody had to wait for.
    library.refresh();
    let before = of_main(&library);
    skill(&folder.path().join("workspace-other/skills/its"), "its", "");
    assert_eq!(library.refresh().keys().collect::<Vec<_>>(), [&other]);
    assert!(Arc::ptr_eq(&before, &of_main(&library)));

    library.apply_config(loaded("{}"), Settings::default());
    assert!(library.snapshot(&other).is_none());
}

#[test]
fn prompt_is_shortened_only_for_small_context_windows() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c", "d"] {
        skill(&folder.path().join("skills").join(name), name, "");
    }
    let snapshot = of_main(&open(folder.path(), "{}"));
    let all = &snapshot.evaluation().prompt;
    let length = u32::try_from(all.text.encode_utf16().count()).unwrap();
    assert_eq!(all.listed, 4);
    for (chars, whole) in [(u32::MAX, true), (length, true), (length - 1, false), (length / 2, false)] {
        let prompt = snapshot.prompt_within(chars);
        assert_eq!(*prompt == *all, whole, "{chars}");
        assert!(prompt.text.encode_utf16().count() <= chars as usize);
        assert!(Arc::ptr_eq(&prompt, &snapshot.prompt_within(chars)), "asked again, it is made once");
    }
}

#[test]
fn tool_policy_decides_about_skills_for_each_agent() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("skills/pages");
    skill(&file, "pages", "metadata: {openclaw: {capabilities: ['network']}}\n");
    let agents =
        |tools: &str| format!("{{agents: {{list: [{{id: 'main'}}, {{id: 'calm', tools: {tools}}}]}}}}");
    let library = open(folder.path(), &agents("{deny: ['group:web']}"));
    let calm = "calm".parse::<AgentId>().unwrap();
    let state = |agent: &AgentId| {
        let snapshot = library.snapshot(agent).unwrap();
        let skill = &snapshot.evaluation().skills[0];
        let offered = snapshot.prompt_within(u32::MAX).text.contains("<name>pages</name>");
        (skill.state, skill.model_visible, offered)
    };
    assert_eq!(state(&AgentId::main()), (SkillState::Ready, true, true));
    assert_eq!(state(&calm), (SkillState::Unavailable, false, false));
    let snapshot = library.snapshot(&calm).unwrap();
    let row = &snapshot.report().skills[0];
    assert_eq!(
        row.reasons[0].tools_text().unwrap(),
        "web_fetch or web_search, which this agent does not have because of agents.list[calm].tools.deny"
    );
    assert_eq!(library.snapshot(&calm).unwrap().evaluation().counts.unavailable, 1);

    // The other agent's version stays as it was.
    let before = library.snapshot(&AgentId::main()).unwrap().version;
    let changed = library.apply_config(loaded(&agents("{}")), Settings::default());
    assert_eq!(changed.into_keys().collect::<Vec<_>>(), std::slice::from_ref(&calm));
    assert_eq!(state(&calm), (SkillState::Ready, true, true));
    assert_eq!(library.snapshot(&AgentId::main()).unwrap().version, before);
}
