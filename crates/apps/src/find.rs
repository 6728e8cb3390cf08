//! Which registered app a few words mean.
//!
//! Promises: a name is found only by the rules below, never guessed; what is merely similar is a suggestion, which needs
//! a yes. Pure and bounded. Leaves to others: the verb before the name, and asking.

mod reading;

use std::ops::Range;

use reading::Reading;

use crate::fold::{Word, fold, is_cjk, words};
use crate::polite::{Fillers, without_polite};
use crate::suggest::suggestions;

/// No request of more bytes is looked at: it is not a name.
const LONGEST_REQUEST: usize = 1_000;

/// No request of more words is taken apart.
const MOST_WORDS: usize = 24;

/// So many ways to leave out polite words are compared with names that are merely similar.
const MOST_GUESSES: usize = 8;

/// What a request means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<'n> {
    /// This app.
    One(&'n str),
    /// One of these apps: ask which.
    Several(Vec<&'n str>),
    /// No app, but one of these may have been meant: ask, and take only a yes.
    Suggested(Vec<&'n str>),
    /// No app.
    Nothing,
}

/// Finds the app that a request means. In this order, the first rule that finds anything decides:
///
/// 1. the name as it is written;
/// 2. the same name without regard to case, kind of character and white space;
/// 3. the same words, with polite words around them and punctuation left out;
/// 4. the words at a word start inside a name, from three letters or two Chinese characters on;
/// 5. as a suggestion: pinyin, initials, typing errors.
///
/// ```
/// use tarsus_apps::{Found, find};
///
/// let names = ["Last Z", "Firefox", "微信"];
/// assert_eq!(find("last z, please", names), Found::One("Last Z"));
/// assert_eq!(find("fire", names), Found::One("Firefox"));
/// assert_eq!(find("weixin", names), Found::Suggested(vec!["微信"]));
/// assert_eq!(find("the tests in last z", names), Found::Nothing);
/// ```
pub fn find<'n>(request: &str, names: impl IntoIterator<Item = &'n str>) -> Found<'n> {
    let names: Vec<&'n str> = names.into_iter().collect();
    if let Some(name) = names.iter().find(|name| **name == request) {
        return Found::One(name);
    }
    if request.len() > LONGEST_REQUEST {
        return Found::Nothing;
    }
    let request = fold(request);
    let folded: Vec<(&'n str, String)> = names.into_iter().map(|name| (name, fold(name))).collect();
    if let Some(found) = decided(folded.iter().filter(|(_, name)| *name == request).map(|(name, _)| *name)) {
        return found;
    }
    let request = words(&request);
    if request.is_empty() || request.len() > MOST_WORDS {
        return Found::Nothing;
    }
    let named: Vec<(&'n str, Vec<Word<'_>>)> =
        folded.iter().map(|(name, folded)| (*name, words(folded))).collect();
    let wanted = without_polite(&request);
    let fillers = Fillers::of(&request);
    let naming = wanted.iter().filter(|part| !fillers.hold(part));
    let telling = |part: &Range<usize>| !fillers.hold(part) && is_telling(&request[part.clone()]);

    let mut reading = Reading::new(&request, &wanted, telling);
    for (name, words) in &named {
        reading.compare(name, words);
    }
    if let Some(found) = decided(reading.same.names.into_iter()) {
        return found;
    }
    if let Some(found) = decided(reading.inside.names.into_iter()) {
        return found;
    }
    let mut guesses = naming.take(MOST_GUESSES).map(|part| suggestions(&request[part.clone()], &named));
    guesses.find(|names| !names.is_empty()).map_or(Found::Nothing, Found::Suggested)
}

/// What the apps that a rule found mean; nothing when it found none.
fn decided<'n>(mut found: impl Iterator<Item = &'n str>) -> Option<Found<'n>> {
    let first = found.next()?;
    let mut all: Vec<&str> = vec![first];
    all.extend(found);
    Some(if all.len() == 1 { Found::One(first) } else { Found::Several(all) })
}

/// Whether the words say enough to stand for a longer name: three letters or two Chinese characters, or some of both.
fn is_telling(wanted: &[Word<'_>]) -> bool {
    let weight = |char: char| match char {
        char if is_cjk(char) => 3,
        char if char.is_alphanumeric() => 2,
        _ => 0,
    };
    let weight: usize = wanted.iter().flat_map(|word| word.text.chars()).map(weight).sum();
    weight >= 6
}
