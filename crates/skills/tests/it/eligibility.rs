//! Eligibility of skills.

use std::sync::LazyLock;

use serde_json::{Value, json};
use tarsus_guard::{DeclaredCapabilities, ToolId};
use tarsus_host::path::SearchPath;
use tarsus_protocol::skills::{ConfigCheck, InstallBy, InstallDestination, SkillInstall, SkillNeeds};
use tarsus_skills::eligibility::{Candidate, Eligibility, IneffectiveSetting, UnavailableTools, evaluate};
use tarsus_skills::{InstallKind, InstallSpec, Metadata, Requires, Skill, SkillSource, VendorMetadata};

use crate::fixture::{Scene, declaring, list, needing, skill};

static NOTHING: LazyLock<DeclaredCapabilities> = LazyLock::new(DeclaredCapabilities::default);

fn candidate(skill: &Skill) -> Candidate<'_> {
    Candidate {
        skill,
        key: skill.key().into(),
        capabilities: &NOTHING,
        source: SkillSource::Workspace,
        degraded: false,
        blocked: false,
    }
}

fn eligibility(scene: &Scene, skill: &Skill) -> Eligibility {
    evaluate(&candidate(skill), &scene.rules())
}

fn needs(bins: &[&str], any_bins: &[&str], env: &[&str], config: &[&str]) -> Requires {
    Requires { bins: list(bins), any_bins: list(any_bins), env: list(env), config: list(config) }
}

/// Creates a folder with programs of these names.
fn programs(names: &[&str]) -> (tempfile::TempDir, SearchPath) {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        let file = folder.path().join(if cfg!(windows) { format!("{name}.exe") } else { (*name).to_owned() });
        std::fs::write(&file, "").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
    let path = SearchPath::new(folder.path().as_os_str(), None);
    (folder, path)
}

#[test]
fn skill_without_requirements_is_visible_to_model_and_user() {
    let plain = skill("plain");
    let expected = Eligibility {
        blocked: false,
        eligible: true,
        disabled: false,
        blocked_by_allowlist: false,
        blocked_by_agent_filter: false,
        degraded: false,
        platform_incompatible: false,
        unavailable_tools: vec![],
        requirements: SkillNeeds::default(),
        missing: SkillNeeds::default(),
        config_checks: vec![],
        ineffective_settings: vec![],
        model_visible: true,
        user_invocable: true,
        command_visible: true,
        install: vec![],
    };
    assert_eq!(eligibility(&Scene::new("{}"), &plain), expected);
}

#[test]
fn every_missing_requirement_is_listed() {
    let requires = needs(&["git", "gh"], &["ffmpeg", "avconv"], &["A", "B"], &["channels.x", "meta.y"]);
    let metadata = Metadata { os: Some(list(&["darwin"])), ..needing(requires) };
    let needy = declaring("needy", metadata);
    let (_folder, programs) = programs(&["git"]);
    let mut scene = Scene::new("{channels: {x: {}}}");
    scene.machine.programs = programs;
    scene.set_variable("A", "1");
    scene.set_variable("B", "  ");
    let how = eligibility(&scene, &needy);
    let missing = SkillNeeds {
        bins: list(&["gh"]),
        any_bins: list(&["ffmpeg", "avconv"]),
        env: list(&["B"]),
        config: list(&["meta.y"]),
        os: list(&["darwin"]),
    };
    assert_eq!(how.missing, missing);
    let checks = [("channels.x", true), ("meta.y", false)]
        .map(|(path, satisfied)| ConfigCheck { path: path.into(), satisfied });
    assert_eq!(how.config_checks, checks);
    assert!(how.platform_incompatible && !how.eligible && !how.model_visible && !how.command_visible);
}

#[test]
fn always_ignores_requirements_only() {
    let metadata = Metadata {
        always: Some(true),
        os: Some(list(&["win32"])),
        ..needing(needs(&["no-such-program"], &["nor-this"], &["NOPE"], &["nope"]))
    };
    let stubborn = declaring("stubborn", metadata);
    let how = eligibility(&Scene::new("{}"), &stubborn);
    assert!(how.eligible && how.model_visible && !how.platform_incompatible);
    assert_eq!((how.missing, how.config_checks.len()), (SkillNeeds::default(), 1));
    assert!(
        !eligibility(&Scene::new("{skills: {entries: {stubborn: {enabled: false}}}}"), &stubborn).eligible
    );
    assert!(!eligibility(&Scene::new("{agents: {list: [{id: 'a', skills: []}]}}"), &stubborn).model_visible);
}

