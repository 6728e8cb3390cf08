//! What the model is shown of a session: a summary of what is old, then its items, turn by turn.
//!
//! Promises: a turn stands together, however its items lie between those of others in the transcript, with the messages
//! that it took in where it did; what is shown for one turn is the beginning of what is shown for the next, until
//! something is summarised. Leaves to others: what providers want it to look like.

use std::collections::BTreeMap;

use tarsus_protocol::{Block, Message, Role};
use tarsus_store::{Context, ContextItem, RunId};

use super::dispatch;
use crate::commands;

/// The remark that says what the model is told in place of a message that calls for a skill.
pub const SKILL_COMMAND: &str = "skill-command";

/// A message that the model is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The number of its item.
    pub number: u64,
    /// The number of the message that opens its turn.
    pub opening: u64,
    /// The message.
    pub message: Message,
}

/// The messages of a session up to and with a run, the oldest turn first; without what a summary stands for. Turns that
/// a slash command answered are the person's business with us, and not shown; nor is what waits for its own turn.
pub fn messages(context: Context, until: &RunId) -> Vec<Shown> {
    let Context { summary, items, .. } = context;
    let mut turns = turns(items, until);
    turns.retain(|turn| !is_command(turn));
    turns.iter_mut().for_each(|turn| tell_of_skill(turn));
    let mut shown = Vec::new();
    for turn in turns {
        let Some(opening) = turn.first().map(|item| item.number) else { continue };
        // A turn that is told in part is told from its opening on, without what came next.
        let skipped = summary.as_ref().filter(|summary| summary.opening == opening);
        let from = skipped.and_then(|summary| turn.iter().position(|item| item.number == summary.first));
        let from = from.unwrap_or_default();
        let told = turn.into_iter().enumerate().filter(|(at, _)| *at == 0 || *at >= from);
        let spoken = told.filter(|(_, item)| !matches!(item.message.role, Role::Custom { .. }));
        shown.extend(spoken.map(|(_, ContextItem { number, message, .. })| Shown {
            number,
            opening,
            message,
        }));
    }
    shown
}

/// The items of each turn up to a run's, in the order in which they are told.
fn turns(items: Vec<ContextItem>, until: &RunId) -> Vec<Vec<ContextItem>> {
    let mut turns: Vec<Vec<ContextItem>> = Vec::new();
    let mut place: BTreeMap<RunId, usize> = BTreeMap::new();
    let mut last = None;
    for item in items {
        let of = item.joined.as_ref().map(|joined| &joined.run).or(item.run.as_ref());
        let at = match of.and_then(|run| place.get(run)) {
            Some(at) => *at,
            // It ends a turn that began before what is told; only a person opens one.
            None if item.joined.is_some() || (of.is_some() && item.message.role != Role::User) => continue,
            None => {
                turns.push(Vec::new());
                let at = turns.len() - 1;
                if let Some(run) = of {
                    if run == until {
                        last = Some(at);
                    }
                    place.insert(run.clone(), at);
                }
                at
            }
        };
        turns[at].push(item);
    }
    turns.truncate(last.map_or(turns.len(), |last| last + 1));
    for turn in turns.iter_mut().filter(|turn| turn.iter().any(|item| item.joined.is_some())) {
        turn.sort_by_key(|item| match &item.joined {
            Some(joined) => (joined.after, true, item.number),
            None => (item.number, false, 0),
        });
    }
    turns
}

fn is_command(turn: &[ContextItem]) -> bool {
    let Some(first) = turn.first().filter(|item| item.message.role == Role::User) else { return false };
    let is_ours = commands::read(&first.message.text()).is_some() && told_of_skill(turn).is_none();
    is_ours || dispatch::is_dispatched(first.number, turn.iter().map(|item| &item.message))
}

/// What the model is told in place of the message that opens a turn.
fn told_of_skill(turn: &[ContextItem]) -> Option<String> {
    let is_it =
        |role: &Role| matches!(role, Role::Custom { custom_type, .. } if custom_type == SKILL_COMMAND);
    turn.iter().find(|item| is_it(&item.message.role)).map(|item| item.message.text())
}

