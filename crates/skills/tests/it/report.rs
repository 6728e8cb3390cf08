//! The report on an agent's skills.

use std::sync::Arc;

use serde_json::{Value, json};
use tarsus_guard::ToolId;
use tarsus_home::settings::Enforcement;
use tarsus_protocol::DiagnosticCode;
use tarsus_protocol::scan::{Finding, ScanReport, ScanVerdict};
use tarsus_protocol::skills::{SkillState, SkillsReport};
use tarsus_skills::gate::FolderScan;
use tarsus_skills::prompt::{PromptBudget, PromptOptions};
use tarsus_skills::report::{ReportContext, check};
use tarsus_skills::snapshot::Evaluation;
use tarsus_skills::{
    About, Catalog, Dependency, Diagnostic, DiscoveredRoot, DiscoveryLimits, EnvVar, InstallKind,
    InstallSpec, Links, Metadata, ParseError, Parsed, Requires, Shadowed, Skill, SkillFile, SkillRoot,
    SkillSource, SkipReason, Skipped,
};

use crate::fixture::{Scene, declaring, list, needing, skill};

/// Creates skill files in folders of their names.
struct Library {
    folder: tempfile::TempDir,
}

impl Library {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn skill_file(&self, source: SkillSource, folder: &str, parsed: Parsed) -> Arc<SkillFile> {
        let root = self.folder.path().join(source.id());
        std::fs::create_dir_all(root.join(folder)).unwrap();
        std::fs::write(
            root.join(folder).join("SKILL.md"),
            format!("---\nname: {folder}\ndescription: d\n---\n"),
        )
        .unwrap();
        let discovered =
            DiscoveredRoot::walk(&SkillRoot::new(source, root, &[]), &DiscoveryLimits::default(), None, 0);
        let mut found =
            discovered.skills.iter().find(|found| found.dir_name() == folder).unwrap().as_ref().clone();
        found.parsed = Arc::new(parsed);
        // As if the scan had no findings.
        let report = ScanReport {
            path: String::new(),
            verdict: ScanVerdict::Clean,
            hash: "0".repeat(64),
            ruleset: String::new(),
            uses: Vec::new(),
            findings: Vec::new(),
        };
        found.scan = Some(Arc::new(FolderScan { texts: vec![[7; 32]], report }));
        Arc::new(found)
    }

    fn skill(&self, source: SkillSource, skill: Skill) -> Arc<SkillFile> {
        let folder = skill.name.clone();
        self.skill_file(source, &folder, Parsed::Loaded(skill))
    }
}

/// Metadata with these capabilities.
fn capable(capabilities: Value) -> Metadata {
    Metadata { capabilities: Some(capabilities), ..Metadata::default() }
}

fn fault() -> ParseError {
    ParseError {
        code: DiagnosticCode::UnterminatedFrontmatter,
        message: "it has \x1b[31mno end\x1b[0m".into(),
        line: Some(3),
        keys: vec![],
        diagnostics: vec![],
    }
}

/// Returns the report and the check as JSON.
fn reported(catalog: &Catalog, scene: &Scene, budget: PromptBudget) -> (Value, Value) {
    let context = ReportContext {
        agent_id: "main",
        workspace_dir: "/w".into(),
        managed_skills_dir: "/m".into(),
        version: Some(7),
        enforcement: Enforcement::Active,
    };
    let options = PromptOptions { budget, ..PromptOptions::default() };
    let report = Evaluation::new(catalog, &scene.rules(), options, &context).report;
    let json = serde_json::to_value(&report).unwrap();
    // A client reads it back as it was.
    assert_eq!(serde_json::from_value::<SkillsReport>(json.clone()).unwrap(), report);
    (json, serde_json::to_value(check(&report)).unwrap())
}

fn catalog(entries: Vec<Arc<SkillFile>>) -> Catalog {
    Catalog { entries, ..Catalog::default() }
}

