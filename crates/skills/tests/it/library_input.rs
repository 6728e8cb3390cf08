//! Shared by the tests of libraries: a configuration from text, and a machine without programs.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use tarsus_guard::ToolId;
use tarsus_home::config::json5::{Document, JsonDialect};
use tarsus_home::config::{Checked, LoadedConfig, check};
use tarsus_home::{Home, Settings};
use tarsus_host::path::SearchPath;
use tarsus_skills::eligibility::MachineState;
use tarsus_skills::snapshot::EvaluationInputs;

pub fn loaded(config: &str) -> LoadedConfig {
    let document = Document::parse_object(config.as_bytes(), JsonDialect::Json5).unwrap();
    let Checked { view, issues, warnings } = check(&document, Some(&|_| None));
    LoadedConfig { exists: true, document, view, issues, warnings }
}

/// A Linux machine with an optional folder of programs and an optional variable.
pub fn machine(programs: Option<&Path>, variable: Option<&'static str>) -> MachineState {
    let path = programs.map_or(OsStr::new(""), Path::as_os_str);
    MachineState {
        platform: "linux",
        programs: SearchPath::new(path, None),
        variables: Box::new(move |name| variable.filter(|known| *known == name).map(str::to_owned)),
    }
}

pub fn inputs(home: Home, config: &str) -> EvaluationInputs {
    let machine = Arc::new(machine(None, None));
    let built_tools = ToolId::ALL.iter().copied().collect();
    EvaluationInputs { home, config: loaded(config), settings: Settings::default(), machine, built_tools }
}
