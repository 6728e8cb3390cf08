//! Starting a new chain in place of one that was tampered with. The old files are set aside, never deleted.
//!
//! Until the new anchor is stored, which is the last step, what is there counts as tampered, so that a reset that was cut
//! short is repeated.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::Serialize;
use tarsus_home::files::{self, Durability, Locked};

use crate::chain::{Audit, HEAD, KEY, MAX_FILES, TORN};
use crate::error::AuditError;
use crate::head::Head;
use crate::month::Month;
use crate::record::{AuditEntry, RecordSeverity};
use crate::seal::Hash;
use crate::truncate::truncate_entry;
use crate::verify::ChainFault;

/// A chain that was started anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reset {
    /// What was wrong with the old chain.
    pub fault: ChainFault,
    /// The number of the last record that the old chain had.
    pub old_height: u64,
    /// The folder with the old files.
    #[serde(serialize_with = "crate::verify::serialize_path")]
    pub kept: PathBuf,
    /// The end of the new chain, as it is anchored: its first record, which tells of the reset.
    pub head: Head,
}

impl Audit {
    /// Sets a chain with a fault aside and starts a new one. Its first record has the reason and who did it (`by`).
    ///
    /// # Errors
    /// When the chain has no fault, or a file cannot be moved or written.
    pub fn reset(&self, reason: &str, by: &str, now: Timestamp) -> Result<Reset, AuditError> {
        let mut pending = self.pending();
        let locked = Locked::take(&self.head_path())?;
        let found = self.verify()?;
        let fault = found.first_bad.ok_or(AuditError::Intact)?;
        let anchored = self.load_anchor()?;
        let known = [anchored.map(|anchor| anchor.seq), found.head.map(|head| head.seq), Some(found.lines)];
        let old_height = known.into_iter().flatten().max().unwrap_or(0);
        // No chain contains this anchor.
        let marker = Head { seq: old_height.max(1), ..Head::EMPTY };
        self.save_anchor(&marker, Durability::PowerSafe)?;
        let kept = self.set_aside(now)?;

        let seal = self.renew_key()?;
        let mut entry = AuditEntry::security("audit.reset", RecordSeverity::Warning);
        entry.reason = Some(reason.to_owned());
        let mut detail = vec![
            ("by", by.to_owned().into()),
            ("fault", fault.to_string().into()),
            ("oldHeight", old_height.into()),
            ("kept", kept.file_name().unwrap_or_default().to_string_lossy().into()),
        ];
        let hash = anchored.map(|anchor| anchor.hash).filter(|hash| *hash != Hash::NONE);
        detail.extend(hash.map(|hash| ("oldHash", hash.to_string().into())));
        entry.detail.extend(detail.into_iter().map(|(name, value)| (name.to_owned(), value)));
        let head = self.write_line(&locked, &seal, Head::EMPTY, &truncate_entry(entry), now)?;
        self.save_anchor(&head, Durability::PowerSafe)?;
        *pending = Default::default();
        Ok(Reset { fault, old_height, kept, head })
    }

    /// Moves the files of the chain to a new folder below it.
    fn set_aside(&self, now: Timestamp) -> Result<PathBuf, AuditError> {
        let moment = now.strftime("%Y-%m-%dT%H%M%SZ");
        let names = (1_u32..).map(|attempt| match attempt {
            1 => format!("reset-{moment}"),
            _ => format!("reset-{moment}-{attempt}"),
        });
        let mut kept = PathBuf::new();
        for name in names {
            kept = self.folder.join(name);
            if files::make_private_dir(&kept)? {
                break;
            }
        }
        let lines = |name: &String| Month::from_file_name(name).is_some() || name.ends_with(TORN);
        let names = files::list_names(&self.folder, MAX_FILES)?;
        let mut moved: Vec<_> = names
            .iter()
            .filter(|name| lines(name))
            .map(|name| (self.folder.join(name), kept.join(name)))
            .collect();
        moved.push((self.head_path(), kept.join(HEAD)));
        moved.push((self.earlier_key_path(), kept.join("earlier-key")));
        moved.push((self.key_path.clone(), kept.join(KEY)));
        for (from, to) in moved {
            if files::open(&from)?.is_some() {
                files::move_file(&from, &to)?;
            }
        }
        Ok(kept)
    }
}
