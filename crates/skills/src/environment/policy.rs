//! The policy for environment variables of skills.
//!
//! A variable that decides what other programs run, whom they talk to or where they keep their files is never set; a
//! key or password only if the skill declares it.

use std::fmt;

use tarsus_protocol::{ErrorCode, Problem};

use super::lists::{CREDENTIALS, RESERVED, SECRET_ENDINGS};
use crate::report::sanitize;

/// Longest name that is accepted.
const MAX_NAME_LEN: usize = 256;

/// A group of reserved variables, by what they control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VariableGroup {
    /// Tarsus itself.
    Tarsus,
    /// The dynamic loader.
    Loader,
    /// Variables of shells.
    Shell,
    /// Locations of programs and files.
    Places,
    /// Language runtimes.
    Runtime,
    /// Compilers and build tools.
    Toolchain,
    /// Proxies and network configuration.
    Network,
    /// TLS trust.
    Tls,
    /// Package registries.
    Packages,
    /// Version control.
    Git,
    /// Editors, pagers and prompts.
    Program,
    /// Servers, agents and clusters.
    Services,
}

impl VariableGroup {
    const fn about(self) -> &'static str {
        match self {
            Self::Tarsus => "it controls Tarsus itself",
            Self::Loader => "it decides what is loaded into every program",
            Self::Shell => "it decides what shells run",
            Self::Places => "it decides where programs and files are found",
            Self::Runtime => "it decides what code a language runtime loads",
            Self::Toolchain => "it decides what a build runs",
            Self::Network => "it decides how programs connect to the network",
            Self::Tls => "it decides which certificates programs trust",
            Self::Packages => "it decides where packages come from",
            Self::Git => "it decides what version control runs and where",
            Self::Program => "it decides which editor, pager or prompt is started",
            Self::Services => "it decides which server, agent or cluster is used",
        }
    }
}

/// Why a variable must not be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableRefusal {
    /// It is reserved.
    Reserved(VariableGroup),
    /// It looks like a key or password, and the skill does not declare it.
    Undeclared,
    /// It is not a name: letters, digits and `_`.
    NotAName,
}

impl fmt::Display for VariableRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reserved(group) => group.about(),
            Self::Undeclared => {
                "it looks like a key or password, and the skill declares it neither as primaryEnv nor in requires.env"
            }
            Self::NotAName => "it is not the name of a variable: letters, digits and `_`, no digit first",
        })
    }
}

impl VariableRefusal {
    /// The error for a request to set the variable.
    #[must_use]
    pub fn problem(self, name: &str) -> Problem {
        let message = format!("no skill may set {}: {self}", sanitize(name));
        Problem::new(ErrorCode::Denied, message)
            .hint("nothing was changed; a variable that every program needs belongs to the environment of the gateway")
    }
}

/// Whether a skill may set a variable. `declared` is set if it names the variable as its `primaryEnv` or in
/// `requires.env`.
///
/// # Errors
/// The reason if it must not be set.
pub fn may_set(name: &str, declared: bool) -> Result<(), VariableRefusal> {
    let is_name = name.len() <= MAX_NAME_LEN
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name {
        return Err(VariableRefusal::NotAName);
    }
    let name = name.to_ascii_uppercase();
    let is_listed = |names: &str| names.split_whitespace().any(|listed| listed == name);
    let is_credential = is_listed(CREDENTIALS);
    if !is_credential {
        let begins = |prefixes: &str| prefixes.split_whitespace().any(|prefix| name.starts_with(prefix));
        let found = RESERVED.iter().find(|reserved| is_listed(reserved.names) || begins(reserved.prefixes));
        if let Some(reserved) = found {
            return Err(VariableRefusal::Reserved(reserved.group));
        }
    }
    let is_secret = is_credential || SECRET_ENDINGS.iter().any(|end| name.ends_with(end));
    if is_secret && !declared { Err(VariableRefusal::Undeclared) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn reserved_names_are_upper_case_and_unique() {
        let mut seen = BTreeSet::new();
        for reserved in RESERVED {
            for name in reserved.names.split_whitespace().chain(reserved.prefixes.split_whitespace()) {
                assert_eq!(name, name.to_ascii_uppercase());
                assert!(seen.insert(name), "{name} is listed twice");
            }
        }
    }

    #[test]
    fn reserved_variables_are_refused_in_any_case() {
        for reserved in RESERVED {
            let names = reserved.names.split_whitespace().map(str::to_owned);
            let longer = reserved.prefixes.split_whitespace().map(|prefix| format!("{prefix}X"));
            for name in names.chain(longer) {
                for spelling in [name.clone(), name.to_ascii_lowercase()] {
                    for declared in [false, true] {
                        let refused = may_set(&spelling, declared).unwrap_err();
                        assert!(matches!(refused, VariableRefusal::Reserved(_)), "{spelling}: {refused:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn credentials_may_be_set_only_if_declared() {
        let suffixes = SECRET_ENDINGS.iter().map(|end| format!("ACME_{end}"));
        for name in CREDENTIALS.split_whitespace().map(str::to_owned).chain(suffixes) {
            assert_eq!(may_set(&name, false), Err(VariableRefusal::Undeclared), "{name}");
            assert_eq!(may_set(&name.to_lowercase(), false), Err(VariableRefusal::Undeclared), "{name}");
            assert_eq!(may_set(&name, true), Ok(()), "{name}");
        }
    }

    #[test]
    fn policy_by_example() {
        use VariableGroup::*;
        let reserved = |group| Err(VariableRefusal::Reserved(group));
        let table = [
            ("BAR", false, Ok(())),
            ("JIRA_URL", false, Ok(())),
            ("KEYCLOAK_REALM", false, Ok(())),
            ("GEMINI_API_KEY", true, Ok(())),
            ("GH_TOKEN", true, Ok(())),
            ("MY_TOKEN", false, Err(VariableRefusal::Undeclared)),
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
            ("", true, Err(VariableRefusal::NotAName)),
            ("A=B", true, Err(VariableRefusal::NotAName)),
            ("A\0", true, Err(VariableRefusal::NotAName)),
            ("1A", true, Err(VariableRefusal::NotAName)),
            ("BASH_FUNC_ls%%", true, Err(VariableRefusal::NotAName)),
            ("ＰＡＴＨ", true, Err(VariableRefusal::NotAName)),
        ];
        for (name, declared, expected) in table {
            assert_eq!(may_set(name, declared), expected, "{name}");
        }
        assert_eq!(may_set(&"A".repeat(257), true), Err(VariableRefusal::NotAName));
    }
}
