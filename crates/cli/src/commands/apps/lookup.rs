//! Resolves the app that a command names, with suggestions if there is none.

use tarsus_apps::desk::same_name;
use tarsus_apps::{App, Found, Loaded, RegistryError, find, quoted};
use tarsus_protocol::{ErrorCode, Problem};

/// Finds an app by name or search query. `command` is used in suggestions.
pub fn find_app<'l>(loaded: &'l Loaded, query: &str, command: &str) -> Result<&'l App, Problem> {
    let found = search(loaded, query)?;
    match found {
        Found::One(name) => loaded.app(name).ok_or_else(|| not_registered(query)),
        found => Err(unresolved(query, found, command)),
    }
}

/// Finds an app by its exact name, for changes; other matches are only suggested.
pub fn find_exact<'l>(loaded: &'l Loaded, name: &str, command: &str) -> Result<&'l App, Problem> {
    let found = search(loaded, name)?;
    same_name(loaded, name).ok_or_else(|| match found {
        Found::One(one) => unresolved(name, Found::Suggested(vec![one]), command),
        found => unresolved(name, found, command),
    })
}

fn search<'l>(loaded: &'l Loaded, query: &str) -> Result<Found<'l>, Problem> {
    if !loaded.exists() {
        return Err(RegistryError::Missing { path: loaded.path.clone() }.into());
    }
    Ok(find(query, loaded.names()))
}

fn unresolved(query: &str, found: Found<'_>, command: &str) -> Problem {
    match found {
        Found::Several(names) => {
            let problem = Problem::new(ErrorCode::Ambiguous, format!("{query:?} may be several apps"));
            names.iter().fold(problem, |problem, name| {
                problem.note(format!("tarsus apps {command} {}", quoted(name)))
            })
        }
        Found::Suggested(names) => match names.first() {
            Some(name) => not_registered(query)
                .hint(format!("did you mean {name:?}?   tarsus apps {command} {}", quoted(name))),
            None => not_registered(query),
        },
        Found::One(_) | Found::Nothing => not_registered(query),
    }
}

fn not_registered(query: &str) -> Problem {
    Problem::new(ErrorCode::NotFound, format!("no app called {query:?} is registered"))
        .hint("`tarsus apps list` shows what is registered")
}
