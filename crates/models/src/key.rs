//! API keys: from the configuration, an environment variable, our secret store, a file or a program.
//!
//! A key never appears in an error message; reading one is bounded in size and time.

use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;

use tarsus_home::config::Lookup;
use tarsus_home::config::view::SecretInput;
use tarsus_home::secrets::{SecretRef, SecretSource};
use tarsus_home::{Home, Secret, files};
use tarsus_host::process::{Env, ProcessSpec};

use tarsus_protocol::NoAnswer;

use crate::error::ModelError;

const MAX_BYTES: usize = 16 * 1024;
/// How long a program that prints a key may run; it may have to ask its owner for a password.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The environment variables that a program that prints a key inherits.
const INHERITED_VARS: &[&str] =
    &["HOME", "PATH", "USER", "USERPROFILE", "SystemRoot", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];

/// The source of an API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    None,
    Configured(SecretInput),
    /// The first of these environment variables that is set.
    EnvVars(&'static [&'static str]),
}

/// The state after everything that does not block: the key, or a program to run.
enum Resolution {
    Found(Option<Secret>),
    Run { run: Box<ProcessSpec>, program: String },
}

impl KeySource {
    /// Describes the source without revealing the key.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::None => "no key is needed".to_owned(),
            Self::Configured(SecretInput::Plain(_)) => "the configuration".to_owned(),
            Self::Configured(SecretInput::Reference(reference)) => match reference.source {
                SecretSource::Env => format!("the variable {}", reference.id),
                SecretSource::Exec => format!("the program {}", program(reference)),
                SecretSource::File if reference.is_stored() => format!("the secret store ({})", reference.id),
                SecretSource::File => format!("the file {}", reference.id),
            },
            Self::EnvVars(names) => format!("the variable {}", names.join(" or ")),
        }
    }

    /// Resolves the key, `None` where none is needed. Environment variables are read before this returns.
    ///
    /// # Errors
    /// With class `Auth` when there is no key.
    pub fn resolve(
        &self,
        home: &Home,
        variables: Lookup<'_>,
    ) -> impl Future<Output = Result<Option<Secret>, ModelError>> + Send + use<> {
        let started = self.start(home, variables);
        async move {
            match started? {
                Resolution::Found(key) => Ok(key),
                Resolution::Run { run, program } => read_from_program(*run, &program).await.map(Some),
            }
        }
    }

    fn start(&self, home: &Home, variables: Lookup<'_>) -> Result<Resolution, ModelError> {
        let reference = match self {
            Self::None => return Ok(Resolution::Found(None)),
            Self::Configured(SecretInput::Reference(reference)) => reference,
            Self::Configured(input) => return input.resolve(home, variables).map_err(no_key).and_then(found),
            Self::EnvVars(names) => {
                let set =
                    names.iter().find_map(|name| variables(name).filter(|value| !value.trim().is_empty()));
                return match set {
                    Some(value) => found(Secret::new(value)),
                    None => Err(no_key(format!("no key: {} is not set", names.join(" or ")))),
                };
            }
        };
        match reference.source {
            SecretSource::File if !reference.is_stored() => {
                let path = home.resolve(&reference.id);
                let bytes =
                    files::read(&path, MAX_BYTES as u64).map_err(|error| no_key(error.to_string()))?;
                let bytes = bytes.ok_or_else(|| no_key(format!("no key: {} is not there", reference.id)))?;
                first_line(bytes, &reference.id).and_then(found)
            }
            SecretSource::Exec => {
                let mut words = reference.id.split_whitespace();
                let program = home.resolve(words.next().unwrap_or_default());
                if !is_absolute(reference) {
                    return Err(no_key(format!(
                        "no key: {:?} must be the absolute path of a program",
                        reference.id
                    )));
                }
                let mut env = Env::empty();
                for name in INHERITED_VARS {
                    if let Some(value) = variables(name) {
                        env.set(*name, value);
                    }
                }
                let run = ProcessSpec {
                    args: words.map(Into::into).collect(),
                    env,
                    timeout: TIMEOUT,
                    output_cap: MAX_BYTES,
                    ..ProcessSpec::new(
                        program,
                        home.state_dir().parent().map_or_else(|| PathBuf::from("/"), PathBuf::from),
                    )
                };
                Ok(Resolution::Run { run: Box::new(run), program: self::program(reference).to_owned() })
            }
            SecretSource::Env | SecretSource::File => {
                let input = SecretInput::Reference(reference.clone());
                input.resolve(home, variables).map_err(no_key).and_then(found)
            }
        }
    }
}

/// The program of an `exec` reference, without its arguments.
fn program(reference: &SecretRef) -> &str {
    reference.id.split_whitespace().next().unwrap_or_default()
}

fn is_absolute(reference: &SecretRef) -> bool {
    let program = program(reference);
    program.starts_with("~/") || std::path::Path::new(program).is_absolute()
}

async fn read_from_program(run: ProcessSpec, program: &str) -> Result<Secret, ModelError> {
    let outcome = run.finish().await.map_err(|error| no_key(format!("no key from {program}: {error}")))?;
    if !outcome.exit.success() {
        // The output may contain the key.
        return Err(no_key(format!("no key from {program}: it failed")));
    }
    if outcome.stdout.is_cut() {
        return Err(no_key(format!("no key from {program}: it prints more than {MAX_BYTES} bytes")));
    }
    first_line(outcome.stdout.bytes, program)
}

