//! Words that nobody has heard before.

use tarsus_protocol::{ErrorCode, Problem};

/// A word that nobody has heard before, in the shape of a UUID.
///
/// # Errors
/// When the system gives no randomness.
pub fn unique() -> Result<String, Problem> {
    let mut random = [0_u8; 16];
    getrandom::fill(&mut random).map_err(|error| {
        Problem::new(
            ErrorCode::Failed,
            format!("cannot make a word that nobody knows without randomness: {error}"),
        )
    })?;
    random[6] = random[6] & 0x0f | 0x40;
    random[8] = random[8] & 0x3f | 0x80;
    let hex: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
}
