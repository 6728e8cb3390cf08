//! What a model is told of a transcript: summaries, and messages that a turn takes in.

use crate::scene::{Scene, answer_of, lines, new_message, run, text};
use tarsus_store::{
    Context, Durability, Joined, NewItem, Outcome, RunState, Store, StoreError, Summary, Written,
};

const MAIN: &str = "agent:main:main";

fn answered(store: &Store, id: &str, at_ms: i64) {
    store.accept(new_message(MAIN, id, &format!("{id}?"), at_ms)).wait().unwrap();
    let item = answer_of(MAIN, Some(id), &format!("{id}!"), at_ms);
    store.conclude(item, run(id), Outcome::Finished, None, Durability::KillSafe).wait().unwrap();
}

fn remark() -> NewItem {
    answer_of(MAIN, None, "summarised", 9)
}

fn told(context: &Context) -> Vec<(u64, String)> {
    context.items.iter().map(|item| (item.number, text(&item.message))).collect()
}

#[test]
fn the_newest_summary_stands_for_what_is_before_it_and_every_item_stays() {
    let scene = Scene::new();
    let store = scene.open();
    answered(&store, "a", 1);
    answered(&store, "b", 2);
    store.accept(new_message(MAIN, "c", "c?", 3)).wait().unwrap();
    let whole = store.context(&run("c")).unwrap().unwrap();
    assert_eq!((whole.summary.as_ref(), whole.remark, told(&whole)), (None, 0, lines(&store, MAIN)));

    for (opening, text) in [(3, "a was said"), (5, "a and b were said")] {
        let summary = Summary { opening, first: opening, text: text.to_owned() };
        store.summarise(run("c"), summary, remark()).wait().unwrap();
    }
    let context = store.context(&run("c")).unwrap().unwrap();
    assert_eq!(context.summary.as_ref().map(|summary| summary.text.as_str()), Some("a and b were said"));
    assert_eq!(context.remark, 7);
    let rest = [(5, "c?"), (6, "summarised"), (7, "summarised")].map(|(number, text)| (number, text.into()));
    assert_eq!(told(&context), rest);
    assert_eq!(lines(&store, MAIN).len(), 7, "people find all of it");
    assert_eq!(store.context(&run("unknown")).unwrap(), None);
}

#[test]
fn a_summary_is_of_a_run_that_goes_on_and_of_a_size_that_can_be_told() {
    let scene = Scene::new();
    let store = scene.open();
    answered(&store, "a", 1);
    let summary = |text: String| Summary { opening: 1, first: 1, text };
    let refused = |id: &str, summary| store.summarise(run(id), summary, remark()).wait().unwrap_err();
    assert!(matches!(refused("a", summary("short".to_owned())), StoreError::RunOver(_)));
    assert!(matches!(refused("b", summary("short".to_owned())), StoreError::NoRun(_)));
    assert!(matches!(refused("a", summary("x".repeat(1024 * 1024 + 1))), StoreError::TooLarge { .. }));
    assert_eq!(store.context(&run("a")).unwrap().unwrap().summary, None);
    assert_eq!(lines(&store, MAIN).len(), 2, "nor is there a remark about one");
}

#[test]
fn a_message_that_a_turn_takes_in_is_over_and_known_to_be_told_there() {
    let scene = Scene::new();
    let store = scene.open();
    for (id, at_ms) in [("a", 1), ("b", 2), ("c", 3)] {
        store.accept(new_message(MAIN, id, &format!("{id}?"), at_ms)).wait().unwrap();
    }
    let into = Joined { run: run("a"), after: 1 };
    let Written { syncs, .. } = store.written();
    store.join(2, run("b"), into.clone(), 4).wait().unwrap();
    assert_eq!(store.written().syncs, syncs + 1, "what the model is told was said outlives the power");
    assert_eq!(store.run(&run("b")).unwrap().unwrap().state, RunState::Finished);
    let context = store.context(&run("a")).unwrap().unwrap();
    let joined: Vec<_> = context.items.iter().map(|item| item.joined.clone()).collect();
    assert_eq!(joined, [None, Some(into.clone()), None]);

    assert!(matches!(store.join(2, run("b"), into.clone(), 5).wait(), Err(StoreError::RunOver(_))));
    let others = store.join(1, run("c"), into.clone(), 5).wait();
    assert!(matches!(others, Err(StoreError::NoRun(_))), "the item is another run's");
    assert_eq!(store.run(&run("c")).unwrap().unwrap().state, RunState::Started, "all or nothing");
    store.finish(run("a"), Outcome::Finished, 6, Durability::KillSafe).wait().unwrap();
    assert!(matches!(store.join(3, run("c"), into, 7).wait(), Err(StoreError::RunOver(_))));
}
