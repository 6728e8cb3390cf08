//! Known secrets, taken out of text as it comes: of replies and of what tools print.
//!
//! Promises: no byte of a whole secret gets through, however the text was cut; the rest is unchanged; the work grows with
//! the text alone. Leaves to others: which values are secret, and secrets in another spelling.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

/// What stands in place of a secret.
pub const HIDDEN: &str = "[hidden]";

/// Shorter values are left alone: they are parts of ordinary words.
const SHORTEST: usize = 6;

/// The values to look for, as a tree of their letters. Cheap to clone.
#[derive(Clone)]
pub struct Secrets(Arc<Tree>);

struct Tree {
    nodes: Vec<Node>,
}

/// What has been seen of one or more values.
#[derive(Default)]
struct Node {
    next: BTreeMap<u8, usize>,
    /// The longest end of this that is the beginning of a value too.
    fallback: usize,
    /// Bytes up to here.
    depth: usize,
    /// The length of the longest value that ends here; 0 for none.
    ends: usize,
}

impl Secrets {
    /// Values of fewer than six bytes are not looked for.
    #[must_use]
    pub fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let mut tree = Tree { nodes: vec![Node::default()] };
        for value in values.into_iter().filter(|value| value.len() >= SHORTEST) {
            tree.insert(value.as_bytes());
        }
        tree.link();
        Self(Arc::new(tree))
    }

    /// A mask for one stream.
    #[must_use]
    pub fn mask(&self) -> Mask {
        Mask {
            secrets: self.clone(),
            at: ROOT,
            kept: String::new(),
            origin: 0,
            out: 0,
            covered: VecDeque::new(),
            #[cfg(test)]
            work: 0,
        }
    }

    /// A whole text without the secrets.
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

    /// Sets the fallbacks, the shallow nodes first.
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

    /// Where one more byte leads, and how many nodes were asked.
    fn step(&self, mut at: usize, byte: u8) -> (usize, usize) {
        let mut asked = 1;
        loop {
            if let Some(next) = self.nodes[at].next.get(&byte) {
                return (*next, asked);
            }
            if at == ROOT {
                return (ROOT, asked);
            }
            at = self.nodes[at].fallback;
            asked += 1;
        }
    }
}

/// Hides secrets in one stream. Made by [`Secrets::mask`]. Places are counted from the beginning of the stream.
pub struct Mask {
    secrets: Secrets,
    at: usize,
    /// The end of the stream, from `origin` on.
    kept: String,
    origin: usize,
    /// Up to here everything is out.
    out: usize,
    /// The parts that are secret and not out yet, in order, apart from each other.
    covered: VecDeque<Range<usize>>,
    #[cfg(test)]
    work: usize,
}

impl Mask {
    /// Takes the next piece; gives what holds no secret.
    pub fn push(&mut self, piece: &str) -> String {
        let mut out = String::with_capacity(piece.len());
        for letter in piece.chars() {
            self.kept.push(letter);
            let mut bytes = [0; 4];
            for byte in letter.encode_utf8(&mut bytes).bytes() {
                let (at, _asked) = self.secrets.0.step(self.at, byte);
                self.at = at;
                #[cfg(test)]
                {
                    self.work += _asked;
                }
            }
            let Node { depth, ends, .. } = self.secrets.0.nodes[self.at];
            let end = self.origin + self.kept.len();
            if ends > 0 {
                self.cover(end - ends..end);
            }
            // What lies before the beginning of a possible secret can be part of none any more.
            self.release(end - depth, &mut out);
        }
        out
    }

    /// The end of the stream: what was held back.
    #[must_use]
    pub fn finish(mut self) -> String {
        let mut out = String::new();
        self.release(self.origin + self.kept.len(), &mut out);
        out
    }

    /// Secrets that share bytes are hidden as one.
    fn cover(&mut self, mut range: Range<usize>) {
        while let Some(last) = self.covered.pop_back_if(|last| last.end > range.start) {
            range.start = range.start.min(last.start);
        }
        self.covered.push_back(range);
    }

    /// Gives everything up to a place.
    fn release(&mut self, to: usize, text: &mut String) {
        while self.out < to {
            let next = self.covered.front().cloned().filter(|range| range.start < to);
            let plain_to = next.as_ref().map_or(to, |range| range.start).max(self.out);
            text.push_str(&self.kept[self.out - self.origin..plain_to - self.origin]);
            self.out = plain_to;
            if let Some(range) = next {
                // What was begun before has its stand-in already.
                if range.start == self.out {
                    text.push_str(HIDDEN);
                }
                self.out = range.end.min(to);
                if range.end <= to {
                    self.covered.pop_front();
                }
            }
        }
        self.forget();
    }

    /// Lets go of what is out, when it is the larger part.
    fn forget(&mut self) {
        let gone = self.out - self.origin;
        if gone > self.kept.len() / 2 {
            #[cfg(test)]
            {
                self.work += self.kept.len();
            }
            self.kept.drain(..gone);
            self.origin = self.out;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn secrets() -> Secrets {
        Secrets::new(["sk-abcabcabd", "abcabc", "päss😀wort", "aaaaaaaa", "aaaaaaaab", "short"])
    }

    /// The law, said plainly: every byte of an occurrence is covered; what shares bytes is one.
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
        assert_eq!(Secrets::new([]).hide("anything"), "anything");
    }

    #[test]
    fn nothing_of_a_secret_is_out_before_it_is_known_to_be_none() {
        let mut mask = secrets().mask();
        let pieces = ["x sk-abc", "abcab", "d", " y"].map(|piece| mask.push(piece));
        assert_eq!(pieces, ["x ", "", "", "[hidden] y"]);
        assert_eq!(mask.finish(), "");
    }

    #[test]
    fn the_work_grows_with_the_text_alone() {
        let long = "a".repeat(4_000);
        for text in ["a".repeat(20_000), "ab".repeat(10_000), format!("{}b", "a".repeat(3_999)).repeat(5)] {
            let mut mask = Secrets::new([long.as_str()]).mask();
            for letter in text.chars() {
                mask.push(letter.encode_utf8(&mut [0; 4]));
            }
            assert!(mask.work <= 6 * text.len(), "{} for {}", mask.work, text.len());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn every_way_to_cut_a_text_hides_the_same(
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
