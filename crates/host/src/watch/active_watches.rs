//! The operating system's watches: every target folder with its contents, and the folders above each target, so that a
//! target that appears, disappears or moves with a parent is noticed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::event::Flag;
use notify::{Event, RecursiveMode};

use super::WatchTarget;
use super::mailbox::{ChangedPaths, Mailbox};

/// Receives each event.
pub type Handler = Box<dyn FnMut(notify::Result<Event>) + Send>;
/// Creates the watcher of a system; tests replace it.
pub type System = Box<dyn FnMut(Handler) -> notify::Result<Box<dyn notify::Watcher + Send>> + Send>;

/// The watcher of this operating system.
pub fn this_system() -> System {
    Box::new(|handler| {
        notify::recommended_watcher(handler)
            .map(|watcher| -> Box<dyn notify::Watcher + Send> { Box::new(watcher) })
    })
}

/// On macOS every watch is recursive, and one far above a target would report half the machine. There a move together
/// with a parent folder is noticed at the next full check.
const ONLY_THE_NEAREST: bool = cfg!(target_vendor = "apple");

/// Attempts to set watches while folders come and go.
const MAX_TRIES: usize = 10;

pub struct ActiveWatches {
    system: System,
    mailbox: Arc<Mailbox>,
    /// `None` while the system cannot watch.
    watches: Option<Box<dyn notify::Watcher + Send>>,
    targets: Vec<WatchTarget>,
    watched: BTreeMap<PathBuf, RecursiveMode>,
}

impl ActiveWatches {
    pub fn new(system: System, mailbox: Arc<Mailbox>) -> Self {
        Self { system, mailbox, watches: None, targets: Vec::new(), watched: BTreeMap::new() }
    }

    /// Watches these targets and nothing else.
    pub fn arm(&mut self, targets: Vec<WatchTarget>) -> notify::Result<()> {
        self.targets = targets;
        for _ in 0..MAX_TRIES {
            self.set_watches()?;
            // A folder that appeared before its parent was watched caused no event.
            if wanted(&with_targets(&self.targets)) == self.watched {
                break;
            }
        }
        Ok(())
    }

    fn set_watches(&mut self) -> notify::Result<()> {
        // Dropped first: watches are scarce, and a stale one would still report.
        self.watches = None;
        let targets = with_targets(&self.targets);
        self.watched = wanted(&targets);
        let mailbox = Arc::clone(&self.mailbox);
        let mut watches = (self.system)(Box::new(move |event| {
            if let Some(changed) = changed(event, &targets) {
                mailbox.add(changed);
            }
        }))?;
        for (path, mode) in &self.watched {
            match watches.watch(path, *mode) {
                Ok(()) => {}
                // Gone since it was listed: its parent is watched.
                Err(error) if is(&error, ErrorKind::NotFound) => {}
                // A parent that may not be listed cannot be watched either. The nearest other one is.
                Err(error)
                    if *mode == RecursiveMode::NonRecursive && is(&error, ErrorKind::PermissionDenied) => {}
                Err(error) => return Err(error),
            }
        }
        self.watches = Some(watches);
        Ok(())
    }

    /// Whether a change requires other watches.
    pub fn must_rearm(&self, changed: &ChangedPaths) -> bool {
        self.watches.is_some()
            && match changed {
                ChangedPaths::Anywhere => true,
                ChangedPaths::At(paths) => {
                    let targets = with_targets(&self.targets);
                    paths.iter().any(|path| targets.iter().any(|target| is_on_the_way(path, target)))
                        || wanted(&targets) != self.watched
                }
            }
    }
}

/// Whether a replacement of `path` takes the watches of `target` along. A file has none of its own.
fn is_on_the_way(path: &Path, target: &WatchTarget) -> bool {
    match target {
        WatchTarget::File(file) => file != path && file.starts_with(path),
        WatchTarget::Folder { path: folder, .. } => folder.starts_with(path),
    }
}

/// The targets, and the files that links among them point to.
fn with_targets(targets: &[WatchTarget]) -> Vec<WatchTarget> {
    let target = |target: &WatchTarget| match target {
        WatchTarget::File(path) if path.is_symlink() => path.canonicalize().ok().map(WatchTarget::File),
        WatchTarget::File(_) | WatchTarget::Folder { .. } => None,
    };
    targets.iter().cloned().chain(targets.iter().filter_map(target)).collect()
}

/// The folders to watch for these targets.
fn wanted(targets: &[WatchTarget]) -> BTreeMap<PathBuf, RecursiveMode> {
    let mut wanted = BTreeMap::new();
    for target in targets {
        let most = if ONLY_THE_NEAREST { 1 } else { usize::MAX };
        let above = target.path().ancestors().skip(1).filter(|folder| folder.is_dir()).take(most);
        for folder in above {
            wanted.entry(folder.to_path_buf()).or_insert(RecursiveMode::NonRecursive);
        }
        if let WatchTarget::Folder { path, .. } = target
            && path.is_dir()
        {
            wanted.insert(path.clone(), RecursiveMode::Recursive);
        }
    }
    wanted
}

/// The paths of an event; `None` when they do not matter.
fn changed(event: notify::Result<Event>, targets: &[WatchTarget]) -> Option<ChangedPaths> {
    // An error may stand for any change.
    let Ok(event) = event else { return Some(ChangedPaths::Anywhere) };
    if event.attrs.flag() == Some(Flag::Rescan) {
        return Some(ChangedPaths::Anywhere);
    }
    let matters = |path: &&PathBuf| targets.iter().any(|target| target.is_changed_by(&event.kind, path));
    let paths: BTreeSet<_> = event.paths.iter().filter(matters).cloned().collect();
    (!paths.is_empty()).then_some(ChangedPaths::At(paths))
}

fn is(error: &notify::Error, kind: ErrorKind) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => kind == ErrorKind::NotFound,
        notify::ErrorKind::Io(error) => error.kind() == kind,
        _ => false,
    }
}
