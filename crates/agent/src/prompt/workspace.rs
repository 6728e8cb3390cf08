//! Creates a workspace from the templates, and a git repository in it if git is installed.
//!
//! Existing files are never overwritten. BOOTSTRAP.md is created only in an empty workspace, so that it does not come
//! back. An interrupted setup is completed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tarsus_home::files::{self, Confined, Durability, FileError, FolderEntry};
use tarsus_host::path::SearchPath;
use tarsus_host::process::{EndCause, Env, ProcessError, ProcessSpec};

use super::files::BOOTSTRAP;
use super::templates::{LAST, TEMPLATES};

/// A folder with more entries is not a new workspace.
const MAX_NAMES: usize = 64;

/// Time limit of `git init`.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The environment variables that git inherits.
const INHERITED_VARS: [&str; 4] = ["PATH", "SystemRoot", "TEMP", "TMP"];

/// Creates a workspace in an empty folder. Returns whether files were written.
///
/// # Errors
/// When the folder cannot be created, read or written.
pub fn ensure(folder: &Path) -> Result<bool, FileError> {
    files::make_private_dir(folder)?;
    let confined = Confined::open(folder)?;
    let names = match confined.list(Path::new(""), MAX_NAMES) {
        Ok(listed) => listed.into_iter().map(|FolderEntry { name, .. }| name).collect::<Vec<_>>(),
        Err(FileError::TooMany { .. }) => return Ok(false),
        Err(error) => return Err(error),
    };
    if !is_new(&names) {
        return Ok(false);
    }
    for (name, text) in TEMPLATES {
        if !names.iter().any(|there| there == name) {
            // The file still has its initial text, so a power failure loses nothing.
            confined.write(Path::new(name), text.as_bytes(), Durability::KillSafe)?;
        }
    }
    Ok(true)
}

/// Whether the workspace is unused: it has only skills and hidden entries, or its setup was interrupted, with the first
/// template present and the last one missing.
fn is_new(names: &[String]) -> bool {
    let is_relevant = |name: &&str| !name.starts_with('.') && *name != "skills";
    let names: Vec<&str> = names.iter().map(String::as_str).filter(is_relevant).collect();
    let is_template = |name: &&str| TEMPLATES.iter().any(|(template, _)| template == name);
    let is_interrupted =
        names.contains(&BOOTSTRAP) && !names.contains(&LAST) && names.iter().all(is_template);
    names.is_empty() || is_interrupted
}

/// Why no repository was created.
#[derive(Debug, thiserror::Error)]
enum RepositoryError {
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error("git init in {} failed: {reason}", folder.display())]
    Failed { folder: PathBuf, reason: String },
}

/// Creates a git repository in a new workspace, if git is installed. Failures are logged. `environment` is that of this
/// process.
pub async fn init_repository(folder: PathBuf, programs: SearchPath, environment: Vec<(OsString, OsString)>) {
    match programs.find("git") {
        Some(git) => {
            if let Err(error) = run_git_init(folder, git, environment).await {
                tracing::warn!(%error, "no repository was created in the new workspace");
            }
        }
        None => {
            tracing::info!(folder = %folder.display(), "git is not installed: no repository was created in the new workspace")
        }
    }
}

