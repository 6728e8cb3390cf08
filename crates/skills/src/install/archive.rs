//! Unpacks zip, tar and tar.gz in memory.
//!
//! Memory is bounded by the limits for any input. Links, devices, encrypted and repeated entries are refused.

use std::io::{self, Cursor, Read};

use flate2::read::MultiGzDecoder;
use tar::EntryType;
use tarsus_scan::ScanLimits;
use zip::ZipArchive;
use zip::result::ZipError;

use super::contents::{Contents, ContentsError, InstallFile, shorten};

/// Bytes of a tar besides its files: headers, long names, padding.
const TAR_OVERHEAD: u64 = 4 * 1024 * 1024;

/// Why an archive cannot be unpacked.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The first bytes are of no known format.
    #[error("it is not a zip, tar or tar.gz archive")]
    Unknown,
    /// It is damaged.
    #[error("it is damaged or not a valid {kind}: {why}")]
    Damaged {
        /// Format that it seems to have.
        kind: &'static str,
        /// Error of the reader.
        why: String,
    },
    /// An entry needs a password.
    #[error("its entry {0:?} is encrypted, so it cannot be read")]
    Encrypted(String),
    /// Its contents cannot be installed.
    #[error(transparent)]
    Contents(#[from] ContentsError),
}

/// Unpacks an archive. The format is detected by its first bytes.
///
/// # Errors
/// If it is not an archive, is damaged, or its contents cannot be installed.
pub fn unpack(bytes: &[u8], limits: &ScanLimits) -> Result<Contents, ArchiveError> {
    match bytes {
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => unpack_zip(bytes, limits),
        [0x1F, 0x8B, ..] => unpack_tar(MultiGzDecoder::new(bytes), "tar.gz", limits),
        _ if bytes.get(257..262) == Some(b"ustar") => unpack_tar(bytes, "tar", limits),
        _ => Err(ArchiveError::Unknown),
    }
}

fn unpack_zip(bytes: &[u8], limits: &ScanLimits) -> Result<Contents, ArchiveError> {
    let damaged = |error: ZipError| ArchiveError::Damaged { kind: "zip", why: error.to_string() };
    if declares_too_many(bytes, limits.entries as u64) {
        return Err(ContentsError::TooMany { most: limits.entries }.into());
    }
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    if archive.has_duplicate_names() {
        let why = "two entries have the same name".to_owned();
        return Err(ArchiveError::Damaged { kind: "zip", why });
    }
    if archive.len() > limits.entries {
        return Err(ContentsError::TooMany { most: limits.entries }.into());
    }
    let mut contents = Contents::default();
    for index in 0..archive.len() {
        // Read the header first, because opening an encrypted entry fails without its name.
        let data = archive.by_index_data(index).map_err(damaged)?;
        let path = text(data.name_raw())?;
        if data.encrypted() {
            return Err(ArchiveError::Encrypted(shorten(&path)));
        }
        let entry = archive.by_index(index).map_err(damaged)?;
        if is_clutter(&path) {
            continue;
        }
        let mode = entry.unix_mode().unwrap_or_default();
        if let Some(found) = special_kind(mode) {
            return Err(ContentsError::NotAFile { path: shorten(&path), found }.into());
        }
        if path.ends_with('/') {
            contents.add_folder(&path, limits)?;
            continue;
        }
        let bytes = read_within(entry, contents.room(limits), limits)
            .map_err(|error| damaged(ZipError::Io(error)))??;
        contents.add_file(&path, InstallFile { bytes, executable: mode & 0o111 != 0 }, limits)?;
    }
    Ok(contents)
}

/// Whether any end record of a zip declares more than `max` entries. Checked before the archive is opened, because that
/// reads all entries into memory.
fn declares_too_many(bytes: &[u8], max: u64) -> bool {
    let number = |at: usize, length: usize| {
        let digits = bytes.get(at..at + length)?.iter().rev();
        Some(digits.fold(0, |number: u64, byte| number << 8 | u64::from(*byte)))
    };
    bytes.windows(4).enumerate().any(|(at, signature)| match signature {
        b"PK\x05\x06" => number(at + 10, 2).is_some_and(|entries| entries > max),
        b"PK\x06\x06" => number(at + 32, 8).is_some_and(|entries| entries > max),
        _ => false,
    })
}

/// Returns what a Unix mode stands for if that is neither a file nor a folder.
fn special_kind(mode: u32) -> Option<&'static str> {
    match mode & 0o170_000 {
        0 | 0o100_000 | 0o040_000 => None,
        0o120_000 => Some("link"),
        _ => Some("device, pipe or socket"),
    }
}

