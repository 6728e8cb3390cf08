//! Finding the app that a command names, and what to say when it is not there.

use tarsus_apps::desk::same_name;
use tarsus_apps::{App, Found, Loaded, RegistryError, find, quoted};
use tarsus_protocol::{ErrorCode, Problem};

/// The app that a few words mean; `command` is what the person would type with the right name.
pub fn found<'l>(loaded: &'l Loaded, words: &str, command: &str) -> Result<&'l App, Problem> {
    let found = search(loaded, words)?;
    match found {
        Found::One(name) => loaded.app(name).ok_or_else(|| nothing(words)),
        found => Err(unclear(words, found, command)),
    }
}

/// The app of this very name, for a change: what is merely found is only suggested.
pub fn named<'l>(loaded: &'l Loaded, name: &str, command: &str) -> Result<&'l App, Problem> {
    let found = search(loaded, name)?;
    same_name(loaded, name).ok_or_else(|| match found {
        Found::One(one) => unclear(name, Found::Suggested(vec![one]), command),
        found => unclear(name, found, command),
    })
}

fn search<'l>(loaded: &'l Loaded, words: &str) -> Result<Found<'l>, Problem> {
    if !loaded.exists() {
        return Err(RegistryError::Missing { path: loaded.path.clone() }.into());
    }
    Ok(find(words, loaded.names()))
}

fn unclear(words: &str, found: Found<'_>, command: &str) -> Problem {
    match found {
        Found::Several(names) => {
            let problem = Problem::new(ErrorCode::Ambiguous, format!("{words:?} may be several apps"));
            names.iter().fold(problem, |problem, name| {
                problem.note(format!("tarsus apps {command} {}", quoted(name)))
            })
        }
        Found::Suggested(names) => match names.first() {
            Some(name) => nothing(words)
                .hint(format!("did you mean {name:?}?   tarsus apps {command} {}", quoted(name))),
            None => nothing(words),
        },
        Found::One(_) | Found::Nothing => nothing(words),
    }
}

fn nothing(words: &str) -> Problem {
    Problem::new(ErrorCode::NotFound, format!("no app called {words:?} is registered"))
        .hint("`tarsus apps list` shows what is registered")
}
