//! Lines of the audit chain.

use tarsus_audit::{MAX_LINE_BYTES, check_line};

pub(crate) const SEEDS: &[&[u8]] = &[
    include_bytes!("../seeds/audit-line.json"),
    b"",
    b"{}",
    b"{\"seq\":1,\"hash\":\"0000000000000000000000000000000000000000000000000000000000000000\"}",
];

/// A line is rejected or is a record that survives a round trip.
pub fn audit(data: &[u8]) {
    for line in data.split(|byte| *byte == b'\n') {
        let Ok(record) = check_line(line) else { continue };
        assert!(line.len() < MAX_LINE_BYTES);
        let written = serde_json::to_vec(&record).ok();
        let again = written.and_then(|written| serde_json::from_slice(&written).ok());
        assert_eq!(again, Some(record));
    }
}
