//! What the tests of libraries have in common: a configuration as text, and a machine without programs.
#![allow(dead_code, reason = "each test takes what it needs")]

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use tarsus_home::config::json5::{Dialect, Document};
use tarsus_home::config::{Checked, Loaded, check};
use tarsus_home::{Home, Settings};
use tarsus_host::path::SearchPath;
use tarsus_skills::snapshot::{Basis, Surroundings};

pub fn loaded(config: &str) -> Loaded {
    let document = Document::parse_object(config.as_bytes(), Dialect::Json5).unwrap();
    let Checked { view, issues, warnings } = check(&document, Some(&|_| None));
    Loaded { exists: true, document, view, issues, warnings }
}

/// A Linux machine with one folder of programs and one variable, where they are given.
pub fn surroundings(programs: Option<&Path>, variable: Option<&'static str>) -> Surroundings {
    let path = programs.map_or(OsStr::new(""), Path::as_os_str);
    Surroundings {
        platform: "linux",
        programs: SearchPath::new(path, None),
        variables: Box::new(move |name| variable.filter(|known| *known == name).map(str::to_owned)),
        nodes: Vec::new(),
    }
}

pub fn basis(home: Home, config: &str) -> Basis {
    let surroundings = Arc::new(surroundings(None, None));
    Basis { home, config: loaded(config), settings: Settings::default(), surroundings }
}
