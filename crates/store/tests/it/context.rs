//! The context of a model: summaries, and messages that join a turn.

use crate::fixture::{Fixture, answer_of, lines, new_message, run, text};
use tarsus_store::{
    Context, Durability, JoinPoint, NewItem, RunEnd, RunState, Store, StoreError, Summary, WriterStats,
};

const MAIN: &str = "agent:main:main";

fn answered(store: &Store, id: &str, at_ms: i64) {
    store.accept(new_message(MAIN, id, &format!("{id}?"), at_ms)).wait().unwrap();
    let item = answer_of(MAIN, Some(id), &format!("{id}!"), at_ms);
    store.conclude(item, run(id), RunEnd::Finished, None, Durability::KillSafe).wait().unwrap();
}

fn remark() -> NewItem {
    answer_of(MAIN, None, "summarised", 9)
}

fn numbered_texts(context: &Context) -> Vec<(u64, String)> {
    context.items.iter().map(|item| (item.number, text(&item.message))).collect()
}

#[test]
fn newest_summary_replaces_older_items_in_the_context() {
    let fixture = Fixture::new();
    let store = fixture.open();
    answered(&store, "a", 1);
    answered(&store, "b", 2);
    store.accept(new_message(MAIN, "c", "c?", 3)).wait().unwrap();
    let whole = store.context(&run("c")).unwrap().unwrap();
    assert_eq!(
        (whole.summary.as_ref(), whole.remark, numbered_texts(&whole)),
        (None, 0, lines(&store, MAIN))
    );

    for (opening, text) in [(3, "a was said"), (5, "a and b were said")] {
        let summary = Summary { opening, first: opening, text: text.to_owned() };
        store.summarise(run("c"), summary, remark()).wait().unwrap();
    }
    let context = store.context(&run("c")).unwrap().unwrap();
    assert_eq!(context.summary.as_ref().map(|summary| summary.text.as_str()), Some("a and b were said"));
    assert_eq!(context.remark, 7);
    let rest = [(5, "c?"), (6, "summarised"), (7, "summarised")].map(|(number, text)| (number, text.into()));
    assert_eq!(numbered_texts(&context), rest);
    assert_eq!(lines(&store, MAIN).len(), 7, "the transcript keeps all items");
    assert_eq!(store.context(&run("unknown")).unwrap(), None);
}

#[test]
fn summary_needs_a_running_run_and_a_bounded_size() {
    let fixture = Fixture::new();
    let store = fixture.open();
    answered(&store, "a", 1);
    let summary = |text: String| Summary { opening: 1, first: 1, text };
    let refused = |id: &str, summary| store.summarise(run(id), summary, remark()).wait().unwrap_err();
    assert!(matches!(refused("a", summary("short".to_owned())), StoreError::RunEnded(_)));
    assert!(matches!(refused("b", summary("short".to_owned())), StoreError::NoRun(_)));
    assert!(matches!(refused("a", summary("x".repeat(1024 * 1024 + 1))), StoreError::TooLarge { .. }));
    assert_eq!(store.context(&run("a")).unwrap().unwrap().summary, None);
    assert_eq!(lines(&store, MAIN).len(), 2, "no remark was added");
}

#[test]
fn joined_message_ends_its_run_and_joins_the_turn() {
    let fixture = Fixture::new();
    let store = fixture.open();
    for (id, at_ms) in [("a", 1), ("b", 2), ("c", 3)] {
        store.accept(new_message(MAIN, id, &format!("{id}?"), at_ms)).wait().unwrap();
    }
    let into = JoinPoint { run: run("a"), after: 1 };
    let WriterStats { syncs, .. } = store.writer_stats();
    store.join_message(2, run("b"), into.clone(), 4).wait().unwrap();
    assert_eq!(store.writer_stats().syncs, syncs + 1, "a joined message is power-safe");
    assert_eq!(store.run(&run("b")).unwrap().unwrap().state, RunState::Finished);
    let context = store.context(&run("a")).unwrap().unwrap();
    let joined: Vec<_> = context.items.iter().map(|item| item.joined.clone()).collect();
    assert_eq!(joined, [None, Some(into.clone()), None]);

    assert!(matches!(store.join_message(2, run("b"), into.clone(), 5).wait(), Err(StoreError::RunEnded(_))));
    let others = store.join_message(1, run("c"), into.clone(), 5).wait();
    assert!(matches!(others, Err(StoreError::NoRun(_))), "the item belongs to another run");
    assert_eq!(store.run(&run("c")).unwrap().unwrap().state, RunState::Started, "all or nothing");
    store.finish(run("a"), RunEnd::Finished, 6, Durability::KillSafe).wait().unwrap();
    assert!(matches!(store.join_message(3, run("c"), into, 7).wait(), Err(StoreError::RunEnded(_))));
}
