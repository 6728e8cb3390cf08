//! Where a conversation is cut: what is before is summarised, what is after is told as it is.
//!
//! Promises: a call is never split from its results; a turn is cut only when it is the last one and too large by itself.

use tarsus_protocol::{Block, Role};

use super::budget::message_tokens;
use crate::model::transcript::ContextMessage;

/// The first message that is told as it is, so that those from there on have at most so many tokens, where that can be
/// had. `None` when there is nothing to be cut off.
pub(super) fn first_kept(shown: &[ContextMessage], most: u64) -> Option<usize> {
    let sizes: Vec<u64> = shown.iter().map(|shown| message_tokens(&shown.message)).collect();
    let after = |from: usize| sizes.get(from..).unwrap_or_default().iter().sum::<u64>();
    let turns: Vec<usize> = (0..shown.len()).filter(|at| shown[*at].number == shown[*at].opening).collect();
    let last = *turns.last()?;
    let cut = match turns.into_iter().find(|at| after(*at) <= most) {
        Some(at) => at,
        None => {
            // Its opening is told in any case.
            let left = most.saturating_sub(sizes.get(last).copied().unwrap_or_default());
            let parts: Vec<usize> = (last + 2..shown.len()).filter(|at| begins(shown, *at)).collect();
            let fitting = parts.iter().find(|at| after(**at) <= left);
            fitting.or(parts.last()).copied().unwrap_or(last)
        }
    };
    (cut > 0).then_some(cut)
}

/// Whether nothing before a message belongs to it.
fn begins(shown: &[ContextMessage], at: usize) -> bool {
    !matches!(shown[at].message.role, Role::ToolResult { .. })
}

/// The names of the tools that a message calls.
pub(super) fn called(shown: &ContextMessage) -> impl Iterator<Item = &str> {
    shown.message.content.iter().filter_map(|block| match block {
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

    pub(in crate::model::compact) fn shown(
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
        shown(number, opening, role, text)
    }

    pub(in crate::model::compact) fn call(number: u64, opening: u64) -> ContextMessage {
        let call = ToolCall { id: "1".to_owned(), name: "read".to_owned(), arguments: Map::new() };
        let mut shown = shown(number, opening, Role::Assistant, "I look.");
        shown.message.content.push(Block::ToolCall(call));
        shown
    }

    /// Ten tokens each, but for the calls, which have eight.
    fn talk() -> Vec<ContextMessage> {
        let text = "x".repeat(24);
        vec![
            shown(1, 1, Role::User, &text),
            shown(2, 1, Role::Assistant, &text),
            shown(3, 3, Role::User, &text),
            call(4, 3),
            result(5, 3, &text),
            result(6, 3, &text),
            call(7, 3),
            result(8, 3, &text),
            shown(9, 3, Role::Assistant, &text),
        ]
    }

    #[test]
    fn turns_are_kept_whole_while_they_fit_and_the_last_is_cut_between_calls() {
        let all: u64 = talk().iter().map(|shown| message_tokens(&shown.message)).sum();
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
        for (most, cut) in table {
            assert_eq!(first_kept(&talk(), most), cut, "{most}");
        }
        assert_eq!(first_kept(&[], 0), None);
        assert_eq!(first_kept(&talk()[..1], 0), None, "a question is never cut off");
        assert_eq!(first_kept(&talk()[2..4], 0), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_call_is_never_split_from_its_results(
            kinds in proptest::collection::vec(0_u8..4, 1..40), most in 0_u64..400
        ) {
            let mut opening = 1;
            let talk: Vec<ContextMessage> = (1_u64..).zip(&kinds).map(|(number, kind)| match kind {
                0 => { opening = number; shown(number, opening, Role::User, "a question of some length") }
                1 => shown(number, opening, Role::Assistant, "an answer"),
                2 => call(number, opening),
                _ => result(number, opening, "what was found, which may be longer"),
            }).collect();
            if let Some(cut) = first_kept(&talk, most) {
                prop_assert!(cut < talk.len());
                prop_assert!(begins(&talk, cut) || talk[cut].number == talk[cut].opening);
            }
        }
    }
}
