//! What is reported about skills.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests set the scene by hand")]

mod scene;

use std::path::Path;
use std::sync::Arc;

use scene::{Scene, declaring, list, needing, skill};
use serde_json::{Value, json};
use tarsus_protocol::skills::{SkillState, SkillsReport};
use tarsus_skills::prompt::{Budget, build};
use tarsus_skills::report::{Subject, check, judge_all, offers, report};
use tarsus_skills::{
    Catalog, Diagnostic, Found, Install, InstallKind, Limits, Metadata, ParseError, Parsed, Requires, Root,
    Shadowed, Shelf, Skill, SkipReason, Skipped, Source,
};

/// The skills as if each had been found in a folder of its name.
struct Library {
    folder: tempfile::TempDir,
}

impl Library {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn found(&self, source: Source, folder: &str, parsed: Parsed) -> Arc<Found> {
        let root = self.folder.path().join(source.id());
        std::fs::create_dir_all(root.join(folder)).unwrap();
        std::fs::write(
            root.join(folder).join("SKILL.md"),
            format!("---\nname: {folder}\ndescription: d\n---\n"),
        )
        .unwrap();
        let shelf = Shelf::look(&Root::new(source, root, &[]), &Limits::default(), None, 0);
        let mut found = shelf.found.iter().find(|found| found.dir_name() == folder).unwrap().as_ref().clone();
        found.parsed = Arc::new(parsed);
        Arc::new(found)
    }

    fn skill(&self, source: Source, skill: Skill) -> Arc<Found> {
        let folder = skill.name.clone();
        self.found(source, &folder, Parsed::Loaded(skill))
    }
}

fn fault() -> ParseError {
    ParseError {
        code: "UNTERMINATED_FRONTMATTER",
        message: "it has \x1b[31mno end\x1b[0m".into(),
        line: Some(3),
        keys: vec![],
        diagnostics: vec![],
    }
}

