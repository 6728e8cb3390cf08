//! What the model is shown of a session: its items, turn by turn.
//!
//! Promises: a turn stands together, however its items lie between those of others in the transcript; what is shown for
//! one turn is the beginning of what is shown for the next. Leaves to others: what providers want it to look like.

use std::collections::BTreeMap;

use tarsus_protocol::{Message, Role};
use tarsus_store::{Item, RunId};

use crate::commands;

/// The messages of a session up to and with a run, the oldest turn first. Turns that a slash command answered are the
/// person's business with us, and not shown; nor is what waits for its own turn.
pub fn messages(items: Vec<Item>, until: &RunId) -> Vec<Message> {
    let mut turns: Vec<Vec<Message>> = Vec::new();
    let mut place: BTreeMap<RunId, usize> = BTreeMap::new();
    let mut last = None;
    for Item { run, message, .. } in items {
        let at = match run.as_ref().and_then(|run| place.get(run)) {
            Some(at) => *at,
            None => {
                turns.push(Vec::new());
                let at = turns.len() - 1;
                if let Some(run) = run {
                    if run == *until {
                        last = Some(at);
                    }
                    place.insert(run, at);
                }
                at
            }
        };
        turns[at].push(message);
    }
    turns.truncate(last.map_or(turns.len(), |last| last + 1));
    turns.retain(|turn| !is_command(turn));
    turns.into_iter().flatten().filter(|message| !matches!(message.role, Role::Custom { .. })).collect()
}

fn is_command(turn: &[Message]) -> bool {
    let first = turn.first().filter(|message| message.role == Role::User);
    first.is_some_and(|message| commands::read(&message.text()).is_some())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tarsus_protocol::Block;
    use tarsus_store::Speaker;

    use super::*;

    fn item(number: u64, run: &str, role: Role, text: &str) -> Item {
        Item {
            number,
            run: Some(run.parse().unwrap()),
            speaker: Speaker::from(&role),
            at_ms: 0,
            message: Message { role, content: vec![Block::text(text)], timestamp: None },
        }
    }

    fn shown(items: Vec<Item>, until: &str) -> Vec<String> {
        messages(items, &until.parse().unwrap()).iter().map(Message::text).collect()
    }

    #[test]
    fn turns_stand_together_and_what_waits_is_not_shown() {
        let remark = Role::Custom { custom_type: "run-interrupted".to_owned() };
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
