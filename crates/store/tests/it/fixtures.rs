//! A store of every released version opens with its data.
//!
//! `TARSUS_MAKE_FIXTURE=1 cargo nextest run -p tarsus-store fixture_of_every_version` adds a missing file for the current
//! version. Existing files are never replaced.

use std::fs;
use std::path::{Path, PathBuf};

use crate::fixture::{Fixture, answer_of, key, lines, new_message, result_of, run};
use serde_json::json;
use tarsus_audit::Head;
use tarsus_protocol::exec::{Ask, Reasoning, Verbose};
use tarsus_protocol::rpc::files::UndoState;
use tarsus_store::{
    AuditAnchor, ConversationState, DailyUsage, Draft, Durability, FileMark, HistoryQuery, JoinPoint,
    NewCall, NewFileChange, OpenCall, RequestUsage, RunEnd, RunNote, RunState, SessionPatch, SingleLine,
    Store, Summary, TriedModel, UsageTotals, VERSION,
};

const MAIN: &str = "agent:main:main";
const OPS: &str = "agent:ops:main";

fn database(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/v{version}.db"))
}

/// Fills every table.
fn populate(store: &Store) {
    store.accept(new_message(MAIN, "finished", "hello", 1)).wait().unwrap();
    store.append(answer_of(MAIN, Some("finished"), "good day", 2), Durability::KillSafe).wait().unwrap();
    store.finish(run("finished"), RunEnd::Finished, 3, Durability::KillSafe).wait().unwrap();
    let usage = RequestUsage {
        run: run("finished"),
        model: "local/small".parse().unwrap(),
        input: 10,
        output: 2,
        cache_read: 1,
        cache_write: 0,
        cost_nano_usd: Some(5),
        at_ms: 3,
    };
    store.add_usage(usage, Durability::KillSafe).wait().unwrap();
    store.reset(key(MAIN), 4).wait().unwrap();
    store.accept(new_message(MAIN, "failed", "again", 5)).wait().unwrap();
    store
        .finish(run("failed"), RunEnd::Failed("no model".to_owned()), 6, Durability::KillSafe)
        .wait()
        .unwrap();
    let patch = SessionPatch {
        label: Some(Some("Notes".parse().unwrap())),
        exec_ask: Some(Some(Ask::Always)),
        ..SessionPatch::default()
    };
    store.patch(key(MAIN), patch, 7).wait().unwrap();
    store
        .set_conversation(key(MAIN), Some(&json!({"screen": "menu"})), 8, Durability::KillSafe)
        .wait()
        .unwrap();
    store.accept(new_message("agent:ops:main", "left", "go", 9)).wait().unwrap();
    populate_turn(store);
    populate_context(store);
    populate_visibility(store);
    populate_file_changes(store);
}

