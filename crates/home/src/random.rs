//! Random bytes and identifiers from the system's random source.

use tarsus_protocol::{ErrorCode, Problem};
use uuid::{Builder, Uuid};

/// Returns `N` random bytes.
///
/// # Errors
/// When the system's random source fails.
pub fn random_bytes<const N: usize>() -> Result<[u8; N], Problem> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| {
        Problem::new(ErrorCode::Failed, format!("the system's random source failed: {error}"))
    })?;
    Ok(bytes)
}

/// Returns a random UUID (version 4). `Uuid::new_v4` would panic when the random source fails.
///
/// # Errors
/// When the system's random source fails.
pub fn random_uuid() -> Result<Uuid, Problem> {
    Ok(Builder::from_random_bytes(random_bytes()?).into_uuid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_are_version_4_and_differ() {
        let (first, second) = (random_uuid().unwrap(), random_uuid().unwrap());
        assert_eq!((first.get_version_num(), second.get_version_num()), (4, 4));
        assert_ne!(first, second);
        assert_eq!(first.to_string().len(), 36);
    }
}
