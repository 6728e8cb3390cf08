//! What is kept of a conversation in the agent's daily notes when it is summarised.

use std::path::Path;

use jiff::Zoned;
use tarsus_home::files::{Confined, Durability, FileError};
use tarsus_store::SessionKey;

/// Bytes of the notes of a day beyond which nothing is added.
const MOST_BYTES: u64 = 1024 * 1024;

/// Adds a summary to the notes of a day, `memory/YYYY-MM-DD.md`.
///
/// # Errors
/// When the notes cannot be read or written, are too large already, or lie outside of the workspace.
pub(super) fn add(workspace: &Path, session: &SessionKey, now: &Zoned, text: &str) -> Result<(), FileError> {
    let path = format!("memory/{}.md", now.date());
    let folder = Confined::open(workspace)?;
    let mut notes = folder.read(Path::new(&path), MOST_BYTES)?.unwrap_or_default();
    if !notes.is_empty() {
        notes.extend_from_slice(if notes.ends_with(b"\n") { b"\n" } else { b"\n\n" });
    }
    let at = now.strftime("%H:%M");
    let entry = format!("## {at}, from a conversation that grew long ({session})\n\n{}\n", text.trim());
    notes.extend_from_slice(entry.as_bytes());
    folder.write(Path::new(&path), &notes, Durability::PowerSafe)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests look at the files themselves")]

    use std::fs;

    use super::*;

    #[test]
    fn summaries_are_added_to_the_notes_of_the_day() {
        let folder = tempfile::tempdir().unwrap();
        let session = "agent:main:main".parse().unwrap();
        let now: Zoned = "2026-11-16T09:05:00+01:00[Europe/Berlin]".parse().unwrap();
        add(folder.path(), &session, &now, "They met.\n").unwrap();
        add(folder.path(), &session, &now, "They parted.").unwrap();
        let heading = "## 09:05, from a conversation that grew long (agent:main:main)";
        assert_eq!(
            fs::read_to_string(folder.path().join("memory/2026-11-16.md")).unwrap(),
            format!("{heading}\n\nThey met.\n\n{heading}\n\nThey parted.\n")
        );
    }

    #[cfg(unix)]
    #[test]
    fn no_link_leads_the_notes_out_of_the_workspace() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(outside.path(), folder.path().join("memory")).unwrap();
        let now: Zoned = "2026-11-16T09:05:00+01:00[Europe/Berlin]".parse().unwrap();
        add(folder.path(), &"agent:main:main".parse().unwrap(), &now, "They met.").unwrap_err();
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
