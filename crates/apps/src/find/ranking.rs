//! Compares all readings of a request with the registered names. A reading is the request without some filler words; the
//! one that omits the least decides. The cost grows with the number of words, not with the number of readings.

use std::ops::Range;

use crate::fold::Word;

/// The rank of a part that is no reading.
const NO_RANK: usize = usize::MAX;

/// The comparison of a request with names.
pub(super) struct Ranking<'w, 'n> {
    request: &'w [Word<'w>],
    /// The rank of each reading by start and end; a lower rank omits less.
    ranks: Vec<Vec<usize>>,
    /// The lowest rank of the specific readings from this start up to this end.
    specific: Vec<Vec<usize>>,
    /// For each word of the request: how many words from there on match the name at its current position.
    runs: Vec<usize>,
    /// Names with exactly the words of a reading.
    pub(super) same: Best<'n>,
    /// Names that contain the words of a specific reading; the last word may be the beginning of a longer one.
    pub(super) inside: Best<'n>,
}

/// The names of the best rank so far, in their original order.
pub(super) struct Best<'n> {
    rank: usize,
    pub(super) names: Vec<&'n str>,
}

impl<'n> Best<'n> {
    const fn new() -> Self {
        Self { rank: NO_RANK, names: Vec::new() }
    }

    fn offer(&mut self, rank: usize, name: &'n str) {
        if rank < self.rank {
            self.rank = rank;
            self.names.clear();
        }
        if rank == self.rank && rank != NO_RANK {
            self.names.push(name);
        }
    }
}

impl<'w, 'n> Ranking<'w, 'n> {
    /// `readings` come in order of preference; `is_specific` tells which may stand for a longer name.
    pub(super) fn new(
        request: &'w [Word<'w>],
        readings: &[Range<usize>],
        is_specific: impl Fn(&Range<usize>) -> bool,
    ) -> Self {
        let all = request.len();
        let mut ranks = vec![vec![NO_RANK; all + 1]; all + 1];
        let mut specific = ranks.clone();
        for (rank, reading) in readings.iter().enumerate() {
            ranks[reading.start][reading.end] = rank;
            if is_specific(reading) {
                specific[reading.start][reading.end] = rank;
            }
        }
        for by_end in &mut specific {
            for end in 1..=all {
                by_end[end] = by_end[end].min(by_end[end - 1]);
            }
        }
        let runs = vec![0; all + 1];
        Self { request, ranks, specific, runs, same: Best::new(), inside: Best::new() }
    }

    /// Compares a name with every reading.
    pub(super) fn compare(&mut self, name: &'n str, words: &[Word<'_>]) {
        self.runs.fill(0);
        let mut inside = NO_RANK;
        for at in (0..words.len()).rev() {
            for begin in 0..self.request.len() {
                let same = words[at].text == self.request[begin].text;
                // The entry after this one still belongs to the next word of the name.
                self.runs[begin] = if same { self.runs[begin + 1] + 1 } else { 0 };
                inside = inside.min(self.specific[begin][self.matched_end(begin, at, words)]);
            }
        }
        let ends = self.runs.iter().enumerate().filter(|(_, run)| **run == words.len() && **run > 0);
        let same = ends.map(|(begin, run)| self.ranks[begin][begin + run]).min();
        self.same.offer(same.unwrap_or(NO_RANK), name);
        self.inside.offer(inside, name);
    }

    /// The end of the part of the request that matches the name, from `begin` and `at` on.
    fn matched_end(&self, begin: usize, at: usize, words: &[Word<'_>]) -> usize {
        let run = self.runs[begin];
        let goes_on = match (self.request.get(begin + run), words.get(at + run)) {
            (Some(request), Some(word)) => word.text.starts_with(request.text),
            _ => false,
        };
        begin + run + usize::from(goes_on)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::filler::without_filler;
    use crate::fold::words;

    /// The reference implementation: the first reading that fits any name decides.
    fn one_by_one<'n>(
        request: &[Word<'_>],
        readings: &[Range<usize>],
        names: &[&'n str],
        fits: impl Fn(&[Word<'_>], &[Word<'_>]) -> bool,
    ) -> Vec<&'n str> {
        let found = readings.iter().map(|reading| {
            let fitting = names.iter().filter(|name| fits(&words(name), &request[reading.clone()]));
            fitting.copied().collect::<Vec<_>>()
        });
        found.into_iter().find(|names| !names.is_empty()).unwrap_or_default()
    }

    fn same_words(name: &[Word<'_>], request: &[Word<'_>]) -> bool {
        name.len() == request.len()
            && name.iter().zip(request).all(|(name, request)| name.text == request.text)
    }

    fn begins_inside(name: &[Word<'_>], request: &[Word<'_>]) -> bool {
        let (last, before) = request.split_last().unwrap();
        name.windows(request.len()).any(|run| {
            same_words(&run[..before.len()], before) && run[before.len()].text.starts_with(last.text)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn ranking_agrees_with_the_reference(
            request in "((the|my|app|a|ab|abc|b|please) ){1,7}",
            names in prop::collection::vec("((the|app|a|ab|abc|b) ?){1,4}", 0..5),
            least in 0usize..4,
        ) {
            let request = words(&request);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let readings = without_filler(&request);
            let is_specific = |reading: &Range<usize>| reading.len() >= least;
            let mut ranking = Ranking::new(&request, &readings, is_specific);
            for name in &names {
                ranking.compare(name, &words(name));
            }
            prop_assert_eq!(ranking.same.names, one_by_one(&request, &readings, &names, same_words));
            let specific: Vec<_> = readings.into_iter().filter(is_specific).collect();
            prop_assert_eq!(ranking.inside.names, one_by_one(&request, &specific, &names, begins_inside));
        }
    }
}