/// Takes the first line; password stores put notes on the lines after it.
fn first_line(bytes: Vec<u8>, place: &str) -> Result<Secret, ModelError> {
    let text =
        String::from_utf8(bytes).map_err(|_| no_key(format!("no key from {place}: it is not text")))?;
    let line = text.trim_start_matches('\u{FEFF}').lines().next().unwrap_or_default().trim();
    if line.is_empty() {
        return Err(no_key(format!("no key from {place}: it is empty")));
    }
    Ok(Secret::new(line))
}

fn found(key: Secret) -> Result<Resolution, ModelError> {
    let key = Secret::new(key.expose().trim());
    if key.is_empty() { Err(no_key("no key: it is empty")) } else { Ok(Resolution::Found(Some(key))) }
}

fn no_key(reason: impl ToString) -> ModelError {
    ModelError::new(NoAnswer::Auth, reason.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "a test writes the files that a key is in")]

    use serde_json::{Value, json};
    use tarsus_home::HomeOptions;
    use tarsus_home::secrets::SecretStore;
    use tempfile::TempDir;

    use super::*;

    fn home() -> (TempDir, Home) {
        let dir = tempfile::tempdir().unwrap();
        let choice = HomeOptions {
            state_flag: Some(dir.path().join("state")),
            user_home: Some(dir.path().into()),
            ..HomeOptions::default()
        };
        let home = Home::locate(&choice).unwrap();
        (dir, home)
    }

    fn configured(value: Value) -> KeySource {
        KeySource::Configured(serde_json::from_value(value).unwrap())
    }

    async fn resolve(key: &KeySource, home: &Home) -> Result<Option<String>, String> {
        let variables = |name: &str| match name {
            "SET" => Some(" k-env\n".to_owned()),
            "BLANK" => Some("  ".to_owned()),
            _ => None,
        };
        let found = key.resolve(home, &variables).await;
        found.map(|key| key.map(|key| key.expose().to_owned())).map_err(|failure| {
            assert_eq!(failure.class, NoAnswer::Auth);
            failure.message
        })
    }

    #[tokio::test]
    async fn key_is_resolved_from_every_source() {
        let (dir, home) = home();
        std::fs::write(dir.path().join("key"), "k-file\r\nnotes: hush\n").unwrap();
        SecretStore::for_home(&home).set("models/x", Secret::new("k-store")).unwrap();
        let ok = |key: &str| Ok(Some(key.to_owned()));
        for (key, expected) in [
            (KeySource::None, Ok(None)),
            (configured(json!("k-config")), ok("k-config")),
            (configured(json!({"source": "env", "id": "SET"})), ok("k-env")),
            (configured(json!({"source": "file", "id": "~/key"})), ok("k-file")),
            (configured(json!({"source": "file", "provider": "tarsus", "id": "models/x"})), ok("k-store")),
            (KeySource::EnvVars(&["BLANK", "SET"]), ok("k-env")),
        ] {
            assert_eq!(resolve(&key, &home).await, expected, "{key:?}");
        }
    }

    #[tokio::test]
    async fn missing_key_error_names_its_source() {
        let (dir, home) = home();
        std::fs::write(dir.path().join("empty"), "\nk\n").unwrap();
        std::fs::write(dir.path().join("odd"), [0xff, 0xfe]).unwrap();
        std::fs::write(dir.path().join("long"), "k".repeat(MAX_BYTES + 1)).unwrap();
        for (key, what) in [
            (KeySource::EnvVars(&["BLANK", "NOPE"]), "no key: BLANK or NOPE is not set"),
            (configured(json!("")), "no key: it is empty"),
            (configured(json!({"source": "env", "id": "NOPE"})), "the secret \"NOPE\" does not exist"),
            (configured(json!({"source": "file", "id": "~/nope"})), "no key: ~/nope is not there"),
            (configured(json!({"source": "file", "id": "~/empty"})), "no key from ~/empty: it is empty"),
            (configured(json!({"source": "file", "id": "~/odd"})), "no key from ~/odd: it is not text"),
            (
                configured(json!({"source": "exec", "id": "pass show x"})),
                "no key: \"pass show x\" must be the absolute path of a program",
            ),
        ] {
            assert_eq!(resolve(&key, &home).await, Err(what.to_owned()), "{key:?}");
        }
        let long = resolve(&configured(json!({"source": "file", "id": "~/long"})), &home).await.unwrap_err();
        assert!(!long.contains("kkk"), "{long}");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn key_program_failure_hides_its_output() {
        let (_dir, home) = home();
        let exec = |id: &str| configured(json!({"source": "exec", "id": id}));
        assert_eq!(resolve(&exec("/bin/echo k-program"), &home).await, Ok(Some("k-program".to_owned())));
        let failed = resolve(&exec("/bin/ls /nowhere-at-all"), &home).await;
        assert_eq!(failed, Err("no key from /bin/ls: it failed".to_owned()));
        let nothing = resolve(&exec("/bin/true"), &home).await;
        assert_eq!(nothing, Err("no key from /bin/true: it is empty".to_owned()));
        let missing = resolve(&exec("/nowhere-at-all x"), &home).await.unwrap_err();
        assert!(missing.starts_with("no key from /nowhere-at-all: "), "{missing}");
    }

    #[test]
    fn key_source_is_described_without_the_key() {
        for (key, words) in [
            (configured(json!("k-config")), "the configuration"),
            (configured(json!({"source": "exec", "id": "/bin/pass show hush"})), "the program /bin/pass"),
            (KeySource::EnvVars(&["A", "B"]), "the variable A or B"),
        ] {
            assert_eq!(key.describe(), words);
            assert!(!format!("{key:?}").contains("k-config"));
        }
    }
}
