//! Filler words around the name of an app in a request, in English and Chinese. A name may contain the same words.

use std::ops::Range;

use crate::fold::Word;

/// Polite phrases, and generic nouns for an app.
const FILLER: &[&str] = &[
    // English
    "please",
    "pls",
    "plz",
    "kindly",
    "can you",
    "could you",
    "would you",
    "will you",
    "i want to",
    "i would like to",
    "i'd like to",
    "let's",
    "just",
    "now",
    "up",
    "for me",
    "me",
    "the",
    "my",
    "app",
    "application",
    "program",
    "called",
    "named",
    "thanks",
    "thank you",
    "hey",
    "hi",
    "ok",
    "okay",
    // Chinese
    "请",
    "您",
    "你",
    "帮我",
    "帮忙",
    "给我",
    "麻烦",
    "我想",
    "我要",
    "能",
    "能不能",
    "可以",
    "可不可以",
    "一下",
    "吧",
    "吗",
    "呢",
    "啊",
    "呀",
    "哦",
    "好吗",
    "行吗",
    "谢谢",
    "这个",
    "那个",
    "应用",
    "程序",
    "应用程序",
    "软件",
    "名为",
    "的应用",
    "的程序",
    "的软件",
];

/// Pronouns and the like: alone they name nothing.
const PRONOUNS: &[&str] = &[
    "a",
    "an",
    "it",
    "this",
    "that",
    "these",
    "those",
    "them",
    "they",
    "all",
    "any",
    "one",
    "some",
    "something",
    "everything",
    "anything",
    "again",
    "here",
    "there",
    "and",
    "for",
    "它",
    "它们",
    "这",
    "那",
    "这些",
    "那些",
    "所有",
    "全部",
    "东西",
];

/// Number of words in the longest phrase.
const MAX_PHRASE_WORDS: usize = 4;

/// Most words that are removed from one end.
const MAX_REMOVED_WORDS: usize = 24;

/// The positions where a request can start after leading filler is removed, from 0 on.
pub(crate) fn possible_starts(words: &[Word<'_>]) -> Vec<usize> {
    reachable(words.len().min(MAX_REMOVED_WORDS), |from, to| is_one_of(&words[from..to], FILLER))
}

/// Every way to remove filler from both ends, starting with none removed. The rest is never empty.
pub(crate) fn without_filler(words: &[Word<'_>]) -> Vec<Range<usize>> {
    let all = words.len();
    let removed =
        reachable(all.min(MAX_REMOVED_WORDS), |from, to| is_one_of(&words[all - to..all - from], FILLER));
    let mut left: Vec<Range<usize>> = possible_starts(words)
        .into_iter()
        .flat_map(|begin| removed.iter().map(move |removed| begin..all - removed))
        .filter(|left| !left.is_empty())
        .collect();
    left.sort_by_key(|left| all - left.len());
    left
}

/// The parts of a request that consist of filler and pronouns only.
pub(crate) struct FillerSpans {
    /// By start, then by end.
    parts: Vec<Vec<bool>>,
}

impl FillerSpans {
    /// Checks every part of the words; quadratic in their number.
    pub(crate) fn find(words: &[Word<'_>]) -> Self {
        let all = words.len();
        let mut parts = vec![vec![false; all + 1]; all + 1];
        for begin in (0..=all).rev() {
            parts[begin][begin] = true;
            for cut in begin + 1..=all.min(begin + MAX_PHRASE_WORDS) {
                let phrase = &words[begin..cut];
                if is_one_of(phrase, FILLER) || is_one_of(phrase, PRONOUNS) {
                    let from_there = parts[cut].clone();
                    for (here, there) in parts[begin].iter_mut().zip(from_there) {
                        *here |= there;
                    }
                }
            }
        }
        Self { parts }
    }

    /// Whether a part is all filler.
    pub(crate) fn contain(&self, part: &Range<usize>) -> bool {
        self.parts[part.start][part.end]
    }
}

/// The positions that whole phrases lead to from the start, in ascending order, the start included.
fn reachable(length: usize, is_phrase: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut positions = vec![0];
    let mut next = 0;
    while let Some(&from) = positions.get(next) {
        for to in from + 1..=length.min(from + MAX_PHRASE_WORDS) {
            if !positions.contains(&to) && is_phrase(from, to) {
                positions.push(to);
            }
        }
        next += 1;
    }
    positions.sort_unstable();
    positions
}

fn is_one_of(words: &[Word<'_>], phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        let rest = words.iter().try_fold(*phrase, |rest, word| rest.trim_start().strip_prefix(word.text));
        rest == Some("")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::words;

    #[test]
    fn filler_is_removed_step_by_step() {
        let table: &[(&str, &[&str])] = &[
            ("last z", &["last z"]),
            ("last z please", &["last z please", "last z"]),
            ("the app store", &["the app store", "app store", "store"]),
            ("微信一下吧", &["微 信 一 下 吧", "微 信 一 下", "微 信"]),
            ("can you please", &["can you please", "can you", "please"]),
            ("candle", &["candle"]),
            ("", &[]),
        ];
        for (text, expected) in table {
            let words = words(text);
            let left: Vec<String> = without_filler(&words)
                .into_iter()
                .map(|left| words[left].iter().map(|word| word.text).collect::<Vec<_>>().join(" "))
                .collect();
            assert_eq!(left, *expected, "{text:?}");
        }
    }

    #[test]
    fn pronouns_name_nothing() {
        for (text, nothing) in [
            ("it", true),
            ("all of them", false),
            ("the app please", true),
            ("这个", true),
            ("last", false),
            ("", true),
        ] {
            let words = words(text);
            assert_eq!(FillerSpans::find(&words).contain(&(0..words.len())), nothing, "{text:?}");
        }
    }
}
