//! Masks known secrets in streamed text: replies, tool results, program output.
//!
//! No byte of a complete secret passes, however the text is split. Other text is unchanged. The work is linear in the text.
//! Encoded or altered secrets are not recognised.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

/// The replacement of a secret.
pub const HIDDEN: &str = "[hidden]";

/// Shorter values are ignored, as they occur in ordinary text.
const MIN_SECRET_BYTES: usize = 6;

/// The secrets as an Aho-Corasick automaton. Cheap to clone.
#[derive(Clone)]
pub struct SecretMatcher(Arc<Tree>);

struct Tree {
    nodes: Vec<Node>,
}

/// A common prefix of one or more values.
#[derive(Default)]
struct Node {
    next: BTreeMap<u8, usize>,
    /// The longest proper suffix that is a prefix of a value.
    fallback: usize,
    /// Length in bytes.
    depth: usize,
    /// Length of the longest value that ends here, 0 if none.
    ends: usize,
}

impl SecretMatcher {
    /// Ignores values of fewer than six bytes.
    #[must_use]
    pub fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let mut tree = Tree { nodes: vec![Node::default()] };
        for value in values.into_iter().filter(|value| value.len() >= MIN_SECRET_BYTES) {
            tree.insert(value.as_bytes());
        }
        tree.link();
        Self(Arc::new(tree))
    }

    /// Creates a mask for one stream.
    #[must_use]
    pub fn mask(&self) -> Mask {
        Mask {
            secrets: self.clone(),
            at: ROOT,
            kept: String::new(),
            origin: 0,
            emitted: 0,
            covered: VecDeque::new(),
            #[cfg(test)]
            work: 0,
        }
    }

    /// Masks the secrets of a whole text.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        let mut mask = self.mask();
        let mut out = mask.push(text);
        out.push_str(&mask.finish());
        out
    }
}

const ROOT: usize = 0;

impl Tree {
    fn insert(&mut self, value: &[u8]) {
        let mut at = ROOT;
        for (depth, byte) in value.iter().enumerate() {
            let new = self.nodes.len();
            let next = *self.nodes[at].next.entry(*byte).or_insert(new);
            if next == new {
                self.nodes.push(Node { depth: depth + 1, ..Node::default() });
            }
            at = next;
        }
        self.nodes[at].ends = value.len();
    }

    /// Sets the fallbacks, breadth first.
    fn link(&mut self) {
        let mut queue: VecDeque<usize> = self.nodes[ROOT].next.values().copied().collect();
        while let Some(at) = queue.pop_front() {
            let children: Vec<(u8, usize)> =
                self.nodes[at].next.iter().map(|(byte, next)| (*byte, *next)).collect();
            for (byte, child) in children {
                let (fallback, _) = self.step(self.nodes[at].fallback, byte);
                self.nodes[child].fallback = fallback;
                self.nodes[child].ends = self.nodes[child].ends.max(self.nodes[fallback].ends);
                queue.push_back(child);
            }
        }
    }

    /// The node after one more byte, and the number of visited nodes.
    fn step(&self, mut at: usize, byte: u8) -> (usize, usize) {
        let mut visited = 1;
        loop {
            if let Some(next) = self.nodes[at].next.get(&byte) {
                return (*next, visited);
            }
            if at == ROOT {
                return (ROOT, visited);
            }
            at = self.nodes[at].fallback;
            visited += 1;
        }
    }
}

/// Masks the secrets of one stream. Positions are counted from the start of the stream.
pub struct Mask {
    secrets: SecretMatcher,
    at: usize,
    /// The buffered end of the stream, from `origin` on.
    kept: String,
    origin: usize,
    /// Everything before this position was emitted.
    emitted: usize,
    /// Secrets that are not emitted yet, in order, without overlaps.
    covered: VecDeque<Range<usize>>,
    #[cfg(test)]
    work: usize,
}

impl Mask {
    /// Takes the next piece and returns the text that contains no secret.
    pub fn push(&mut self, piece: &str) -> String {
        let mut out = String::with_capacity(piece.len());
        for letter in piece.chars() {
            self.kept.push(letter);
            let mut bytes = [0; 4];
            for byte in letter.encode_utf8(&mut bytes).bytes() {
                let (at, _visited) = self.secrets.0.step(self.at, byte);
                self.at = at;
                #[cfg(test)]
                {
                    self.work += _visited;
                }
            }
            let Node { depth, ends, .. } = self.secrets.0.nodes[self.at];
            let end = self.origin + self.kept.len();
            if ends > 0 {
                self.cover(end - ends..end);
            }
            // Text before the start of a possible secret cannot become part of one.
            self.release(end - depth, &mut out);
        }
        out
    }

    /// Returns the text that was held back.
    #[must_use]
    pub fn finish(mut self) -> String {
        let mut out = String::new();
        self.release(self.origin + self.kept.len(), &mut out);
        out
    }

