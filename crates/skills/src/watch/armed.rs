//! The system's watches: all of each root that is there, and the folders above it, so that a root that appears, goes
//! or is moved away with a folder above it is noticed too.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::event::{Flag, ModifyKind};
use notify::{Event, EventKind, RecursiveMode};

use super::mailbox::{Mailbox, Touched};
use super::relevant::is_relevant;
use crate::Root;

/// What is called with each event.
pub type Handler = Box<dyn FnMut(notify::Result<Event>) + Send>;
/// Makes the watches of a system.
pub type System = Box<dyn FnMut(Handler) -> notify::Result<Box<dyn notify::Watcher + Send>> + Send>;

/// The watches of the system that this runs on.
pub fn this_system() -> System {
    Box::new(|handler| {
        notify::recommended_watcher(handler)
            .map(|watcher| -> Box<dyn notify::Watcher + Send> { Box::new(watcher) })
    })
}

/// Where a watch tells of everything below, one far above a root would tell of half the machine. There a folder that
/// is moved away with the one above it is seen at the next look at everything.
const ONLY_THE_NEAREST: bool = cfg!(target_vendor = "apple");

pub struct Armed {
    system: System,
    mailbox: Arc<Mailbox>,
    /// None while the system cannot watch.
    watches: Option<Box<dyn notify::Watcher + Send>>,
    roots: Vec<PathBuf>,
    watched: BTreeMap<PathBuf, RecursiveMode>,
}

impl Armed {
    pub fn new(system: System, mailbox: Arc<Mailbox>) -> Self {
        Self { system, mailbox, watches: None, roots: Vec::new(), watched: BTreeMap::new() }
    }

    /// Watches these roots and nothing else.
    pub fn arm(&mut self, roots: &[Root]) -> notify::Result<()> {
        // Dropped first: a watch is a scarce thing, and one that is left over would be told of.
        self.watches = None;
        self.roots = roots.iter().map(|root| root.path.clone()).collect();
        self.watched = wanted(&self.roots);
        let (mailbox, roots) = (Arc::clone(&self.mailbox), self.roots.clone());
        let mut watches = (self.system)(Box::new(move |event| {
            if let Some(touched) = touched(event, &roots) {
                mailbox.touch(touched);
            }
        }))?;
        for (path, mode) in &self.watched {
            match watches.watch(path, *mode) {
                Ok(()) => {}
                // Gone since it was listed: the folder above it is watched.
                Err(error) if is(&error, ErrorKind::NotFound) => {}
                // Whoever may not list a folder above cannot watch it either. The nearest of the others is watched.
                Err(error)
                    if *mode == RecursiveMode::NonRecursive && is(&error, ErrorKind::PermissionDenied) => {}
                Err(error) => return Err(error),
            }
        }
        self.watches = Some(watches);
        Ok(())
    }

    /// Whether what happened made other folders the ones to watch.
    pub fn must_be_armed_anew(&self, touched: &Touched) -> bool {
        self.watches.is_some()
            && match touched {
                Touched::Anywhere => true,
                Touched::At(paths) => {
                    paths.iter().any(|path| self.roots.iter().any(|root| root.starts_with(path)))
                        || wanted(&self.roots) != self.watched
                }
            }
    }
}

/// The folders to watch for these roots.
fn wanted(roots: &[PathBuf]) -> BTreeMap<PathBuf, RecursiveMode> {
    let mut wanted = BTreeMap::new();
    for root in roots {
        let most = if ONLY_THE_NEAREST { 1 } else { usize::MAX };
        let above = root.ancestors().skip(1).filter(|folder| folder.is_dir()).take(most);
        for folder in above {
            wanted.entry(folder.to_path_buf()).or_insert(RecursiveMode::NonRecursive);
        }
        if root.is_dir() {
            wanted.insert(root.clone(), RecursiveMode::Recursive);
        }
    }
    wanted
}

/// Where an event happened; `None` when it does not matter.
fn touched(event: notify::Result<Event>, roots: &[PathBuf]) -> Option<Touched> {
    // What the system could not say may have been anything.
    let Ok(event) = event else { return Some(Touched::Anywhere) };
    if event.attrs.flag() == Some(Flag::Rescan) {
        return Some(Touched::Anywhere);
    }
    let matters = |path: &&PathBuf| roots.iter().any(|root| matters_to(root, path, &event.kind));
    let paths: BTreeSet<_> = event.paths.iter().filter(matters).cloned().collect();
    (!paths.is_empty()).then_some(Touched::At(paths))
}

fn matters_to(root: &Path, path: &Path, kind: &EventKind) -> bool {
    match path.strip_prefix(root) {
        Ok(below) => is_relevant(kind, below),
        // A folder on the way to the root: it matters whether it is there.
        Err(_) => root.starts_with(path) && is_another(kind),
    }
}

/// Whether a name may stand for another thing than before.
fn is_another(kind: &EventKind) -> bool {
    match kind {
        EventKind::Access(_) => false,
        EventKind::Modify(how) => matches!(how, ModifyKind::Name(_)),
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Any | EventKind::Other => true,
    }
}

fn is(error: &notify::Error, kind: ErrorKind) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => kind == ErrorKind::NotFound,
        notify::ErrorKind::Io(error) => error.kind() == kind,
        _ => false,
    }
}
