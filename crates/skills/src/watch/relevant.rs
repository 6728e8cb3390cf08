//! Which changes are worth a look.

use std::path::Path;

/// Folders full of what programs make.
const MADE: [&str; 10] = [
    ".git",
    "node_modules",
    "dist",
    ".venv",
    "venv",
    "__pycache__",
    ".mypy_cache",
    ".pytest_cache",
    "build",
    ".cache",
];

/// Whether a path leads into a folder full of what programs make: in a person's own skill that is not worth a look. In
/// one from elsewhere every file counts.
pub fn is_made(below: &Path) -> bool {
    below.iter().any(|step| MADE.iter().any(|made| step == *made))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_make_is_known_by_its_folder() {
        let table = [
            ("a/SKILL.md", false),
            ("a/scripts/run.py", false),
            ("a/.hidden/x", false),
            ("a/node_modules/b", true),
            ("a/scripts/__pycache__/run.pyc", true),
            (".git/index", true),
        ];
        for (path, expected) in table {
            assert_eq!(is_made(Path::new(path)), expected, "{path}");
        }
    }
}
