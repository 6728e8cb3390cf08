//! Command lines for `cmd.exe`, which has parsing rules of its own.
//!
//! Inside quotes cmd leaves `&`, `^`, `|` and the like alone, but still replaces `%NAME%`, and a quote cannot be escaped.
//! So the whole line is built here, and a path that it cannot hold is refused.

use std::ffi::OsString;
use std::path::Path;

use super::plan::{LaunchPlan, LaunchStep};
use super::{LaunchError, UnsafePath};

/// Holds a path that has `%` in it: cmd replaces a variable once and leaves `%` in its value alone.
const VARIABLE: &str = "TARSUS_LAUNCH_PATH";
/// The longest line that cmd reads is 8,191 units of UTF-16.
const MAX_PATH_UNITS: usize = 8_000;
/// Characters that cmd interprets outside quotes.
const SPECIAL: &[char] = &['&', '|', '<', '>', '^', '(', ')', ',', ';', '=', '\'', '`', '!'];

/// Whether this is a Windows path: on a drive or a share.
pub(super) fn is_path(path: &str) -> bool {
    let drive =
        |path: &[u8]| matches!(path, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    drive(path.as_bytes()) || path.starts_with(r"\\")
}

/// Whether this is on another machine, or a device path.
pub(super) fn is_share(path: &str) -> bool {
    path.starts_with(r"\\") || path.starts_with("//")
}

/// The folder of a Windows path, if cmd can use it as working directory.
fn folder(path: &str) -> Option<&str> {
    let end = path.rfind(['\\', '/'])?;
    // `C:` alone would be whatever folder is current on that drive.
    let root = path.as_bytes().get(end.checked_sub(1)?) == Some(&b':');
    (is_path(path) && !is_share(path)).then(|| &path[..if root { end + 1 } else { end }])
}

/// Refuses a path that a cmd line cannot hold.
fn check(path: &str) -> Result<(), LaunchError> {
    let reason = if path.contains(['"', '\r', '\n']) {
        UnsafePath::QuoteOrLineBreak
    } else if path.starts_with(['/', '-']) && !is_share(path) {
        UnsafePath::LooksLikeOption
    } else if path.encode_utf16().count() > MAX_PATH_UNITS {
        UnsafePath::TooLong
    } else {
        return Ok(());
    };
    Err(LaunchError::Unsafe { path: path.into(), reason })
}

fn arguments(cmd: &Path, path: &str) -> Vec<OsString> {
    [cmd.as_os_str(), "/c".as_ref(), "start".as_ref(), "".as_ref(), path.as_ref()].map(Into::into).into()
}

/// Windows: `cmd.exe /c start "" "<path>"` as one line. A path with `%` is executed directly; if it is not executable (a
/// shortcut), it is passed to cmd in a variable.
pub(super) fn plan(path: &str, cmd: &Path, home: &Path) -> Result<LaunchPlan, LaunchError> {
    check(path)?;
    let cwd = folder(path).map_or_else(|| home.into(), Into::into);
    let start = |spelled: &str| LaunchStep {
        argv: arguments(cmd, path),
        line: Some(format!(r#"/c start "" "{spelled}""#)),
        variable: None,
        cwd,
        hands_over: true,
    };
    if !path.contains('%') {
        return Ok(LaunchPlan { first: start(path), stable: None });
    }
    let by_variable =
        LaunchStep { variable: Some((VARIABLE, path.into())), ..start(&format!("%{VARIABLE}%")) };
    // Only a full path is executed without a search.
    if !is_path(path) {
        return Ok(LaunchPlan { first: by_variable, stable: None });
    }
    let first = LaunchStep {
        argv: vec![path.into()],
        line: None,
        variable: None,
        cwd: by_variable.cwd.clone(),
        hands_over: false,
    };
    Ok(LaunchPlan { first, stable: Some(by_variable) })
}

/// WSL: the same line, but built by the interop layer, which quotes only white space. A path that needs quotes for
/// another reason is refused.
pub(super) fn plan_from_linux(path: &str, cmd: &Path) -> Result<LaunchPlan, LaunchError> {
    check(path)?;
    let quoted = path.contains([' ', '\t']);
    if path.contains('%') || (!quoted && path.contains(SPECIAL)) {
        return Err(LaunchError::Unsafe { path: path.into(), reason: UnsafePath::SpecialFromLinux });
    }
    // cmd complains about a folder that Windows does not have; its own is one that it has.
    let cwd = cmd.parent().unwrap_or(Path::new("/")).into();
    let first = LaunchStep { argv: arguments(cmd, path), line: None, variable: None, cwd, hands_over: true };
    Ok(LaunchPlan { first, stable: None })
}
