//! Changes the skill records in the settings file.
//!
//! A change is atomic under the file's lock, keeps comments and other keys, and is parsed again before it is written.
//! The `agree` callback decides whether it is allowed.

use tarsus_protocol::Problem;

use super::edits::record_edits;
use super::records::{SkillRecordChange, SkillRecords};
use super::{DEFAULT_TEXT, SettingsError, parse};
use crate::Home;
use crate::config::json5::MAX_BYTES;
use crate::files::{Locked, Reserve};

/// The records before and after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub before: SkillRecords,
    /// Records after it; equal to `before` if nothing changed.
    pub after: SkillRecords,
}

/// Applies a change if `agree` returns `Ok`. `agree` gets the records before and after, under the lock, and is not called
/// if nothing changes. On a full disk the reserve is released.
///
/// # Errors
/// When the file is invalid or cannot be read or written; `NotAgreed` with the error of `agree`.
pub fn change(
    home: &Home,
    change: &SkillRecordChange,
    agree: impl FnOnce(&SkillRecords, &SkillRecords) -> Result<(), Problem>,
) -> Result<Changed, SettingsError> {
    let path = home.settings_path();
    let locked = Locked::take(&path)?;
    let old = locked.read(MAX_BYTES)?;
    let (document, settings) = parse(path.clone(), old.as_deref().unwrap_or(DEFAULT_TEXT.as_bytes()))?;
    let before = settings.skills;
    let after = before.clone().after(change);
    if after != before {
        let edited = document.edited_all(&record_edits(&document, &before, &after, change.skill()))?;
        // Parsed again: a value that `load` would reject never reaches the file.
        parse(path, edited.text().as_bytes())?;
        agree(&before, &after).map_err(|problem| SettingsError::NotAgreed(Box::new(problem)))?;
        let write = || locked.replace(edited.text().as_bytes()).map_err(SettingsError::from);
        Reserve::at(home.reserve_path()).spend_on(SettingsError::is_disk_full, write)?;
    }
    Ok(Changed { before, after })
}
