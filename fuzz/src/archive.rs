//! Archives of skills: zip, tar, tar.gz.

use std::ops::Range;

use tarsus_scan::ScanLimits;
use tarsus_skills::install::Contents;
use tarsus_skills::install::archive::unpack;

pub(crate) const SEEDS: &[&[u8]] = &[
    include_bytes!("../seeds/skill.zip"),
    include_bytes!("../seeds/skill.tar"),
    include_bytes!("../seeds/skill.tar.gz"),
    b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
];

/// Small, so that inputs reach them.
const LIMITS: ScanLimits = ScanLimits { entries: 8, file: 4_096, total: 8_192, depth: 4 };

/// Reads the bytes as they are, and as a tar with valid checksums, so that names, kinds and sizes are reached.
pub fn archive(data: &[u8]) {
    unpacked(data);
    if let Some(tar) = with_checksums(data) {
        unpacked(&tar);
    }
}

/// Unpacking stays within the limits and the folder and is deterministic, and so is the skill in it.
fn unpacked(data: &[u8]) {
    let Ok(contents) = unpack(data, &LIMITS) else { return };
    assert_eq!(unpack(data, &LIMITS).ok().as_ref(), Some(&contents));
    is_within(&contents);
    if let Ok(skill) = contents.clone().into_skill() {
        is_within(&skill);
        assert!(skill.files().contains_key("SKILL.md"));
        let is_there = |path: &String| contents.files().keys().any(|whole| whole.ends_with(path.as_str()));
        assert!(skill.files().keys().all(is_there));
    }
}

fn is_within(contents: &Contents) {
    assert!(contents.files().len() <= LIMITS.entries && contents.bytes() <= LIMITS.total);
    let bytes: usize = contents.files().values().map(|file| file.bytes.len()).sum();
    assert_eq!(bytes as u64, contents.bytes());
    for path in contents.files().keys() {
        let steps: Vec<&str> = path.split('/').collect();
        assert!(steps.len() <= LIMITS.depth, "{path:?}");
        assert!(!steps.iter().any(|step| matches!(*step, "" | "." | "..")), "{path:?}");
        assert!(!path.contains(['\\', ':', '\0']), "{path:?}");
    }
}

const BLOCK: usize = 512;
const SIZE: Range<usize> = 124..136;
const CHECKSUM: Range<usize> = 148..156;

/// The bytes as a tar: each header with a valid checksum.
fn with_checksums(data: &[u8]) -> Option<Vec<u8>> {
    let mut tar = data.to_vec();
    tar.get_mut(257..262)?.copy_from_slice(b"ustar");
    let mut at = 0;
    while let Some(header) = tar.get_mut(at..at + BLOCK) {
        header[CHECKSUM].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[CHECKSUM].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        let digits = header[SIZE].iter().take_while(|byte| byte.is_ascii_digit());
        let size =
            digits.fold(0_usize, |size, digit| size.saturating_mul(8).saturating_add(usize::from(digit & 7)));
        at = at.saturating_add(BLOCK).saturating_add(size.div_ceil(BLOCK).saturating_mul(BLOCK));
        if at > tar.len() {
            break;
        }
    }
    Some(tar)
}
