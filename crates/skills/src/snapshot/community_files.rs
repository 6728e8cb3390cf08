//! The folders of an agent's community skills, and the skill that a file belongs to.
//!
//! A file belongs to a skill by its real path, and by its identity if the skill's folder holds a hard link to it. Skills
//! count in every state, also shadowed and disabled ones: their text can be read all the same.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tarsus_guard::SkillPermissions;
use tarsus_home::files::Reached;
use tarsus_home::settings::SkillRecords;
use tarsus_protocol::grants::ContentHash;

use super::Evaluation;
use super::link_index::LinkIndex;
use crate::discover::{SkipReason, Skipped, is_third_party};
use crate::gate::evaluate_trust;
use crate::report::sanitize;
use crate::{Catalog, SkillFile};

/// The folders of community skills as of one snapshot.
#[derive(Debug, Default)]
pub struct CommunityFiles {
    /// Those that no tool reads come first.
    folders: Vec<CommunityFolder>,
    /// Filled on first use.
    links: Mutex<Option<LinkIndex>>,
}

/// The folder of a community skill.
#[derive(Debug)]
pub struct CommunityFolder {
    /// Name of the skill.
    pub name: String,
    /// The skill; `None` if its SKILL.md was skipped.
    pub skill: Option<Arc<SkillFile>>,
    /// Hash of the scanned contents.
    pub hash: Option<ContentHash>,
    /// Why no tool reads its files.
    pub block: Option<BlockReason>,
    real: PathBuf,
}

/// Why no tool reads the files of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockReason {
    /// A finding of the scanner.
    Finding {
        /// Rule and title.
        rule: String,
        /// Path below the folder.
        file: String,
        /// Line, from 1.
        line: u32,
    },
    /// Its files were not scanned.
    NotScanned,
    /// Its SKILL.md has another hard link, so it was skipped.
    HardLinked,
}

impl fmt::Display for BlockReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finding { rule, file, line } => write!(f, "{rule} in {file}, line {line}"),
            Self::NotScanned => f.write_str("its files have not been scanned"),
            Self::HardLinked => f.write_str("its SKILL.md has another hard link"),
        }
    }
}

impl CommunityFiles {
    pub(super) fn new(catalog: &Catalog, evaluation: &Evaluation, records: &SkillRecords) -> Self {
        let evaluated = evaluation.skills.iter().chain(&evaluation.shadowed);
        let enforced = evaluated.filter(|skill| skill.permissions.is_enforced());
        let loaded =
            enforced.map(|skill| CommunityFolder::of_skill(&skill.file, &skill.permissions, records));
        let skipped = catalog.skipped.iter().filter_map(CommunityFolder::of_skipped);
        let mut folders: Vec<_> = loaded.chain(skipped).collect();
        folders.sort_by_key(|folder| folder.block.is_none());
        Self { folders, links: Mutex::default() }
    }

    /// Finds the skill that an open file belongs to, and the file's path in its folder. One whose files no tool reads is
    /// preferred, then the innermost folder.
    #[must_use]
    pub fn find(&self, reached: &Reached) -> Option<(&CommunityFolder, PathBuf)> {
        let by_path = self
            .folders
            .iter()
            .filter_map(|folder| Some((folder, reached.path.strip_prefix(&folder.real).ok()?.to_path_buf())));
        by_path
            .chain(self.find_link(reached))
            .min_by_key(|(folder, below)| (folder.block.is_none(), below.components().count()))
    }

    /// Only a file with several hard links can be in a folder that its path does not lead to.
    fn find_link(&self, reached: &Reached) -> Option<(&CommunityFolder, PathBuf)> {
        let id = reached.id.filter(|_| reached.names > 1)?;
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        if !links.as_ref().is_some_and(LinkIndex::is_current) {
            *links = Some(LinkIndex::new(self.folders.iter().map(|folder| folder.real.as_path())));
        }
        let (at, below) = links.as_ref()?.find(id)?;
        Some((self.folders.get(at)?, below.to_path_buf()))
    }
}

impl CommunityFolder {
    fn of_skill(file: &Arc<SkillFile>, permissions: &SkillPermissions, records: &SkillRecords) -> Self {
        let trust = evaluate_trust(file, records);
        let block = trust.is_blocked().then(|| match trust.deciding_finding() {
            Some(finding) => BlockReason::Finding {
                rule: format!("{} ({})", finding.rule, finding.title),
                file: sanitize(finding.file.as_str()),
                line: finding.line,
            },
            None => BlockReason::NotScanned,
        });
        Self {
            name: file.name().into_owned(),
            skill: Some(Arc::clone(file)),
            hash: permissions.hash.clone(),
            block,
            real: real(file.dir()),
        }
    }

    /// `None` unless the skill was skipped because of a hard link and is not the owner's.
    fn of_skipped(skipped: &Skipped) -> Option<Self> {
        let folder = skipped.path.parent().filter(|_| skipped.reason == SkipReason::HardLinked)?;
        is_third_party(folder, skipped.source).then(|| Self {
            name: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            skill: None,
            hash: None,
            block: Some(BlockReason::HardLinked),
            real: real(folder),
        })
    }
}

/// A folder that was deleted meanwhile has no links.
fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf())
}
