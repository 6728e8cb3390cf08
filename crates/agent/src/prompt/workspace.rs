//! A new workspace: made of the templates, and a repository where there is git.
//!
//! Promises: a file that is there is never written; BOOTSTRAP.md is made only where there is nothing yet, so that it does
//! not come back; a making that was cut off is finished. Leaves to others: which folder it is.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tarsus_home::files::{self, Confined, Durability, FileError, Listed};
use tarsus_host::path::SearchPath;
use tarsus_host::process::{EndCause, Env, ProcessError, ProcessSpec};

use super::files::BOOTSTRAP;
use super::templates::{LAST, TEMPLATES};

/// More names than this are no new workspace.
const MOST_NAMES: usize = 64;

/// How long git may take to make a repository.
const PATIENCE: Duration = Duration::from_secs(20);

/// What git needs of our environment to run at all.
const VARIABLES: [&str; 4] = ["PATH", "SystemRoot", "TEMP", "TMP"];

/// Makes a workspace where none is. True when files were written.
///
/// # Errors
/// When the folder cannot be made, looked at or written to.
pub fn ensure(folder: &Path) -> Result<bool, FileError> {
    files::make_private_dir(folder)?;
    let confined = Confined::open(folder)?;
    let names = match confined.list(Path::new(""), MOST_NAMES) {
        Ok(listed) => listed.into_iter().map(|Listed { name, .. }| name).collect::<Vec<_>>(),
        Err(FileError::TooMany { .. }) => return Ok(false),
        Err(error) => return Err(error),
    };
    if !is_new(&names) {
        return Ok(false);
    }
    for (name, text) in TEMPLATES {
        if !names.iter().any(|there| there == name) {
            // What a power cut takes away is what nobody has changed yet.
            confined.write(Path::new(name), text.as_bytes(), Durability::KillSafe)?;
        }
    }
    Ok(true)
}

/// Whether nobody has worked here yet: there is nothing but skills and hidden names, or the making was cut off. The first
/// file that is written and the last one tell that.
fn is_new(names: &[String]) -> bool {
    let counts = |name: &&str| !name.starts_with('.') && *name != "skills";
    let names: Vec<&str> = names.iter().map(String::as_str).filter(counts).collect();
    let is_template = |name: &&str| TEMPLATES.iter().any(|(template, _)| template == name);
    let cut_off = names.contains(&BOOTSTRAP) && !names.contains(&LAST) && names.iter().all(is_template);
    names.is_empty() || cut_off
}

/// Why a workspace is no repository.
#[derive(Debug, thiserror::Error)]
enum NoRepository {
    /// Git was not started, or not followed to its end.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// Git could not do it.
    #[error("git init in {} failed: {said}", folder.display())]
    Refused {
        /// The folder.
        folder: PathBuf,
        /// What it said.
        said: String,
    },
}

/// Makes a new workspace a repository, where there is git. Nobody has to wait for this: what goes wrong is in the log.
/// `ours` is our own environment.
pub async fn keep_history(folder: PathBuf, programs: SearchPath, ours: Vec<(OsString, OsString)>) {
    match programs.find("git") {
        Some(git) => {
            if let Err(error) = make_repository(folder, git, ours).await {
                tracing::warn!(%error, "the new workspace is no repository");
            }
        }
        None => {
            tracing::info!(folder = %folder.display(), "there is no git: the new workspace is no repository")
        }
    }
}

/// Makes a folder a repository, unless it is one.
async fn make_repository(
    folder: PathBuf,
    git: PathBuf,
    ours: Vec<(OsString, OsString)>,
) -> Result<(), NoRepository> {
    if folder.join(".git").exists() {
        return Ok(());
    }
    // No template: its hooks are programs that nobody asked for.
    let args = ["-c", "init.defaultBranch=main", "init", "--quiet", "--template="];
    let run = ProcessSpec {
        args: args.map(OsString::from).to_vec(),
        env: Env::inherit(ours, &VARIABLES),
        timeout: PATIENCE,
        ..ProcessSpec::new(git, &folder)
    };
    let outcome = run.finish().await?;
    if outcome.exit.success() {
        return Ok(());
    }
    let said = match outcome.ended_by {
        EndCause::TimeOut => "it took too long".to_owned(),
        _ => String::from_utf8_lossy(&outcome.stderr.bytes).trim().to_owned(),
    };
    Err(NoRepository::Refused { folder, said })
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
    fn a_new_workspace_has_every_template() {
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
    fn a_workspace_whose_making_was_cut_off_is_finished_and_no_file_is_written_twice() {
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
    fn a_first_conversation_that_is_over_never_comes_back() {
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
    fn a_file_in_place_of_the_folder_is_an_error() {
        let dir = folder(&["workspace"]);
        assert!(ensure(&dir.path().join("workspace")).is_err());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn what_git_says_is_told_and_a_repository_is_left_alone() {
        use std::os::unix::fs::PermissionsExt;
        let dir = folder(&["git"]);
        let git = dir.path().join("git");
        fs::write(&git, "#!/bin/sh\necho \"$*\" in \"$PWD\" with \"${SECRET-none}\" >&2\nexit 1\n").unwrap();
        fs::set_permissions(&git, fs::Permissions::from_mode(0o700)).unwrap();
        let workspace = dir.path().canonicalize().unwrap().join("w");
        fs::create_dir(&workspace).unwrap();
        let ours = vec![("SECRET".into(), "canary".into())];
        let said =
            make_repository(workspace.clone(), git.clone(), ours.clone()).await.unwrap_err().to_string();
        let place = workspace.display();
        assert_eq!(
            said,
            format!(
                "git init in {place} failed: -c init.defaultBranch=main init --quiet --template= in {place} with none"
            )
        );
        fs::create_dir(workspace.join(".git")).unwrap();
        assert!(make_repository(workspace, git, ours).await.is_ok());
    }
}
