//! Adds summaries to the agent's daily notes.

use std::path::Path;

use jiff::Zoned;
use tarsus_home::files::{Confined, Durability, FileError};
use tarsus_store::SessionKey;

/// Maximum bytes of a day's notes, beyond which nothing is added.
const MAX_BYTES: u64 = 1024 * 1024;

/// Adds a summary to the notes of a day, `memory/YYYY-MM-DD.md`.
///
/// # Errors
/// When the notes cannot be read or written, are too large, or lie outside of the workspace.
pub(super) fn add(workspace: &Path, session: &SessionKey, now: &Zoned, text: &str) -> Result<(), FileError> {
    let path = format!("memory/{}.md", now.date());
    let folder = Confined::open(workspace)?;
    let mut notes = folder.read(Path::new(&path), MAX_BYTES)?.unwrap_or_default();
    if !notes.is_empty() {
        notes.extend_from_slice(if notes.ends_with(b"\n") { b"\n" } else { b"\n\n" });
    }
    let at = now.strftime("%H:%M");
    let entry = format!("## {at}, summary of {session}\n\n{}\n", text.trim());
    notes.extend_from_slice(entry.as_bytes());
    folder.write(Path::new(&path), &notes, Durability::PowerSafe)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests look at the files themselves")]

    use std::fs;

    use super::*;

    #[test]
    fn summary_is_added_to_the_daily_notes() {
        let folder = tempfile::tempdir().unwrap();
        let session = "agent:main:main".parse().unwrap();
        let now: Zoned = "2026-11-16T09:05:00+01:00[Europe/Berlin]".parse().unwrap();
        add(folder.path(), &session, &now, "They met.\n").unwrap();
        add(folder.path(), &session, &now, "They parted.").unwrap();
        let heading = "## 09:05, summary of agent:main:main";
        assert_eq!(
            fs::read_to_string(folder.path().join("memory/2026-11-16.md")).unwrap(),
            format!("{heading}\n\nThey met.\n\n{heading}\n\nThey parted.\n")
        );
    }

    #[cfg(unix)]
    #[test]
    fn notes_do_not_follow_links_out_of_the_workspace() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(outside.path(), folder.path().join("memory")).unwrap();
        let now: Zoned = "2026-11-16T09:05:00+01:00[Europe/Berlin]".parse().unwrap();
        add(folder.path(), &"agent:main:main".parse().unwrap(), &now, "They met.").unwrap_err();
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