/// A message that calls for a skill is told as what was made of it; what is attached to it stays.
fn tell_of_skill(turn: &mut [ContextItem]) {
    let Some(told) = told_of_skill(turn) else { return };
    let opening = turn.first_mut().into_iter().flat_map(|item| &mut item.message.content);
    let mut texts = opening.filter(|block| matches!(block, Block::Text(_)));
    if let Some(words) = texts.next() {
        *words = Block::text(told);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tarsus_store::{Joined, Summary};

    use super::*;

    fn item(number: u64, run: &str, role: Role, text: &str) -> ContextItem {
        ContextItem {
            number,
            run: Some(run.parse().unwrap()),
            joined: None,
            message: Message { role, content: vec![Block::text(text)], timestamp: None },
        }
    }

    fn told(context: Context, until: &str) -> Vec<String> {
        messages(context, &until.parse().unwrap()).iter().map(|shown| shown.message.text()).collect()
    }

    fn shown(items: Vec<ContextItem>, until: &str) -> Vec<String> {
        told(Context { items, ..Context::default() }, until)
    }

    #[test]
    fn turns_stand_together_and_what_waits_is_not_shown() {
        let remark = Role::remark("run-interrupted");
        let items = vec![
            item(1, "a", Role::User, "one"),
            item(2, "b", Role::User, "two"),
            item(3, "c", Role::User, "/status"),
            item(4, "a", Role::Assistant, "first"),
            item(5, "d", Role::User, "three"),
            item(6, "b", Role::Assistant, "second"),
            item(7, "c", Role::Assistant, "all is well"),
            item(8, "b", remark, "cut"),
        ];
        assert_eq!(shown(items.clone(), "a"), ["one", "first"]);
        assert_eq!(shown(items.clone(), "b"), ["one", "first", "two", "second"]);
        assert_eq!(shown(items, "d"), ["one", "first", "two", "second", "three"]);
    }

    #[test]
    fn a_message_that_a_turn_took_in_stands_where_it_was_taken_in() {
        let joined = |item: ContextItem, after| {
            let run = "a".parse().unwrap();
            ContextItem { joined: Some(Joined { run, after }), ..item }
        };
        let items = vec![
            item(1, "a", Role::User, "one"),
            item(2, "a", Role::Assistant, "look"),
            joined(item(3, "b", Role::User, "two"), 5),
            joined(item(4, "c", Role::User, "three"), 5),
            item(5, "a", Role::Assistant, "found"),
            item(6, "d", Role::User, "four"),
            item(7, "a", Role::Assistant, "answer"),
        ];
        let one = ["one", "look", "found", "two", "three", "answer"];
        assert_eq!(shown(items.clone(), "a"), one);
        assert_eq!(shown(items, "d"), [&one[..], &["four"]].concat());
    }

    #[test]
    fn what_a_summary_stands_for_is_not_shown() {
        let taken_in = Joined { run: "a".parse().unwrap(), after: 3 };
        let items = vec![
            item(2, "b", Role::User, "two"),
            item(3, "a", Role::Assistant, "the end of a turn that began before"),
            ContextItem { joined: Some(taken_in), ..item(4, "c", Role::User, "which took this in") },
            item(5, "b", Role::Assistant, "call"),
            item(6, "b", Role::Assistant, "result"),
            item(7, "b", Role::Assistant, "answer"),
            item(8, "d", Role::User, "three"),
        ];
        let with = |first| {
            let summary = Summary { opening: 2, first, text: "one".to_owned() };
            told(Context { summary: Some(summary), remark: 0, items: items.clone() }, "d")
        };
        assert_eq!(with(2), ["two", "call", "result", "answer", "three"]);
        assert_eq!(with(7), ["two", "answer", "three"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_one_turn_was_shown_begins_what_the_next_is_shown(
            runs in proptest::collection::vec(0_usize..6, 1..40)
        ) {
            // Whoever speaks first in a run is its person; turns end in the order in which they began.
            let mut begun = Vec::new();
            let mut items = Vec::new();
            for (number, run) in runs.iter().enumerate() {
                let role = if begun.contains(run) { Role::Assistant } else { Role::User };
                if role == Role::User {
                    begun.push(*run);
                }
                items.push(item(number as u64 + 1, &run.to_string(), role, &number.to_string()));
            }
            for pair in begun.windows(2) {
                let before = shown(items.clone(), &pair[0].to_string());
                let after = shown(items.clone(), &pair[1].to_string());
                prop_assert!(after.starts_with(&before));
            }
        }
    }
}
