//! A generated file, written or compared with its current content.
#![allow(clippy::disallowed_methods, reason = "a tool of the workspace writes to the workspace")]

use std::fs;
use std::path::Path;

use crate::TaskError;

/// A file of the workspace and its generated content.
#[derive(Debug, PartialEq, Eq)]
pub struct Generated {
    /// Relative to the root of the workspace.
    pub path: &'static str,
    pub text: String,
}

impl Generated {
    /// Writes the file and its folder.
    pub fn write(&self, root: &Path) -> Result<(), TaskError> {
        let path = root.join(self.path);
        path.parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&path, &self.text))
            .map_err(|source| TaskError::Write { path: self.path, source })
    }

    /// Fails when the file is not what `command` would write.
    pub fn check(&self, root: &Path, command: &'static str) -> Result<(), TaskError> {
        match fs::read_to_string(root.join(self.path)) {
            // A checkout on Windows may have other line ends.
            Ok(text) if text.replace("\r\n", "\n") == self.text => Ok(()),
            _ => Err(TaskError::Stale { path: self.path, command }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_or_changed_file_is_stale_until_it_is_written() {
        let root = tempfile::tempdir().unwrap();
        let file = Generated { path: "deep/er/file.txt", text: "new\nlines\n".into() };
        let stale = "deep/er/file.txt is out of date: run `cargo xtask protocol`";
        let check = || file.check(root.path(), "protocol").map_err(|error| error.to_string());

        assert_eq!(check(), Err(stale.to_owned()));
        file.write(root.path()).unwrap();
        assert_eq!(check(), Ok(()));
        fs::write(root.path().join(file.path), "new\r\nlines\r\n").unwrap();
        assert_eq!(check(), Ok(()));
        fs::write(root.path().join(file.path), "old\n").unwrap();
        assert_eq!(check(), Err(stale.to_owned()));
    }
}