#[test]
fn row_has_all_keys_and_omits_empty_optional_ones() {
    let library = Library::new();
    let metadata = Metadata {
        emoji: Some("🐙".into()),
        skill_key: Some("hub-key".into()),
        primary_env: Some("GH_TOKEN".into()),
        install: vec![InstallSpec {
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
    hub.diagnostics.push(Diagnostic {
        code: DiagnosticCode::NameNotFolder,
        message: "odd".into(),
        line: Some(2),
    });
    let found = library.skill(SkillSource::Bundled, hub);
    let (file, dir) = (found.path().to_owned(), found.dir().to_owned());
    let (report, _) = reported(&catalog(vec![found]), &Scene::new("{}"), PromptBudget::default());
    let empty = json!({"bins": [], "anyBins": [], "env": [], "config": [], "os": []});
    let mut needs = empty.clone();
    needs["bins"] = json!(["no-such-gh"]);
    needs["config"] = json!(["channels.x"]);
    let capabilities = json!({
        "declared": [], "unknown": [], "used": [], "granted": [], "void": [],
        "effective": ["shell", "filesystem", "network", "browser", "sessions", "messaging", "scheduling"],
        "enforced": false, "consent": "not-needed", "seen": false, "limits": [], "advisory": [], "problems": [],
    });
    let scan = json!({"state": "clean", "hash": "0".repeat(64), "findings": [], "uses": []});
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
                    {"id": "brew-0", "kind": "brew", "label": "Install gh with Homebrew", "bins": ["gh"], "command": ["brew", "install", "gh"], "destination": "homebrew"}
                ],
                "status": "missing", "blocked": false, "blockedBy": null,
                "reasons": [
                    {"state": "missing", "kind": "program", "names": ["no-such-gh"]},
                    {"state": "missing", "kind": "config", "names": ["channels.x"]},
                ],
                "contentHash": "07".repeat(32),
                "diagnostics": [{"code": "name-not-folder", "message": "odd", "line": 2}],
                "trust": "builtin", "capabilities": capabilities, "scan": scan,
            }],
            "notInjected": [], "shortened": [], "diagnostics": [],
            "policy": {"enforcement": "active", "denied": [], "gated": [], "because": {}},
        })
    );
}

