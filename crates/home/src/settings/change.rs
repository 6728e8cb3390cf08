//! Changes of the records about skills in the settings file.
//!
//! Promises: a change is made whole under the file's lock, keeps every comment and every other key, and is read back
//! before it is written. Leaves to others: whether it may be made (`agree`).

use tarsus_protocol::Problem;

use super::edits::edits;
use super::records::{Change, SkillRecords};
use super::{DEFAULT_TEXT, SettingsError, read};
use crate::Home;
use crate::config::json5::MAX_BYTES;
use crate::files::{Locked, Reserve};

/// The records before and after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Before.
    pub before: SkillRecords,
    /// After; the same when there was nothing to change.
    pub after: SkillRecords,
}

/// Changes the records, if `agree` says so, which sees them before and after while nobody else changes the file. It is
/// not asked when there is nothing to change. On a full disk the reserve is given up for it.
///
/// # Errors
/// When the file cannot be read or written or is not valid, and `NotAgreed` with what `agree` said.
pub fn change(
    home: &Home,
    change: &Change,
    agree: impl FnOnce(&SkillRecords, &SkillRecords) -> Result<(), Problem>,
) -> Result<Changed, SettingsError> {
    let path = home.settings_path();
    let locked = Locked::take(&path)?;
    let old = locked.read(MAX_BYTES)?;
    let (document, settings) = read(path.clone(), old.as_deref().unwrap_or(DEFAULT_TEXT.as_bytes()))?;
    let before = settings.skills;
    let after = before.clone().after(change);
    if after != before {
        let edited = document.edited_all(&edits(&document, &before, &after, change.skill()))?;
        // What is written is read by the same reader: a value that it would refuse never reaches the file.
        read(path, edited.text().as_bytes())?;
        agree(&before, &after).map_err(|problem| SettingsError::NotAgreed(Box::new(problem)))?;
        let write = || locked.replace(edited.text().as_bytes()).map_err(SettingsError::from);
        Reserve::at(home.reserve_path()).spend_on(SettingsError::is_disk_full, write)?;
    }
    Ok(Changed { before, after })
}
