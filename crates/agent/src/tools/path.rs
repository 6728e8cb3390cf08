//! Resolves paths as models write them, lexically.
//!
//! Pure: the path style of the system is an input. A resolved path contains no `.` and no `..`. Names that pass
//! [`check_names`] denote files of exactly these names on Windows too: no devices, no streams, no short names.

use std::fmt;

/// Maximum characters of a path.
const MAX_CHARS: usize = 4_096;

/// The path syntax of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathStyle {
    /// `/` between names, which are compared exactly.
    Unix,
    /// `\` or `/` between names, which are compared case-insensitively; drives; reserved names.
    Windows,
}

impl PathStyle {
    /// The style of this system.
    pub const NATIVE: Self = if cfg!(windows) { Self::Windows } else { Self::Unix };

    fn is_separator(self, letter: char) -> bool {
        letter == '/' || (self == Self::Windows && letter == '\\')
    }

    fn are_equal(self, one: &str, other: &str) -> bool {
        match self {
            Self::Unix => one == other,
            Self::Windows => one.to_lowercase() == other.to_lowercase(),
        }
    }
}

/// An absolute path: a drive, where there are drives, and names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbsolutePath {
    /// As in `C:`; empty where there are none.
    drive: String,
    names: Vec<String>,
}

/// Why a path is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolPathError {
    Empty,
    TooLong,
    InvalidCharacter(char),
    /// `~` without a known home folder, or of another account.
    NoHome,
    AboveRoot,
    /// Neither relative nor on a drive: another machine, a device, or the current folder of a drive.
    NotOnADrive,
    /// A name that does not denote a file on Windows.
    ReservedName(String),
}

impl fmt::Display for ToolPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the path is empty"),
            Self::TooLong => write!(f, "the path has more than {MAX_CHARS} characters"),
            Self::InvalidCharacter(letter) => {
                write!(f, "the path has an invalid character (U+{:04X})", u32::from(*letter))
            }
            Self::NoHome => f.write_str("`~` works only for the account's own home folder"),
            Self::AboveRoot => f.write_str("the path leads above the root folder"),
            Self::NotOnADrive => f.write_str(
                "the path has to be relative, or start with a drive and a backslash, as in `C:\\`",
            ),
            Self::ReservedName(name) => write!(f, "{name:?} is not a valid file name on this system"),
        }
    }
}

impl AbsolutePath {
    pub fn parse(text: &str, style: PathStyle) -> Result<Self, ToolPathError> {
        let (drive, rest) = split_root(text, style)?.ok_or(ToolPathError::NotOnADrive)?;
        let mut path = Self { drive: drive.to_owned(), names: Vec::new() };
        path.join(rest, style)?;
        Ok(path)
    }

    /// Appends names; `..` removes the last one.
    fn join(&mut self, names: &str, style: PathStyle) -> Result<(), ToolPathError> {
        for name in names.split(|letter| style.is_separator(letter)) {
            match name {
                "" | "." => {}
                ".." => drop(self.names.pop().ok_or(ToolPathError::AboveRoot)?),
                _ => self.names.push(name.to_owned()),
            }
        }
        Ok(())
    }

    /// The names below a folder; `None` if the path is not below it.
    pub fn strip_prefix(&self, folder: &Self, style: PathStyle) -> Option<&[String]> {
        let is_same_drive = style.are_equal(&self.drive, &folder.drive);
        let (start, rest) = self.names.split_at_checked(folder.names.len())?;
        let is_below = start.iter().zip(&folder.names).all(|(one, other)| style.are_equal(one, other));
        (is_same_drive && is_below).then_some(rest)
    }
}

/// Resolves a path: relative ones against `base`, `~` against `home`.
pub fn resolve(
    written: &str,
    base: &AbsolutePath,
    home: Option<&AbsolutePath>,
    style: PathStyle,
) -> Result<AbsolutePath, ToolPathError> {
    if written.trim().is_empty() {
        return Err(ToolPathError::Empty);
    }
    if written.chars().nth(MAX_CHARS).is_some() {
        return Err(ToolPathError::TooLong);
    }
    if let Some(letter) = written.chars().find(|letter| *letter == '\0') {
        return Err(ToolPathError::InvalidCharacter(letter));
    }
    if let Some(rest) = written.strip_prefix('~') {
        if !rest.is_empty() && !rest.starts_with(|letter| style.is_separator(letter)) {
            return Err(ToolPathError::NoHome);
        }
        let mut path = home.ok_or(ToolPathError::NoHome)?.clone();
        path.join(rest, style)?;
        return Ok(path);
    }
    if split_root(written, style)?.is_some() {
        return AbsolutePath::parse(written, style);
    }
    let mut path = base.clone();
    path.join(written, style)?;
    Ok(path)
}

