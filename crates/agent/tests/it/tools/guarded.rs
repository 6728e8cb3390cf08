//! The tools behind guard: what is judged is what is run, and what an active skill may not lead to does not happen.

use std::time::Duration;

use serde_json::json;
use tarsus_guard::{Activation, Authorization};
use tarsus_host::Clock;
use tarsus_protocol::authorize::{Inspector, Verdict};

use crate::tools::scene::{Scene, SceneBuilder, failure, success};

const FULL: &str = r#"{ "Game": { "launch_path": "/no/such/game", "mode": "full", "allowed_agents": [] } }"#;
const REGISTRY: &str = ".openclaw/registries/application_registry.json";

fn builder() -> SceneBuilder {
    let builder = SceneBuilder::new();
    builder.write(REGISTRY, FULL);
    builder.skill(".openclaw/skills/theirs", "theirs", "Say the time.");
    builder.note("a.md", "inside\n");
    builder
}

fn allowed(decision: Authorization) -> tarsus_guard::Authorized {
    match decision {
        Authorization::Allowed(authorized) => authorized,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn community_skill_without_shell_cannot_use_apps() {
    let scene = builder().open();
    let context = scene.context();
    let game = json!({"name": "Game"});
    let proposal = json!({"action": "delete", "name": "Game"});
    let none = Activation::default();
    for (tool, arguments) in [("app_launch", &game), ("app_stop", &game), ("app_propose", &proposal)] {
        assert!(
            matches!(scene.decide(&context, tool, arguments, &none), Authorization::Allowed(_)),
            "{tool}"
        );
    }
    let active = scene.call("read", json!({"path": "~/.openclaw/skills/theirs/SKILL.md"})).await.activated;
    for (tool, arguments) in [("app_launch", &game), ("app_stop", &game), ("app_propose", &proposal)] {
        let Authorization::Denied(refusal) = scene.decide(&context, tool, arguments, &active) else {
            panic!("{tool}")
        };
        let against: Vec<_> =
            refusal.strictest_reasons().map(|reason| (reason.inspector, reason.skill.clone())).collect();
        assert_eq!(against, [(Inspector::Capabilities, Some("theirs".to_owned()))], "{tool}");
        let remedy = refusal.strictest_reasons().next().and_then(|reason| reason.remedy.clone());
        assert_eq!(remedy.as_deref(), Some("tarsus skills grant theirs shell"), "{tool}");
    }
    for (tool, arguments) in [
        ("read", json!({"path": "a.md"})),
        ("apps_list", json!({})),
        ("app_status", json!({})),
        ("agents_list", json!({})),
        ("session_status", json!({})),
    ] {
        let authorized = allowed(scene.decide(&context, tool, &arguments, &active));
        success(&scene.toolbox.run(authorized, &context).await);
    }
    let set = json!({"model": "default"});
    let Authorization::Denied(refusal) = scene.decide(&context, "session_status", &set, &active) else {
        panic!("a skill sets the model")
    };
    let reason = refusal.strictest_reasons().next().unwrap();
    assert_eq!(
        reason.message,
        "session_status changes no settings of a session because of community skills: theirs"
    );
}

#[tokio::test]
async fn app_policy_is_part_of_the_decision() {
    let mixed = r#"{
        "Listed": { "launch_path": "/x", "mode": "allowlist", "allowed_agents": ["writer"] },
        "Off": { "launch_path": "/x", "mode": "off", "allowed_agents": [] },
        "Open": { "launch_path": "/x", "mode": "full", "allowed_agents": [] },
        "Broken": { "launch_path": 5 }
    }"#;
    let builder = SceneBuilder::new();
    builder.write(REGISTRY, mixed);
    let scene = builder.open();
    let context = scene.context();
    let table = [
        ("Listed", Some(("the agent main is not on the allowlist of Listed", true))),
        ("off", Some(("Off is off: nobody may launch or stop it", true))),
        ("Broken", Some(("the entry of Broken is not valid", true))),
        ("open", None),
        ("unknown", None),
    ];
    for tool in ["app_launch", "app_stop"] {
        for (name, denied) in &table {
            let decision = scene.decide(&context, tool, &json!({"name": name}), &Activation::default());
            let against = match &decision {
                Authorization::Denied(refusal) => refusal
                    .strictest_reasons()
                    .map(|reason| {
                        assert_eq!((reason.inspector, reason.verdict), (Inspector::AppPolicy, Verdict::Deny));
                        (reason.message.as_ref(), reason.remedy.is_some())
                    })
                    .next(),
                Authorization::Allowed(_) => None,
                Authorization::NeedsApproval(pending) => panic!("{pending:?}"),
            };
            assert_eq!(against, *denied, "{tool} {name}");
        }
    }
}

#[tokio::test]
async fn permission_is_bound_to_session_and_time() {
    let scene = builder().open();
    let context = scene.context();
    let read = json!({"path": "a.md"});
    let authorized = || allowed(scene.decide(&context, "read", &read, &Activation::default()));
    let other = scene.context_with(|context| context.session = "agent:main:other".parse().unwrap());
    let error = failure(&scene.toolbox.run(authorized(), &other).await);
    assert_eq!(error, "the permission for read is for another session");
    let (clock, hand) = Clock::fixed(1_000_000);
    hand.advance(Duration::from_secs(60));
    let later = scene.context_at(clock, |_| {});
    let error = failure(&scene.toolbox.run(authorized(), &later).await);
    assert_eq!(error, "the permission for read expired after 60 seconds; request it again");
    assert_eq!(success(&scene.toolbox.run(authorized(), &context).await), "inside\n");
}

#[tokio::test]
async fn judged_arguments_use_canonical_names() {
    let scene = Scene::with(&[]);
    let context = scene.context();
    let prepare = |tool: &str, arguments| scene.toolbox.prepare(tool, &arguments, None, &context);
    let prepared = prepare("read", json!({"file_path": "a", "offset": 2.0})).unwrap();
    assert_eq!(prepared.call.arguments, json!({"path": "a", "offset": 2}));
    assert!(prepared.is_read_only && prepared.app_policy.is_none());
    let problem = prepare("Read", json!({})).unwrap_err();
    assert!(problem.next_step().starts_with("use one of read, write, "), "{problem:?}");
    let reads = [
        ("session_status", json!({}), true),
        ("session_status", json!({"model": "default"}), false),
        ("apps_list", json!({}), true),
        ("app_status", json!({}), true),
        ("agents_list", json!({}), true),
        ("memory_get", json!({"path": "x"}), true),
        ("write", json!({"path": "x", "content": ""}), false),
        ("edit", json!({"path": "x", "oldText": "a", "newText": "b"}), false),
        ("apply_patch", json!({"input": ""}), false),
        ("app_launch", json!({"name": "x"}), false),
        ("app_stop", json!({"name": "x"}), false),
        ("app_propose", json!({"action": "add", "name": "x"}), false),
    ];
    for (tool, arguments, is_read_only) in reads {
        assert_eq!(prepare(tool, arguments).unwrap().is_read_only, is_read_only, "{tool}");
    }
}
