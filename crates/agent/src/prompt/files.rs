//! Reads the workspace files that shape the agent. Links out of the workspace and files of community skills are not used.

use std::path::Path;

use tarsus_home::files::Confined;
use tarsus_skills::snapshot::CommunityFiles;

use super::chat::ChatKind;
use super::inputs::PromptMode;

/// The workspace files, in the order of the prompt.
pub const WORKSPACE_FILES: [&str; 8] =
    ["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", BOOTSTRAP, MEMORY];

/// Instructions for the first conversation, which deletes the file.
pub const BOOTSTRAP: &str = "BOOTSTRAP.md";
/// The agent's long-term memory, for its user only.
pub const MEMORY: &str = "MEMORY.md";

/// Maximum bytes of a file; a larger one is not used.
const MAX_BYTES: u64 = 2 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFile {
    pub name: &'static str,
    pub path: String,
    pub content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Text; invalid UTF-8 is replaced.
    Text(String),
    Missing,
    /// The file cannot be used, for this reason.
    Unusable(String),
}

/// Reads the files for a prompt mode and a kind of session.
#[must_use]
pub fn read(
    workspace: &Path,
    mode: PromptMode,
    chat: ChatKind,
    community: &CommunityFiles,
) -> Vec<ProjectFile> {
    let real = workspace.canonicalize();
    let folder = Confined::open(real.as_deref().unwrap_or(workspace));
    let file = |name: &'static str| ProjectFile {
        name,
        path: workspace.join(name).display().to_string(),
        content: match &folder {
            Ok(folder) => content(folder, name, community),
            Err(error) if workspace.exists() => Content::Unusable(error.to_string()),
            Err(_) => Content::Missing,
        },
    };
    let is_included = |name: &&'static str| match (mode, *name) {
        (PromptMode::None, _) => false,
        (PromptMode::Minimal, name) => matches!(name, "AGENTS.md" | "TOOLS.md"),
        (PromptMode::Full, MEMORY) => chat == ChatKind::Main,
        (PromptMode::Full, _) => true,
    };
    // These two are optional.
    let is_optional = |file: &ProjectFile| matches!(file.name, BOOTSTRAP | MEMORY);
    let files = WORKSPACE_FILES.into_iter().filter(is_included).map(file);
    files.filter(|file| file.content != Content::Missing || !is_optional(file)).collect()
}

fn content(folder: &Confined, name: &str, community: &CommunityFiles) -> Content {
    let reached = match folder.reach(Path::new(name)) {
        Ok(None) => return Content::Missing,
        Ok(Some(reached)) => reached,
        Err(error) => return Content::Unusable(error.to_string()),
    };
    // It would be in every prompt without activating the skill.
    if let Some((skill, _)) = community.find(&reached) {
        return Content::Unusable(format!("it is a file of the community skill {:?}", skill.name));
    }
    match reached.read(MAX_BYTES) {
        Ok(bytes) => {
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

    fn read_own(workspace: &Path, mode: PromptMode, chat: ChatKind) -> Vec<ProjectFile> {
        read(workspace, mode, chat, &CommunityFiles::default())
    }

    fn names(files: &[ProjectFile]) -> Vec<&str> {
        files.iter().map(|file| file.name).collect()
    }

    #[test]
    fn files_depend_on_mode_and_chat() {
        let dir = tempfile::tempdir().unwrap();
        let first_six = &WORKSPACE_FILES[..6];
        assert_eq!(
            names(&read_own(dir.path(), PromptMode::Full, ChatKind::Main)),
            first_six,
            "missing ones are named"
        );
        for name in WORKSPACE_FILES {
            fs::write(dir.path().join(name), name).unwrap();
        }
        let all = read_own(dir.path(), PromptMode::Full, ChatKind::Main);
        assert_eq!(names(&all), WORKSPACE_FILES);
        assert!(all.iter().all(|file| file.content == Content::Text(file.name.to_owned())));
        for chat in [ChatKind::Direct, ChatKind::Group, ChatKind::Cron, ChatKind::Subagent] {
            assert_eq!(
                names(&read_own(dir.path(), PromptMode::Full, chat)),
                &WORKSPACE_FILES[..7],
                "{chat:?}"
            );
        }
        assert_eq!(
            names(&read_own(dir.path(), PromptMode::Minimal, ChatKind::Main)),
            ["AGENTS.md", "TOOLS.md"]
        );
        assert_eq!(read_own(dir.path(), PromptMode::None, ChatKind::Main), []);
    }

    #[test]
    fn unusable_files_carry_their_reason() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("AGENTS.md")).unwrap();
        fs::write(dir.path().join("SOUL.md"), b"\xef\xbb\xbfa\xffb").unwrap();
        fs::write(dir.path().join("USER.md"), vec![b'x'; 2 * 1024 * 1024 + 1]).unwrap();
        let files = read_own(dir.path(), PromptMode::Full, ChatKind::Main);
        let content =
            |name: &str| files.iter().find(|file| file.name == name).map(|file| file.content.clone());
        assert!(matches!(content("AGENTS.md"), Some(Content::Unusable(why)) if why.contains("folder")));
        assert_eq!(content("SOUL.md"), Some(Content::Text("a\u{fffd}b".to_owned())));
        assert!(matches!(content("USER.md"), Some(Content::Unusable(why)) if why.contains("2097152")));
        assert_eq!(content("TOOLS.md"), Some(Content::Missing));
        let nowhere = read_own(&dir.path().join("gone"), PromptMode::Minimal, ChatKind::Main);
        assert!(nowhere.iter().all(|file| file.content == Content::Missing));
    }

    #[cfg(unix)]
    #[test]
    fn link_out_of_the_workspace_is_not_followed() {
        let (outside, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(outside.path().join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret"), dir.path().join("MEMORY.md")).unwrap();
        let files = read_own(dir.path(), PromptMode::Full, ChatKind::Main);
        assert!(matches!(&files.last().unwrap().content, Content::Unusable(_)), "{files:?}");
    }
}
