//! Lines of the audit chain.

use tarsus_audit::{LONGEST_LINE, check_line};

pub(crate) const SEEDS: &[&[u8]] = &[
    include_bytes!("../seeds/audit-line.json"),
    b"",
    b"{}",
    b"{\"seq\":1,\"hash\":\"0000000000000000000000000000000000000000000000000000000000000000\"}",
];

/// A line is refused or is a record, and a record says the same when it is written and read again.
pub fn audit(data: &[u8]) {
    for line in data.split(|byte| *byte == b'\n') {
        let Ok(record) = check_line(line) else { continue };
        assert!(line.len() < LONGEST_LINE);
        let written = serde_json::to_vec(&record).ok();
        let again = written.and_then(|written| serde_json::from_slice(&written).ok());
        assert_eq!(again, Some(record));
    }
}
