//! The environment of a program: empty by default, with exactly the variables that were set.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;

/// Environment variables. `Debug` shows names only: values may be keys.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Env(BTreeMap<OsString, OsString>);

impl Env {
    /// No variables.
    #[must_use]
    pub const fn empty() -> Self {
        Self(BTreeMap::new())
    }

    /// The variables of our environment `ours` with one of these names.
    #[must_use]
    pub fn inherit(
        ours: impl IntoIterator<Item = (OsString, OsString)>,
        names: &[impl AsRef<OsStr>],
    ) -> Self {
        let allowed = |name: &OsStr| names.iter().any(|allowed| same_name(allowed.as_ref(), name));
        Self(ours.into_iter().filter(|(name, _)| allowed(name)).collect())
    }

    /// Sets or replaces a variable.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> &mut Self {
        let name = name.into();
        self.0.retain(|known, _| !same_name(known, &name));
        self.0.insert(name, value.into());
        self
    }

    /// The variables, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The first invalid name: empty, or with `=` or NUL.
    pub(super) fn bad_name(&self) -> Option<&OsStr> {
        self.iter().map(|(name, _)| name).find(|name| {
            let bytes = name.as_encoded_bytes();
            bytes.is_empty() || bytes.contains(&b'=') || bytes.contains(&0)
        })
    }
}

/// Windows ignores the case of names.
fn same_name(a: &OsStr, b: &OsStr) -> bool {
    if cfg!(windows) { a.eq_ignore_ascii_case(b) } else { a == b }
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours() -> Vec<(OsString, OsString)> {
        [("PATH", "/bin"), ("HOME", "/home/ada"), ("API_KEY", "s3cret")]
            .map(|(name, value)| (name.into(), value.into()))
            .into()
    }

    fn shown(env: &Env) -> Vec<(&str, &str)> {
        env.iter().map(|(n, v)| (n.to_str().unwrap(), v.to_str().unwrap())).collect()
    }

    #[test]
    fn only_named_variables_are_inherited() {
        assert_eq!(shown(&Env::inherit(ours(), &["PATH", "LANG"])), [("PATH", "/bin")]);
        assert_eq!(Env::inherit(ours(), &[] as &[&str]), Env::empty());
    }

    #[test]
    fn names_are_case_sensitive_except_on_windows() {
        let inherited = Env::inherit(ours(), &["Path"]);
        let expected: &[(&str, &str)] = if cfg!(windows) { &[("PATH", "/bin")] } else { &[] };
        assert_eq!(shown(&inherited), expected);
    }

    #[test]
    fn a_value_set_later_wins() {
        let mut env = Env::inherit(ours(), &["PATH"]);
        env.set("PATH", "/usr/bin").set("A", "1");
        assert_eq!(shown(&env), [("A", "1"), ("PATH", "/usr/bin")]);
    }

    #[test]
    fn values_are_never_printed() {
        let printed = format!("{:?}", Env::inherit(ours(), &["API_KEY"]));
        assert_eq!(printed, r#"{"API_KEY"}"#);
    }
}
