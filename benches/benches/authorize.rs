//! Authorizing tool calls: the decision alone, an allowed call, and a denial with its record. The floor is 10,000
//! authorizations per second on one thread; the rate of a mixture of calls is printed first.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a benchmark keeps its own time"
)]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use divan::counter::ItemsCount;
use divan::{Bencher, bench, black_box};
use jiff::Timestamp;
use serde_json::json;
use tarsus_audit::Audit;
use tarsus_guard::{
    Activation, ActivationCause, Authorization, Call, CallContext, CallFacts, DeclaredCapabilities,
    DetectableSkill, Guard, PathBases, PolicyVerdict, Program, SkillDetector, SkillId, SkillPermissions,
    SkillSet, SkillSubject, decide,
};
use tarsus_home::settings::{Enforcement, SkillRecords};
use tarsus_home::{Home, HomeOptions};
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::grants::{ContentHash, Pinned};
use tempfile::TempDir;

const CALLS: usize = 20_000;
const FLOOR: f64 = 10_000.0;

fn main() {
    let scene = Scene::new(100, 8);
    let context = scene.context();
    let calls: Vec<Call> =
        (0..CALLS).map(|number| call(["exec", "read", "write", "web_fetch"][number % 4])).collect();
    let start = Instant::now();
    for call in calls {
        let Authorization::Allowed(authorized) = scene.guard.authorize(call, &context, Timestamp::UNIX_EPOCH)
        else {
            panic!("every skill here has every capability");
        };
        black_box(authorized.redeem("agent:main:main", Timestamp::UNIX_EPOCH).unwrap());
    }
    let rate = CALLS as f64 / start.elapsed().as_secs_f64();
    println!("authorizations a second, 8 of 100 community skills active: {rate:.0} (the floor is {FLOOR})");
    divan::main();
}

struct Scene {
    guard: Guard,
    skills: SkillSet,
    active: Activation,
    _dir: TempDir,
}

fn hash() -> ContentHash {
    "a".repeat(64).parse().unwrap()
}

fn name(number: usize) -> String {
    format!("skill-{number:04}")
}

fn id(number: usize) -> SkillId {
    SkillId { name: name(number), hash: Some(hash()) }
}

impl Scene {
    /// So many community skills, some of them active; each declares every capability, with limits.
    fn new(loaded: usize, active: usize) -> Self {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let choice = HomeOptions { state_flag: Some(dir.path().to_owned()), ..HomeOptions::default() };
        let audit = Audit::open(&Home::locate(&choice).unwrap(), None).unwrap();
        let declared = DeclaredCapabilities::parse(Some(&json!({
            "shell": {"mode": "restricted", "allow": ["cat", "gh", "git", "jq", "rsync"]},
            "filesystem": {"paths": ["out", "notes", "tmp"]},
            "network": {"hosts": ["api.example.org", "*.example.com"]},
            "sessions": {"maxDepth": 2}, "browser": {}, "messaging": {}, "scheduling": {},
        })));
        let seen = Pinned { hash: hash(), capabilities: Capability::ALL.into() };
        let records = SkillRecords {
            seen: (0..loaded).map(|number| (name(number), seen.clone())).collect(),
            ..SkillRecords::default()
        };
        let stand = |number| {
            let declared = declared.clone();
            let natural = TrustTier::Community;
            SkillPermissions::resolve(
                SkillSubject {
                    name: name(number),
                    natural,
                    hash: Some(hash()),
                    declared,
                    critical: BTreeSet::new(),
                },
                &records,
            )
        };
        let mut session = Activation::default();
        (0..active)
            .for_each(|number| session.activate(id(number), TrustTier::Community, ActivationCause::Read));
        let skills = (0..loaded).map(stand).collect();
        Self { guard: Guard::new(Arc::new(audit)), skills, active: session, _dir: dir }
    }

    fn context(&self) -> CallContext<'_> {
        CallContext {
            agent: "main",
            session: "agent:main:main",
            run: Some("run"),
            enforcement: Enforcement::Active,
            skills: &self.skills,
            active: &self.active,
            path_bases: PathBases { workspace: Path::new("/w"), home: Some(Path::new("/home/p")) },
            tool_policy: PolicyVerdict::allow("the agent has every tool"),
            app_policy: None,
            recent: &[],
        }
    }
}

fn call(tool: &str) -> Call {
    let programs = vec![
        Program { written: "git".into(), path: "/usr/bin/git".into() },
        Program { written: "jq".into(), path: "/usr/bin/jq".into() },
    ];
    let facts = CallFacts {
        programs: Some(programs),
        hosts: Some(vec!["api.example.org".into()]),
        paths: Some(vec!["/w/out/a/b.txt".into()]),
        ..CallFacts::default()
    };
    let arguments = json!({"command": "git log --format=json | jq .", "workdir": "/w"});
    Call { tool: tool.into(), arguments, facts, dispatched_by: None }
}

#[bench(args = [0, 1, 8, 64])]
fn judged(bencher: Bencher, active: usize) {
    let scene = Scene::new(100, active);
    let (call, context) = (call("exec"), scene.context());
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| decide(black_box(&call), &context));
}

#[bench(args = [0, 8])]
fn authorized(bencher: Bencher, active: usize) {
    let scene = Scene::new(100, active);
    let context = scene.context();
    bencher
        .counter(ItemsCount::new(1_usize))
        .with_inputs(|| call("exec"))
        .bench_local_values(|call| scene.guard.authorize(call, &context, Timestamp::UNIX_EPOCH));
}

#[bench]
fn refused_with_its_record_in_memory(bencher: Bencher) {
    let scene = Scene::new(100, 8);
    let context = scene.context();
    bencher
        .counter(ItemsCount::new(1_usize))
        .with_inputs(|| call("gateway"))
        .bench_local_values(|call| scene.guard.authorize(call, &context, Timestamp::UNIX_EPOCH));
}

/// A tool output that mentions the folders of a thousand skills.
#[bench]
fn watched_64_kib_of_output(bencher: Bencher) {
    let watched = |number| DetectableSkill {
        skill: id(number),
        tier: TrustTier::Community,
        folder: format!("/home/p/.openclaw/skills/{}", name(number)).into(),
        command: Some(name(number)),
    };
    let places = PathBases { workspace: Path::new("/w"), home: Some(Path::new("/home/p")) };
    let watch = SkillDetector::new((0..1_000).map(watched).collect(), places);
    let text = "drwxr-xr-x 2 p p 4096 /home/p/.openclaw/media/skill-0001 ~/work\n".repeat(1_024);
    bencher.counter(divan::counter::BytesCount::of_str(&text)).bench_local(|| {
        let mut active = Activation::default();
        watch.detect_in_output(black_box(&text), &mut active);
        active
    });
}