#[test]
fn every_state_is_reported_and_counted_once() {
    let library = Library::new();
    let needy = declaring("needy", needing(Requires { env: list(&["NOPE"]), ..Requires::default() }));
    let toolless = declaring("toolless", capable(json!(["shell"])));
    let winner = library.skill(SkillSource::Managed, skill("ready"));
    let loser = library.skill(SkillSource::Bundled, skill("ready"));
    let catalog = Catalog {
        entries: vec![
            library.skill_file(SkillSource::Workspace, "broken", Parsed::Malformed(fault())),
            library.skill_file(SkillSource::Workspace, "half", Parsed::Degraded(skill("half"), fault())),
            library.skill(SkillSource::Workspace, skill("hidden")),
            library.skill(SkillSource::Workspace, needy),
            library.skill(SkillSource::Workspace, skill("off")),
            Arc::clone(&winner),
            library.skill(SkillSource::Workspace, toolless),
            library.skill(SkillSource::Bundled, skill("unlisted")),
        ],
        shadowed: vec![Shadowed { loser, winner: Arc::clone(&winner) }],
        skipped: vec![Skipped {
            source: SkillSource::Extra,
            path: "/x/SKILL.md".into(),
            reason: SkipReason::HardLinked,
        }],
        limits: vec![],
    };
    let mut scene = Scene::new(
        "{skills: {entries: {off: {enabled: false}}, allowBundled: ['ready']},
          agents: {list: [{id: 'main', skills: ['half', 'needy', 'off', 'ready', 'toolless', 'unlisted', 'typo']}]}}",
    );
    scene.built_tools = [ToolId::Read, ToolId::AppLaunch].into();
    let (report, check) = reported(&catalog, &scene, PromptBudget::default());
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
            json!(["toolless", "unavailable", false, null]),
            json!(["unlisted", "not allowed", true, "allowlist"]),
        ]
    );
    assert_eq!(
        skills[0]["diagnostics"],
        json!([{"code": "UNTERMINATED_FRONTMATTER", "message": "it has no end", "line": 3}])
    );
    let by = json!({"source": "openclaw-managed", "filePath": winner.path()});
    assert_eq!((&skills[6]["shadowedBy"], &skills[6]["eligible"]), (&by, &json!(false)));
    let codes: Vec<&Value> =
        report["diagnostics"].as_array().unwrap().iter().map(|odd| &odd["code"]).collect();
    assert_eq!(codes, ["skipped", "covers-bundled", "unknown-skill"]);

    let needs = json!({"bins": [], "anyBins": [], "env": ["NOPE"], "config": [], "os": []});
    let reason = json!({"state": "unavailable", "kind": "tool-not-built", "names": ["exec", "process"]});
    assert_eq!(
        check,
        json!({
            "agentId": "main", "workspaceDir": "/w", "managedSkillsDir": "/m",
            "summary": {
                "total": 8, "eligible": 2, "modelVisible": 1, "commandVisible": 1, "disabled": 1, "blocked": 1,
                "blockedBySecurity": 0, "agentFiltered": 1, "notInjected": 0, "missingRequirements": 1, "unavailable": 1,
                "shortened": 0, "invalid": 1, "degraded": 1, "shadowed": 1,
            },
            "states": {
                "blocked": 0, "shadowed": 1, "invalid": 1, "disabled": 1, "not allowed": 1, "degraded": 1, "filtered": 1,
                "unsupported": 0, "unavailable": 1, "missing": 1, "ready": 1,
            },
            "eligible": ["hidden", "ready"], "modelVisible": ["ready"], "commandVisible": ["ready"],
            "disabled": ["off"], "blocked": ["unlisted"], "agentFiltered": ["hidden"], "notInjected": [],
            "missingRequirements": [{"name": "needy", "missing": needs, "install": []}],
            "unavailable": [{"name": "toolless", "reasons": [reason]}],
            "shortened": [], "invalid": ["broken"], "degraded": ["half"], "shadowed": ["ready"],
            "diagnostics": report["diagnostics"],
            "capabilities": {}, "policy": report["policy"],
            "scan": {"clean": 7, "warning": 0, "blocked": 0, "pending": 0}, "found": [], "accepted": [],
        })
    );
}

#[test]
fn self_description_is_truncated_and_sanitized() {
    let long = "x".repeat(600);
    let about = About {
        cli_help: Some("Usage:\n  gh [flags]\x07".into()),
        author: Some("An\u{200b}na \u{202e}gro.live\x1b[31m".into()),
        env_vars: vec![EnvVar {
            name: "GH_TOKEN".into(),
            required: Some(true),
            description: Some("A key".into()),
        }],
        dependencies: vec![
            Dependency {
                name: "gh".into(),
                kind: Some("cli".into()),
                version: Some(">=2".into()),
                url: Some(long),
                repository: None,
            };
            60
        ],
        links: Links { homepage: Some("https://x.org".into()), ..Links::default() },
    };
    let metadata = Metadata { about: Some(Box::new(about)), ..needing(Requires::default()) };
    let found = Library::new().skill(SkillSource::Workspace, declaring("hub", metadata));
    let (report, _) = reported(&catalog(vec![found]), &Scene::new("{}"), PromptBudget::default());
    let row = &report["skills"][0];
    assert_eq!(row["cliHelp"], "Usage:\n  gh [flags]");
    assert_eq!(row["author"], "Anna gro.live");
    assert_eq!(row["links"], json!({"homepage": "https://x.org"}));
    assert_eq!(row["envVars"], json!([{"name": "GH_TOKEN", "required": true, "description": "A key"}]));
    let cut = format!("{}...", "x".repeat(497));
    assert_eq!(row["dependencies"][0], json!({"name": "gh", "type": "cli", "version": ">=2", "url": cut}));
    assert_eq!(row["dependencies"].as_array().unwrap().len(), 50);
}

