//! Where a model's key comes from, and how it is got there: the configuration, a variable, our store, a file or a
//! program that the owner named.
//!
//! Promises: a key is never part of a message; reading one is bounded in size and time.

use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;

use tarsus_home::config::Lookup;
use tarsus_home::config::view::SecretInput;
use tarsus_home::secrets::{SecretRef, SecretSource};
use tarsus_home::{Home, Secret, files};
use tarsus_host::process::{Env, Run};

use crate::failure::{Class, Failure};

/// The longest key.
const MOST_BYTES: usize = 16 * 1024;
/// How long a program may take that prints a key; it may ask its owner for a password.
const PATIENCE: Duration = Duration::from_secs(60);
/// What a program that prints a key is told of our environment.
const TOLD: &[&str] =
    &["HOME", "PATH", "USER", "USERPROFILE", "SystemRoot", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];

/// Where a key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// No key is needed.
    None,
    /// As the configuration says.
    Given(SecretInput),
    /// The first of these variables that is set.
    Variables(&'static [&'static str]),
}

/// What is left to do once everything that needs no waiting was done.
enum Step {
    Have(Option<Secret>),
    Run { run: Box<Run>, program: String },
}

impl Key {
    /// Where it comes from, in words that hold no secret.
    #[must_use]
    pub fn whence(&self) -> String {
        match self {
            Self::None => "no key is needed".to_owned(),
            Self::Given(SecretInput::Plain(_)) => "the configuration".to_owned(),
            Self::Given(SecretInput::Reference(reference)) => match reference.source {
                SecretSource::Env => format!("the variable {}", reference.id),
                SecretSource::Exec => format!("the program {}", program(reference)),
                SecretSource::File if reference.is_stored() => format!("the secret store ({})", reference.id),
                SecretSource::File => format!("the file {}", reference.id),
            },
            Self::Variables(names) => format!("the variable {}", names.join(" or ")),
        }
    }

    /// The key itself; nothing where none is needed. The variables are asked before this returns.
    ///
    /// # Errors
    /// Of the class `Auth`, when there is none.
    pub fn resolve(
        &self,
        home: &Home,
        variables: Lookup<'_>,
    ) -> impl Future<Output = Result<Option<Secret>, Failure>> + Send + use<> {
        let step = self.step(home, variables);
        async move {
            match step? {
                Step::Have(key) => Ok(key),
                Step::Run { run, program } => printed(*run, &program).await.map(Some),
            }
        }
    }

    fn step(&self, home: &Home, variables: Lookup<'_>) -> Result<Step, Failure> {
        let reference = match self {
            Self::None => return Ok(Step::Have(None)),
            Self::Given(SecretInput::Reference(reference)) => reference,
            Self::Given(input) => return input.resolve(home, variables).map_err(no_key).and_then(have),
            Self::Variables(names) => {
                let set =
                    names.iter().find_map(|name| variables(name).filter(|value| !value.trim().is_empty()));
                return match set {
                    Some(value) => have(Secret::new(value)),
                    None => Err(no_key(format!("no key: {} is not set", names.join(" or ")))),
                };
            }
        };
        match reference.source {
            SecretSource::File if !reference.is_stored() => {
                let path = home.resolve(&reference.id);
                let bytes =
                    files::read(&path, MOST_BYTES as u64).map_err(|error| no_key(error.to_string()))?;
                let bytes = bytes.ok_or_else(|| no_key(format!("no key: {} is not there", reference.id)))?;
                first_line(bytes, &reference.id).and_then(have)
            }
            SecretSource::Exec => {
                let mut words = reference.id.split_whitespace();
                let program = home.resolve(words.next().unwrap_or_default());
                if !has_full_path(reference) {
                    return Err(no_key(format!(
                        "no key: {:?} has to be the full path of a program",
                        reference.id
                    )));
                }
                let mut env = Env::empty();
                for name in TOLD {
                    if let Some(value) = variables(name) {
                        env.set(*name, value);
                    }
                }
                let run = Run {
                    args: words.map(Into::into).collect(),
                    env,
                    timeout: PATIENCE,
                    output_cap: MOST_BYTES,
                    ..Run::new(
                        program,
                        home.state_dir().parent().map_or_else(|| PathBuf::from("/"), PathBuf::from),
                    )
                };
                Ok(Step::Run { run: Box::new(run), program: self::program(reference).to_owned() })
            }
            SecretSource::Env | SecretSource::File => {
                let input = SecretInput::Reference(reference.clone());
                input.resolve(home, variables).map_err(no_key).and_then(have)
            }
        }
    }
}

/// The program of a reference, without what it is given.
fn program(reference: &SecretRef) -> &str {
    reference.id.split_whitespace().next().unwrap_or_default()
}

fn has_full_path(reference: &SecretRef) -> bool {
    let program = program(reference);
    program.starts_with("~/") || std::path::Path::new(program).is_absolute()
}

async fn printed(run: Run, program: &str) -> Result<Secret, Failure> {
    let outcome = run.finish().await.map_err(|error| no_key(format!("no key from {program}: {error}")))?;
    if !outcome.exit.success() {
        // What it printed may hold the key.
        return Err(no_key(format!("no key from {program}: it failed")));
    }
    if outcome.stdout.is_cut() {
        return Err(no_key(format!("no key from {program}: it prints more than {MOST_BYTES} bytes")));
    }
    first_line(outcome.stdout.bytes, program)
}

