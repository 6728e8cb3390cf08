//! Which variables a skill's settings may set for the programs that it runs.
//!
//! Promises: a variable that decides what other programs run, whom they talk to or where they keep their files is
//! never set; a key or password only when the skill declares it. Leaves to others: what the values are.

use std::fmt;

use super::lists::{CREDENTIALS, RESERVED, SECRET_ENDINGS};

/// Longer names are refused.
const LONGEST_NAME: usize = 256;
/// Longer values are refused: the system would refuse the program that got one.
const LONGEST_VALUE: usize = 96 * 1024;
/// Longer values are unusual for a setting.
const UNUSUAL_VALUE: usize = 32 * 1024;
/// So much base64 in one piece is unusual for a setting.
const UNUSUAL_BASE64: usize = 80;

/// What a reserved variable is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    /// Ours.
    Tarsus,
    /// What is loaded into every program.
    Loader,
    /// What shells run and how they read.
    Shell,
    /// Where programs and files are.
    Places,
    /// What language runtimes load.
    Runtime,
    /// What builds run.
    Toolchain,
    /// Through whom programs talk.
    Network,
    /// Whom programs believe.
    Tls,
    /// Where packages come from.
    Packages,
    /// What version control runs and where it works.
    Git,
    /// What is started to edit, show or ask.
    Program,
    /// Which servers, agents and clusters are used.
    Services,
}

impl Group {
    const fn about(self) -> &'static str {
        match self {
            Self::Tarsus => "it steers Tarsus itself",
            Self::Loader => "it decides what is loaded into every program",
            Self::Shell => "it decides what shells run",
            Self::Places => "it decides where programs and files are looked for",
            Self::Runtime => "it decides what code a language runtime loads",
            Self::Toolchain => "it decides what a build runs",
            Self::Network => "it decides through whom programs talk",
            Self::Tls => "it decides whom programs believe",
            Self::Packages => "it decides where packages come from",
            Self::Git => "it decides what version control runs and where",
            Self::Program => "it decides what is started to edit, show or ask",
            Self::Services => "it decides which server, agent or cluster is used",
        }
    }
}

/// Why a variable is not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It is reserved.
    Reserved(Group),
    /// It looks like a key or password, and the skill does not declare it.
    Undeclared,
    /// It is not a name: letters, digits and `_`.
    NotAName,
    /// A value cannot hold a NUL.
    Nul,
    /// The value is longer than a program can be given.
    TooLong,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reserved(group) => group.about(),
            Self::Undeclared => {
                "it looks like a key or password, and the skill declares it neither as primaryEnv nor in requires.env"
            }
            Self::NotAName => "it is not the name of a variable: letters, digits and `_`, no digit first",
            Self::Nul => "its value has a NUL in it",
            Self::TooLong => "its value is longer than a program can be given",
        })
    }
}

/// What is unusual about a value that is set nevertheless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusual {
    /// It is long.
    Long,
    /// Much of it is base64.
    Base64,
}

impl fmt::Display for Unusual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Long => "its value is unusually long",
            Self::Base64 => "its value is a long piece of base64",
        })
    }
}

/// Whether a skill may set a variable. `declared` says whether it names the variable as its `primaryEnv` or in
/// `requires.env`.
///
/// # Errors
/// The reason, when it may not.
pub fn may_set(name: &str, declared: bool) -> Result<(), Refusal> {
    let is_name = name.len() <= LONGEST_NAME
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name {
        return Err(Refusal::NotAName);
    }
    let name = name.to_ascii_uppercase();
    let is_listed = |names: &str| names.split_whitespace().any(|listed| listed == name);
    let is_credential = is_listed(CREDENTIALS);
    if !is_credential {
        let begins = |prefixes: &str| prefixes.split_whitespace().any(|prefix| name.starts_with(prefix));
        let found = RESERVED.iter().find(|reserved| is_listed(reserved.names) || begins(reserved.prefixes));
        if let Some(reserved) = found {
            return Err(Refusal::Reserved(reserved.group));
        }
    }
    let is_secret = is_credential || SECRET_ENDINGS.iter().any(|end| name.ends_with(end));
    if is_secret && !declared { Err(Refusal::Undeclared) } else { Ok(()) }
}