/// The report as programs see it, and the check made from it.
fn reported(catalog: &Catalog, scene: &Scene, budget: Budget) -> (Value, Value) {
    scene.judge(|rules| {
        let judged = judge_all(catalog, rules);
        let prompt = build(&offers(&judged, |_| None), &[], budget, None);
        let subject = Subject {
            agent_id: "main",
            workspace_dir: Path::new("/w"),
            managed_skills_dir: Path::new("/m"),
            version: Some(7),
        };
        let report = report(&subject, catalog, judged, rules, &prompt);
        let json = serde_json::to_value(&report).unwrap();
        // A client reads it back as it was.
        assert_eq!(serde_json::from_value::<SkillsReport<'_>>(json.clone()).unwrap(), report);
        (json, serde_json::to_value(check(&report)).unwrap())
    })
}

fn catalog(entries: Vec<Arc<Found>>) -> Catalog {
    Catalog { entries, ..Catalog::default() }
}

#[test]
fn a_skill_has_every_key_that_others_know_and_optional_ones_only_when_they_say_something() {
    let library = Library::new();
    let metadata = Metadata {
        emoji: Some("🐙".into()),
        skill_key: Some("hub-key".into()),
        primary_env: Some("GH_TOKEN".into()),
        install: vec![Install {
            id: None,
            kind: InstallKind::Brew { formula: "gh".into() },
            label: None,
            bins: list(&["gh"]),
            os: vec![],
            extra: None,
        }],
        ..needing(Requires {
            bins: list(&["no-such-gh"]),
            config: list(&["channels.x"]),
            ..Requires::default()
        })
    };
    let mut hub = declaring("hub", metadata);
    hub.description = "Work with \x1b[1mpull\0 requests\x1b[0m".into();
    hub.frontmatter.0.push(("homepage".into(), "https://x.org".into()));
    hub.diagnostics.push(Diagnostic { code: "odd", message: "odd".into(), line: Some(2) });
    let found = library.skill(Source::Bundled, hub);
    let (file, dir) = (found.file().to_owned(), found.dir().to_owned());
    let (report, _) = reported(&catalog(vec![found]), &Scene::new("{}"), Budget::default());
    let empty = json!({"bins": [], "anyBins": [], "env": [], "config": [], "os": []});
    let mut needs = empty.clone();
    needs["bins"] = json!(["no-such-gh"]);
    needs["config"] = json!(["channels.x"]);
    assert_eq!(
        report,
        json!({
            "workspaceDir": "/w", "managedSkillsDir": "/m", "agentId": "main", "version": 7,
            "skills": [{
                "name": "hub", "description": "Work with pull requests", "source": "openclaw-bundled", "bundled": true,
                "filePath": file, "baseDir": dir, "skillKey": "hub-key", "emoji": "🐙", "homepage": "https://x.org",
                "primaryEnv": "GH_TOKEN", "always": false, "disabled": false, "blockedByAllowlist": false,
                "blockedByAgentFilter": false, "eligible": false, "platformIncompatible": false,
                "modelVisible": false, "userInvocable": true, "commandVisible": false,
                "requirements": needs, "missing": needs,
                "configChecks": [{"path": "channels.x", "satisfied": false}],
                "install": [
                    {"id": "brew-0", "kind": "brew", "label": "Install gh with Homebrew", "bins": ["gh"]}
                ],
                "status": "missing", "blocked": false, "blockedBy": null,
                "contentHash": "07".repeat(32),
                "diagnostics": [{"code": "odd", "message": "odd", "line": 2}],
            }],
            "notInjected": [], "shortened": [], "diagnostics": [],
        })
    );
}

#[test]
fn every_way_of_not_being_ready_has_its_word_and_is_counted_once() {
    let library = Library::new();
    let needy = declaring("needy", needing(Requires { env: list(&["NOPE"]), ..Requires::default() }));
    let winner = library.skill(Source::Managed, skill("ready"));
    let loser = library.skill(Source::Bundled, skill("ready"));
    let catalog = Catalog {
        entries: vec![
            library.found(Source::Workspace, "broken", Parsed::Malformed(fault())),
            library.found(Source::Workspace, "half", Parsed::Degraded(skill("half"), fault())),
            library.skill(Source::Workspace, skill("hidden")),
            library.skill(Source::Workspace, needy),
            library.skill(Source::Workspace, skill("off")),
            Arc::clone(&winner),
            library.skill(Source::Bundled, skill("unlisted")),
        ],
        shadowed: vec![Shadowed { loser, winner: Arc::clone(&winner) }],
        skipped: vec![Skipped {
            source: Source::Extra,
            path: "/x/SKILL.md".into(),
            reason: SkipReason::HardLinked,
        }],
        limits: vec![],
    };
    let scene = Scene::new(
        "{skills: {entries: {off: {enabled: false}}, allowBundled: ['ready']},
          agents: {list: [{id: 'main', skills: ['half', 'needy', 'off', 'ready', 'unlisted', 'typo']}]}}",
    );
    let (report, check) = reported(&catalog, &scene, Budget::default());
    let skills = report["skills"].as_array().unwrap();
    let words: Vec<Value> = skills
        .iter()
        .map(|skill| json!([skill["name"], skill["status"], skill["blocked"], skill["blockedBy"]]))
        .collect();
    assert_eq!(
        words,
        [
            json!(["broken", "invalid", false, null]),
            json!(["half", "degraded", false, null]),
            json!(["hidden", "filtered", true, "agent"]),
            json!(["needy", "missing", false, null]),
            json!(["off", "disabled", false, null]),
            json!(["ready", "ready", false, null]),
            json!(["ready", "shadowed", false, null]),
            json!(["unlisted", "not allowed", true, "allowlist"]),
        ]
    );
    assert_eq!(
        skills[0]["diagnostics"],
        json!([{"code": "UNTERMINATED_FRONTMATTER", "message": "it has no end", "line": 3}])
    );
    let by = json!({"source": "openclaw-managed", "filePath": winner.file()});
    assert_eq!((&skills[6]["shadowedBy"], &skills[6]["eligible"]), (&by, &json!(false)));
    let codes: Vec<&Value> =
        report["diagnostics"].as_array().unwrap().iter().map(|odd| &odd["code"]).collect();
    assert_eq!(codes, ["skipped", "covers-bundled", "unknown-skill"]);

    let needs = json!({"bins": [], "anyBins": [], "env": ["NOPE"], "config": [], "os": []});
    assert_eq!(
        check,
        json!({
            "agentId": "main", "workspaceDir": "/w", "managedSkillsDir": "/m",
            "summary": {
                "total": 7, "eligible": 2, "modelVisible": 1, "commandVisible": 1, "disabled": 1, "blocked": 1,
                "agentFiltered": 1, "notInjected": 0, "missingRequirements": 1, "shortened": 0, "invalid": 1,
                "degraded": 1, "shadowed": 1,
            },
            "eligible": ["hidden", "ready"], "modelVisible": ["ready"], "commandVisible": ["ready"],
            "disabled": ["off"], "blocked": ["unlisted"], "agentFiltered": ["hidden"], "notInjected": [],
            "missingRequirements": [{"name": "needy", "missing": needs, "install": []}],
            "shortened": [], "invalid": ["broken"], "degraded": ["half"], "shadowed": ["ready"],
            "diagnostics": report["diagnostics"],
        })
    );
}

#[test]
fn what_the_model_is_not_told_is_in_the_report_and_in_the_check() {
    let library = Library::new();
    let entries = ["a", "b", "c"].map(|name| library.skill(Source::Workspace, skill(name))).to_vec();
    let (report, check) = reported(&catalog(entries), &Scene::new("{}"), Budget { skills: 2, chars: 18_000 });
    assert_eq!(report["notInjected"], json!([{"name": "c", "reason": "max-skills-in-prompt", "limit": 2}]));
    assert_eq!((&check["notInjected"], &check["summary"]["notInjected"]), (&json!(["c"]), &json!(1)));
}

#[test]
fn the_words_for_states_are_the_same_in_code_and_on_the_wire() {
    for state in [
        SkillState::Shadowed,
        SkillState::Invalid,
        SkillState::Blocked,
        SkillState::Disabled,
        SkillState::NotAllowed,
        SkillState::Degraded,
        SkillState::Filtered,
        SkillState::Missing,
        SkillState::Ready,
    ] {
        assert_eq!(serde_json::to_value(state).unwrap(), json!(state.as_str()));
    }
}
