//! Names that are merely similar to what was asked for: read aloud, by their initials, or typed wrongly.
//!
//! Promises: few, the nearest first. Whoever uses them asks before anything happens.

use std::borrow::Cow;

use pinyin::ToPinyinMulti;
use tarsus_protocol::text::typing_errors;

use crate::fold::{Word, is_cjk};

/// At most so many are suggested.
const MOST: usize = 5;

/// Longer texts are not compared letter by letter.
const LONGEST: usize = 100;

/// How a name is similar; the smaller the nearer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    Sound,
    Initials,
    Typo { errors: usize },
}

/// The names that may have been meant.
pub(crate) fn suggestions<'n>(wanted: &[Word<'_>], names: &[(&'n str, Vec<Word<'_>>)]) -> Vec<&'n str> {
    let wanted = Wanted::new(wanted);
    if wanted.typed.len() > LONGEST {
        return Vec::new();
    }
    let mut similar: Vec<(Likeness, &'n str)> =
        names.iter().filter_map(|(name, words)| Some((wanted.likeness(words)?, *name))).collect();
    // The order of the file decides between equals.
    similar.sort_by_key(|(likeness, _)| *likeness);
    similar.into_iter().take(MOST).map(|(_, name)| name).collect()
}

/// What was asked for.
struct Wanted {
    /// Its letters without spaces.
    letters: String,
    /// Its letters with single spaces.
    typed: Vec<char>,
}

impl Wanted {
    fn new(words: &[Word<'_>]) -> Self {
        Self { letters: words.iter().map(|word| word.text).collect(), typed: spaced(words) }
    }

    fn likeness(&self, name: &[Word<'_>]) -> Option<Likeness> {
        if self.sounds_like(name) {
            return Some(Likeness::Sound);
        }
        if self.are_initials(name) {
            return Some(Likeness::Initials);
        }
        self.errors(name).map(|errors| Likeness::Typo { errors })
    }

    /// Whether Latin letters are the pinyin of Chinese characters in the name, with the words around them as they are.
    fn sounds_like(&self, name: &[Word<'_>]) -> bool {
        let letters = self.letters.as_str();
        letters.len() >= 3
            && name.iter().any(is_chinese)
            && letters.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && (0..name.len()).any(|start| {
                // Where reading the words from `start` on can have come to in the letters.
                let mut reached = vec![0];
                let mut has_sound = false;
                for word in &name[start..] {
                    has_sound |= is_chinese(word);
                    reached = heard(letters, &reached, word);
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

    /// Whether letters are the first ones of every word of the name; of a Chinese character, of one of its readings.
    fn are_initials(&self, name: &[Word<'_>]) -> bool {
        name.len() >= 2
            && self.letters.chars().count() == name.len()
            && self.letters.chars().zip(name).all(|(letter, word)| {
                word.text.starts_with(letter) || readings(word).any(|reading| reading.starts_with(letter))
            })
    }

    /// How many typing errors are between the request and a name; none when there are too many for their length.
    fn errors(&self, name: &[Word<'_>]) -> Option<usize> {
        let letters: usize = name.iter().map(|word| word.text.chars().count()).sum();
        let length = letters + name.len().saturating_sub(1);
        let most = match self.typed.len().min(length) {
            0..=3 => return None,
            4..=7 => 1,
            _ => 2,
        };
        let comparable = length <= LONGEST && self.typed.len().abs_diff(length) <= most;
        comparable.then(|| typing_errors(&self.typed, &spaced(name), most)).flatten()
    }
}

/// The places in the letters that can be reached by reading one word more.
fn heard(letters: &str, reached: &[usize], word: &Word<'_>) -> Vec<usize> {
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

/// How a word can be typed with Latin letters: as it is, or as one of the sounds of a Chinese character.
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

fn spaced(words: &[Word<'_>]) -> Vec<char> {
    let mut chars = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            chars.push(' ');
        }
        chars.extend(word.text.chars());
    }
    chars
}