/// Whether a value can be given to a program, and what is unusual about it.
///
/// # Errors
/// The reason, when it cannot.
pub(super) fn check_value(value: &str) -> Result<Option<Unusual>, Refusal> {
    if value.contains('\0') {
        return Err(Refusal::Nul);
    }
    if value.len() > LONGEST_VALUE {
        return Err(Refusal::TooLong);
    }
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    Ok(if value.len() > UNUSUAL_VALUE {
        Some(Unusual::Long)
    } else if value.len() >= UNUSUAL_BASE64 && value.bytes().all(is_base64) {
        Some(Unusual::Base64)
    } else {
        None
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_listed_name_is_written_in_capitals_and_once() {
        let mut seen = BTreeSet::new();
        for reserved in RESERVED {
            for name in reserved.names.split_whitespace().chain(reserved.prefixes.split_whitespace()) {
                assert_eq!(name, name.to_ascii_uppercase());
                assert!(seen.insert(name), "{name} is listed twice");
            }
        }
    }

    #[test]
    fn what_is_reserved_is_refused_however_it_is_declared_and_written() {
        for reserved in RESERVED {
            let names = reserved.names.split_whitespace().map(str::to_owned);
            let longer = reserved.prefixes.split_whitespace().map(|prefix| format!("{prefix}X"));
            for name in names.chain(longer) {
                for spelling in [name.clone(), name.to_ascii_lowercase()] {
                    for declared in [false, true] {
                        let refused = may_set(&spelling, declared).unwrap_err();
                        assert!(matches!(refused, Refusal::Reserved(_)), "{spelling}: {refused:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn keys_and_passwords_are_set_only_when_declared() {
        let suffixes = SECRET_ENDINGS.iter().map(|end| format!("ACME_{end}"));
        for name in CREDENTIALS.split_whitespace().map(str::to_owned).chain(suffixes) {
            assert_eq!(may_set(&name, false), Err(Refusal::Undeclared), "{name}");
            assert_eq!(may_set(&name.to_lowercase(), false), Err(Refusal::Undeclared), "{name}");
            assert_eq!(may_set(&name, true), Ok(()), "{name}");
        }
    }

    #[test]
    fn the_rules_by_example() {
        use Group::*;
        let reserved = |group| Err(Refusal::Reserved(group));
        let table = [
            ("BAR", false, Ok(())),
            ("JIRA_URL", false, Ok(())),
            ("KEYCLOAK_REALM", false, Ok(())),
            ("GEMINI_API_KEY", true, Ok(())),
            ("GH_TOKEN", true, Ok(())),
            ("MY_TOKEN", false, Err(Refusal::Undeclared)),
            ("LD_PRELOAD", true, reserved(Loader)),
            ("DYLD_INSERT_LIBRARIES", true, reserved(Loader)),
            ("NODE_OPTIONS", true, reserved(Runtime)),
            ("PYTHONPATH", true, reserved(Runtime)),
            ("http_proxy", true, reserved(Network)),
            ("SSLKEYLOGFILE", true, reserved(Tls)),
            ("PATH", true, reserved(Places)),
            ("Path", true, reserved(Places)),
            ("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER", true, reserved(Toolchain)),
            ("GIT_CONFIG_COUNT", true, reserved(Git)),
            ("npm_config_registry", true, reserved(Packages)),
            ("TF_VAR_region", true, reserved(Services)),
            ("TARSUS_AGENT", true, reserved(Tarsus)),
            ("", true, Err(Refusal::NotAName)),
            ("A=B", true, Err(Refusal::NotAName)),
            ("A\0", true, Err(Refusal::NotAName)),
            ("1A", true, Err(Refusal::NotAName)),
            ("BASH_FUNC_ls%%", true, Err(Refusal::NotAName)),
            ("ＰＡＴＨ", true, Err(Refusal::NotAName)),
        ];
        for (name, declared, expected) in table {
            assert_eq!(may_set(name, declared), expected, "{name}");
        }
        assert_eq!(may_set(&"A".repeat(257), true), Err(Refusal::NotAName));
    }

    #[test]
    fn values_are_checked_for_what_a_program_cannot_be_given() {
        let table = [
            ("".to_owned(), Ok(None)),
            ("a\0b".to_owned(), Err(Refusal::Nul)),
            ("a".repeat(79), Ok(None)),
            ("a".repeat(80), Ok(Some(Unusual::Base64))),
            ("a b".repeat(40), Ok(None)),
            ("a ".repeat(16 * 1024), Ok(None)),
            ("a ".repeat(16 * 1024 + 1), Ok(Some(Unusual::Long))),
            ("a".repeat(LONGEST_VALUE + 1), Err(Refusal::TooLong)),
        ];
        for (value, expected) in table {
            assert_eq!(check_value(&value), expected, "{} bytes", value.len());
        }
    }
}
