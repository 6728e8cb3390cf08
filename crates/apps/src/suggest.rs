//! Names that are merely similar to what was asked for: read aloud, by their initials, or typed wrongly.
//!
//! Promises: few, the nearest first. Whoever uses them asks before anything happens.

use pinyin::ToPinyinMulti;

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
    let letters: String = wanted.iter().map(|word| word.text).collect();
    let typed = spaced(wanted);
    if typed.len() > LONGEST {
        return Vec::new();
    }
    let mut similar: Vec<(Likeness, &'n str)> =
        names.iter().filter_map(|(name, words)| Some((likeness(&letters, &typed, words)?, *name))).collect();
    // The order of the file decides between equals.
    similar.sort_by_key(|(likeness, _)| *likeness);
    similar.into_iter().take(MOST).map(|(_, name)| name).collect()
}

fn likeness(letters: &str, typed: &[char], name: &[Word<'_>]) -> Option<Likeness> {
    if sounds_like(letters, name) {
        return Some(Likeness::Sound);
    }
    if are_initials(letters, name) {
        return Some(Likeness::Initials);
    }
    let name = spaced(name);
    let most = match typed.len().min(name.len()) {
        0..=3 => return None,
        4..=7 => 1,
        _ => 2,
    };
    (name.len() <= LONGEST)
        .then(|| errors(typed, &name, most))
        .flatten()
        .map(|errors| Likeness::Typo { errors })
}

/// Whether Latin letters are the pinyin of Chinese characters in the name, with the words around them as they are.
fn sounds_like(letters: &str, name: &[Word<'_>]) -> bool {
    letters.len() >= 3
        && letters.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && (0..name.len()).any(|start| {
            // Where reading the words from `start` on can have come to in the letters.
            let mut reached = vec![0];
            let mut has_sound = false;
            for word in &name[start..] {
                has_sound |= is_chinese(word);
                reached = readings(word).iter().fold(Vec::new(), |mut next, reading| {
                    for at in &reached {
                        let end = at + reading.len();
                        if letters[*at..].starts_with(reading.as_str()) && !next.contains(&end) {
                            next.push(end);
                        }
                    }
                    next
                });
                if has_sound && reached.contains(&letters.len()) {
                    return true;
                }
            }
            false
        })
}

/// Whether letters are the first ones of every word of the name; of a Chinese character, of one of its readings.
fn are_initials(letters: &str, name: &[Word<'_>]) -> bool {
    name.len() >= 2
        && letters.chars().count() == name.len()
        && letters.chars().zip(name).all(|(letter, word)| {
            word.text.starts_with(letter) || readings(word).iter().any(|reading| reading.starts_with(letter))
        })
}

fn is_chinese(word: &Word<'_>) -> bool {
    word.text.chars().all(is_cjk)
}

/// How a word can be typed with Latin letters.
fn readings(word: &Word<'_>) -> Vec<String> {
    let Some(multi) =
        word.text.chars().next().filter(|_| is_chinese(word)).and_then(|char| char.to_pinyin_multi())
    else {
        return vec![word.text.to_owned()];
    };
    let mut readings: Vec<String> = Vec::new();
    for reading in multi {
        // Keyboards write ü as v.
        let plain = reading.plain().replace('ü', "v");
        if !readings.contains(&plain) {
            readings.push(plain);
        }
    }
    readings
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

/// How many letters were left out, added, changed or swapped with their neighbour; none when more than `most`.
fn errors(typed: &[char], name: &[char], most: usize) -> Option<usize> {
    if typed.len().abs_diff(name.len()) > most {
        return None;
    }
    let width = name.len() + 1;
    let mut before_last: Vec<usize> = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for (row, letter) in typed.iter().enumerate() {
        let mut now = vec![row + 1; width];
        for (column, wanted) in name.iter().enumerate() {
            let changed = last[column] + usize::from(letter != wanted);
            now[column + 1] = changed.min(last[column + 1] + 1).min(now[column] + 1);
            let swapped = row > 0 && column > 0 && *letter == name[column - 1] && typed[row - 1] == *wanted;
            if swapped {
                now[column + 1] = now[column + 1].min(before_last[column - 1] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, now);
    }
    last.last().copied().filter(|errors| *errors <= most)
}