/// Creates a repository, unless there is one.
async fn run_git_init(
    folder: PathBuf,
    git: PathBuf,
    environment: Vec<(OsString, OsString)>,
) -> Result<(), RepositoryError> {
    if folder.join(".git").exists() {
        return Ok(());
    }
    // No template, as its hooks would run programs.
    let args = ["-c", "init.defaultBranch=main", "init", "--quiet", "--template="];
    let run = ProcessSpec {
        args: args.map(OsString::from).to_vec(),
        env: Env::inherit(environment, &INHERITED_VARS),
        timeout: TIMEOUT,
        ..ProcessSpec::new(git, &folder)
    };
    let outcome = run.finish().await?;
    if outcome.exit.success() {
        return Ok(());
    }
    let reason = match outcome.ended_by {
        EndCause::TimeOut => "it timed out".to_owned(),
        _ => String::from_utf8_lossy(&outcome.stderr.bytes).trim().to_owned(),
    };
    Err(RepositoryError::Failed { folder, reason })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests make the files they look at")]

    use std::fs;

    use tempfile::TempDir;

    use super::*;

    /// A folder in which these files are, each with its own name in it.
    fn folder(names: &[&str]) -> TempDir {
        let dir = tempfile::tempdir().unwrap();
        for name in names {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        dir
    }

    fn names(folder: &Path) -> Vec<String> {
        let names =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    const ALL: [&str; 7] =
        ["AGENTS.md", "BOOTSTRAP.md", "HEARTBEAT.md", "IDENTITY.md", "SOUL.md", "TOOLS.md", "USER.md"];

    #[test]
    fn new_workspace_has_every_template() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = dir.path().join("a/workspace");
        assert!(ensure(&workspace).unwrap());
        assert_eq!(names(&workspace), ALL);
        for (name, text) in TEMPLATES {
            assert_eq!(fs::read_to_string(workspace.join(name)).unwrap(), text);
        }
        assert!(!ensure(&workspace).unwrap(), "once");
    }

    #[test]
    fn only_an_empty_workspace_is_new() {
        let empty = TEMPLATES.map(|(name, _)| name);
        for (there, made) in [
            (&[".git/HEAD", "skills/mine/SKILL.md"][..], true),
            (&["notes.txt"], false),
            (&["AGENTS.md"], false),
            (&["SOUL.md"], false),
            (&["MEMORY.md"], false),
            (&["memory/2026-01-01.md"], false),
            (&["BOOTSTRAP.md", "notes.txt"], false),
            (&empty[1..], false),
        ] {
            let dir = folder(there);
            let before = names(dir.path());
            assert_eq!(ensure(dir.path()).unwrap(), made, "{there:?}");
            assert_eq!(names(dir.path()) == before, !made, "{there:?}");
        }
    }

    #[test]
    fn interrupted_setup_is_completed_without_overwriting() {
        for made in 1..TEMPLATES.len() {
            let there: Vec<&str> = TEMPLATES[..made].iter().map(|(name, _)| *name).collect();
            let dir = folder(&there);
            fs::write(dir.path().join(".0123456789abcdef.tmp"), "half").unwrap();
            assert!(ensure(dir.path()).unwrap(), "after {made}");
            for (name, text) in TEMPLATES {
                let expected = if there.contains(&name) { name } else { text };
                assert_eq!(fs::read_to_string(dir.path().join(name)).unwrap(), expected);
            }
        }
    }

    #[test]
    fn deleted_bootstrap_file_does_not_come_back() {
        let dir = tempfile::tempdir().unwrap();
        ensure(dir.path()).unwrap();
        fs::remove_file(dir.path().join(BOOTSTRAP)).unwrap();
        for name in ["USER.md", LAST] {
            fs::remove_file(dir.path().join(name)).unwrap();
            assert!(!ensure(dir.path()).unwrap());
            assert!(!dir.path().join(BOOTSTRAP).exists());
        }
    }

    #[test]
    fn file_in_place_of_the_workspace_is_an_error() {
        let dir = folder(&["workspace"]);
        assert!(ensure(&dir.path().join("workspace")).is_err());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn git_failure_is_reported_and_a_repository_is_kept() {
        use std::os::unix::fs::PermissionsExt;
        let dir = folder(&["git"]);
        let git = dir.path().join("git");
        fs::write(&git, "#!/bin/sh\necho \"$*\" in \"$PWD\" with \"${SECRET-none}\" >&2\nexit 1\n").unwrap();
        fs::set_permissions(&git, fs::Permissions::from_mode(0o700)).unwrap();
        let workspace = dir.path().canonicalize().unwrap().join("w");
        fs::create_dir(&workspace).unwrap();
        let ours = vec![("SECRET".into(), "canary".into())];
        let error = run_git_init(workspace.clone(), git.clone(), ours.clone()).await.unwrap_err().to_string();
        let place = workspace.display();
        assert_eq!(
            error,
            format!(
                "git init in {place} failed: -c init.defaultBranch=main init --quiet --template= in {place} with none"
            )
        );
        fs::create_dir(workspace.join(".git")).unwrap();
        assert!(run_git_init(workspace, git, ours).await.is_ok());
    }
}
