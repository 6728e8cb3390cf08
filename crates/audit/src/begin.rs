//! The beginning of a chain: what is there, creating it, and adopting a chain from before anchors.
//!
//! A chain begins with its anchor, then the key, then the sealed head: whatever a crash leaves is a beginning that goes on,
//! and never looks like a chain whose files were removed. Earlier versions kept the key in the folder (`audit/key`) and had
//! no anchor; such a chain is adopted once, if it verifies by itself.

use jiff::Timestamp;
use tarsus_home::files::{self, Durability, FileError, Locked};
use tarsus_home::random::random_bytes;

use crate::chain::{Audit, PendingNotes};
use crate::error::AuditError;
use crate::head::{self, Head};
use crate::record::{AuditEntry, RecordSeverity};
use crate::seal::Seal;
use crate::verify::{ChainFault, FaultKind};

/// The event of an adoption.
const ADOPTED: &str = "audit.adopted";

type Key = [u8; 32];

/// Whether a record needs an anchor that is up to date. What happens in any case is recorded without, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchoring {
    Required,
    BestEffort,
}

/// What exists of a chain.
pub(crate) enum ChainState {
    /// Nothing tells of one.
    Absent,
    /// A beginning that was cut short; nothing was recorded.
    Begun { key: Option<Key> },
    /// A chain of an earlier version, or an adoption that was cut short.
    Unadopted { key: Key, anchor: Option<Head>, is_empty: bool },
    /// A chain.
    Present { seal: Seal, anchor: Option<Head> },
}

impl Audit {
    /// Finds out what exists. What is missing although something else tells of it is tampering.
    pub(crate) fn state(&self) -> Result<ChainState, AuditError> {
        // First, because it is written last: a report, which takes no lock, finds the chain at least as long.
        let anchor = self.load_anchor()?;
        let key = self.read_key(&self.key_path)?;
        let earlier_key = self.read_key(&self.earlier_key_path())?;
        let is_empty = files::open(&self.head_path())?.is_none() && self.months()?.is_empty();
        let missing = |path, why| Err(AuditError::Tampered(ChainFault::new(path, None, why)));
        let no_chain = |anchor: Head| missing(self.folder.clone(), FaultKind::NoChain { anchor: anchor.seq });
        match (key, earlier_key, anchor) {
            (Some(_), _, None) if self.anchor.is_some() => missing(self.anchor_path(), FaultKind::NoAnchor),
            (_, _, Some(at)) if is_empty && at.seq > 0 => no_chain(at),
            (Some(key), Some(earlier), Some(_)) if key == earlier => {
                Ok(ChainState::Unadopted { key, anchor, is_empty })
            }
            (key, None, Some(_)) if is_empty => Ok(ChainState::Begun { key }),
            (Some(key), _, anchor) => Ok(ChainState::Present { seal: Seal::new(&key), anchor }),
            (None, Some(key), anchor) => Ok(ChainState::Unadopted { key, anchor, is_empty }),
            (None, None, None) if is_empty => Ok(ChainState::Absent),
            (None, None, _) => missing(self.key_path.clone(), FaultKind::NoKey),
        }
    }

    /// Creates the chain, or adopts that of an earlier version. Appending does it, too; a first start calls it, so that
    /// there is something that can be missed.
    ///
    /// # Errors
    /// As [`Audit::record`].
    pub fn establish(&self, now: Timestamp) -> Result<(), AuditError> {
        let mut pending = self.pending();
        let locked = Locked::take(&self.head_path())?;
        self.writable_end(&locked, &mut pending, Anchoring::Required, now).map(drop)
    }

