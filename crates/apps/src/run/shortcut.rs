//! Reads the target of a Windows shortcut (`.lnk`). Any bytes are safe to parse; text in an unknown code page is not
//! guessed.

use std::path::Path;

use tarsus_home::files;

/// Largest shortcut, in bytes.
const MAX_BYTES: u64 = 256 * 1024;

/// First bytes of a shortcut: the header size and the class id.
const MAGIC: [u8; 20] = [0x4c, 0, 0, 0, 0x01, 0x14, 0x02, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0x46];
const HEADER: usize = 0x4c;

const HAS_ID_LIST: u32 = 1;
const HAS_LINK_INFO: u32 = 1 << 1;
const NO_LINK_INFO: u32 = 1 << 8;
const HAS_LOCAL_PATH: u32 = 1;

/// Minimum size of a link info with Unicode texts.
const WITH_UNICODE: u32 = 0x24;

/// The target of the shortcut at a path; `None` if it is no shortcut or its target is not a plain path.
pub(super) fn shortcut_target(path: &Path) -> Option<String> {
    let is_shortcut = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("lnk"));
    // An unreadable shortcut is no error: the person is asked for the target anyway.
    let bytes = is_shortcut.then(|| files::read(path, MAX_BYTES).ok().flatten()).flatten()?;
    target(&bytes)
}

fn target(bytes: &[u8]) -> Option<String> {
    bytes.starts_with(&MAGIC).then_some(())?;
    let flags = long(bytes, 20)?;
    if flags & HAS_LINK_INFO == 0 || flags & NO_LINK_INFO != 0 {
        return None;
    }
    let id_list = if flags & HAS_ID_LIST == 0 { 0 } else { 2 + short(bytes, HEADER)? };
    let info = bytes.get(HEADER + id_list..)?;
    let info = info.get(..usize::try_from(long(info, 0)?).ok()?)?;
    if long(info, 8)? & HAS_LOCAL_PATH == 0 {
        return None;
    }
    let unicode = long(info, 4)? >= WITH_UNICODE;
    let text = |at_unicode, at| match (offset(info, at_unicode).filter(|_| unicode), offset(info, at)) {
        (Some(place), _) => wide_text(info.get(place..)?),
        (None, Some(place)) => plain_text(info.get(place..)?),
        (None, None) => Some(String::new()),
    };
    let target = text(28, 16)? + &text(32, 24)?;
    let is_one_line = !target.trim().is_empty() && !target.chars().any(char::is_control);
    is_one_line.then_some(target)
}

/// The offset of a text, stored at `at`; `None` if it is zero.
fn offset(info: &[u8], at: usize) -> Option<usize> {
    usize::try_from(long(info, at)?).ok().filter(|place| *place > 0)
}

fn short(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))
}

fn long(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

/// A zero-terminated text in an unknown code page; only ASCII is the same in all of them.
fn plain_text(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|byte| *byte == 0)?;
    bytes[..end].is_ascii().then(|| String::from_utf8_lossy(&bytes[..end]).into_owned())
}