#[test]
fn any_bins_needs_one_program() {
    let (_folder, programs) = programs(&["avconv"]);
    let either = declaring("either", needing(needs(&[], &["ffmpeg", "avconv"], &[], &[])));
    let mut scene = Scene::new("{}");
    scene.machine.programs = programs;
    assert_eq!(eligibility(&scene, &either).missing, SkillNeeds::default());
}

#[test]
fn system_aliases_match() {
    let names = [
        ("darwin", &["darwin", "macos", "mac"][..]),
        ("linux", &["linux"]),
        ("win32", &["win32", "windows"]),
    ];
    for (platform, _) in names {
        for (other, words) in names {
            for word in words {
                let fussy = declaring("x", Metadata { os: Some(list(&[word])), ..Metadata::default() });
                let mut scene = Scene::new("{}");
                scene.machine.platform = platform;
                assert_eq!(eligibility(&scene, &fussy).eligible, platform == other, "{word} on {platform}");
            }
        }
    }
}

#[test]
fn settings_and_allowlists_match_key_or_name() {
    let named = declaring("name", Metadata { skill_key: Some("key".into()), ..Metadata::default() });
    // disabled, blocked by the list of bundled skills, by the agent's list
    let table = [
        ("{}", SkillSource::Bundled, [false, false, false]),
        ("{skills: {entries: {key: {enabled: false}}}}", SkillSource::Bundled, [true, false, false]),
        ("{skills: {entries: {name: {enabled: false}}}}", SkillSource::Bundled, [false, false, false]),
        ("{skills: {allowBundled: ['other']}}", SkillSource::Bundled, [false, true, false]),
        ("{skills: {allowBundled: ['other']}}", SkillSource::Managed, [false, false, false]),
        ("{skills: {allowBundled: []}}", SkillSource::Bundled, [false, false, false]),
        ("{skills: {allowBundled: ['key']}}", SkillSource::Bundled, [false, false, false]),
        ("{skills: {allowBundled: ['name']}}", SkillSource::Bundled, [false, false, false]),
        ("{agents: {list: [{id: 'a', skills: ['name']}]}}", SkillSource::Bundled, [false, false, false]),
        ("{agents: {list: [{id: 'a', skills: ['key']}]}}", SkillSource::Bundled, [false, false, true]),
        ("{agents: {entries: {a: {skills: ['key']}}}}", SkillSource::Bundled, [false, false, true]),
        ("{agents: {defaults: {skills: ['key']}}}", SkillSource::Bundled, [false, false, true]),
    ];
    for (config, source, [disabled, allowlist, agent]) in table {
        let scene = Scene::new(config);
        let how = evaluate(&Candidate { source, ..candidate(&named) }, &scene.rules());
        let seen = [how.disabled, how.blocked_by_allowlist, how.blocked_by_agent_filter];
        assert_eq!(seen, [disabled, allowlist, agent], "{config}");
        assert_eq!(how.eligible, !disabled && !allowlist, "{config}");
        assert_eq!(how.model_visible, !disabled && !allowlist && !agent, "{config}");
    }
}

#[test]
fn invocation_flags_decide_visibility() {
    for (user_invocable, disable_model_invocation) in [(true, true), (false, false), (false, true)] {
        let mut shy = skill("shy");
        shy.invocation.user_invocable = user_invocable;
        shy.invocation.disable_model_invocation = disable_model_invocation;
        let how = eligibility(&Scene::new("{}"), &shy);
        assert_eq!(
            (how.eligible, how.model_visible, how.user_invocable, how.command_visible),
            (true, !disable_model_invocation, user_invocable, user_invocable)
        );
    }
}

