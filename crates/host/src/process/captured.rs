//! Bounded output: the beginning and the end, and the size of the gap.

use std::collections::VecDeque;

/// The captured output of one stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CapturedOutput {
    /// All bytes, or the beginning and the end.
    pub bytes: Vec<u8>,
    /// The number of omitted bytes.
    pub cut: u64,
    /// The position of the gap in `bytes`; their length when there is none.
    pub cut_at: usize,
}

impl CapturedOutput {
    /// Whether bytes were omitted.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.cut > 0
    }
}

/// Collects output and never holds more than its capacity.
#[derive(Debug, Clone)]
pub(super) struct OutputBuffer {
    head: Vec<u8>,
    head_cap: usize,
    tail: VecDeque<u8>,
    tail_cap: usize,
    cut: u64,
}

impl OutputBuffer {
    /// Half of the capacity is for the beginning, where a program reports what it does, and half for the end, where it
    /// reports why it failed.
    pub(super) const fn new(cap: usize) -> Self {
        let tail_cap = cap / 2;
        Self { head: Vec::new(), head_cap: cap - tail_cap, tail: VecDeque::new(), tail_cap, cut: 0 }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(self.head_cap - self.head.len()));
        self.head.extend_from_slice(head);

        let skipped = rest.len().saturating_sub(self.tail_cap);
        let rest = &rest[skipped..];
        let pushed_out = (self.tail.len() + rest.len()).saturating_sub(self.tail_cap);
        self.tail.drain(..pushed_out);
        self.tail.extend(rest);
        self.cut += (skipped + pushed_out) as u64;
    }

    pub(super) fn finish(self) -> CapturedOutput {
        let mut bytes = self.head;
        let head = bytes.len();
        bytes.extend(self.tail);
        let cut_at = if self.cut > 0 { head } else { bytes.len() };
        CapturedOutput { bytes, cut: self.cut, cut_at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn capture_keeps_beginning_and_end() {
        for (cap, pieces, kept, cut, cut_at) in [
            (10, vec!["hello"], "hello", 0, 5),
            (10, vec!["hello", "world"], "helloworld", 0, 10),
            (10, vec!["hello", "world", "!"], "helloorld!", 1, 5),
            (4, vec!["abcdefgh"], "abgh", 4, 2),
            (5, vec!["abcdefgh"], "abcgh", 3, 3),
            (1, vec!["abc"], "a", 2, 1),
            (0, vec!["abc"], "", 3, 0),
            (10, vec![], "", 0, 0),
        ] {
            let mut keeper = OutputBuffer::new(cap);
            pieces.iter().for_each(|piece| keeper.push(piece.as_bytes()));
            let expected = CapturedOutput { bytes: kept.into(), cut, cut_at };
            assert_eq!(keeper.finish(), expected, "cap {cap}, {pieces:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn capture_does_not_depend_on_chunking(
            pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..12),
            cap in 0_usize..120,
        ) {
            let whole = pieces.concat();
            let (mut split, mut at_once) = (OutputBuffer::new(cap), OutputBuffer::new(cap));
            pieces.iter().for_each(|piece| split.push(piece));
            at_once.push(&whole);
            let captured = split.finish();
            prop_assert_eq!(&captured, &at_once.finish());
            prop_assert!(captured.bytes.len() <= cap);
            prop_assert_eq!(captured.bytes.len() as u64 + captured.cut, whole.len() as u64);
            let (head, tail) = captured.bytes.split_at(captured.cut_at);
            prop_assert!(whole.starts_with(head) && whole.ends_with(tail));
        }
    }
}
