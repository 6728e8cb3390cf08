//! Finds the registered app that a request names. Similar names are only suggestions, which need confirmation. Pure and
//! bounded.

mod ranking;

use std::ops::Range;

use ranking::Ranking;

use crate::filler::{FillerSpans, without_filler};
use crate::fold::{Word, fold, is_cjk, words};
use crate::suggest::suggestions;

/// Longest request that is searched, in bytes.
const MAX_REQUEST_BYTES: usize = 1_000;

/// Longest request that is split, in words.
const MAX_REQUEST_WORDS: usize = 24;

/// Number of readings of a request that suggestions are searched for.
const MAX_SUGGESTION_READINGS: usize = 8;

/// The apps that a request can mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppMatch<'n> {
    /// Exactly this app.
    One(&'n str),
    /// One of these apps: ask which one.
    Several(Vec<&'n str>),
    /// No match, but these names are similar: use one only after confirmation.
    Suggested(Vec<&'n str>),
    /// No match.
    Nothing,
}

impl AppMatch<'_> {
    /// The same apps, to be used only after confirmation.
    #[must_use]
    pub(crate) fn into_suggestion(self) -> Self {
        match self {
            Self::One(name) => Self::Suggested(vec![name]),
            Self::Several(names) => Self::Suggested(names),
            found => found,
        }
    }
}

/// Finds the app that a request names. The first rule with a result decides:
///
/// 1. the exact name;
/// 2. the name, ignoring case, compatible characters and white space;
/// 3. the words of the name, ignoring punctuation and filler words around them;
/// 4. words inside a name, from the start of a word on; at least three letters or two Chinese characters;
/// 5. as a suggestion: pinyin, initials, typing errors.
///
/// ```
/// use tarsus_apps::{AppMatch, find_app};
///
/// let names = ["Last Z", "Firefox", "微信"];
/// assert_eq!(find_app("last z, please", names), AppMatch::One("Last Z"));
/// assert_eq!(find_app("fire", names), AppMatch::One("Firefox"));
/// assert_eq!(find_app("weixin", names), AppMatch::Suggested(vec!["微信"]));
/// assert_eq!(find_app("the tests in last z", names), AppMatch::Nothing);
/// ```
pub fn find_app<'n>(request: &str, names: impl IntoIterator<Item = &'n str>) -> AppMatch<'n> {
    search(request, names, Scope::Similar)
}

/// Finds the app whose complete name a request is, by the first three rules. `the calendar` is a thing, not an app of that
/// name; `the calendar app` is one.
pub(crate) fn find_app_by_full_name<'n>(
    request: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> AppMatch<'n> {
    search(request, names, Scope::FullName)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    FullName,
    Similar,
}

fn search<'n>(request: &str, names: impl IntoIterator<Item = &'n str>, scope: Scope) -> AppMatch<'n> {
    let names: Vec<&'n str> = names.into_iter().collect();
    if let Some(name) = names.iter().find(|name| **name == request) {
        return AppMatch::One(name);
    }
    if request.len() > MAX_REQUEST_BYTES {
        return AppMatch::Nothing;
    }
    let request = fold(request);
    let folded: Vec<(&'n str, String)> = names.into_iter().map(|name| (name, fold(name))).collect();
    if let Some(found) = match_from(folded.iter().filter(|(_, name)| *name == request).map(|(name, _)| *name))
    {
        return found;
    }
    let request = words(&request);
    if request.is_empty() || request.len() > MAX_REQUEST_WORDS {
        return AppMatch::Nothing;
    }
    let named: Vec<(&'n str, Vec<Word<'_>>)> =
        folded.iter().map(|(name, folded)| (*name, words(folded))).collect();
    let mut readings = without_filler(&request);
    if scope == Scope::FullName {
        readings.retain(|part| !names_a_thing(&request[..part.start], &request[part.end..]));
    }
    let fillers = FillerSpans::find(&request);
    let names_something = readings.iter().filter(|part| !fillers.contain(part));
    let is_specific = |part: &Range<usize>| !fillers.contain(part) && is_long_enough(&request[part.clone()]);

    let mut ranking = Ranking::new(&request, &readings, is_specific);
    for (name, words) in &named {
        ranking.compare(name, words);
    }
    if let Some(found) = match_from(ranking.same.names.into_iter()) {
        return found;
    }
    if scope == Scope::FullName {
        return AppMatch::Nothing;
    }
    if let Some(found) = match_from(ranking.inside.names.into_iter()) {
        return found;
    }
    let mut suggested =
        names_something.take(MAX_SUGGESTION_READINGS).map(|part| suggestions(&request[part.clone()], &named));
    suggested.find(|names| !names.is_empty()).map_or(AppMatch::Nothing, AppMatch::Suggested)
}

/// Whether the words around a name make it a common noun: an article, and no word for an app.
fn names_a_thing(before: &[Word<'_>], after: &[Word<'_>]) -> bool {
    let has = |words: &[&str]| before.iter().chain(after).any(|word| words.contains(&word.text));
    let has_article = before.iter().any(|word| matches!(word.text, "the" | "my" | "这" | "那"));
    has_article && !has(&["app", "application", "program", "应", "软", "程"])
}

/// The match for the names that a rule found; `None` if there are none.
fn match_from<'n>(mut found: impl Iterator<Item = &'n str>) -> Option<AppMatch<'n>> {
    let first = found.next()?;
    let mut all: Vec<&str> = vec![first];
    all.extend(found);
    Some(if all.len() == 1 { AppMatch::One(first) } else { AppMatch::Several(all) })
}

/// Whether words are long enough to stand for a longer name: three letters or two Chinese characters, or some of both.
fn is_long_enough(words: &[Word<'_>]) -> bool {
    let weight = |char: char| match char {
        char if is_cjk(char) => 3,
        char if char.is_alphanumeric() => 2,
        _ => 0,
    };
    let weight: usize = words.iter().flat_map(|word| word.text.chars()).map(weight).sum();
    weight >= 6
}
