//! Reading a desktop file: the command that it stands for.
//!
//! Follows the Desktop Entry Specification: escapes of values, quoting in Exec, and field codes, of which
//! those for files to open stand for nothing here. What a command may do is not judged.

use std::collections::HashMap;

/// Why a desktop file says no command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DesktopFileError {
    /// Not a text.
    #[error("the desktop file is not UTF-8")]
    NotUtf8,
    /// More than any real one has.
    #[error("the desktop file is larger than {limit} bytes")]
    TooLarge {
        /// The most that is read.
        limit: u64,
    },
    /// It stands for something else than an application.
    #[error("the desktop file is not of Type=Application")]
    NotAnApplication,
    /// It has no command.
    #[error("the desktop file has no Exec line")]
    NoExec,
    /// A quote without its partner, or a backslash at the end.
    #[error("the Exec line ends inside quotes")]
    OpenQuote,
    /// A field code that means nothing.
    #[error("the Exec line has the unknown field code %{code}")]
    UnknownCode {
        /// The letter after the percent sign.
        code: char,
    },
    /// The program is not there.
    #[error("the Exec line names {program:?}, which is not there")]
    NoProgram {
        /// The program as written.
        program: String,
    },
}

/// A desktop file, read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DesktopFile {
    /// The program as written, and its arguments.
    pub(super) exec: Vec<String>,
    /// The folder to start in.
    pub(super) folder: Option<String>,
    /// Whether it wants a terminal.
    pub(super) terminal: bool,
}

impl DesktopFile {
    /// Reads one; `path` is where it lies.
    pub(super) fn parse(bytes: &[u8], path: &str) -> Result<Self, DesktopFileError> {
        let text = std::str::from_utf8(bytes).map_err(|_| DesktopFileError::NotUtf8)?;
        let values = main_group(text.strip_prefix('\u{feff}').unwrap_or(text));
        let value = |key: &str| values.get(key).map(|raw| unescape(raw)).filter(|value| !value.is_empty());
        if value("Type").is_some_and(|kind| kind != "Application") {
            return Err(DesktopFileError::NotAnApplication);
        }
        let exec = value("Exec").ok_or(DesktopFileError::NoExec)?;
        let codes = Codes { icon: value("Icon"), name: value("Name"), path };
        let exec = arguments(&exec, &codes)?;
        if exec.is_empty() {
            return Err(DesktopFileError::NoExec);
        }
        Ok(Self { exec, folder: value("Path"), terminal: value("Terminal").as_deref() == Some("true") })
    }
}

/// The keys and values of the group `[Desktop Entry]`; actions and other groups follow it.
fn main_group(text: &str) -> HashMap<&str, &str> {
    let inside = text.lines().map(str::trim).skip_while(|line| *line != "[Desktop Entry]").skip(1);
    inside
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('='))
        .map(|(key, value)| (key.trim_end(), value.trim_start()))
        .collect()
}

/// The escapes that every value may have. Others stay as they are, for the quoting in Exec.
fn unescape(raw: &str) -> String {
    let mut value = String::with_capacity(raw.len());
    let mut rest = raw.chars();
    while let Some(next) = rest.next() {
        if next != '\\' {
            value.push(next);
            continue;
        }
        match rest.next() {
            Some('s') => value.push(' '),
            Some('n') => value.push('\n'),
            Some('t') => value.push('\t'),
            Some('r') => value.push('\r'),
            Some('\\') | None => value.push('\\'),
            Some(other) => value.extend(['\\', other]),
        }
    }
    value
}

/// What field codes stand for.
struct Codes<'a> {
    icon: Option<String>,
    name: Option<String>,
    path: &'a str,
}

