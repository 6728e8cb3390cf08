//! Decides where a conversation is cut: earlier messages are summarised, later ones are kept.
//!
//! A call is never separated from its results. A turn is split only if it is the last one and too large by itself.

use tarsus_protocol::{Block, Role};

use super::budget::message_tokens;
use crate::model::transcript::ContextMessage;

/// The index of the first message to keep, so that the rest has at most `max_tokens`, if possible. `None` if nothing can be
/// cut.
pub(super) fn first_kept(messages: &[ContextMessage], max_tokens: u64) -> Option<usize> {
    let sizes: Vec<u64> = messages.iter().map(|context| message_tokens(&context.message)).collect();
    let after = |from: usize| sizes.get(from..).unwrap_or_default().iter().sum::<u64>();
    let is_opening = |at: &usize| messages[*at].number == messages[*at].opening;
    let turns: Vec<usize> = (0..messages.len()).filter(is_opening).collect();
    let last = *turns.last()?;
    let cut = match turns.into_iter().find(|at| after(*at) <= max_tokens) {
        Some(at) => at,
        None => {
            // The opening of the last turn is kept in any case.
            let left = max_tokens.saturating_sub(sizes.get(last).copied().unwrap_or_default());
            let parts: Vec<usize> =
                (last + 2..messages.len()).filter(|at| can_start(messages, *at)).collect();
            let fitting = parts.iter().find(|at| after(**at) <= left);
            fitting.or(parts.last()).copied().unwrap_or(last)
        }
    };
    (cut > 0).then_some(cut)
}

/// Whether the kept messages can start here.
fn can_start(messages: &[ContextMessage], at: usize) -> bool {
    !matches!(messages[at].message.role, Role::ToolResult { .. })
}

/// The names of the tools that a message calls.
pub(super) fn called_tools(context: &ContextMessage) -> impl Iterator<Item = &str> {
    context.message.content.iter().filter_map(|block| match block {
        Block::ToolCall(call) => Some(call.name.as_str()),
        _ => None,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use serde_json::Map;
    use tarsus_protocol::Message;
    use tarsus_protocol::message::ToolCall;

    use super::*;

    pub(in crate::model::compact) fn message(
        number: u64,
        opening: u64,
        role: Role,
        text: &str,
    ) -> ContextMessage {
        ContextMessage {
            number,
            opening,
            message: Message { role, content: vec![Block::text(text)], timestamp: None },
        }
    }

    pub(in crate::model::compact) fn result(number: u64, opening: u64, text: &str) -> ContextMessage {
        let role = Role::ToolResult {
            tool_call_id: "1".to_owned(),
            tool_name: "read".to_owned(),
            is_error: false,
            details: None,
        };
        message(number, opening, role, text)
    }

    pub(in crate::model::compact) fn call(number: u64, opening: u64) -> ContextMessage {
        let call = ToolCall { id: "1".to_owned(), name: "read".to_owned(), arguments: Map::new() };
        let mut context = message(number, opening, Role::Assistant, "I look.");
        context.message.content.push(Block::ToolCall(call));
        context
    }

    /// Ten tokens each, except for the calls with eight.
    fn talk() -> Vec<ContextMessage> {
        let text = "x".repeat(24);
        vec![
            message(1, 1, Role::User, &text),
            message(2, 1, Role::Assistant, &text),
            message(3, 3, Role::User, &text),
            call(4, 3),
            result(5, 3, &text),
            result(6, 3, &text),
            call(7, 3),
            result(8, 3, &text),
            message(9, 3, Role::Assistant, &text),
        ]
    }

    #[test]
    fn turns_stay_whole_and_only_the_last_is_split() {
        let all: u64 = talk().iter().map(|context| message_tokens(&context.message)).sum();
        let table = [
            (u64::MAX, None),
            (all, None),
            (all - 1, Some(2)),
            (all - 20, Some(2)),
            // The opening of the turn, and what follows the first calls.
            (all - 21, Some(6)),
            (30, Some(8)),
            (0, Some(8)),
        ];
        for (max, cut) in table {
            assert_eq!(first_kept(&talk(), max), cut, "{max}");
        }
        assert_eq!(first_kept(&[], 0), None);
        assert_eq!(first_kept(&talk()[..1], 0), None, "a question is never cut off");
        assert_eq!(first_kept(&talk()[2..4], 0), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn call_is_never_split_from_its_results(
            kinds in proptest::collection::vec(0_u8..4, 1..40), max in 0_u64..400
        ) {
            let mut opening = 1;
            let talk: Vec<ContextMessage> = (1_u64..).zip(&kinds).map(|(number, kind)| match kind {
                0 => { opening = number; message(number, opening, Role::User, "a question of some length") }
                1 => message(number, opening, Role::Assistant, "an answer"),
                2 => call(number, opening),
                _ => result(number, opening, "what was found, which may be longer"),
            }).collect();
            if let Some(cut) = first_kept(&talk, max) {
                prop_assert!(cut < talk.len());
                prop_assert!(can_start(&talk, cut) || talk[cut].number == talk[cut].opening);
            }
        }
    }
}
