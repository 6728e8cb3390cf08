//! Parses desktop files, as the Desktop Entry Specification defines them: escapes of values, quoting in Exec, and field
//! codes. The codes for files to open expand to nothing.

use std::collections::HashMap;

/// Errors in a desktop file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DesktopFileError {
    /// The file is not text.
    #[error("the desktop file is not UTF-8")]
    NotUtf8,
    /// The file is too large.
    #[error("the desktop file is larger than {limit} bytes")]
    TooLarge {
        /// The limit, in bytes.
        limit: u64,
    },
    /// The entry is not an application.
    #[error("the desktop file is not of Type=Application")]
    NotAnApplication,
    /// The entry has no command.
    #[error("the desktop file has no Exec line")]
    NoExec,
    /// An unclosed quote, or a backslash at the end.
    #[error("the Exec line ends inside quotes")]
    OpenQuote,
    /// An unknown field code.
    #[error("the Exec line has the unknown field code %{code}")]
    UnknownCode {
        /// The letter after the percent sign.
        code: char,
    },
    /// The program does not exist.
    #[error("the Exec line names {program:?}, which is not there")]
    NoProgram {
        /// The program, as written.
        program: String,
    },
}

/// A parsed desktop file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DesktopFile {
    /// The program, as written, and its arguments.
    pub(super) exec: Vec<String>,
    /// The working directory.
    pub(super) folder: Option<String>,
    /// Whether it runs in a terminal.
    pub(super) terminal: bool,
}

impl DesktopFile {
    /// Parses the file at `path`.
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

/// Replaces the escapes of values. Other escapes stay, for the quoting in Exec.
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

/// Values of the field codes.
struct Codes<'a> {
    icon: Option<String>,
    name: Option<String>,
    path: &'a str,
}

/// Splits an Exec line into arguments.
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
                // Inside quotes only these four are escaped; before others the backslash is literal.
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
                // Files and addresses to open, of which there are none, and deprecated codes.
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
    fn exec_line_is_split_into_arguments() {
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
    fn broken_exec_line_is_refused() {
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
    fn only_the_main_group_is_read() {
        let text = "# a comment\n[Other]\nExec=no\n[Desktop Entry]\nExec = yes \nExec[de]=ja\nPath=/opt/x\n\
                    Terminal=true\nType=Application\n[Desktop EntryAction new]\nExec=no\n";
        let expected =
            DesktopFile { exec: vec!["yes".into()], folder: Some("/opt/x".into()), terminal: true };
        assert_eq!(DesktopFile::parse(text.as_bytes(), ""), Ok(expected));
    }

    #[test]
    fn entry_that_is_no_application_is_refused() {
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