    /// Adds a secret; overlapping ones are merged.
    fn cover(&mut self, mut range: Range<usize>) {
        while let Some(last) = self.covered.pop_back_if(|last| last.end > range.start) {
            range.start = range.start.min(last.start);
        }
        self.covered.push_back(range);
    }

    /// Emits everything up to a position.
    fn release(&mut self, to: usize, text: &mut String) {
        while self.emitted < to {
            let next = self.covered.front().cloned().filter(|range| range.start < to);
            let plain_to = next.as_ref().map_or(to, |range| range.start).max(self.emitted);
            text.push_str(&self.kept[self.emitted - self.origin..plain_to - self.origin]);
            self.emitted = plain_to;
            if let Some(range) = next {
                // A secret that was emitted in part already has its replacement.
                if range.start == self.emitted {
                    text.push_str(HIDDEN);
                }
                self.emitted = range.end.min(to);
                if range.end <= to {
                    self.covered.pop_front();
                }
            }
        }
        self.shrink();
    }

    /// Drops the emitted text once it is the larger part of the buffer.
    fn shrink(&mut self) {
        let gone = self.emitted - self.origin;
        if gone > self.kept.len() / 2 {
            #[cfg(test)]
            {
                self.work += self.kept.len();
            }
            self.kept.drain(..gone);
            self.origin = self.emitted;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn secrets() -> SecretMatcher {
        SecretMatcher::new(["sk-abcabcabd", "abcabc", "päss😀wort", "aaaaaaaa", "aaaaaaaab", "short"])
    }

    /// The specification: every byte of an occurrence is masked; overlapping occurrences are one.
    fn expected(text: &str, values: &[&str]) -> String {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut all: Vec<Range<usize>> = (0..text.len())
            .flat_map(|at| values.iter().map(move |value| at..at + value.len()))
            .filter(|range| {
                values.iter().any(|value| text.as_bytes().get(range.clone()) == Some(value.as_bytes()))
            })
            .collect();
        all.sort_by_key(|range| (range.start, range.end));
        for range in all {
            match ranges.last_mut().filter(|last| last.end > range.start) {
                Some(last) => last.end = last.end.max(range.end),
                None => ranges.push(range),
            }
        }
        let (mut out, mut from) = (String::new(), 0);
        for range in ranges {
            out.push_str(&text[from..range.start]);
            out.push_str(HIDDEN);
            from = range.end;
        }
        out.push_str(&text[from..]);
        out
    }

    #[test]
    fn secrets_are_hidden_and_short_values_are_not() {
        for (text, hidden) in [
            ("key sk-abcabcabd!", "key [hidden]!"),
            ("sk-abcabcab", "sk-[hidden]ab"),
            ("päss😀wortpäss😀wort", "[hidden][hidden]"),
            ("päss😀wor", "päss😀wor"),
            ("a short text", "a short text"),
            ("aaaaaaaaaaaaab", "[hidden]"),
            ("", ""),
        ] {
            assert_eq!(secrets().hide(text), hidden, "{text}");
        }
        assert_eq!(SecretMatcher::new([]).hide("anything"), "anything");
    }

    #[test]
    fn possible_secrets_are_held_back() {
        let mut mask = secrets().mask();
        let pieces = ["x sk-abc", "abcab", "d", " y"].map(|piece| mask.push(piece));
        assert_eq!(pieces, ["x ", "", "", "[hidden] y"]);
        assert_eq!(mask.finish(), "");
    }

    #[test]
    fn work_is_linear_in_the_text() {
        let long = "a".repeat(4_000);
        for text in ["a".repeat(20_000), "ab".repeat(10_000), format!("{}b", "a".repeat(3_999)).repeat(5)] {
            let mut mask = SecretMatcher::new([long.as_str()]).mask();
            for letter in text.chars() {
                mask.push(letter.encode_utf8(&mut [0; 4]));
            }
            assert!(mask.work <= 6 * text.len(), "{} for {}", mask.work, text.len());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn masking_is_independent_of_chunking(
            text in "(a|b|c|d|sk-|abc|abcabc|aaaa|päss|😀|wort|[ -~])*",
            cuts in prop::collection::vec(0_usize..200, 0..20),
        ) {
            let values = ["sk-abcabcabd", "abcabc", "päss😀wort", "aaaaaaaa", "aaaaaaaab"];
            let whole = secrets().hide(&text);
            prop_assert_eq!(&whole, &expected(&text, &values));
            let mut mask = secrets().mask();
            let mut out = String::new();
            for piece in super::super::tests::pieces(&text, &cuts) {
                out.push_str(&mask.push(piece));
            }
            out.push_str(&mask.finish());
            prop_assert_eq!(out, whole);
        }
    }
}