fn wide_text(bytes: &[u8]) -> Option<String> {
    let (pairs, _) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
    let end = units.iter().position(|unit| *unit == 0)?;
    String::from_utf16(&units[..end]).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests make their own files")]

    use proptest::prelude::*;

    use super::*;

    /// A shortcut with these parts, as Windows writes it.
    #[derive(Clone)]
    struct Shortcut<'a> {
        id_list: Option<&'a [u8]>,
        base: &'a [u8],
        suffix: &'a [u8],
        wide: Option<(&'a str, &'a str)>,
    }

    impl Shortcut<'_> {
        fn bytes(&self) -> Vec<u8> {
            let zero_ended = |text: &[u8]| [text, &[0]].concat();
            let wide = |text: &str| -> Vec<u8> {
                text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
            };
            let header: usize = if self.wide.is_some() { 0x24 } else { 0x1c };
            let mut texts = vec![zero_ended(self.base), zero_ended(self.suffix)];
            texts.extend(self.wide.into_iter().flat_map(|(base, suffix)| [wide(base), wide(suffix)]));
            let mut places = Vec::new();
            let mut end = header;
            for text in &texts {
                places.push(end);
                end += text.len();
            }
            let mut info = vec![end, header, 1, 0, places[0], 0, places[1]];
            info.extend(&places[2..]);
            let flags = HAS_LINK_INFO | if self.id_list.is_some() { HAS_ID_LIST } else { 0 };
            let mut bytes = MAGIC.to_vec();
            bytes.extend(flags.to_le_bytes());
            bytes.resize(HEADER, 0);
            if let Some(list) = self.id_list {
                bytes.extend(u16::try_from(list.len()).unwrap().to_le_bytes());
                bytes.extend(list);
            }
            bytes.extend(info.iter().flat_map(|value| u32::try_from(*value).unwrap().to_le_bytes()));
            bytes.extend(texts.concat());
            // The rest (description, icon and so on) is not read.
            bytes.extend([7; 40]);
            bytes
        }
    }

    const PLAIN: Shortcut<'_> =
        Shortcut { id_list: None, base: br"C:\Games\Last Z\Survival.exe", suffix: b"", wide: None };

    #[test]
    fn target_is_the_plain_path() {
        let table = [
            (PLAIN, Some(r"C:\Games\Last Z\Survival.exe")),
            (Shortcut { id_list: Some(&[9; 300]), ..PLAIN }, Some(r"C:\Games\Last Z\Survival.exe")),
            (Shortcut { base: br"C:\Games\", suffix: b"a.exe", ..PLAIN }, Some(r"C:\Games\a.exe")),
            (
                Shortcut { base: b"C:\\\xce\xa2", wide: Some((r"C:\微信\", "微信.exe")), ..PLAIN },
                Some(r"C:\微信\微信.exe"),
            ),
            // In a code page that only the other machine knows, without a path, on two lines.
            (Shortcut { base: b"C:\\\xce\xa2.exe", ..PLAIN }, None),
            (Shortcut { base: b" ", ..PLAIN }, None),
            (Shortcut { base: b"C:\\a\r\nb", ..PLAIN }, None),
        ];
        for (shortcut, expected) in table {
            assert_eq!(target(&shortcut.bytes()).as_deref(), expected);
        }
    }

    #[test]
    fn incomplete_shortcut_has_no_target() {
        let whole = Shortcut { id_list: Some(&[9; 30]), wide: Some(("C:\\a", "")), ..PLAIN }.bytes();
        let end = whole.len() - 40;
        for length in 0..end {
            assert_eq!(target(&whole[..length]), None, "{length} of {end} bytes");
        }
        for (place, byte) in [(0, 0x4d), (4, 2), (20, 0), (21, 1), (HEADER + 32 + 8, 0)] {
            let mut other = whole.clone();
            other[place] = byte;
            assert_eq!(target(&other), None, "byte {place}");
        }
    }

    #[test]
    fn only_a_small_file_named_lnk_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let mut large = PLAIN.bytes();
        large.resize(usize::try_from(MAX_BYTES).unwrap() + 1, 0);
        assert!(shortcut_target(&write("a.LNK", &PLAIN.bytes())).is_some());
        for path in [
            write("a.desktop", &PLAIN.bytes()),
            write("large.lnk", &large),
            folder.path().join("missing.lnk"),
            folder.path().to_path_buf(),
        ] {
            assert_eq!(shortcut_target(&path), None, "{}", path.display());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_bytes_are_parsed(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
            noise in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let mut bytes = Shortcut { id_list: Some(&[1; 9]), wide: Some(("C:\\微", "")), ..PLAIN }.bytes();
            for (place, byte) in changes {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
            for bytes in [bytes, noise.clone(), [MAGIC.as_slice(), &noise].concat()] {
                if let Some(target) = target(&bytes) {
                    prop_assert!(!target.trim().is_empty() && !target.chars().any(char::is_control));
                }
            }
        }
    }
}
