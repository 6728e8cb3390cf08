//! Every way to read a request, compared with one name after the other.
//!
//! Promises: the work grows with the words of the request and of the names, not with the number of ways to read it. The
//! way that leaves out the least decides.

use std::ops::Range;

use crate::fold::Word;

/// The rank of a part of the request that is no way to read it.
const NONE: usize = usize::MAX;

/// A request being compared with names.
pub(super) struct Reading<'w, 'n> {
    request: &'w [Word<'w>],
    /// The rank of each way to read the request, by begin and end; the smaller, the less is left out.
    ranks: Vec<Vec<usize>>,
    /// The rank of the longest telling way that begins here and ends at or before there.
    telling: Vec<Vec<usize>>,
    /// For each word of the request, how many words from it on the name has in common at the place looked at.
    runs: Vec<usize>,
    /// The names that are the words of a way.
    pub(super) same: Best<'n>,
    /// The names inside which the words of a telling way stand from the start of a word on; the last one may go on there.
    pub(super) inside: Best<'n>,
}

/// The names of the best rank so far, in the order in which they came.
pub(super) struct Best<'n> {
    rank: usize,
    pub(super) names: Vec<&'n str>,
}

impl<'n> Best<'n> {
    const fn new() -> Self {
        Self { rank: NONE, names: Vec::new() }
    }

    fn offer(&mut self, rank: usize, name: &'n str) {
        if rank < self.rank {
            self.rank = rank;
            self.names.clear();
        }
        if rank == self.rank && rank != NONE {
            self.names.push(name);
        }
    }
}

impl<'w, 'n> Reading<'w, 'n> {
    /// `ways` come in the order in which they count; `is_telling` says which may stand for a longer name.
    pub(super) fn new(
        request: &'w [Word<'w>],
        ways: &[Range<usize>],
        is_telling: impl Fn(&Range<usize>) -> bool,
    ) -> Self {
        let all = request.len();
        let mut ranks = vec![vec![NONE; all + 1]; all + 1];
        let mut telling = ranks.clone();
        for (rank, way) in ways.iter().enumerate() {
            ranks[way.start][way.end] = rank;
            if is_telling(way) {
                telling[way.start][way.end] = rank;
            }
        }
        for by_end in &mut telling {
            for end in 1..=all {
                by_end[end] = by_end[end].min(by_end[end - 1]);
            }
        }
        let runs = vec![0; all + 1];
        Self { request, ranks, telling, runs, same: Best::new(), inside: Best::new() }
    }

    /// Takes a name into account.
    pub(super) fn compare(&mut self, name: &'n str, words: &[Word<'_>]) {
        self.runs.fill(0);
        let mut inside = NONE;
        for at in (0..words.len()).rev() {
            for begin in 0..self.request.len() {
                let same = words[at].text == self.request[begin].text;
                // The entry after this one is still that of the next word of the name.
                self.runs[begin] = if same { self.runs[begin + 1] + 1 } else { 0 };
                inside = inside.min(self.telling[begin][self.reached(begin, at, words)]);
            }
        }
        let ends = self.runs.iter().enumerate().filter(|(_, run)| **run == words.len() && **run > 0);
        let same = ends.map(|(begin, run)| self.ranks[begin][begin + run]).min();
        self.same.offer(same.unwrap_or(NONE), name);
        self.inside.offer(inside, name);
    }

    /// Where the request has come to when its words from `begin` on are read at a place in the name.
    fn reached(&self, begin: usize, at: usize, words: &[Word<'_>]) -> usize {
        let run = self.runs[begin];
        let goes_on = match (self.request.get(begin + run), words.get(at + run)) {
            (Some(wanted), Some(word)) => word.text.starts_with(wanted.text),
            _ => false,
        };
        begin + run + usize::from(goes_on)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fold::words;
    use crate::polite::without_polite;

    /// The rules one by one: the first way that any name fits decides.
    fn one_by_one<'n>(
        request: &[Word<'_>],
        ways: &[Range<usize>],
        names: &[&'n str],
        fits: impl Fn(&[Word<'_>], &[Word<'_>]) -> bool,
    ) -> Vec<&'n str> {
        let found = ways.iter().map(|way| {
            let fitting = names.iter().filter(|name| fits(&words(name), &request[way.clone()]));
            fitting.copied().collect::<Vec<_>>()
        });
        found.into_iter().find(|names| !names.is_empty()).unwrap_or_default()
    }

    fn same_words(name: &[Word<'_>], wanted: &[Word<'_>]) -> bool {
        name.len() == wanted.len() && name.iter().zip(wanted).all(|(name, wanted)| name.text == wanted.text)
    }

    fn begins_inside(name: &[Word<'_>], wanted: &[Word<'_>]) -> bool {
        let (last, before) = wanted.split_last().unwrap();
        name.windows(wanted.len()).any(|run| {
            same_words(&run[..before.len()], before) && run[before.len()].text.starts_with(last.text)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn all_ways_at_once_find_what_one_by_one_finds(
            request in "((the|my|app|a|ab|abc|b|please) ){1,7}",
            names in prop::collection::vec("((the|app|a|ab|abc|b) ?){1,4}", 0..5),
            least in 0usize..4,
        ) {
            let request = words(&request);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let ways = without_polite(&request);
            let is_telling = |way: &Range<usize>| way.len() >= least;
            let mut reading = Reading::new(&request, &ways, is_telling);
            for name in &names {
                reading.compare(name, &words(name));
            }
            prop_assert_eq!(reading.same.names, one_by_one(&request, &ways, &names, same_words));
            let telling: Vec<_> = ways.into_iter().filter(is_telling).collect();
            prop_assert_eq!(reading.inside.names, one_by_one(&request, &telling, &names, begins_inside));
        }
    }
}
