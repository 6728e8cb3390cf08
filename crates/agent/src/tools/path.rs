//! Paths as models write them, taken apart by name alone.
//!
//! Promises: pure and the same on every machine, because the manner of the system is an input. What is meant has no `.` and
//! no `..` in it; names that passed the check mean, on Windows too, files of these names: no device, no stream, nothing by
//! its short name. Leaves to others: which folders may be read, and opening.

use std::fmt;

/// Characters of a path.
const LONGEST: usize = 4_096;

/// How a system writes and compares paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// `/` between names, which are compared exactly.
    Unix,
    /// `\` or `/` between names, which are compared without regard to case; drives; names that are no files.
    Windows,
}

impl Manner {
    /// That of this system.
    pub const HERE: Self = if cfg!(windows) { Self::Windows } else { Self::Unix };

    fn is_between(self, letter: char) -> bool {
        letter == '/' || (self == Self::Windows && letter == '\\')
    }

    fn same(self, one: &str, other: &str) -> bool {
        match self {
            Self::Unix => one == other,
            Self::Windows => one.to_lowercase() == other.to_lowercase(),
        }
    }
}

/// An absolute path: a drive, where there are drives, and names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absolute {
    /// As in `C:`; empty where there are none.
    drive: String,
    names: Vec<String>,
}

/// Why a text is no path of a file that can be looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathError {
    /// There is nothing in it.
    Empty,
    /// It has more characters than any path.
    TooLong,
    /// It has a character that no path has.
    Character(char),
    /// `~` stands in it and nobody knows the home folder, or it is somebody else's.
    NoHome,
    /// It leads above the top.
    AboveTheTop,
    /// It is neither relative nor absolute, or leads to another machine or a device.
    NotOfADrive,
    /// A name in it means something else than a file of that name.
    NotAFile(String),
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the path is empty"),
            Self::TooLong => write!(f, "the path has more than {LONGEST} characters"),
            Self::Character(letter) => {
                write!(f, "the path has a character that no path has (U+{:04X})", u32::from(*letter))
            }
            Self::NoHome => {
                f.write_str("`~` is known for this account alone, and only where it has a home folder")
            }
            Self::AboveTheTop => f.write_str("the path leads above the top folder"),
            Self::NotOfADrive => f.write_str(
                "the path has to be relative, or begin with a drive and a backslash, as in `C:\\`",
            ),
            Self::NotAFile(name) => write!(f, "{name:?} is not the name of a file on this system"),
        }
    }
}

impl Absolute {
    /// Reads an absolute path.
    pub fn read(text: &str, manner: Manner) -> Result<Self, PathError> {
        let (drive, rest) = rooted(text, manner)?.ok_or(PathError::NotOfADrive)?;
        let mut path = Self { drive: drive.to_owned(), names: Vec::new() };
        path.go(rest, manner)?;
        Ok(path)
    }

    /// Follows names from here; `..` takes the last one away again.
    fn go(&mut self, names: &str, manner: Manner) -> Result<(), PathError> {
        for name in names.split(|letter| manner.is_between(letter)) {
            match name {
                "" | "." => {}
                ".." => drop(self.names.pop().ok_or(PathError::AboveTheTop)?),
                _ => self.names.push(name.to_owned()),
            }
        }
        Ok(())
    }

    /// The names that follow a folder on the way to this path; `None` when it does not lie there.
    pub fn below(&self, folder: &Self, manner: Manner) -> Option<&[String]> {
        let is_same_drive = manner.same(&self.drive, &folder.drive);
        let (start, rest) = self.names.split_at_checked(folder.names.len())?;
        let is_below = start.iter().zip(&folder.names).all(|(one, other)| manner.same(one, other));
        (is_same_drive && is_below).then_some(rest)
    }
}

/// The file that a model means: relative paths begin at `base`, `~` at `home`.
pub fn meant(
    written: &str,
    base: &Absolute,
    home: Option<&Absolute>,
    manner: Manner,
) -> Result<Absolute, PathError> {
    if written.trim().is_empty() {
        return Err(PathError::Empty);
    }
    if written.chars().nth(LONGEST).is_some() {
        return Err(PathError::TooLong);
    }
    if let Some(letter) = written.chars().find(|letter| *letter == '\0') {
        return Err(PathError::Character(letter));
    }
    if let Some(rest) = written.strip_prefix('~') {
        if !rest.is_empty() && !rest.starts_with(|letter| manner.is_between(letter)) {
            return Err(PathError::NoHome);
        }
        let mut path = home.ok_or(PathError::NoHome)?.clone();
        path.go(rest, manner)?;
        return Ok(path);
    }
    if rooted(written, manner)?.is_some() {
        return Absolute::read(written, manner);
    }
    let mut path = base.clone();
    path.go(written, manner)?;
    Ok(path)
}

