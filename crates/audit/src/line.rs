//! Encodes and parses lines of the chain. No file access.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::month::Month;
use crate::record::{AuditEntry, Record};
use crate::seal::{Hash, Seal};

/// Maximum length of a line, with its line end.
pub const MAX_LINE_BYTES: usize = 16 * 1024;

/// `hash` is the last key, so the sealed part is everything before this.
const BEFORE_HASH: &[u8] = b",\"hash\":\"";
const AFTER_HASH: &[u8] = b"\"}";

/// Bytes that are not a line of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// The line exceeds [`MAX_LINE_BYTES`].
    #[error("the line is longer than {MAX_LINE_BYTES} bytes")]
    TooLong,
    /// The line does not end in `,"hash":"…"}`.
    #[error("the line does not end with its hash")]
    NoHash,
    /// The line is not a record.
    #[error("the line is not a record")]
    NotARecord,
}

/// Parses a line (without line end) without checking its hash; see [`Audit::verify`](crate::Audit::verify).
///
/// # Errors
/// When the line is not a record.
pub fn check_line(line: &[u8]) -> Result<Record, LineError> {
    split(line)?;
    serde_json::from_slice(line).map_err(|_| LineError::NotARecord)
}

/// The fields that link a line to its neighbours; much cheaper to parse than a whole record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) seq: u64,
    pub(crate) prev: Hash,
    pub(crate) hash: Hash,
    /// The month of its moment.
    pub(crate) month: Month,
}

impl Link {
    /// Parses the link of a line (without line end); `None` if its hash does not match.
    pub(crate) fn parse(line: &[u8], seal: &Seal) -> Result<Option<Self>, LineError> {
        #[derive(Deserialize)]
        struct LinkFields {
            seq: u64,
            ts: Timestamp,
            prev: Hash,
        }
        let (sealed, hash) = split(line)?;
        let fields: LinkFields = serde_json::from_slice(line).map_err(|_| LineError::NotARecord)?;
        let holds = seal.verify(&[sealed, &fields.prev.digits()], &hash);
        let month = Month::from_timestamp(fields.ts);
        Ok(holds.then_some(Self { seq: fields.seq, prev: fields.prev, hash, month }))
    }
}

/// Encodes a record as a line, with line end, and returns it with its hash.
pub(crate) fn encode(
    seal: &Seal,
    seq: u64,
    ts: Timestamp,
    entry: &AuditEntry,
    prev: Hash,
) -> Result<(Vec<u8>, Hash), serde_json::Error> {
    #[derive(Serialize)]
    struct Sealed<'a> {
        seq: u64,
        ts: Timestamp,
        #[serde(flatten)]
        entry: &'a AuditEntry,
        prev: Hash,
    }
    let mut line = serde_json::to_vec(&Sealed { seq, ts, entry, prev })?;
    line.pop();
    let hash = seal.hash(&[&line, &prev.digits()]);
    line.extend_from_slice(BEFORE_HASH);
    line.extend_from_slice(&hash.digits());
    line.extend_from_slice(AFTER_HASH);
    line.push(b'\n');
    Ok((line, hash))
}