/// The additions of version 2: calls, a draft, run notes, a request with its answer.
fn populate_turn(store: &Store) {
    let usage = RequestUsage {
        run: run("left"),
        model: "local/small".parse().unwrap(),
        input: 20,
        output: 4,
        cache_read: 0,
        cache_write: 2,
        cost_nano_usd: None,
        at_ms: 10,
    };
    let call = |id: &str, begun| NewCall { id: id.to_owned(), tool: "read".to_owned(), begun };
    let calls = vec![call("a", true), call("b", false)];
    let asks = answer_of(OPS, Some("left"), "I look.", 10);
    store.append_answer(asks, calls, Some(usage), Durability::KillSafe).wait().unwrap();
    store
        .record_result(run("left"), "a".to_owned(), result_of(OPS, "left", "a", "found", 11))
        .wait()
        .unwrap();
    let tried = TriedModel { model: "far/large".parse().unwrap(), reason: "overloaded".to_owned() };
    let note = RunNote {
        model: Some("local/small".parse().unwrap()),
        tried: vec![tried],
        skills_version: Some("7".parse().unwrap()),
        reply_to: Some("12".parse().unwrap()),
        is_silent: true,
    };
    store.note_run(run("left"), note).wait().unwrap();
    store.set_activation(run("left"), r#"{"skills":[]}"#.to_owned()).wait().unwrap();
    let patch = SessionPatch { reasoning: Some(Some(Reasoning::Stream)), ..SessionPatch::default() };
    store.patch(key(OPS), patch, 12).wait().unwrap();
    store.append_draft(run("left"), "It ".to_owned(), 12).wait().unwrap();
    store.append_draft(run("left"), "is".to_owned(), 13).wait().unwrap();
}

/// Checks these additions after any later migration.
fn check_turn(store: &Store) {
    let left = &store.recovery().unfinished[0];
    assert_eq!(left.draft, Some(Draft { text: "It is".to_owned(), at_ms: 13 }));
    assert_eq!(left.calls, [OpenCall { id: "b".to_owned(), tool: "read".to_owned(), begun: false }]);
    let as_text = |line: &SingleLine| line.as_str().to_owned();
    assert_eq!(
        (
            left.run.model.as_ref().map(as_text),
            left.run.skills_version.as_ref().map(as_text),
            left.run.tool_calls
        ),
        (Some("local/small".to_owned()), Some("7".to_owned()), 2)
    );
    assert_eq!(left.run.tried[0].reason, "overloaded");
    assert_eq!((left.run.reply_to.as_ref().map(as_text).as_deref(), left.run.is_silent), (Some("12"), true));
    assert_eq!(store.activation(&run("left")).unwrap().as_deref(), Some(r#"{"skills":[]}"#));
    assert_eq!(store.session(&key(OPS)).unwrap().unwrap().settings.reasoning, Some(Reasoning::Stream));
    let last = store.last_usage(&key(OPS)).unwrap().unwrap();
    assert_eq!((last.item, last.usage.input, last.usage.cost_nano_usd), (5, 20, None));
}

/// The additions of version 3: a summary, and a message that joined a turn.
fn populate_context(store: &Store) {
    store.accept(new_message(OPS, "later", "and this", 14)).wait().unwrap();
    let joined = JoinPoint { run: run("left"), after: 6 };
    store.join_message(7, run("later"), joined, 15).wait().unwrap();
    let summary = Summary { opening: 4, first: 5, text: "it went".to_owned() };
    store.summarise(run("left"), summary, answer_of(OPS, None, "summarised", 16)).wait().unwrap();
}

/// The addition of version 4: what a session shows of tool calls.
fn populate_visibility(store: &Store) {
    let patch = SessionPatch { verbose: Some(Some(Verbose::On)), ..SessionPatch::default() };
    store.patch(key(OPS), patch, 17).wait().unwrap();
}

/// The additions of version 6: a file that a run changed, and the mark of its content.
fn populate_file_changes(store: &Store) {
    let change = NewFileChange {
        path: "/w/a.md".to_owned(),
        root: "/w".to_owned(),
        shown: "a.md".to_owned(),
        moved_from: None,
        prior: Some("0a".to_owned()),
        prior_mode: Some(0o644),
        after: Some("0b".to_owned()),
        bytes: 10,
        added: Some(2),
        removed: Some(1),
        folders: 0,
        is_kept: true,
    };
    let mark = FileMark { path: change.path.clone(), hash: "0b".to_owned(), activation: "{}".to_owned() };
    store.record_file_changes(run("left"), vec![change], vec![mark], 18).wait().unwrap();
}

/// Checks these additions after any later migration.
fn check_file_changes(store: &Store) {
    let changes = store.file_changes(&run("left")).unwrap();
    let seen: Vec<_> = changes
        .iter()
        .map(|change| (change.shown.as_str(), change.before.as_deref(), change.added, change.state))
        .collect();
    assert_eq!(seen, [("a.md", Some("0a"), Some(2), UndoState::Possible)]);
    assert_eq!(store.file_mark("/w/a.md", "0b").unwrap().as_deref(), Some("{}"));
    assert_eq!(store.runs_with_changes(&key(OPS), 10).unwrap(), [run("left")]);
}

/// Checks these additions after any later migration.
fn check_context(store: &Store) {
    let context = store.context(&run("left")).unwrap().unwrap();
    assert_eq!(context.summary, Some(Summary { opening: 4, first: 5, text: "it went".to_owned() }));
    let joined: Vec<_> = context.items.iter().map(|item| (item.number, item.joined.clone())).collect();
    let taken_in = JoinPoint { run: run("left"), after: 6 };
    assert_eq!(joined, [(4, None), (5, None), (6, None), (7, Some(taken_in)), (8, None)]);
}

/// Checks the data after any migration.
fn check(store: &Store) {
    let session = store.session(&key(MAIN)).unwrap().unwrap();
    assert_eq!((session.created_ms, session.updated_ms, session.items), (1, 7, 1));
    assert_eq!(session.label.map(|label| label.as_str().to_owned()).as_deref(), Some("Notes"));
    assert_eq!((session.settings.exec_ask, session.settings.model), (Some(Ask::Always), None));
    assert_eq!(lines(store, MAIN), [(3, "again".to_owned())]);
    let before = store.transcripts(&key(MAIN)).unwrap().remove(0).session_id;
    let page = store
        .history(&HistoryQuery { session_id: Some(before), ..HistoryQuery::for_session(key(MAIN)) })
        .unwrap()
        .unwrap();
    assert_eq!(page.items.iter().map(|item| item.number).collect::<Vec<_>>(), [1, 2]);
    let state = |id| store.run(&run(id)).unwrap().map(|run| (run.state, run.ended_ms, run.error));
    assert_eq!(state("finished"), Some((RunState::Finished, Some(3), None)));
    assert_eq!(state("failed"), Some((RunState::Failed, Some(6), Some("no model".to_owned()))));
    assert_eq!(state("left"), Some((RunState::Started, None, None)));
    let conversation = ConversationState { state: json!({"screen": "menu"}), at_ms: 8 };
    assert_eq!(store.conversation(&key(MAIN)).unwrap(), Some(conversation));
    let spent = UsageTotals {
        requests: 1,
        input: 10,
        output: 2,
        cache_read: 1,
        cache_write: 0,
        cost_nano_usd: 5,
        unpriced: 0,
    };
    assert_eq!(store.usage_by_day(0..10).unwrap(), [DailyUsage { day_ms: 0, totals: spent }]);
    let last = lines(store, OPS).last().map(|(number, _)| *number);
    let next = store.append(answer_of(MAIN, None, "next", 10), Durability::KillSafe).wait().unwrap();
    assert_eq!(Some(next), last.map(|last| last + 1));
}

/// The end of an audit chain.
fn anchored() -> Head {
    Head { seq: 7, hash: "0a".repeat(32).parse().unwrap(), month: "2026-11".parse().ok(), bytes: 1_234 }
}

#[test]
fn fixture_of_every_version_opens_with_its_data() {
    if std::env::var_os("TARSUS_MAKE_FIXTURE").is_some() && !database(VERSION).exists() {
        let fixture = Fixture::new();
        populate(&fixture.open());
        AuditAnchor::for_home(&fixture.home).save(&anchored(), Durability::PowerSafe).unwrap();
        fs::copy(fixture.home.store_path(), database(VERSION)).unwrap();
    }
    for version in 1..=VERSION {
        let fixture = Fixture::new();
        fs::create_dir_all(fixture.home.own_dir()).unwrap();
        fs::copy(database(version), fixture.home.store_path()).unwrap();
        let store = fixture.open();
        assert_eq!(
            store.recovery().migrated.as_ref().map(|migrated| migrated.from),
            (version < VERSION).then_some(version)
        );
        check(&store);
        if version >= 2 {
            check_turn(&store);
        }
        if version >= 3 {
            check_context(&store);
        }
        if version >= 6 {
            check_file_changes(&store);
        }
        let anchor = AuditAnchor::for_home(&fixture.home).load().unwrap();
        assert_eq!(anchor, (version >= 4).then(anchored), "{version}");
        let verbose = store.session(&key(OPS)).unwrap().unwrap().settings.verbose;
        assert_eq!(verbose, (version >= 5).then_some(Verbose::On));
    }
}

#[test]
fn new_store_matches_the_fixture_of_its_version() {
    let schema = |path: &Path| -> Vec<Option<String>> {
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
        let db = rusqlite::Connection::open_with_flags(path, flags).unwrap();
        let mut query = db.prepare("SELECT sql FROM sqlite_schema ORDER BY name").unwrap();
        query.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let (new, old) = (Fixture::new(), Fixture::new());
    drop(new.open());
    fs::create_dir_all(old.home.own_dir()).unwrap();
    fs::copy(database(VERSION), old.home.store_path()).unwrap();
    assert_eq!(schema(&new.home.store_path()), schema(&old.home.store_path()), "a released step was changed");
}

#[test]
fn every_schema_version_is_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/dev/tables.md")).unwrap();
    let (_, section) = page.split_once("\n## Schema versions\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows: Vec<Vec<&str>> = section
        .lines()
        .filter(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| line.split('|').map(|cell| cell.trim().trim_matches('`')).collect())
        .collect();
    let shown: Vec<_> = rows.iter().map(|row| (row[1].to_owned(), row[3].to_owned())).collect();
    let known: Vec<_> = (1..=VERSION)
        .map(|version| (version.to_string(), format!("crates/store/tests/fixtures/v{version}.db")))
        .collect();
    assert_eq!(shown, known);
    assert!(known.iter().all(|(_, path)| root.join(path).is_file()));
}