fn unpack_tar(from: impl Read, kind: &'static str, limits: &ScanLimits) -> Result<Contents, ArchiveError> {
    let damaged = |error: io::Error| match error.get_ref().and_then(|inner| inner.downcast_ref::<TooMuch>()) {
        Some(TooMuch) => ArchiveError::Contents(ContentsError::TooLarge { most: limits.total }),
        None => ArchiveError::Damaged { kind, why: error.to_string() },
    };
    let mut archive = tar::Archive::new(LimitedReader { from, left: limits.total + TAR_OVERHEAD });
    let mut contents = Contents::default();
    for entry in archive.entries().map_err(damaged)? {
        let entry = entry.map_err(damaged)?;
        let path = text(&entry.path_bytes())?;
        let path = path.strip_prefix("./").unwrap_or(&path);
        let kind = entry.header().entry_type();
        // `git archive` starts with a global header, and tar with the folder itself.
        if kind == EntryType::XGlobalHeader || path.is_empty() || path == "." || is_clutter(path) {
            continue;
        }
        match kind {
            EntryType::Directory => contents.add_folder(path, limits)?,
            EntryType::Regular | EntryType::Continuous => {
                let executable = entry.header().mode().map_err(damaged)? & 0o111 != 0;
                let bytes = read_within(entry, contents.room(limits), limits).map_err(damaged)??;
                contents.add_file(path, InstallFile { bytes, executable }, limits)?;
            }
            EntryType::Symlink | EntryType::Link => {
                return Err(ContentsError::NotAFile { path: shorten(path), found: "link" }.into());
            }
            _ => {
                return Err(ContentsError::NotAFile {
                    path: shorten(path),
                    found: "device, pipe or special file",
                }
                .into());
            }
        }
    }
    Ok(contents)
}

/// Files that macOS adds to archives.
fn is_clutter(path: &str) -> bool {
    path.starts_with("__MACOSX/") || path.rsplit('/').next() == Some(".DS_Store")
}

fn text(name: &[u8]) -> Result<String, ArchiveError> {
    String::from_utf8(name.to_vec()).map_err(|_| {
        let path = shorten(&String::from_utf8_lossy(name));
        ContentsError::Path { path, why: "it is not UTF-8" }.into()
    })
}

/// Reads a whole entry if it fits, whatever length it declares.
fn read_within(
    from: impl Read,
    room: u64,
    limits: &ScanLimits,
) -> io::Result<Result<Vec<u8>, ContentsError>> {
    let mut bytes = Vec::new();
    from.take(room + 1).read_to_end(&mut bytes)?;
    let fits = bytes.len() as u64 <= room;
    Ok(if fits { Ok(bytes) } else { Err(ContentsError::TooLarge { most: limits.total }) })
}

/// A reader that fails once the limit is exceeded.
struct LimitedReader<R> {
    from: R,
    left: u64,
}

