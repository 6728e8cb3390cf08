//! The files of a workspace that shape its agent, read as values. What a link leads to outside is not read.

use std::path::Path;

use tarsus_home::files::Confined;

use super::chat::ChatKind;
use super::inputs::PromptMode;

/// Every file that is known by name, in the order of the prompt.
pub const WORKSPACE_FILES: [&str; 8] =
    ["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", BOOTSTRAP, MEMORY];

/// Of the first conversation, after which it is deleted.
pub const BOOTSTRAP: &str = "BOOTSTRAP.md";
/// What the agent keeps for long. For its user's eyes.
pub const MEMORY: &str = "MEMORY.md";

/// At most so many bytes of a file are read; one that is larger is not used.
const MOST_BYTES: u64 = 2 * 1024 * 1024;

/// A file of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFile {
    /// Its name.
    pub name: &'static str,
    /// Where it is.
    pub path: String,
    /// What is in it.
    pub content: Content,
}

/// What is in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Its text. What is not UTF-8 is replaced.
    Text(String),
    /// There is no such file.
    Missing,
    /// Why it cannot be used.
    Unusable(String),
}

/// Reads the files that belong into a prompt of this mode, for this kind of session.
#[must_use]
pub fn read(workspace: &Path, mode: PromptMode, chat: ChatKind) -> Vec<ProjectFile> {
    let folder = Confined::open(workspace);
    let file = |name: &'static str| ProjectFile {
        name,
        path: workspace.join(name).display().to_string(),
        content: match &folder {
            Ok(folder) => content(folder, name),
            Err(error) if workspace.exists() => Content::Unusable(error.to_string()),
            Err(_) => Content::Missing,
        },
    };
    let belongs = |name: &&'static str| match (mode, *name) {
        (PromptMode::None, _) => false,
        (PromptMode::Minimal, name) => matches!(name, "AGENTS.md" | "TOOLS.md"),
        (PromptMode::Full, MEMORY) => chat == ChatKind::Main,
        (PromptMode::Full, _) => true,
    };
    // These two come and go; nobody waits for them.
    let may_be_missing = |file: &ProjectFile| matches!(file.name, BOOTSTRAP | MEMORY);
    let files = WORKSPACE_FILES.into_iter().filter(belongs).map(file);
    files.filter(|file| file.content != Content::Missing || !may_be_missing(file)).collect()
}

fn content(folder: &Confined, name: &str) -> Content {
    match folder.read(Path::new(name), MOST_BYTES) {
        Ok(None) => Content::Missing,
        Ok(Some(bytes)) => {
            let text = String::from_utf8_lossy(&bytes);
            Content::Text(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
        }
        Err(error) => Content::Unusable(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests make the files they look at")]

    use std::fs;

    use super::*;

    fn names(files: &[ProjectFile]) -> Vec<&str> {
        files.iter().map(|file| file.name).collect()
    }

    #[test]
    fn who_is_told_which_files() {
        let dir = tempfile::tempdir().unwrap();
        let first_six = &WORKSPACE_FILES[..6];
        assert_eq!(
            names(&read(dir.path(), PromptMode::Full, ChatKind::Main)),
            first_six,
            "missing ones are named"
        );
        for name in WORKSPACE_FILES {
            fs::write(dir.path().join(name), name).unwrap();
        }
        let all = read(dir.path(), PromptMode::Full, ChatKind::Main);
        assert_eq!(names(&all), WORKSPACE_FILES);
        assert!(all.iter().all(|file| file.content == Content::Text(file.name.to_owned())));
        for chat in [ChatKind::Direct, ChatKind::Group, ChatKind::Cron, ChatKind::Subagent] {
            assert_eq!(names(&read(dir.path(), PromptMode::Full, chat)), &WORKSPACE_FILES[..7], "{chat:?}");
        }
        assert_eq!(names(&read(dir.path(), PromptMode::Minimal, ChatKind::Main)), ["AGENTS.md", "TOOLS.md"]);
        assert_eq!(read(dir.path(), PromptMode::None, ChatKind::Main), []);
    }

    #[test]
    fn what_is_no_text_file_is_told_with_the_reason() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("AGENTS.md")).unwrap();
        fs::write(dir.path().join("SOUL.md"), b"\xef\xbb\xbfa\xffb").unwrap();
        fs::write(dir.path().join("USER.md"), vec![b'x'; 2 * 1024 * 1024 + 1]).unwrap();
        let files = read(dir.path(), PromptMode::Full, ChatKind::Main);
        let content =
            |name: &str| files.iter().find(|file| file.name == name).map(|file| file.content.clone());
        assert!(matches!(content("AGENTS.md"), Some(Content::Unusable(why)) if why.contains("folder")));
        assert_eq!(content("SOUL.md"), Some(Content::Text("a\u{fffd}b".to_owned())));
        assert!(matches!(content("USER.md"), Some(Content::Unusable(why)) if why.contains("2097152")));
        assert_eq!(content("TOOLS.md"), Some(Content::Missing));
        let nowhere = read(&dir.path().join("gone"), PromptMode::Minimal, ChatKind::Main);
        assert!(nowhere.iter().all(|file| file.content == Content::Missing));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_out_is_not_followed() {
        let (outside, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(outside.path().join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret"), dir.path().join("MEMORY.md")).unwrap();
        let files = read(dir.path(), PromptMode::Full, ChatKind::Main);
        assert!(matches!(&files.last().unwrap().content, Content::Unusable(_)), "{files:?}");
    }
}
