//! The folders that tools may write, and where in them a path leads that a model wrote.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use tarsus_guard::CallFacts;
use tarsus_home::files::{Confined, Reached, WriteTarget};

use super::change_error::ChangeError;
use super::outcome::FileOrigin;
use super::path::{PathStyle, check_names, resolve};
use super::protected;
use super::roots::{FileRoots, Root};
use crate::prompt::files::WORKSPACE_FILES;
use crate::turn_context::TurnContext;

/// Folders of a workspace with skills, and with the agent's notes.
const CONTROL_FOLDERS: [&str; 2] = ["skills", "memory"];

/// Where a file may be written, and the file that is there.
#[derive(Debug)]
pub(super) struct WriteLocation {
    pub(super) target: WriteTarget,
    pub(super) existing: Option<Reached>,
    /// Real path of the writable folder around it.
    pub(super) root: PathBuf,
    /// The path as people see it: relative to the workspace if it lies there.
    pub(super) shown: String,
    /// Whether it steers the agent or other programs, or is the agent's memory.
    pub(super) is_control: bool,
}

impl FileRoots {
    /// Resolves the path of a file that a model wrote, and checks that it may be written.
    pub(super) fn locate(
        &self,
        path_text: &str,
        context: &TurnContext,
    ) -> Result<WriteLocation, ChangeError> {
        let outside = || ChangeError::Outside {
            path: path_text.to_owned(),
            roots: self.roots().filter(|root| is_writable(root)).map(|root| root.display.clone()).collect(),
        };
        let base = self.base().ok_or_else(outside)?;
        let path =
            resolve(path_text, &base, self.user_home(), PathStyle::NATIVE).map_err(ChangeError::Path)?;
        let containing = self.roots().flat_map(|root| root.paths.iter().map(move |folder| (root, folder)));
        let innermost = containing
            .filter_map(|(root, folder)| Some((root, path.strip_prefix(folder, PathStyle::NATIVE)?)))
            .min_by_key(|(_, below)| below.len());
        let (root, below) = innermost.ok_or_else(outside)?;
        if !is_writable(root) {
            return Err(ChangeError::ReadOnly { path: path_text.to_owned() });
        }
        check_names(below, PathStyle::NATIVE).map_err(ChangeError::Path)?;
        let real = root.real.as_ref().ok_or_else(outside)?;
        let below: PathBuf = below.iter().collect();
        let (target, existing) = Confined::open_real(real)?.write_target(&below)?;
        if self.forbids_write(target.path()) {
            return Err(ChangeError::Protected { path: target.path().to_path_buf() });
        }
        let inside = target.path().strip_prefix(real).unwrap_or(&below).to_path_buf();
        if protected::is_memory(&inside) && !context.is_main() {
            return Err(ChangeError::Memory);
        }
        if let Some(reached) = &existing {
            self.check(reached, real, &root.origin, context)?;
        }
        let shown = match root.origin {
            FileOrigin::Workspace => inside.to_string_lossy().into_owned(),
            _ => target.path().to_string_lossy().into_owned(),
        };
        // A link may have the name that counts, or lead to it.
        let is_control = is_control_name(&below) || is_control_file(&inside, target.path(), context);
        Ok(WriteLocation { target, existing, root: real.clone(), shown, is_control })
    }

    /// Resolves the path again when the call runs. It must lead to a file that was judged.
    pub(super) fn locate_judged(
        &self,
        path: &str,
        context: &TurnContext,
        judged: &CallFacts,
    ) -> Result<WriteLocation, ChangeError> {
        let location = self.locate(path, context)?;
        let real = location.target.path();
        let is_judged = judged.paths.iter().flatten().any(|path| path == real)
            && (!location.is_control || judged.control_files.iter().any(|path| path == real));
        if is_judged { Ok(location) } else { Err(ChangeError::Moved { path: real.to_path_buf() }) }
    }

    /// The facts about a call that writes these files. A path that leads nowhere is left to the call's own error.
    pub(super) fn write_facts<'p>(
        &self,
        paths: impl IntoIterator<Item = &'p str>,
        context: &TurnContext,
    ) -> CallFacts {
        let mut facts = CallFacts { paths: Some(Vec::new()), ..CallFacts::default() };
        for path in paths {
            let Ok(location) = self.locate(path, context) else { continue };
            let real = location.target.path().to_path_buf();
            if location.is_control {
                facts.control_files.push(real.clone());
            }
            facts.paths.iter_mut().for_each(|paths| paths.push(real.clone()));
        }
        facts
    }
}

fn is_writable(root: &Root) -> bool {
    matches!(root.origin, FileOrigin::Workspace | FileOrigin::Root)
}

/// Whether a file steers the agent or other programs, is its memory, or belongs to a skill.
fn is_control_file(below: &Path, path: &Path, context: &TurnContext) -> bool {
    let mut skills = tarsus_guard::Activation::default();
    context.watch.detect_read(path, &mut skills);
    is_control_name(below) || context.is_injected(path) || !skills.is_empty()
}

/// Whether the names of a path below a root are those of such a file, of this agent or another one.
fn is_control_name(below: &Path) -> bool {
    let is = |name: &OsStr, names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
    let folders = below.parent().into_iter().flat_map(Path::iter);
    protected::is_control_file(below)
        || is(below.file_name().unwrap_or_default(), &WORKSPACE_FILES)
        || folders.into_iter().any(|folder| is(folder, &CONTROL_FOLDERS))
}