    /// Returns the key and the end of a chain that a record can be appended to.
    pub(crate) fn writable_end(
        &self,
        locked: &Locked,
        pending: &mut PendingNotes,
        anchoring: Anchoring,
        now: Timestamp,
    ) -> Result<(Seal, Head), AuditError> {
        match self.state()? {
            ChainState::Absent => self.begin(locked, None),
            ChainState::Begun { key } => self.begin(locked, key),
            ChainState::Unadopted { key, anchor, is_empty } => {
                if is_empty {
                    self.begin(locked, Some(key))?;
                }
                self.adopt_chain(locked, pending, key, anchor, now)
            }
            ChainState::Present { seal, anchor } => {
                let end = self.catch_up(locked, &seal, anchor.as_ref(), pending)?;
                self.check_months(&seal)?;
                if anchor.is_some_and(|anchor| anchor != end) {
                    let saved = self.save_anchor(&end, Durability::KillSafe);
                    if anchoring == Anchoring::Required {
                        saved?;
                    }
                }
                Ok((seal, end))
            }
        }
    }

    fn begin(&self, locked: &Locked, key: Option<Key>) -> Result<(Seal, Head), AuditError> {
        self.save_anchor(&Head::EMPTY, Durability::PowerSafe)?;
        let key = self.ensure_key(key)?;
        let seal = Seal::new(&key);
        locked.replace(&Head::EMPTY.encode(&seal)?)?;
        Ok((seal, Head::EMPTY))
    }

    fn adopt_chain(
        &self,
        locked: &Locked,
        pending: &mut PendingNotes,
        key: Key,
        anchor: Option<Head>,
        now: Timestamp,
    ) -> Result<(Seal, Head), AuditError> {
        if let Some(fault) = self.verify()?.first_bad {
            return Err(AuditError::Tampered(fault));
        }
        let seal = Seal::new(&key);
        let mut end = self.catch_up(locked, &seal, anchor.as_ref(), pending)?;
        self.save_anchor(&end, Durability::PowerSafe)?;
        files::write_key(&self.key_path, &key)?;
        if self.last_event()?.as_deref() != Some(ADOPTED) {
            // An earlier version wrote its key before its first record: no records may be honest, and is said for good.
            let (severity, reason) = match end.seq {
                0 => (RecordSeverity::Warning, "an earlier version left a key and no records"),
                _ => (
                    RecordSeverity::Info,
                    "an audit log of an earlier version was verified and is anchored now",
                ),
            };
            let mut entry = AuditEntry::security(ADOPTED, severity);
            entry.reason = Some(reason.to_owned());
            entry.detail.insert("records".to_owned(), end.seq.into());
            end = self.write_line(locked, &seal, end, &entry, now)?;
            self.save_anchor(&end, Durability::PowerSafe)?;
        }
        // Last: while it is there, an adoption that was cut short goes on.
        files::remove_file(&self.earlier_key_path())?;
        Ok((seal, end))
    }

    /// Writes the key, unless it is there.
    fn ensure_key(&self, key: Option<Key>) -> Result<Key, AuditError> {
        let key = match key {
            Some(key) => key,
            None => random_bytes().map_err(|problem| AuditError::Random(Box::new(problem)))?,
        };
        if self.read_key(&self.key_path)? != Some(key) {
            files::write_key(&self.key_path, &key)?;
        }
        Ok(key)
    }

    /// Writes a new key in place of the earlier one.
    pub(crate) fn renew_key(&self) -> Result<Seal, AuditError> {
        Ok(Seal::new(&self.ensure_key(None)?))
    }

    /// Reads a key; one that is not a key was changed.
    fn read_key(&self, path: &std::path::Path) -> Result<Option<Key>, AuditError> {
        match files::read_key(path) {
            Err(FileError::NotAKey { path, .. } | FileError::TooLarge { path, .. }) => {
                Err(AuditError::Tampered(ChainFault::new(path, None, FaultKind::NotAKey)))
            }
            read => Ok(read?),
        }
    }

    /// Reads the head; `None` unless the file is one that was sealed with this key.
    pub(crate) fn read_head(&self, seal: &Seal) -> Result<Result<Head, FaultKind>, FileError> {
        let bytes = files::read(&self.head_path(), head::MAX_BYTES)?;
        Ok(Self::parse_head(bytes.as_deref(), seal))
    }

    pub(crate) fn parse_head(bytes: Option<&[u8]>, seal: &Seal) -> Result<Head, FaultKind> {
        Head::parse(bytes.ok_or(FaultKind::NoHead)?, seal).ok_or(FaultKind::HeadChanged)
    }
}