#[test]
fn report_has_no_invisible_characters() {
    let unseen = "a\u{200b}b\u{202e}c\u{e0041}d\u{feff}";
    let mut skill = skill(unseen);
    skill.description = unseen.to_owned();
    let finding: Finding = serde_json::from_value(json!({
        "rule": "r", "title": "t", "severity": "warning", "baseSeverity": "warning", "category": "files",
        "owasp": "o", "file": unseen, "line": 1, "column": 1, "endLine": 1, "endColumn": 1,
        "segment": "file", "layers": [], "excerpt": unseen, "why": "w", "fix": "f", "loweredBy": [],
        "raisedBy": [], "more": 0, "fingerprint": "p", "accepted": false,
    }))
    .unwrap();
    let mut found =
        SkillFile::clone(&Library::new().skill_file(SkillSource::Workspace, "x", Parsed::Loaded(skill)));
    let mut scan = FolderScan::clone(found.scan.as_deref().unwrap());
    scan.report.findings.push(finding);
    found.scan = Some(Arc::new(scan));
    let (report, _) = reported(&catalog(vec![Arc::new(found)]), &Scene::new("{}"), PromptBudget::default());
    let row = &report["skills"][0];
    let finding = &row["scan"]["findings"][0];
    for text in [&row["name"], &row["description"], &finding["file"], &finding["excerpt"]] {
        assert_eq!(text, "abcd");
    }
}

#[test]
fn skills_left_out_of_the_prompt_are_reported() {
    let library = Library::new();
    let entries = ["a", "b", "c"].map(|name| library.skill(SkillSource::Workspace, skill(name))).to_vec();
    let (report, check) =
        reported(&catalog(entries), &Scene::new("{}"), PromptBudget { skills: 2, chars: 18_000 });
    assert_eq!(report["notInjected"], json!([{"name": "c", "reason": "max-skills-in-prompt", "limit": 2}]));
    assert_eq!((&check["notInjected"], &check["summary"]["notInjected"]), (&json!(["c"]), &json!(1)));
}

#[test]
fn state_names_match_their_json() {
    for state in SkillState::ALL {
        assert_eq!(serde_json::to_value(state).unwrap(), json!(state.as_str()));
    }
}

#[test]
fn reasons_follow_the_precedence_of_states() {
    let library = Library::new();
    let metadata = Metadata {
        os: Some(list(&["amiga"])),
        capabilities: Some(json!(["network", "shell"])),
        ..needing(Requires { env: list(&["NOPE"]), any_bins: list(&["x", "y"]), ..Requires::default() })
    };
    let mut found = SkillFile::clone(&library.skill(SkillSource::Bundled, declaring("worst", metadata)));
    found.parsed = match &*found.parsed {
        Parsed::Loaded(skill) => Arc::new(Parsed::Degraded(skill.clone(), fault())),
        other => panic!("{other:?}"),
    };
    let mut scene = Scene::new(
        "{skills: {entries: {worst: {enabled: false}}, allowBundled: ['other']}, tools: {deny: ['web_*']},
          agents: {list: [{id: 'main', skills: []}]}}",
    );
    scene.built_tools = [ToolId::WebFetch].into();
    let (report, _) = reported(&catalog(vec![Arc::new(found)]), &scene, PromptBudget::default());
    let row = &report["skills"][0];
    let reasons = row["reasons"].as_array().unwrap();
    let states: Vec<_> = reasons.iter().map(|reason| reason["state"].as_str().unwrap()).collect();
    assert_eq!(
        states,
        [
            "disabled",
            "not allowed",
            "degraded",
            "filtered",
            "unsupported",
            "unavailable",
            "unavailable",
            "missing",
            "missing"
        ]
    );
    let precedence = |state: &&str| SkillState::ALL.iter().position(|known| known.as_str() == *state);
    assert!(states.is_sorted_by_key(precedence));
    assert_eq!(row["status"], states[0]);
    let denied = json!({"state": "unavailable", "kind": "tool-denied", "names": ["web_fetch"], "keys": ["tools.deny"]});
    assert_eq!(reasons[5], denied);
    assert_eq!(
        reasons[6],
        json!({"state": "unavailable", "kind": "tool-not-built", "names": ["exec", "process"]})
    );
    assert_eq!(reasons[7], json!({"state": "missing", "kind": "any-program", "names": ["x", "y"]}));
}