#[derive(Debug, thiserror::Error)]
#[error("it holds more than the limit")]
struct TooMuch;

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| io::Error::other(TooMuch))?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tar::Header;
    use zip::write::SimpleFileOptions;
    use zip::{CompressionMethod, System, ZipWriter};

    use super::*;

    fn tar_of(entries: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (path, kind, bytes) in entries {
            let mut header = Header::new_ustar();
            // Written by hand: the builder refuses bad paths.
            header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_entry_type(*kind);
            header.set_size(bytes.len() as u64);
            header.set_mode(if path.ends_with(".sh") { 0o755 } else { 0o644 });
            if *kind == EntryType::Symlink || *kind == EntryType::Link {
                header.set_link_name("/etc/passwd").unwrap();
            }
            header.set_cksum();
            builder.append(&header, *bytes).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn zip_of(entries: &[(&str, &[u8], u32)]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, bytes, mode) in entries {
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Deflated)
                .system(System::Unix)
                .unix_permissions(*mode);
            if mode & 0o170_000 == 0o120_000 {
                writer.add_symlink(*path, "/etc/passwd", options).unwrap();
            } else if path.ends_with('/') {
                writer.add_directory(*path, options).unwrap();
            } else {
                writer.start_file(*path, options).unwrap();
                writer.write_all(bytes).unwrap();
            }
        }
        writer.finish().unwrap().into_inner()
    }

    fn gz(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn files(bytes: &[u8]) -> Vec<(String, Vec<u8>, bool)> {
        let contents = unpack(bytes, &ScanLimits::default()).unwrap();
        contents
            .files()
            .iter()
            .map(|(path, file)| (path.clone(), file.bytes.clone(), file.executable))
            .collect()
    }

    fn refused(bytes: &[u8]) -> ArchiveError {
        unpack(bytes, &ScanLimits::default()).unwrap_err()
    }

    #[test]
    fn every_format_unpacks_to_the_same_files() {
        let expected = [
            ("x/SKILL.md".to_owned(), b"text".to_vec(), false),
            ("x/run.sh".to_owned(), b"echo".to_vec(), true),
        ];
        let tar = tar_of(&[
            ("./", EntryType::Directory, b""),
            ("./x/", EntryType::Directory, b""),
            ("./x/SKILL.md", EntryType::Regular, b"text"),
            ("x/run.sh", EntryType::Regular, b"echo"),
            ("x/.DS_Store", EntryType::Regular, b"clutter"),
        ]);
        let zip = zip_of(&[
            ("x/", b"", 0o755),
            ("x/SKILL.md", b"text", 0o644),
            ("x/run.sh", b"echo", 0o755),
            ("__MACOSX/x/._SKILL.md", b"clutter", 0o644),
        ]);
        for archive in [tar.clone(), gz(&tar), zip] {
            assert_eq!(files(&archive), expected);
        }
    }

    #[test]
    fn escaping_paths_and_special_files_are_refused() {
        for path in ["../x", "/x", "a/../../x", "a\\b"] {
            let tar = tar_of(&[(path, EntryType::Regular, b"x")]);
            assert!(matches!(refused(&tar), ArchiveError::Contents(ContentsError::Path { .. })), "{path}");
        }
        for kind in [EntryType::Symlink, EntryType::Link, EntryType::Char, EntryType::Block, EntryType::Fifo]
        {
            let tar = tar_of(&[("x", kind, b"")]);
            assert!(
                matches!(refused(&tar), ArchiveError::Contents(ContentsError::NotAFile { .. })),
                "{kind:?}"
            );
        }
        let link = zip_of(&[("x", b"", 0o120_777)]);
        assert!(matches!(
            refused(&link),
            ArchiveError::Contents(ContentsError::NotAFile { found: "link", .. })
        ));
    }

    #[test]
    fn archive_bomb_is_stopped_at_the_limit() {
        let limits = ScanLimits { total: 100_000, ..ScanLimits::default() };
        let zeros = vec![0; 10_000_000];
        let tar = tar_of(&[("SKILL.md", EntryType::Regular, &zeros)]);
        for bomb in [zip_of(&[("SKILL.md", &zeros, 0o644)]), gz(&tar), tar] {
            let error = unpack(&bomb, &limits).unwrap_err();
            assert!(
                matches!(error, ArchiveError::Contents(ContentsError::TooLarge { most: 100_000 })),
                "{error}"
            );
        }
        // Bytes behind the end of the tar count too.
        let long_name = tar_of(&[("@LongLink", EntryType::GNULongName, &vec![b'x'; 6_000_000])]);
        assert!(unpack(&gz(&long_name), &limits).is_err());
        let many: Vec<_> = (0..501).map(|number| format!("f{number}")).collect();
        let many: Vec<_> = many.iter().map(|name| (name.as_str(), &b""[..], 0o644)).collect();
        let error = refused(&zip_of(&many));
        assert!(matches!(error, ArchiveError::Contents(ContentsError::TooMany { most: 500 })), "{error}");
        // Detected by the end record alone, before the entries are read.
        let mut miscounted = zip_of(&[("SKILL.md", b"text", 0o644)]);
        let end = miscounted.windows(4).position(|bytes| bytes == b"PK\x05\x06").unwrap();
        miscounted[end + 10..end + 12].copy_from_slice(&60_000_u16.to_le_bytes());
        let mut long = miscounted.clone();
        miscounted.truncate(end + 22);
        long[end + 10..end + 12].copy_from_slice(&1_u16.to_le_bytes());
        let mut record = b"PK\x06\x06".to_vec();
        record.resize(32, 0);
        record.extend(1_000_000_u64.to_le_bytes());
        long.splice(end..end, record);
        for zip in [miscounted, long] {
            let error = refused(&zip);
            assert!(matches!(error, ArchiveError::Contents(ContentsError::TooMany { most: 500 })), "{error}");
        }
    }

    #[test]
    fn unknown_and_damaged_archives_are_refused() {
        assert!(matches!(refused(b""), ArchiveError::Unknown));
        assert!(matches!(refused(b"---\nname: x\n---\n"), ArchiveError::Unknown));
        let zip = zip_of(&[("SKILL.md", b"some text that is long enough to be worth packing", 0o644)]);
        assert!(matches!(refused(&zip[..zip.len() / 2]), ArchiveError::Damaged { kind: "zip", .. }));
        let packed = gz(&tar_of(&[("SKILL.md", EntryType::Regular, b"text")]));
        assert!(matches!(refused(&packed[..packed.len() / 2]), ArchiveError::Damaged { kind: "tar.gz", .. }));
        // Only the checksum is wrong.
        let mut changed = zip.clone();
        let at = 30 + "SKILL.md".len() + 4;
        changed[at] ^= 0x55;
        assert!(matches!(refused(&changed), ArchiveError::Damaged { kind: "zip", .. }));
    }

    #[test]
    fn encrypted_entry_is_refused_by_name() {
        let mut zip = zip_of(&[("SKILL.md", b"text", 0o644)]);
        // The flag in the local header and in the directory at the end.
        zip[6] |= 1;
        let directory = zip.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
        zip[directory + 8] |= 1;
        assert!(matches!(refused(&zip), ArchiveError::Encrypted(name) if name == "SKILL.md"));
    }
}
