//! The environment of a launched app: only the variables of the desktop session.
//!
//! This is an allowlist, so that no unknown variable with a key in it is passed on.

use std::ffi::{OsStr, OsString};

use tarsus_host::process::Env;

/// Session variables on Linux and macOS, besides those with a prefix below.
#[cfg(not(windows))]
const NAMES: &[&str] = &[
    "DBUS_SESSION_BUS_ADDRESS",
    "DESKTOP_SESSION",
    "DISPLAY",
    "GDK_BACKEND",
    "GTK_IM_MODULE",
    "GTK_MODULES",
    "HOME",
    "ICEAUTHORITY",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "PATH",
    "PULSE_SERVER",
    "QT_IM_MODULE",
    "QT_QPA_PLATFORM",
    "QT_QPA_PLATFORMTHEME",
    "SESSION_MANAGER",
    "SHELL",
    "SSH_AUTH_SOCK",
    "TMPDIR",
    "TZ",
    "USER",
    "WAYLAND_DISPLAY",
    "WSL_DISTRO_NAME",
    "WSL_INTEROP",
    "XAUTHORITY",
    "XMODIFIERS",
];
#[cfg(not(windows))]
const PREFIXES: &[&str] = &["LC_", "XDG_"];

/// Variables that Windows gives to every program.
#[cfg(windows)]
const NAMES: &[&str] = &[
    "ALLUSERSPROFILE",
    "APPDATA",
    "COMPUTERNAME",
    "COMSPEC",
    "DRIVERDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "LOGONSERVER",
    "NUMBER_OF_PROCESSORS",
    "ONEDRIVE",
    "OS",
    "PATH",
    "PATHEXT",
    "PUBLIC",
    "SESSIONNAME",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERDOMAIN",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];
#[cfg(windows)]
const PREFIXES: &[&str] = &["COMMONPROGRAM", "PROCESSOR_", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMW6432"];

/// The variables of our own environment that belong to the desktop session.
pub fn session_environment(ours: impl IntoIterator<Item = (OsString, OsString)>) -> Env {
    let mut env = Env::empty();
    for (name, value) in ours {
        if passes(&name) {
            env.set(name, value);
        }
    }
    env
}

/// Whether a display is known.
pub(super) fn has_screen(env: &Env) -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| value(env, name).is_some())
}

/// Adds session variables that only the user's service manager knows; `shown` has lines of `NAME=value`.
pub(super) fn complete(env: &mut Env, shown: &str) {
    for (name, known) in shown.lines().filter_map(|line| line.split_once('=')) {
        // Shell-quoted values are skipped: no display variable needs quotes.
        let plain = !known.starts_with(['$', '"', '\'']);
        if plain && passes(name.as_ref()) && value(env, name).is_none() {
            env.set(name, known);
        }
    }
}

/// The value of a variable of the session.
pub(super) fn value<'a>(env: &'a Env, name: &str) -> Option<&'a OsStr> {
    let same = |known: &OsStr| if cfg!(windows) { known.eq_ignore_ascii_case(name) } else { known == name };
    env.iter().find(|(known, _)| same(known)).map(|(_, value)| value)
}

fn passes(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let name = if cfg!(windows) { name.to_ascii_uppercase() } else { name.to_owned() };
    NAMES.contains(&name.as_str()) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_variables_pass_and_keys_do_not() {
        let ours = if cfg!(windows) {
            ["Path", "ProgramFiles(x86)", "SystemRoot"]
        } else {
            ["DISPLAY", "PATH", "XDG_RUNTIME_DIR"]
        };
        let keys = [
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "OPENCLAW_GATEWAY_TOKEN",
            "OPENCLAW_STATE_DIR",
            "TARSUS_X",
        ];
        let all = ours.iter().chain(&keys).map(|name| (name.into(), "value".into()));
        let env = session_environment(all);
        assert_eq!(env.iter().map(|(name, _)| name).collect::<Vec<_>>(), ours);
        assert_eq!(value(&env, "PATH"), Some("value".as_ref()));
        assert_eq!(value(&env, "TARSUS_X"), None);
    }

    #[cfg(not(windows))]
    #[test]
    fn service_manager_variables_pass_the_same_allowlist() {
        let mut env = session_environment([("PATH".into(), "/bin".into())]);
        assert!(!has_screen(&env));
        complete(
            &mut env,
            "PATH=/usr/bin\nDISPLAY=:1\nSECRET_KEY=x\nLANG=$'a b'\nno equals sign\nXAUTHORITY=/a=b\n",
        );
        assert!(has_screen(&env));
        let expected = [("DISPLAY", ":1"), ("PATH", "/bin"), ("XAUTHORITY", "/a=b")];
        assert_eq!(
            env.iter().map(|(n, v)| (n.to_str().unwrap(), v.to_str().unwrap())).collect::<Vec<_>>(),
            expected
        );
    }
}
