//! Words that a request may have around the name of an app, in English and Chinese.
//!
//! Promises: says where such words begin and end, and nothing about names, which may hold the same words.

use std::ops::Range;

use crate::fold::Word;

/// Phrases that ask nicely or only point at an app.
const POLITE: &[&str] = &[
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
];

/// Words that stand for something that was said before, or for nothing in particular: alone they are no name.
const POINTING: &[&str] = &[
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

/// The longest phrase has so many words.
const LONGEST_PHRASE: usize = 4;

/// No more words are taken off an end.
const MOST_TAKEN: usize = 24;

/// Where a request can begin once polite phrases before it are left out, nothing left out first.
pub(crate) fn begins(words: &[Word<'_>]) -> Vec<usize> {
    reached(words.len().min(MOST_TAKEN), |from, to| is_one_of(&words[from..to], POLITE))
}

/// Every way to take polite phrases off both ends, from nothing on. What is left is never empty.
pub(crate) fn without_polite(words: &[Word<'_>]) -> Vec<Range<usize>> {
    let all = words.len();
    let taken = reached(all.min(MOST_TAKEN), |from, to| is_one_of(&words[all - to..all - from], POLITE));
    let mut left: Vec<Range<usize>> = begins(words)
        .into_iter()
        .flat_map(|begin| taken.iter().map(move |taken| begin..all - taken))
        .filter(|left| !left.is_empty())
        .collect();
    left.sort_by_key(|left| all - left.len());
    left
}

/// Which parts of a request name nothing, however they are cut into phrases.
pub(crate) struct Fillers {
    /// By begin, then by end.
    parts: Vec<Vec<bool>>,
}

impl Fillers {
    /// Looks at every part of the words; there have to be few.
    pub(crate) fn of(words: &[Word<'_>]) -> Self {
        let all = words.len();
        let mut parts = vec![vec![false; all + 1]; all + 1];
        for begin in (0..=all).rev() {
            parts[begin][begin] = true;
            for cut in begin + 1..=all.min(begin + LONGEST_PHRASE) {
                let phrase = &words[begin..cut];
                if is_one_of(phrase, POLITE) || is_one_of(phrase, POINTING) {
                    let from_there = parts[cut].clone();
                    for (here, there) in parts[begin].iter_mut().zip(from_there) {
                        *here |= there;
                    }
                }
            }
        }
        Self { parts }
    }

    /// Whether a part names nothing.
    pub(crate) fn hold(&self, part: &Range<usize>) -> bool {
        self.parts[part.start][part.end]
    }
}

/// The places that can be reached from the start by whole phrases, the start included, the nearest first.
fn reached(length: usize, is_phrase: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut places = vec![0];
    let mut next = 0;
    while let Some(&from) = places.get(next) {
        for to in from + 1..=length.min(from + LONGEST_PHRASE) {
            if !places.contains(&to) && is_phrase(from, to) {
                places.push(to);
            }
        }
        next += 1;
    }
    places.sort_unstable();
    places
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
    fn every_way_to_leave_out_polite_words_is_tried_least_first() {
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
            let left: Vec<String> = without_polite(&words)
                .into_iter()
                .map(|left| words[left].iter().map(|word| word.text).collect::<Vec<_>>().join(" "))
                .collect();
            assert_eq!(left, *expected, "{text:?}");
        }
    }

    #[test]
    fn words_that_only_point_name_nothing() {
        for (text, nothing) in [
            ("it", true),
            ("all of them", false),
            ("the app please", true),
            ("这个", true),
            ("last", false),
            ("", true),
        ] {
            let words = words(text);
            assert_eq!(Fillers::of(&words).hold(&(0..words.len())), nothing, "{text:?}");
        }
    }
}