/// Takes an Exec line apart.
fn arguments(exec: &str, codes: &Codes<'_>) -> Result<Vec<String>, DesktopFileError> {
    let (mut done, mut open) = (Vec::new(), None::<String>);
    let mut quote = None;
    let mut rest = exec.chars();
    while let Some(next) = rest.next() {
        match (quote, next) {
            (None, ' ' | '\t' | '\n' | '\r') => done.extend(open.take()),
            (None, '"' | '\'') => {
                quote = Some(next);
                open.get_or_insert_default();
            }
            (Some(end), _) if next == end => quote = None,
            (Some('\''), _) => open.get_or_insert_default().push(next),
            (_, '\\') => {
                let escaped = rest.next().ok_or(DesktopFileError::OpenQuote)?;
                let argument = open.get_or_insert_default();
                // Inside quotes only these four need a backslash; before others it means itself.
                if quote.is_some() && !matches!(escaped, '"' | '`' | '$' | '\\') {
                    argument.push('\\');
                }
                argument.push(escaped);
            }
            (_, '%') => match rest.next() {
                Some('%') => open.get_or_insert_default().push('%'),
                Some('c') => open.get_or_insert_default().push_str(codes.name.as_deref().unwrap_or_default()),
                Some('k') => open.get_or_insert_default().push_str(codes.path),
                Some('i') => {
                    if let Some(icon) = &codes.icon {
                        done.extend(open.take());
                        done.extend(["--icon".to_owned(), icon.clone()]);
                    }
                }
                // Files and addresses to open, of which there are none, and codes that went out of use.
                Some('f' | 'F' | 'u' | 'U' | 'd' | 'D' | 'n' | 'N' | 'v' | 'm') => {}
                Some(code) => return Err(DesktopFileError::UnknownCode { code }),
                None => open.get_or_insert_default().push('%'),
            },
            _ => open.get_or_insert_default().push(next),
        }
    }
    if quote.is_some() {
        return Err(DesktopFileError::OpenQuote);
    }
    done.extend(open);
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exec(line: &str) -> Result<Vec<String>, DesktopFileError> {
        let text = format!("[Desktop Entry]\nType=Application\nName=My App\nIcon=app\nExec={line}\n");
        DesktopFile::parse(text.as_bytes(), "/a b.desktop").map(|file| file.exec)
    }

    #[test]
    fn exec_lines_are_taken_apart() {
        for (line, expected) in [
            ("app", vec!["app"]),
            ("  app   -x\t--y ", vec!["app", "-x", "--y"]),
            ("app %U", vec!["app"]),
            ("app --url=%u --", vec!["app", "--url=", "--"]),
            ("app \"%f\" end", vec!["app", "", "end"]),
            ("app %i %c %k", vec!["app", "--icon", "app", "My App", "/a b.desktop"]),
            ("app 100%%", vec!["app", "100%"]),
            (
                r#""/opt/my app/run" "a \\"b\\" \\$c \\`d\\` \\\\ &""#,
                vec!["/opt/my app/run", r#"a "b" $c `d` \ &"#],
            ),
            (r#"sh -c 'echo "$HOME" 100%'"#, vec!["sh", "-c", r#"echo "$HOME" 100%"#]),
            (r"app a\\ b", vec!["app", "a b"]),
            (r"app a\sb", vec!["app", "a", "b"]),
            (r#"app """#, vec!["app", ""]),
            ("程序 文件", vec!["程序", "文件"]),
        ] {
            assert_eq!(exec(line), Ok(expected.into_iter().map(str::to_owned).collect()), "{line}");
        }
    }

    #[test]
    fn a_broken_exec_line_is_refused() {
        for (line, expected) in [
            ("", DesktopFileError::NoExec),
            ("%U", DesktopFileError::NoExec),
            ("app \"a", DesktopFileError::OpenQuote),
            ("app 'a", DesktopFileError::OpenQuote),
            (r"app \\", DesktopFileError::OpenQuote),
            ("app %z", DesktopFileError::UnknownCode { code: 'z' }),
        ] {
            assert_eq!(exec(line), Err(expected), "{line}");
        }
    }

    #[test]
    fn only_the_main_group_counts() {
        let text = "# a comment\n[Other]\nExec=no\n[Desktop Entry]\nExec = yes \nExec[de]=ja\nPath=/opt/x\n\
                    Terminal=true\nType=Application\n[Desktop Action new]\nExec=no\n";
        let expected =
            DesktopFile { exec: vec!["yes".into()], folder: Some("/opt/x".into()), terminal: true };
        assert_eq!(DesktopFile::parse(text.as_bytes(), ""), Ok(expected));
    }

    #[test]
    fn what_is_no_application_is_refused() {
        let link = b"[Desktop Entry]\nType=Link\nURL=https://example.org\n";
        for (bytes, expected) in [
            (&link[..], DesktopFileError::NotAnApplication),
            (b"", DesktopFileError::NoExec),
            (b"Exec=app\n", DesktopFileError::NoExec),
            (b"[Desktop Entry]\nExec=\xff\n", DesktopFileError::NotUtf8),
        ] {
            assert_eq!(DesktopFile::parse(bytes, ""), Err(expected));
        }
    }
}