/// Splits a line into the sealed part and the hash.
fn split(line: &[u8]) -> Result<(&[u8], Hash), LineError> {
    if line.len() >= MAX_LINE_BYTES {
        return Err(LineError::TooLong);
    }
    let (rest, digits) = line
        .strip_suffix(AFTER_HASH)
        .and_then(|rest| rest.split_last_chunk::<{ Hash::DIGITS }>())
        .ok_or(LineError::NoHash)?;
    let sealed = rest.strip_suffix(BEFORE_HASH).ok_or(LineError::NoHash)?;
    let digits = str::from_utf8(digits).map_err(|_| LineError::NoHash)?;
    Ok((sealed, digits.parse().map_err(|_| LineError::NoHash)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RecordSeverity;
    use proptest::prelude::*;

    fn full() -> AuditEntry {
        let mut entry = AuditEntry::security("app.launch", RecordSeverity::Warning);
        entry.agent_id = Some("main".to_owned());
        entry.session_key = Some("agent:main:main".to_owned());
        entry.run_id = Some("r1".to_owned());
        entry.skill = Some("weather".to_owned());
        entry.tool = Some("exec".to_owned());
        entry.app = Some("notes".to_owned());
        entry.decision = Some("denied".to_owned());
        entry.reason = Some("policy \"off\"\n".to_owned());
        entry.detail.insert("n".to_owned(), 1.into());
        entry
    }

    fn written(entry: &AuditEntry) -> (Vec<u8>, Hash) {
        let ts = "2026-11-15T12:00:00.123Z".parse().unwrap();
        encode(&Seal::new(&[7; 32]), 3, ts, entry, Hash::NONE).unwrap()
    }

    #[test]
    fn a_line_has_a_fixed_key_order_and_round_trips() {
        let (line, hash) = written(&full());
        let line = line.strip_suffix(b"\n").unwrap();
        let expected = concat!(
            r#"{"seq":3,"ts":"2026-11-15T12:00:00.123Z","category":"security","event":"app.launch","#,
            r#""severity":"warning","agentId":"main","sessionKey":"agent:main:main","runId":"r1","#,
            r#""skill":"weather","tool":"exec","app":"notes","decision":"denied","#,
            r#""reason":"policy \"off\"\n","detail":{"n":1},"#,
            r#""prev":"0000000000000000000000000000000000000000000000000000000000000000","#,
            r#""hash":"5908658a3bf436633c8ae826edc22e7bff459f08a6959e4fc5af0347ae7e6644"}"#,
        );
        assert_eq!(str::from_utf8(line).unwrap(), expected);
        let record = check_line(line).unwrap();
        let ts = "2026-11-15T12:00:00.123Z".parse().unwrap();
        assert_eq!(record, Record { seq: 3, ts, entry: full(), prev: Hash::NONE, hash });
        assert_eq!(serde_json::to_vec(&record).unwrap(), line);
        let link = Link::parse(line, &Seal::new(&[7; 32])).unwrap();
        assert_eq!(link, Some(Link { seq: 3, prev: Hash::NONE, hash, month: "2026-11".parse().unwrap() }));
        assert_eq!(Link::parse(line, &Seal::new(&[8; 32])).unwrap(), None);
    }

    #[test]
    fn absent_fields_are_omitted() {
        let (line, _) = written(&AuditEntry::security("x", RecordSeverity::Info));
        let text = String::from_utf8(line).unwrap();
        assert!(text.starts_with(
            r#"{"seq":3,"ts":"2026-11-15T12:00:00.123Z","category":"security","event":"x","severity":"info","prev":"0000"#
        ), "{text}");
    }

    #[test]
    fn an_unknown_category_is_read_as_other() {
        let (line, _) = written(&full());
        let newer = String::from_utf8(line).unwrap().replace("\"security\"", "\"weather\"");
        let record = check_line(newer.trim_end().as_bytes()).unwrap();
        assert_eq!(record.entry.category, crate::RecordCategory::Other);
    }

    #[test]
    fn a_truncated_entry_fits_into_a_line() {
        let mut entry = full();
        let long = "\u{1}\"é".repeat(20_000);
        entry.event = long.clone();
        for name in [
            &mut entry.agent_id,
            &mut entry.session_key,
            &mut entry.run_id,
            &mut entry.skill,
            &mut entry.tool,
            &mut entry.app,
            &mut entry.decision,
            &mut entry.reason,
        ] {
            *name = Some(long.clone());
        }
        entry.detail.insert("d".to_owned(), "x".repeat(4000).into());
        let (line, _) = written(&crate::truncate::truncate_entry(entry));
        assert!(line.len() < MAX_LINE_BYTES - 256, "{}", line.len());
        check_line(line.strip_suffix(b"\n").unwrap()).unwrap();
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn arbitrary_bytes_do_not_panic(start in ".{0,80}", noise in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = check_line(&noise);
            let mut line = start.into_bytes();
            line.extend_from_slice(&noise);
            line.extend_from_slice(BEFORE_HASH);
            line.extend_from_slice(&[b'0'; Hash::DIGITS]);
            line.extend_from_slice(AFTER_HASH);
            let _ = check_line(&line);
        }
    }
}
