//! How a path is handed to `cmd.exe`, whose way of reading a line is its own.
//!
//! Inside quotes cmd takes `&`, `^`, `|` and the like as they are, but still replaces `%NAME%`, and nothing
//! can stand for a quote. So the line is written here, quotes included, and what cannot be written is refused.

use std::ffi::OsString;
use std::path::Path;

use super::LaunchError;
use super::plan::{Plan, Step};

/// Holds a path that has `%` in it: cmd replaces a variable once and leaves `%` in its value alone.
const VARIABLE: &str = "TARSUS_LAUNCH_PATH";
/// The longest line that cmd reads is 8,191 units of UTF-16.
const LONGEST: usize = 8_000;
/// What cmd acts on outside quotes.
const SPECIAL: &[char] = &['&', '|', '<', '>', '^', '(', ')', ',', ';', '=', '\'', '`', '!'];

/// Whether this is a path of Windows: of a drive or of a share.
pub(super) fn is_path(path: &str) -> bool {
    let drive =
        |path: &[u8]| matches!(path, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    drive(path.as_bytes()) || path.starts_with(r"\\")
}

/// Whether it lies on another machine, or is given in a form that reaches around the usual rules.
pub(super) fn is_share(path: &str) -> bool {
    path.starts_with(r"\\") || path.starts_with("//")
}

/// The folder of a path of Windows, where cmd can start in it.
fn folder(path: &str) -> Option<&str> {
    let end = path.rfind(['\\', '/'])?;
    // `C:` alone would be whatever folder is current on that drive.
    let root = path.as_bytes().get(end.checked_sub(1)?) == Some(&b':');
    (is_path(path) && !is_share(path)).then(|| &path[..if root { end + 1 } else { end }])
}

/// Refuses what no line for cmd can hold.
fn check(path: &str) -> Result<(), LaunchError> {
    let reason = if path.contains(['"', '\r', '\n']) {
        "a double quote or a line break cannot be handed to cmd.exe safely"
    } else if path.starts_with(['/', '-']) && !is_share(path) {
        "cmd.exe would take it for an option"
    } else if path.encode_utf16().count() > LONGEST {
        "it is longer than a line of cmd.exe can be"
    } else {
        return Ok(());
    };
    Err(LaunchError::Unsafe { path: path.into(), reason })
}

fn arguments(cmd: &Path, path: &str) -> Vec<OsString> {
    [cmd.as_os_str(), "/c".as_ref(), "start".as_ref(), "".as_ref(), path.as_ref()].map(Into::into).into()
}

/// Windows itself: `cmd.exe /c start "" "<path>"` as one line. A path with `%` is started directly, and only
/// if it is nothing that can be started as such (a shortcut) handed to cmd through a variable.
pub(super) fn plan(path: &str, cmd: &Path, home: &Path) -> Result<Plan, LaunchError> {
    check(path)?;
    let cwd = folder(path).map_or_else(|| home.into(), Into::into);
    let start = |spelled: &str| Step {
        argv: arguments(cmd, path),
        line: Some(format!(r#"/c start "" "{spelled}""#)),
        variable: None,
        cwd,
        hands_over: true,
    };
    if !path.contains('%') {
        return Ok(Plan { first: start(path), stable: None });
    }
    let by_variable = Step { variable: Some((VARIABLE, path.into())), ..start(&format!("%{VARIABLE}%")) };
    // Only a full path can be started without a search.
    if !is_path(path) {
        return Ok(Plan { first: by_variable, stable: None });
    }
    let first = Step {
        argv: vec![path.into()],
        line: None,
        variable: None,
        cwd: by_variable.cwd.clone(),
        hands_over: false,
    };
    Ok(Plan { first, stable: Some(by_variable) })
}

/// Linux inside Windows: the same line, but it is written by the system in between, which puts quotes only
/// around white space. What would need them for another reason is refused.
pub(super) fn plan_from_linux(path: &str, cmd: &Path) -> Result<Plan, LaunchError> {
    check(path)?;
    let quoted = path.contains([' ', '\t']);
    if path.contains('%') || (!quoted && path.contains(SPECIAL)) {
        let reason = "from Linux, a path with % or with unquoted characters that cmd.exe acts on cannot be \
                      handed to it safely";
        return Err(LaunchError::Unsafe { path: path.into(), reason });
    }
    // cmd complains about a folder that Windows does not have; its own is one that it has.
    let cwd = cmd.parent().unwrap_or(Path::new("/")).into();
    let first = Step { argv: arguments(cmd, path), line: None, variable: None, cwd, hands_over: true };
    Ok(Plan { first, stable: None })
}
