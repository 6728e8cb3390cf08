//! Filters changes in generated folders.

use std::path::Path;

/// Folders of generated files.
const GENERATED: [&str; 10] = [
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

/// Whether a path is in a folder of generated files. They are ignored in the user's own skills; in third-party skills
/// every file matters.
pub fn is_generated(below: &Path) -> bool {
    below.iter().any(|step| GENERATED.iter().any(|name| step == *name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_files_are_recognised_by_their_folder() {
        let table = [
            ("a/SKILL.md", false),
            ("a/scripts/run.py", false),
            ("a/.hidden/x", false),
            ("a/node_modules/b", true),
            ("a/scripts/__pycache__/run.pyc", true),
            (".git/index", true),
        ];
        for (path, expected) in table {
            assert_eq!(is_generated(Path::new(path)), expected, "{path}");
        }
    }
}
