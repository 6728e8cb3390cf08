//! The system's watches: all of each folder that is there, and the folders above each place, so that one that appears,
//! goes or is moved away with a folder above it is noticed too.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::event::Flag;
use notify::{Event, RecursiveMode};

use super::Place;
use super::mailbox::{Mailbox, Touched};

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

/// Where a watch tells of everything below, one far above a place would tell of half the machine. There a folder that
/// is moved away with the one above it is seen at the next look at everything.
const ONLY_THE_NEAREST: bool = cfg!(target_vendor = "apple");

/// How often watches are set anew when folders come and go meanwhile.
const MOST_TRIES: usize = 10;

pub struct Armed {
    system: System,
    mailbox: Arc<Mailbox>,
    /// None while the system cannot watch.
    watches: Option<Box<dyn notify::Watcher + Send>>,
    places: Vec<Place>,
    watched: BTreeMap<PathBuf, RecursiveMode>,
}

impl Armed {
    pub fn new(system: System, mailbox: Arc<Mailbox>) -> Self {
        Self { system, mailbox, watches: None, places: Vec::new(), watched: BTreeMap::new() }
    }

    /// Watches these places and nothing else.
    pub fn arm(&mut self, places: Vec<Place>) -> notify::Result<()> {
        self.places = places;
        for _ in 0..MOST_TRIES {
            self.set_watches()?;
            // A folder that appeared before the one above it was watched was told of by nobody.
            if wanted(&with_targets(&self.places)) == self.watched {
                break;
            }
        }
        Ok(())
    }

    fn set_watches(&mut self) -> notify::Result<()> {
        // Dropped first: a watch is a scarce thing, and one that is left over would be told of.
        self.watches = None;
        let places = with_targets(&self.places);
        self.watched = wanted(&places);
        let mailbox = Arc::clone(&self.mailbox);
        let mut watches = (self.system)(Box::new(move |event| {
            if let Some(touched) = touched(event, &places) {
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
                    let places = with_targets(&self.places);
                    paths.iter().any(|path| places.iter().any(|place| is_on_the_way(path, place)))
                        || wanted(&places) != self.watched
                }
            }
    }
}

/// Whether another thing at `path` takes the watches of `place` along. A file has none of its own.
fn is_on_the_way(path: &Path, place: &Place) -> bool {
    match place {
        Place::File(file) => file != path && file.starts_with(path),
        Place::Folder { path: folder, .. } => folder.starts_with(path),
    }
}

/// These places, and the files that links among them lead to.
fn with_targets(places: &[Place]) -> Vec<Place> {
    let target = |place: &Place| match place {
        Place::File(path) if path.is_symlink() => path.canonicalize().ok().map(Place::File),
        Place::File(_) | Place::Folder { .. } => None,
    };
    places.iter().cloned().chain(places.iter().filter_map(target)).collect()
}

/// The folders to watch for these places.
fn wanted(places: &[Place]) -> BTreeMap<PathBuf, RecursiveMode> {
    let mut wanted = BTreeMap::new();
    for place in places {
        let most = if ONLY_THE_NEAREST { 1 } else { usize::MAX };
        let above = place.path().ancestors().skip(1).filter(|folder| folder.is_dir()).take(most);
        for folder in above {
            wanted.entry(folder.to_path_buf()).or_insert(RecursiveMode::NonRecursive);
        }
        if let Place::Folder { path, .. } = place
            && path.is_dir()
        {
            wanted.insert(path.clone(), RecursiveMode::Recursive);
        }
    }
    wanted
}

/// Where an event happened; `None` when it does not matter.
fn touched(event: notify::Result<Event>, places: &[Place]) -> Option<Touched> {
    // What the system could not say may have been anything.
    let Ok(event) = event else { return Some(Touched::Anywhere) };
    if event.attrs.flag() == Some(Flag::Rescan) {
        return Some(Touched::Anywhere);
    }
    let matters = |path: &&PathBuf| places.iter().any(|place| place.is_touched_by(&event.kind, path));
    let paths: BTreeSet<_> = event.paths.iter().filter(matters).cloned().collect();
    (!paths.is_empty()).then_some(Touched::At(paths))
}

fn is(error: &notify::Error, kind: ErrorKind) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => kind == ErrorKind::NotFound,
        notify::ErrorKind::Io(error) => error.kind() == kind,
        _ => false,
    }
}