#[test]
fn variables_come_from_settings_or_report_why_not() {
    let metadata =
        Metadata { primary_env: Some("GH_TOKEN".into()), ..needing(needs(&[], &[], &["GH_TOKEN"], &[])) };
    let hub = declaring("hub", metadata);
    let reference = "{source: 'file', provider: 'tarsus', id: 'k'}";
    let ineffective = |variable: &str, reason: &str| {
        vec![IneffectiveSetting { variable: variable.into(), reason: reason.into() }]
    };
    let gone = "the secret \"k\" is not there";
    let table = [
        ("{}".to_owned(), &["GH_TOKEN"][..], vec![]),
        ("{apiKey: 's3cret'}".to_owned(), &[], vec![]),
        ("{apiKey: ' '}".to_owned(), &["GH_TOKEN"], vec![]),
        ("{env: {GH_TOKEN: 's3cret'}}".to_owned(), &[], vec![]),
        ("{env: {OTHER: 'x'}}".to_owned(), &["GH_TOKEN"], vec![]),
        (format!("{{apiKey: {reference}}}"), &["GH_TOKEN"], ineffective("GH_TOKEN", gone)),
        // A skill that was given something is not used without it.
        (
            format!("{{apiKey: 's3cret', env: {{REGION: {reference}}}}}"),
            &["REGION"],
            ineffective("REGION", gone),
        ),
        (
            "{apiKey: 's3cret', env: {LD_PRELOAD: '/x.so'}}".to_owned(),
            &[],
            ineffective("LD_PRELOAD", "it decides what is loaded into every program"),
        ),
    ];
    for (settings, missing, expected) in table {
        let scene = Scene::new(&format!("{{skills: {{entries: {{hub: {settings}}}}}}}"));
        let how = eligibility(&scene, &hub);
        assert_eq!(
            (&*how.missing.env, &how.ineffective_settings),
            (&*list(missing), &expected),
            "{settings}"
        );
        assert!(!format!("{how:?}").contains("s3cret"));
    }
}

#[test]
fn reserved_variable_in_settings_has_no_effect() {
    let greedy = declaring("greedy", needing(needs(&[], &[], &["NODE_OPTIONS"], &[])));
    let scene = Scene::new("{skills: {entries: {greedy: {env: {NODE_OPTIONS: '--require x'}}}}}");
    assert_eq!(*eligibility(&scene, &greedy).missing.env, list(&["NODE_OPTIONS"]));
    scene.set_variable("NODE_OPTIONS", "--inspect");
    assert!(eligibility(&scene, &greedy).eligible);
}

#[test]
fn degraded_skills_and_vendor_metadata_count_only_if_lenient() {
    let mut other = skill("other");
    let metadata = needing(needs(&["no-such-program"], &[], &[], &[]));
    other.vendor_metadata = Some(Box::new(VendorMetadata { vendor: "moltbot", metadata }));
    let mut scene = Scene::new("{}");
    let half = |scene: &Scene| {
        let plain = skill("half");
        evaluate(&Candidate { degraded: true, ..candidate(&plain) }, &scene.rules()).model_visible
    };
    assert_eq!((eligibility(&scene, &other).eligible, half(&scene)), (true, false));
    scene.lenient = true;
    assert_eq!((eligibility(&scene, &other).eligible, half(&scene)), (false, true));
}

fn install(kind: InstallKind) -> InstallSpec {
    InstallSpec { id: None, kind, label: None, bins: vec![], os: vec![], extra: None }
}

#[test]
fn install_options_start_with_the_preferred_one() {
    let ways = vec![
        install(InstallKind::Download { url: "https://x.org/a/tool.tar.gz?v=1".into(), sha256: None }),
        install(InstallKind::Go { module: "x.org/tool@latest".into() }),
        install(InstallKind::Brew { formula: "tool".into() }),
        InstallSpec { os: list(&["windows"]), ..install(InstallKind::Uv { package: "tool".into() }) },
        InstallSpec {
            id: Some("mine".into()),
            label: Some("Get it".into()),
            bins: list(&["tool"]),
            os: list(&["linux", "mac"]),
            ..install(InstallKind::Node { package: "tool".into() })
        },
    ];
    let tool = declaring("tool", Metadata { install: ways, ..Metadata::default() });
    let option = |id: &'static str, kind, label: &'static str, bins: &[&str], command: &str| SkillInstall {
        id: id.into(),
        kind,
        label: label.into(),
        bins: list(bins),
        command: command.split_whitespace().map(str::to_owned).collect(),
        destination: match kind {
            InstallBy::Brew => Some(InstallDestination::Homebrew),
            InstallBy::Node => Some(InstallDestination::Npm),
            InstallBy::Go => Some(InstallDestination::Go),
            InstallBy::Uv => Some(InstallDestination::Uv),
            InstallBy::Download => None,
        },
    };
    let download = || option("download-0", InstallBy::Download, "Download tool.tar.gz", &[], "");
    let go = || {
        option(
            "go-1",
            InstallBy::Go,
            "Install x.org/tool@latest with Go",
            &[],
            "go install x.org/tool@latest",
        )
    };
    let brew = || option("brew-2", InstallBy::Brew, "Install tool with Homebrew", &[], "brew install tool");
    let uv = || option("uv-3", InstallBy::Uv, "Install tool with uv", &[], "uv tool install tool");
    let node =
        || option("mine", InstallBy::Node, "Get it", &["tool"], "npm install -g --ignore-scripts tool");

    let mut scene = Scene::new("{}");
    assert_eq!(eligibility(&scene, &tool).install, [node(), download(), go(), brew()]);
    let (_folder, programs) = programs(&["brew"]);
    scene.machine.programs = programs;
    assert_eq!(eligibility(&scene, &tool).install, [brew(), download(), go(), node()]);
    scene.view.skills.install.prefer_brew = Some(false);
    assert_eq!(eligibility(&scene, &tool).install, [node(), download(), go(), brew()]);
    scene.machine.platform = "win32";
    assert_eq!(eligibility(&scene, &tool).install, [uv(), download(), go(), brew()]);
}

