//! Snapshot versions: milliseconds since 1970, strictly increasing.

/// Returns the version that follows `current` at `now_ms`.
pub fn after(current: u64, now_ms: i64) -> u64 {
    let now = u64::try_from(now_ms).unwrap_or_default();
    if now <= current { current + 1 } else { now }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_the_time_or_one_more_than_the_last() {
        let table = [(0, 5, 5), (5, 5, 6), (6, 5, 7), (7, -1, 8), (0, i64::MIN, 1)];
        for (current, now_ms, next) in table {
            assert_eq!(after(current, now_ms), next);
        }
    }
}
