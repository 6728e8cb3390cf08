//! What a tool call costs besides the tool: the decision, its audit record and its rows in the store. And what changing
//! files costs beside writing them without a record, in a workspace of 10,000 files. Both on the disk of the temporary
//! folder, with every sync.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a benchmark stops at the first failure"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use divan::counter::ItemsCount;
use divan::{Bencher, bench};
use jiff::Timestamp;
use serde_json::json;
use tarsus_agent::file_changes::{FileChanges, MAX_FILE_BYTES, PlannedChange, PriorContent, PriorFile};
use tarsus_audit::Audit;
use tarsus_guard::{
    Activation, ActivationCause, Authorization, Call, CallContext, CallFacts, DeclaredCapabilities, Guard,
    PathBases, PolicyVerdict, SkillId, SkillPermissions, SkillSet, SkillSubject,
};
use tarsus_home::files::Confined;
use tarsus_home::settings::{Enforcement, SkillRecords};
use tarsus_home::{Home, HomeOptions};
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::{Block, Message, Role};
use tarsus_store::{Durability, NewCall, NewItem, NewMessage, RunId, SessionKey, Store};
use tempfile::TempDir;

/// Files of the workspace.
const FILES: usize = 10_000;

fn main() {
    divan::main();
}

struct Scene {
    home: Home,
    store: Arc<Store>,
    run: RunId,
    session: SessionKey,
    calls: usize,
    folder: TempDir,
}

impl Scene {
    fn new(files: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let state_flag = Some(folder.path().canonicalize().unwrap().join("state"));
        let home = Home::locate(&HomeOptions { state_flag, ..HomeOptions::default() }).unwrap();
        fs::create_dir_all(home.state_dir()).unwrap();
        let store = Arc::new(Store::open(&home).unwrap());
        let (session, run): (SessionKey, RunId) =
            ("agent:main:main".parse().unwrap(), "run".parse().unwrap());
        let message = Message { role: Role::User, content: vec![Block::text("go")], timestamp: None };
        let new = NewMessage { session: session.clone(), run: run.clone(), message, at_ms: 0 };
        store.accept(new).wait().unwrap();
        let scene = Self { home, store, run, session, calls: 0, folder };
        for number in 0..files {
            let path = scene.file(number);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content(0)).unwrap();
        }
        scene
    }

    /// A file of the workspace, of 100 folders.
    fn file(&self, number: usize) -> PathBuf {
        self.workspace().join(format!("{:02}/{number}.md", number % 100))
    }

    fn workspace(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("workspace")
    }

    fn item(&self, role: Role, content: Vec<Block>) -> NewItem {
        let message = Message { role, content, timestamp: None };
        NewItem { session: self.session.clone(), run: Some(self.run.clone()), message, at_ms: 0 }
    }
}

/// Forty lines, one of which depends on the version.
fn content(version: usize) -> String {
    format!("{}version {version}\n", "a line of a note that nobody changes\n".repeat(39))
}

/// A call of a tool that acts, which the audit log records, from the model's answer to the stored result.
#[bench]
fn acting_call_without_its_tool(bencher: Bencher<'_, '_>) {
    let mut scene = Scene::new(0);
    let guard = Guard::new(Arc::new(Audit::open(&scene.home, None).unwrap()));
    let subject = SkillSubject {
        name: "theirs".to_owned(),
        natural: TrustTier::Community,
        hash: Some("a".repeat(64).parse().unwrap()),
        declared: DeclaredCapabilities::default(),
        critical: BTreeSet::new(),
    };
    let skills: SkillSet =
        [SkillPermissions::resolve(subject, &SkillRecords::default())].into_iter().collect();
    let mut active = Activation::default();
    let skill = SkillId { name: "theirs".to_owned(), hash: Some("a".repeat(64).parse().unwrap()) };
    active.activate(skill, TrustTier::Community, ActivationCause::Read);
    bencher.bench_local(|| {
        scene.calls += 1;
        let id = format!("call-{}", scene.calls);
        let context = CallContext {
            agent: "main",
            session: "agent:main:main",
            run: Some("run"),
            // Allowed calls are recorded only then.
            enforcement: Enforcement::Off,
            skills: &skills,
            active: &active,
            path_bases: PathBases { workspace: Path::new("/w"), home: None },
            tool_policy: PolicyVerdict::allow("every tool"),
            app_policy: None,
            recent: &[],
        };
        let call = Call {
            tool: "write".to_owned(),
            arguments: json!({"path": "a.md", "content": "text"}),
            facts: CallFacts::default(),
            dispatched_by: None,
        };
        let new_call = NewCall { id: id.clone(), tool: call.tool.clone(), begun: false };
        let answer = scene.item(Role::Assistant, vec![Block::text("I write.")]);
        scene.store.append_answer(answer, vec![new_call], None, Durability::PowerSafe).wait().unwrap();
        let Authorization::Allowed(authorized) = guard.authorize(call, &context, Timestamp::UNIX_EPOCH)
        else {
            panic!("enforcement is off");
        };
        authorized.redeem("agent:main:main", Timestamp::UNIX_EPOCH).unwrap();
        scene.store.begin_call(scene.run.clone(), id.clone(), 0).wait().unwrap();
        let role = Role::ToolResult {
            tool_call_id: id.clone(),
            tool_name: "write".to_owned(),
            is_error: false,
            details: None,
        };
        let result = scene.item(role, vec![Block::text("Replaced a.md.")]);
        scene.store.record_result(scene.run.clone(), id, result).wait().unwrap();
    });
}

/// Changes of so many files as one call makes them: looked at, recorded, their contents kept, then written.
#[bench(args = [1, 10, 100])]
fn recorded_changes(bencher: Bencher<'_, '_>, files: usize) {
    let mut scene = Scene::new(FILES);
    let changes = FileChanges::new(&scene.home, Arc::clone(&scene.store));
    bencher.counter(ItemsCount::new(files)).bench_local(|| {
        scene.calls += 1;
        let workspace = scene.workspace();
        let root = Confined::open_real(&workspace).unwrap();
        let plan = |number: usize| {
            let path = scene.file(number);
            let below = path.strip_prefix(&workspace).unwrap();
            let (target, existing) = root.write_target(below).unwrap();
            let prior = existing.map(|file| file.read(MAX_FILE_BYTES).unwrap());
            PlannedChange {
                shown: below.display().to_string(),
                root: workspace.clone(),
                prior: prior
                    .map(|bytes| PriorFile { content: PriorContent::Known(bytes), mode: target.mode() }),
                target,
                after: Some(content(scene.calls).into_bytes()),
                moved_from: None,
                moved_mode: None,
                is_control: false,
            }
        };
        let planned: Vec<PlannedChange> = (0..files).map(plan).collect();
        changes.record(&scene.run, &planned, &Activation::default(), 0).unwrap();
        planned.iter().for_each(|change| change.apply().unwrap());
    });
}

/// The same files written without a record and without syncs, as other programs do it.
#[bench(args = [1, 10, 100])]
fn plain_writes(bencher: Bencher<'_, '_>, files: usize) {
    let mut scene = Scene::new(FILES);
    bencher.counter(ItemsCount::new(files)).bench_local(|| {
        scene.calls += 1;
        (0..files).for_each(|number| fs::write(scene.file(number), content(scene.calls)).unwrap());
    });
}