fn unavailable(scene: &Scene, capabilities: Value) -> (bool, Vec<UnavailableTools>) {
    let declared = DeclaredCapabilities::parse(Some(&capabilities));
    let plain = skill("plain");
    let result = evaluate(&Candidate { capabilities: &declared, ..candidate(&plain) }, &scene.rules());
    (result.eligible, result.unavailable_tools)
}

#[test]
fn declared_capability_needs_one_built_tool() {
    let mut scene = Scene::new("{}");
    let not_built = |tools: &[ToolId]| UnavailableTools::NotBuilt(tools.to_vec());
    let shell = not_built(&[ToolId::Exec, ToolId::Process]);
    scene.built_tools = [ToolId::Read, ToolId::Edit, ToolId::WebSearch, ToolId::AppLaunch].into();
    let table = [
        (json!(null), vec![]),
        (json!(["teleport"]), vec![]),
        (json!(["shell"]), vec![shell.clone()]),
        (json!([{ "name": "shell.exec", "constraints": { "mode": "restricted" } }]), vec![shell.clone()]),
        (json!(["exec"]), vec![not_built(&[ToolId::Exec])]),
        // The tools of the Application Manager are built, but they are no shell.
        (json!(["app_launch", "app_stop"]), vec![]),
        (json!(["filesystem", "network"]), vec![]),
        (json!(["web_fetch"]), vec![not_built(&[ToolId::WebFetch])]),
        (json!({ "network": { "web_search": false } }), vec![not_built(&[ToolId::WebFetch])]),
        (json!({ "network": { "web_search": false, "web_fetch": false } }), vec![]),
        (json!(["cron", "network", "bash"]), vec![not_built(&[ToolId::Cron]), shell]),
    ];
    for (capabilities, expected) in table {
        assert_eq!(
            unavailable(&scene, capabilities.clone()),
            (expected.is_empty(), expected),
            "{capabilities}"
        );
    }
    scene.built_tools.insert(ToolId::Exec);
    assert_eq!(unavailable(&scene, json!(["shell"])), (true, vec![]));
}

#[test]
fn tool_policy_of_the_agent_makes_a_skill_unavailable() {
    let denied = |tools: &[ToolId], keys: &[&str]| UnavailableTools::Denied {
        tools: tools.to_vec(),
        keys: keys.iter().map(|&key| key.to_owned()).collect(),
    };
    let table = [
        ("{}", vec![]),
        ("{ tools: { deny: ['web_fetch'] } }", vec![]),
        (
            "{ tools: { deny: ['web_fetch'] }, agents: { list: [{ id: 'main', tools: { allow: ['read'] } }] } }",
            vec![denied(
                &[ToolId::WebFetch, ToolId::WebSearch],
                &["agents.list[main].tools.allow", "tools.deny"],
            )],
        ),
        (
            "{ tools: { profile: 'minimal' } }",
            vec![denied(&[ToolId::WebFetch, ToolId::WebSearch], &["tools.profile"])],
        ),
    ];
    for (config, expected) in table {
        let scene = Scene::new(config);
        assert_eq!(unavailable(&scene, json!(["network"])), (expected.is_empty(), expected), "{config}");
    }
    // What is not built cannot be switched on, so it is not named.
    let mut scene = Scene::new("{ tools: { deny: ['group:web'] } }");
    scene.built_tools = [ToolId::WebSearch].into();
    assert_eq!(
        unavailable(&scene, json!(["network"])),
        (false, vec![denied(&[ToolId::WebSearch], &["tools.deny"])])
    );
}

#[test]
fn always_skips_the_tools_too() {
    let mut scene = Scene::new("{}");
    scene.built_tools.clear();
    let declared = DeclaredCapabilities::parse(Some(&json!(["shell"])));
    let always = declaring("always", Metadata { always: Some(true), ..Metadata::default() });
    let result = evaluate(&Candidate { capabilities: &declared, ..candidate(&always) }, &scene.rules());
    assert_eq!((result.eligible, result.unavailable_tools), (true, vec![]));
}