/// The drive of an absolute path and what follows it; `None` for a relative one.
fn rooted(text: &str, manner: Manner) -> Result<Option<(&str, &str)>, PathError> {
    match manner {
        Manner::Unix => Ok(text.strip_prefix('/').map(|rest| ("", rest))),
        Manner::Windows => {
            // How the system itself writes a real path.
            let real = text.strip_prefix(r"\\?\");
            let text = real.unwrap_or(text);
            match text.as_bytes() {
                [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic() => {
                    Ok(Some((&text[..2], &text[3..])))
                }
                // Another machine, a device, the top of whichever drive, the present folder of a drive.
                [b'/' | b'\\', ..] | [_, b':', ..] => Err(PathError::NotOfADrive),
                _ if real.is_some() => Err(PathError::NotOfADrive),
                _ => Ok(None),
            }
        }
    }
}

/// Checks that names below a folder mean files and folders of exactly these names. The folder itself may be called as its
/// owner likes.
pub fn check_names(names: &[String], manner: Manner) -> Result<(), PathError> {
    let odd = names.iter().find(|name| manner == Manner::Windows && !is_file_name(name));
    odd.map_or(Ok(()), |name| Err(PathError::NotAFile(name.clone())))
}

/// Whether a name on Windows means a file of exactly this name.
fn is_file_name(name: &str) -> bool {
    let has_no_sign = !name.chars().any(|letter| letter.is_control() || r#"<>:"|?*"#.contains(letter));
    let is_short =
        name.split_once('~').is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()));
    // The system leaves these off, so that the name would be another one.
    let is_trimmed = name.ends_with(['.', ' ']);
    has_no_sign && !is_short && !is_trimmed && !is_device(name)
}

/// Devices have their names in every folder, with any ending.
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

    fn shown(path: &Absolute) -> String {
        format!("{}/{}", path.drive, path.names.join("/"))
    }

    fn look(written: &str, manner: Manner) -> Result<String, PathError> {
        let (base, home) = match manner {
            Manner::Unix => ("/home/ada/ws", "/home/ada"),
            Manner::Windows => (r"C:\Users\Ada\ws", r"C:\Users\Ada"),
        };
        let (base, home) = (Absolute::read(base, manner).unwrap(), Absolute::read(home, manner).unwrap());
        let path = meant(written, &base, Some(&home), manner)?;
        check_names(path.below(&base, manner).unwrap_or(&path.names), manner)?;
        Ok(shown(&path))
    }

    #[test]
    fn paths_of_unix_are_relative_absolute_or_below_the_home_folder() {
        let table = [
            ("a.md", Ok("/home/ada/ws/a.md")),
            ("./a//b/./c", Ok("/home/ada/ws/a/b/c")),
            ("a/../b", Ok("/home/ada/ws/b")),
            ("../other/x", Ok("/home/ada/other/x")),
            ("../../../../etc/passwd", Err(PathError::AboveTheTop)),
            ("/etc/passwd", Ok("/etc/passwd")),
            ("/home/ada/ws/../../../proc/self/root", Ok("/proc/self/root")),
            ("/..", Err(PathError::AboveTheTop)),
            ("~/x", Ok("/home/ada/x")),
            ("~", Ok("/home/ada")),
            ("~root/x", Err(PathError::NoHome)),
            ("a~/x", Ok("/home/ada/ws/a~/x")),
            (r"C:\x", Ok(r"/home/ada/ws/C:\x")),
            ("", Err(PathError::Empty)),
            (" \t", Err(PathError::Empty)),
            ("a\0b", Err(PathError::Character('\0'))),
        ];
        for (written, meant) in table {
            assert_eq!(look(written, Manner::Unix), meant.map(str::to_owned), "{written}");
        }
        assert_eq!(look(&"x".repeat(LONGEST + 1), Manner::Unix), Err(PathError::TooLong));
        let base = Absolute::read("/ws", Manner::Unix).unwrap();
        assert_eq!(meant("~/x", &base, None, Manner::Unix), Err(PathError::NoHome));
    }

    #[test]
    fn paths_of_windows_have_drives_and_names_that_are_files() {
        let not = |name: &str| Err(PathError::NotAFile(name.to_owned()));
        let table = [
            ("a/b", Ok("C:/Users/Ada/ws/a/b")),
            (r"a\b", Ok("C:/Users/Ada/ws/a/b")),
            (r"..\..\..\Windows", Ok("C:/Windows")),
            (r"..\..\..\..\x", Err(PathError::AboveTheTop)),
            (r"d:\x", Ok("d:/x")),
            (r"\\?\C:\x", Ok("C:/x")),
            ("~/x", Ok("C:/Users/Ada/x")),
            (r"~\x", Ok("C:/Users/Ada/x")),
            ("C:x", Err(PathError::NotOfADrive)),
            (r"\x", Err(PathError::NotOfADrive)),
            ("/x", Err(PathError::NotOfADrive)),
            (r"\\server\share\x", Err(PathError::NotOfADrive)),
            (r"\\.\PhysicalDrive0", Err(PathError::NotOfADrive)),
            (r"\\?\UNC\server\share\x", Err(PathError::NotOfADrive)),
            ("NUL", not("NUL")),
            ("con", not("con")),
            ("a/aux.txt", not("aux.txt")),
            ("COM1", not("COM1")),
            ("com¹.md", not("com¹.md")),
            ("lpt9 .x", not("lpt9 .x")),
            ("CONIN$", not("CONIN$")),
            ("console.md", Ok("C:/Users/Ada/ws/console.md")),
            ("com10", Ok("C:/Users/Ada/ws/com10")),
            ("secrets.json::$DATA", not("secrets.json::$DATA")),
            ("a.md:hidden", not("a.md:hidden")),
            ("SECRET~1.JSO", not("SECRET~1.JSO")),
            ("SKILL.md.", not("SKILL.md.")),
            ("SKILL.md ", not("SKILL.md ")),
            ("a\u{1}b", not("a\u{1}b")),
            ("a?", not("a?")),
            (".../x", not("...")),
        ];
        for (written, meant) in table {
            assert_eq!(look(written, Manner::Windows), meant.map(str::to_owned), "{written}");
        }
    }

    #[test]
    fn a_folder_of_the_owner_may_have_any_name() {
        let folder = Absolute::read(r"C:\Users\RUNNER~1\aux", Manner::Windows).unwrap();
        let path = meant("a.md", &folder, None, Manner::Windows).unwrap();
        let below = path.below(&folder, Manner::Windows).unwrap();
        assert_eq!((below, check_names(below, Manner::Windows)), (&["a.md".to_owned()][..], Ok(())));
    }

    #[test]
    fn a_path_lies_below_a_folder_by_whole_names_in_the_manner_of_the_system() {
        let table = [
            (Manner::Unix, "/a/b", "/a/b/c", Some(1)),
            (Manner::Unix, "/a/b", "/a/b", Some(0)),
            (Manner::Unix, "/", "/a/b", Some(2)),
            (Manner::Unix, "/a/b", "/a/bc", None),
            (Manner::Unix, "/a/b", "/a", None),
            (Manner::Unix, "/a/b", "/A/b/c", None),
            (Manner::Windows, r"C:\Users\Ada", r"c:\users\ADA\x", Some(1)),
            (Manner::Windows, r"C:\Users", r"D:\Users\x", None),
            (Manner::Windows, r"C:\STRASSE", r"C:\strasse\x", Some(1)),
        ];
        for (manner, folder, path, rest) in table {
            let (folder, path) =
                (Absolute::read(folder, manner).unwrap(), Absolute::read(path, manner).unwrap());
            assert_eq!(path.below(&folder, manner).map(<[_]>::len), rest, "{folder:?} {path:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        /// Whatever is written, what is meant has names alone in it, and is meant by itself.
        #[test]
        fn what_is_meant_is_plain_and_stays_so(
            parts in prop::collection::vec(
                prop::sample::select(vec!["..", ".", "", "a", "B.md", "~", "nul", "x:y", "C:", "é", "a.", "p~1"]),
                0..8,
            ),
            between in prop::sample::select(vec!["/", "\\"]),
            windows in any::<bool>(),
        ) {
            let manner = if windows { Manner::Windows } else { Manner::Unix };
            let base = Absolute::read(if windows { r"C:\w\s" } else { "/w/s" }, manner).unwrap();
            if let Ok(path) = meant(&parts.join(between), &base, Some(&base), manner) {
                for name in &path.names {
                    prop_assert!(!name.is_empty() && name != "." && name != "..");
                    prop_assert!(!name.contains(|letter| manner.is_between(letter)));
                }
                prop_assert_eq!(Absolute::read(&shown(&path), manner), Ok(path));
            }
        }
    }
}