/// Splits an absolute path into drive and rest; `None` for a relative one.
fn split_root(text: &str, style: PathStyle) -> Result<Option<(&str, &str)>, ToolPathError> {
    match style {
        PathStyle::Unix => Ok(text.strip_prefix('/').map(|rest| ("", rest))),
        PathStyle::Windows => {
            // The system's own form of a real path.
            let verbatim = text.strip_prefix(r"\\?\");
            let text = verbatim.unwrap_or(text);
            match text.as_bytes() {
                [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic() => {
                    Ok(Some((&text[..2], &text[3..])))
                }
                // Another machine, a device, the root of the current drive, the current folder of a drive.
                [b'/' | b'\\', ..] | [_, b':', ..] => Err(ToolPathError::NotOnADrive),
                _ if verbatim.is_some() => Err(ToolPathError::NotOnADrive),
                _ => Ok(None),
            }
        }
    }
}

/// Checks that names below a root denote files of exactly these names. The root itself may have any name.
pub fn check_names(names: &[String], style: PathStyle) -> Result<(), ToolPathError> {
    let reserved = names.iter().find(|name| style == PathStyle::Windows && !is_file_name(name));
    reserved.map_or(Ok(()), |name| Err(ToolPathError::ReservedName(name.clone())))
}

/// Whether a name denotes a file of exactly this name on Windows.
fn is_file_name(name: &str) -> bool {
    let has_valid_characters =
        !name.chars().any(|letter| letter.is_control() || r#"<>:"|?*"#.contains(letter));
    let is_short =
        name.split_once('~').is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()));
    // Windows strips these, so that the name would be a different one.
    let is_trimmed = name.ends_with(['.', ' ']);
    has_valid_characters && !is_short && !is_trimmed && !is_device(name)
}

/// Device names are reserved in every folder, with any extension.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_uppercase();
    let numbered = |kind: &str| {
        let rest = stem.strip_prefix(kind).unwrap_or_default();
        matches!(rest.chars().collect::<Vec<_>>()[..], ['0'..='9' | '¹' | '²' | '³'])
    };
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$")
        || numbered("COM")
        || numbered("LPT")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn render(path: &AbsolutePath) -> String {
        format!("{}/{}", path.drive, path.names.join("/"))
    }

    fn resolve_checked(written: &str, style: PathStyle) -> Result<String, ToolPathError> {
        let (base, home) = match style {
            PathStyle::Unix => ("/home/ada/ws", "/home/ada"),
            PathStyle::Windows => (r"C:\Users\Ada\ws", r"C:\Users\Ada"),
        };
        let (base, home) =
            (AbsolutePath::parse(base, style).unwrap(), AbsolutePath::parse(home, style).unwrap());
        let path = resolve(written, &base, Some(&home), style)?;
        check_names(path.strip_prefix(&base, style).unwrap_or(&path.names), style)?;
        Ok(render(&path))
    }

    #[test]
    fn unix_paths_resolve() {
        let table = [
            ("a.md", Ok("/home/ada/ws/a.md")),
            ("./a//b/./c", Ok("/home/ada/ws/a/b/c")),
            ("a/../b", Ok("/home/ada/ws/b")),
            ("../other/x", Ok("/home/ada/other/x")),
            ("../../../../etc/passwd", Err(ToolPathError::AboveRoot)),
            ("/etc/passwd", Ok("/etc/passwd")),
            ("/home/ada/ws/../../../proc/self/root", Ok("/proc/self/root")),
            ("/..", Err(ToolPathError::AboveRoot)),
            ("~/x", Ok("/home/ada/x")),
            ("~", Ok("/home/ada")),
            ("~root/x", Err(ToolPathError::NoHome)),
            ("a~/x", Ok("/home/ada/ws/a~/x")),
            (r"C:\x", Ok(r"/home/ada/ws/C:\x")),
            ("", Err(ToolPathError::Empty)),
            (" \t", Err(ToolPathError::Empty)),
            ("a\0b", Err(ToolPathError::InvalidCharacter('\0'))),
        ];
        for (written, expected) in table {
            assert_eq!(resolve_checked(written, PathStyle::Unix), expected.map(str::to_owned), "{written}");
        }
        assert_eq!(resolve_checked(&"x".repeat(MAX_CHARS + 1), PathStyle::Unix), Err(ToolPathError::TooLong));
        let base = AbsolutePath::parse("/ws", PathStyle::Unix).unwrap();
        assert_eq!(resolve("~/x", &base, None, PathStyle::Unix), Err(ToolPathError::NoHome));
    }

    #[test]
    fn windows_paths_resolve_without_devices_and_streams() {
        let reserved = |name: &str| Err(ToolPathError::ReservedName(name.to_owned()));
        let table = [
            ("a/b", Ok("C:/Users/Ada/ws/a/b")),
            (r"a\b", Ok("C:/Users/Ada/ws/a/b")),
            (r"..\..\..\Windows", Ok("C:/Windows")),
            (r"..\..\..\..\x", Err(ToolPathError::AboveRoot)),
            (r"d:\x", Ok("d:/x")),
            (r"\\?\C:\x", Ok("C:/x")),
            ("~/x", Ok("C:/Users/Ada/x")),
            (r"~\x", Ok("C:/Users/Ada/x")),
            ("C:x", Err(ToolPathError::NotOnADrive)),
            (r"\x", Err(ToolPathError::NotOnADrive)),
            ("/x", Err(ToolPathError::NotOnADrive)),
            (r"\\server\share\x", Err(ToolPathError::NotOnADrive)),
            (r"\\.\PhysicalDrive0", Err(ToolPathError::NotOnADrive)),
            (r"\\?\UNC\server\share\x", Err(ToolPathError::NotOnADrive)),
            ("NUL", reserved("NUL")),
            ("con", reserved("con")),
            ("a/aux.txt", reserved("aux.txt")),
            ("COM1", reserved("COM1")),
            ("com¹.md", reserved("com¹.md")),
            ("lpt9 .x", reserved("lpt9 .x")),
            ("CONIN$", reserved("CONIN$")),
            ("console.md", Ok("C:/Users/Ada/ws/console.md")),
            ("com10", Ok("C:/Users/Ada/ws/com10")),
            ("secrets.json::$DATA", reserved("secrets.json::$DATA")),
            ("a.md:hidden", reserved("a.md:hidden")),
            ("SECRET~1.JSO", reserved("SECRET~1.JSO")),
            ("SKILL.md.", reserved("SKILL.md.")),
            ("SKILL.md ", reserved("SKILL.md ")),
            ("a\u{1}b", reserved("a\u{1}b")),
            ("a?", reserved("a?")),
            (".../x", reserved("...")),
        ];
        for (written, expected) in table {
            assert_eq!(
                resolve_checked(written, PathStyle::Windows),
                expected.map(str::to_owned),
                "{written}"
            );
        }
    }

    #[test]
    fn root_folder_may_have_any_name() {
        let folder = AbsolutePath::parse(r"C:\Users\RUNNER~1\aux", PathStyle::Windows).unwrap();
        let path = resolve("a.md", &folder, None, PathStyle::Windows).unwrap();
        let below = path.strip_prefix(&folder, PathStyle::Windows).unwrap();
        assert_eq!((below, check_names(below, PathStyle::Windows)), (&["a.md".to_owned()][..], Ok(())));
    }

    #[test]
    fn path_is_below_a_folder_by_whole_names() {
        let table = [
            (PathStyle::Unix, "/a/b", "/a/b/c", Some(1)),
            (PathStyle::Unix, "/a/b", "/a/b", Some(0)),
            (PathStyle::Unix, "/", "/a/b", Some(2)),
            (PathStyle::Unix, "/a/b", "/a/bc", None),
            (PathStyle::Unix, "/a/b", "/a", None),
            (PathStyle::Unix, "/a/b", "/A/b/c", None),
            (PathStyle::Windows, r"C:\Users\Ada", r"c:\users\ADA\x", Some(1)),
            (PathStyle::Windows, r"C:\Users", r"D:\Users\x", None),
            (PathStyle::Windows, r"C:\STRASSE", r"C:\strasse\x", Some(1)),
        ];
        for (style, folder, path, rest) in table {
            let (folder, path) =
                (AbsolutePath::parse(folder, style).unwrap(), AbsolutePath::parse(path, style).unwrap());
            assert_eq!(path.strip_prefix(&folder, style).map(<[_]>::len), rest, "{folder:?} {path:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        /// A resolved path has only plain names, and parses to itself.
        #[test]
        fn resolved_path_is_normalized(
            parts in prop::collection::vec(
                prop::sample::select(vec!["..", ".", "", "a", "B.md", "~", "nul", "x:y", "C:", "é", "a.", "p~1"]),
                0..8,
            ),
            between in prop::sample::select(vec!["/", "\\"]),
            windows in any::<bool>(),
        ) {
            let style = if windows { PathStyle::Windows } else { PathStyle::Unix };
            let base = AbsolutePath::parse(if windows { r"C:\w\s" } else { "/w/s" }, style).unwrap();
            if let Ok(path) = resolve(&parts.join(between), &base, Some(&base), style) {
                for name in &path.names {
                    prop_assert!(!name.is_empty() && name != "." && name != "..");
                    prop_assert!(!name.contains(|letter| style.is_separator(letter)));
                }
                prop_assert_eq!(AbsolutePath::parse(&render(&path), style), Ok(path));
            }
        }
    }
}
