//! Builds Studio from its sources with npm and Vite.
//!
//! It is rebuilt only when a source changed. Concurrent builds take turns with `node_modules`. Nothing in the source
//! folder is written except `node_modules` and the lock file beside it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

/// The sources of the page, relative to the Studio folder.
const SOURCES: [&str; 8] = [
    "index.html",
    "package.json",
    "package-lock.json",
    ".npmrc",
    "vite.config.ts",
    "tsconfig.json",
    "src",
    "public",
];

/// Lines of npm output that are shown on failure: the first, where npm names its reason, and the last, where other
/// programs do.
const SHOWN: usize = 12;

/// The Studio folder and the output folder.
pub struct Studio {
    /// The folder with its `package.json`.
    pub folder: PathBuf,
    /// The page is built in `studio` below this.
    pub out: PathBuf,
    /// The npm program.
    pub npm: PathBuf,
}

/// Why the build failed.
#[derive(Debug)]
pub struct BuildError {
    pub why: String,
    /// The output of npm.
    pub output: Vec<String>,
}

impl From<String> for BuildError {
    fn from(why: String) -> Self {
        Self { why, output: Vec::new() }
    }
}

impl Studio {
    /// The paths that cargo watches. A missing path would count as changed in every build.
    pub fn watched(&self) -> Vec<PathBuf> {
        if !self.exists() {
            return vec![self.folder.clone()];
        }
        SOURCES.iter().map(|name| self.folder.join(name)).filter(|path| path.exists()).collect()
    }

    /// Builds the page if its sources changed, and returns its folder.
    pub fn build(&self) -> Result<PathBuf, BuildError> {
        if !self.exists() {
            return Err(format!("{} has no package.json", self.folder.display()).into());
        }
        let (page, stamp) = (self.out.join("studio"), self.out.join("studio.sources"));
        let sources =
            self.sources().map_err(|error| failed("the sources of Studio cannot be read", &error))?;
        if is_stamped(&stamp, &sources) && page.join("index.html").is_file() {
            return Ok(page);
        }
        self.npm("--version", &[])?;
        let lock = File::create(self.folder.join(".node_modules.lock")).and_then(|file| {
            file.lock()?;
            Ok(file)
        });
        let _held = lock.map_err(|error| failed("`node_modules` of Studio cannot be locked", &error))?;
        self.install()?;
        let out_dir: [&OsStr; 4] =
            ["--".as_ref(), "--outDir".as_ref(), page.as_ref(), "--emptyOutDir".as_ref()];
        let build: Vec<&OsStr> = std::iter::once("build".as_ref()).chain(out_dir).collect();
        self.npm("run", &build)?;
        if !page.join("index.html").is_file() {
            return Err("`npm run build` created no index.html".to_owned().into());
        }
        fs::write(&stamp, sources)
            .map_err(|error| failed("the stamp of the page cannot be written", &error))?;
        Ok(page)
    }

    fn exists(&self) -> bool {
        self.folder.join("package.json").is_file()
    }

    /// Installs the packages of the lock file, unless they are up to date.
    fn install(&self) -> Result<(), BuildError> {
        let wanted = fs::read(self.folder.join("package-lock.json"))
            .map_err(|error| failed("package-lock.json of Studio cannot be read", &error))?;
        let (wanted, stamp) = (hex(&Sha256::digest(wanted)), self.folder.join("node_modules/.tarsus-lock"));
        if is_stamped(&stamp, &wanted) {
            return Ok(());
        }
        // The page needs no install scripts of packages.
        self.npm("ci", &["--ignore-scripts", "--no-audit", "--no-fund"].map(OsStr::new))?;
        fs::write(&stamp, wanted)
            .map_err(|error| failed("the stamp of `node_modules` cannot be written", &error))
    }

    fn npm(&self, what: &str, args: &[&OsStr]) -> Result<(), BuildError> {
        let ran = Command::new(&self.npm).arg(what).args(args).current_dir(&self.folder).output();
        let output = ran.map_err(|error| match error.kind() {
            ErrorKind::NotFound => "npm is not installed: install Node 20.19 or later".to_owned().into(),
            _ => failed("npm cannot be started", &error),
        })?;
        if output.status.success() {
            return Ok(());
        }
        let texts = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let lines = texts.iter().flat_map(|text| text.lines()).filter(|line| !line.is_empty());
        let mut shown: Vec<_> = lines.map(str::to_owned).collect();
        if shown.len() > 2 * SHOWN {
            shown.splice(SHOWN..shown.len() - SHOWN, ["…".to_owned()]);
        }
        Err(BuildError { why: format!("`npm {what}` failed ({})", output.status), output: shown })
    }

    /// A digest of the names and bytes of all sources.
    fn sources(&self) -> io::Result<String> {
        let mut paths = Vec::new();
        for path in self.watched() {
            collect(&path, &mut paths)?;
        }
        paths.sort();
        let mut all = Sha256::new();
        for path in paths {
            let name: OsString = path.strip_prefix(&self.folder).unwrap_or(&path).into();
            all.update(Sha256::digest(name.as_encoded_bytes()));
            all.update(Sha256::digest(fs::read(&path)?));
        }
        Ok(hex(&all.finalize()))
    }
}

fn is_stamped(stamp: &Path, wanted: &str) -> bool {
    fs::read_to_string(stamp).is_ok_and(|there| there == wanted)
}

/// Every file at or below a path.
pub fn collect(path: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        paths.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        collect(&entry?.path(), paths)?;
    }
    Ok(())
}

pub fn hex(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn failed(what: &str, error: &io::Error) -> BuildError {
    format!("{what}: {error}").into()
}