/// The first line is the key; what follows are notes, as password stores have them.
fn first_line(bytes: Vec<u8>, place: &str) -> Result<Secret, Failure> {
    let text =
        String::from_utf8(bytes).map_err(|_| no_key(format!("no key from {place}: it is not text")))?;
    let line = text.trim_start_matches('\u{FEFF}').lines().next().unwrap_or_default().trim();
    if line.is_empty() {
        return Err(no_key(format!("no key from {place}: it is empty")));
    }
    Ok(Secret::new(line))
}

fn have(key: Secret) -> Result<Step, Failure> {
    let key = Secret::new(key.expose().trim());
    if key.is_empty() { Err(no_key("no key: it is empty")) } else { Ok(Step::Have(Some(key))) }
}

fn no_key(why: impl ToString) -> Failure {
    Failure::new(Class::Auth, why.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "a test writes the files that a key is in")]

    use serde_json::{Value, json};
    use tarsus_home::Choice;
    use tarsus_home::secrets::Secrets;
    use tempfile::TempDir;

    use super::*;

    fn home() -> (TempDir, Home) {
        let dir = tempfile::tempdir().unwrap();
        let choice = Choice {
            state_flag: Some(dir.path().join("state")),
            user_home: Some(dir.path().into()),
            ..Choice::default()
        };
        let home = Home::locate(&choice).unwrap();
        (dir, home)
    }

    fn given(value: Value) -> Key {
        Key::Given(serde_json::from_value(value).unwrap())
    }

    async fn resolve(key: &Key, home: &Home) -> Result<Option<String>, String> {
        let variables = |name: &str| match name {
            "SET" => Some(" k-env\n".to_owned()),
            "BLANK" => Some("  ".to_owned()),
            _ => None,
        };
        let found = key.resolve(home, &variables).await;
        found.map(|key| key.map(|key| key.expose().to_owned())).map_err(|failure| {
            assert_eq!(failure.class, Class::Auth);
            failure.what
        })
    }

    #[tokio::test]
    async fn a_key_comes_from_every_place_that_can_be_named() {
        let (dir, home) = home();
        std::fs::write(dir.path().join("key"), "k-file\r\nnotes: hush\n").unwrap();
        Secrets::of(&home).set("models/x", Secret::new("k-store")).unwrap();
        let ok = |key: &str| Ok(Some(key.to_owned()));
        for (key, expected) in [
            (Key::None, Ok(None)),
            (given(json!("k-config")), ok("k-config")),
            (given(json!({"source": "env", "id": "SET"})), ok("k-env")),
            (given(json!({"source": "file", "id": "~/key"})), ok("k-file")),
            (given(json!({"source": "file", "provider": "tarsus", "id": "models/x"})), ok("k-store")),
            (Key::Variables(&["BLANK", "SET"]), ok("k-env")),
        ] {
            assert_eq!(resolve(&key, &home).await, expected, "{key:?}");
        }
    }

    #[tokio::test]
    async fn a_missing_key_is_named_by_its_place() {
        let (dir, home) = home();
        std::fs::write(dir.path().join("empty"), "\nk\n").unwrap();
        std::fs::write(dir.path().join("odd"), [0xff, 0xfe]).unwrap();
        std::fs::write(dir.path().join("long"), "k".repeat(MOST_BYTES + 1)).unwrap();
        for (key, what) in [
            (Key::Variables(&["BLANK", "NOPE"]), "no key: BLANK or NOPE is not set"),
            (given(json!("")), "no key: it is empty"),
            (given(json!({"source": "env", "id": "NOPE"})), "the secret \"NOPE\" is not there"),
            (given(json!({"source": "file", "id": "~/nope"})), "no key: ~/nope is not there"),
            (given(json!({"source": "file", "id": "~/empty"})), "no key from ~/empty: it is empty"),
            (given(json!({"source": "file", "id": "~/odd"})), "no key from ~/odd: it is not text"),
            (
                given(json!({"source": "exec", "id": "pass show x"})),
                "no key: \"pass show x\" has to be the full path of a program",
            ),
        ] {
            assert_eq!(resolve(&key, &home).await, Err(what.to_owned()), "{key:?}");
        }
        let long = resolve(&given(json!({"source": "file", "id": "~/long"})), &home).await.unwrap_err();
        assert!(!long.contains("kkk"), "{long}");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_program_prints_the_key_and_its_failure_says_nothing_of_what_it_printed() {
        let (_dir, home) = home();
        let exec = |id: &str| given(json!({"source": "exec", "id": id}));
        assert_eq!(resolve(&exec("/bin/echo k-program"), &home).await, Ok(Some("k-program".to_owned())));
        let failed = resolve(&exec("/bin/ls /nowhere-at-all"), &home).await;
        assert_eq!(failed, Err("no key from /bin/ls: it failed".to_owned()));
        let nothing = resolve(&exec("/bin/true"), &home).await;
        assert_eq!(nothing, Err("no key from /bin/true: it is empty".to_owned()));
        let missing = resolve(&exec("/nowhere-at-all x"), &home).await.unwrap_err();
        assert!(missing.starts_with("no key from /nowhere-at-all: "), "{missing}");
    }

    #[test]
    fn where_a_key_comes_from_is_said_without_it() {
        for (key, words) in [
            (given(json!("k-config")), "the configuration"),
            (given(json!({"source": "exec", "id": "/bin/pass show hush"})), "the program /bin/pass"),
            (Key::Variables(&["A", "B"]), "the variable A or B"),
        ] {
            assert_eq!(key.whence(), words);
            assert!(!format!("{key:?}").contains("k-config"));
        }
    }
}
