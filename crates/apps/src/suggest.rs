//! Suggests names that resemble a request: by pinyin, by initials, or with typing errors. Callers ask for confirmation.

use std::borrow::Cow;

use pinyin::ToPinyinMulti;
use strsim::osa_distance;

use crate::fold::{Word, is_cjk};

/// Most suggestions.
const MAX_SUGGESTIONS: usize = 5;

/// Longest text that is compared letter by letter, in characters.
const MAX_COMPARED_CHARS: usize = 100;

/// The kind of similarity, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Similarity {
    Sound,
    Initials,
    Typo { errors: usize },
}

/// The names that may be meant, the most similar first.
pub(crate) fn suggestions<'n>(request: &[Word<'_>], names: &[(&'n str, Vec<Word<'_>>)]) -> Vec<&'n str> {
    let query = Query::new(request);
    if query.typed.len() > MAX_COMPARED_CHARS {
        return Vec::new();
    }
    let mut similar: Vec<(Similarity, &'n str)> =
        names.iter().filter_map(|(name, words)| Some((query.similarity(words)?, *name))).collect();
    // Equal similarity keeps the order of the file.
    similar.sort_by_key(|(similarity, _)| *similarity);
    similar.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// A request, prepared for comparison.
struct Query {
    /// Its letters without spaces.
    letters: String,
    /// Its letters with single spaces.
    typed: String,
}

impl Query {
    fn new(words: &[Word<'_>]) -> Self {
        Self { letters: words.iter().map(|word| word.text).collect(), typed: spaced(words) }
    }

    fn similarity(&self, name: &[Word<'_>]) -> Option<Similarity> {
        if self.sounds_like(name) {
            return Some(Similarity::Sound);
        }
        if self.are_initials(name) {
            return Some(Similarity::Initials);
        }
        self.errors(name).map(|errors| Similarity::Typo { errors })
    }

    /// Whether Latin letters are the pinyin of Chinese characters in the name, together with adjacent words.
    fn sounds_like(&self, name: &[Word<'_>]) -> bool {
        let letters = self.letters.as_str();
        letters.len() >= 3
            && name.iter().any(is_chinese)
            && letters.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && (0..name.len()).any(|start| {
                // Positions in the letters that reading the words from `start` on can lead to.
                let mut reached = vec![0];
                let mut has_sound = false;
                for word in &name[start..] {
                    has_sound |= is_chinese(word);
                    reached = advance(letters, &reached, word);
                    if has_sound && reached.contains(&letters.len()) {
                        return true;
                    }
                    if reached.is_empty() {
                        return false;
                    }
                }
                false
            })
    }

    /// Whether letters are the initials of all words of the name; for a Chinese character, of one of its readings.
    fn are_initials(&self, name: &[Word<'_>]) -> bool {
        name.len() >= 2
            && self.letters.chars().count() == name.len()
            && self.letters.chars().zip(name).all(|(letter, word)| {
                word.text.starts_with(letter) || readings(word).any(|reading| reading.starts_with(letter))
            })
    }

    /// The number of typing errors between the request and a name; `None` if there are too many for their length.
    fn errors(&self, name: &[Word<'_>]) -> Option<usize> {
        let letters: usize = name.iter().map(|word| word.text.chars().count()).sum();
        let length = letters + name.len().saturating_sub(1);
        let typed = self.typed.chars().count();
        let most = match typed.min(length) {
            0..=3 => return None,
            4..=7 => 1,
            _ => 2,
        };
        let comparable = length <= MAX_COMPARED_CHARS && typed.abs_diff(length) <= most;
        comparable.then(|| osa_distance(&self.typed, &spaced(name))).filter(|errors| *errors <= most)
    }
}

/// The positions in the letters after reading one more word.
fn advance(letters: &str, reached: &[usize], word: &Word<'_>) -> Vec<usize> {
    let mut next = Vec::new();
    for reading in readings(word) {
        for at in reached {
            let end = at + reading.len();
            if letters[*at..].starts_with(reading.as_ref()) && !next.contains(&end) {
                next.push(end);
            }
        }
    }
    next
}

fn is_chinese(word: &Word<'_>) -> bool {
    word.text.chars().all(is_cjk)
}

/// The ways to type a word with Latin letters: as it is, or one of the readings of a Chinese character.
fn readings<'t>(word: &Word<'t>) -> impl Iterator<Item = Cow<'t, str>> {
    let sounds =
        word.text.chars().next().filter(|_| is_chinese(word)).and_then(|char| char.to_pinyin_multi());
    let as_it_is = sounds.is_none().then_some(Cow::Borrowed(word.text));
    // Keyboards write ü as v.
    let typed = |sound: &'static str| match sound.contains('ü') {
        true => Cow::Owned(sound.replace('ü', "v")),
        false => Cow::Borrowed(sound),
    };
    as_it_is.into_iter().chain(sounds.into_iter().flatten().map(move |sound| typed(sound.plain())))
}

fn spaced(words: &[Word<'_>]) -> String {
    let words: Vec<&str> = words.iter().map(|word| word.text).collect();
    words.join(" ")
}
