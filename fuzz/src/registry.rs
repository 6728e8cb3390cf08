//! The registry of apps: reading it, changing it, finding an app in it.

use std::path::Path;

use tarsus_apps::{
    App, Change, Entry, Fields, Found, Group, LaunchPath, Loaded, Mode, Patch, Policy, Put, find, may_launch,
};

pub(crate) const SEEDS: &[&[u8]] = &[
    include_bytes!("../seeds/registry.json"),
    b"{}",
    br#"{"Last Z":{"launch_path":"/z","mode":"full","allowed_agents":[]},"n":2.50}"#,
    br#"{"A": {"mode": "off", "allowed_agents": ["main"], "launch_path": ""}, "": [], "a": 1E+2}"#,
];

/// What can be read is changed without loss elsewhere; what is off or unclear is launched by nobody; each app is
/// found by its own name.
pub fn registry(data: &[u8]) {
    let Some(loaded) = read(data) else { return };
    for app in &loaded.apps {
        launched_by_policy_only(app);
        assert_eq!(find(&app.name, loaded.names()), Found::One(&app.name));
    }
    let Some(launch_path) = LaunchPath::new("/new") else { return };
    let entry = Entry { launch_path, runtime_exe: None, process_name: None, policy: Policy::Off };
    changed(&loaded, &Change::Add { name: "fresh name".to_owned(), entry: entry.clone() });
    if let Some(first) = loaded.apps.first() {
        let name = first.name.clone();
        changed(&loaded, &Change::policy(name.clone(), Policy::Full));
        changed(&loaded, &Change::Edit { name: name.clone(), patch: entry.into() });
        let patch = Patch { process_name: Put::Clear, ..Patch::default() };
        changed(&loaded, &Change::Edit { name: name.clone(), patch });
        changed(&loaded, &Change::Delete { name });
    }
}

fn read(data: &[u8]) -> Option<Loaded> {
    Loaded::read(Path::new("registry.json"), data.to_vec(), Some("hash".to_owned())).ok()
}

fn launched_by_policy_only(app: &App) {
    let is_listed = app.fields.allowed_agents.iter().any(|agent| agent == "main");
    let is_clear = app.verdict.group >= Group::PolicyMismatch;
    let may = match app.fields.mode {
        Some(Mode::Full) => is_clear,
        Some(Mode::Allowlist) => is_clear && is_listed,
        Some(Mode::Off) | None => false,
    };
    assert_eq!(may_launch(app, "main").is_ok(), may, "{app:?}");
}

fn changed(loaded: &Loaded, change: &Change) {
    let Ok(text) = loaded.text_after(change) else { return };
    let after = read(text.as_bytes());
    assert!(after.is_some(), "{change:?} makes {text}");
    let Some(after) = after else { return };
    let others = |loaded: &Loaded| -> Vec<(String, Fields)> {
        let others = loaded.apps.iter().filter(|app| Some(app.name.as_str()) != change.name());
        others.map(|app| (app.name.clone(), app.fields.clone())).collect()
    };
    assert_eq!(others(&after), others(loaded), "{change:?}");
    assert_eq!(after.text_after(change).ok().filter(|again| *again != text), None, "{change:?} twice");
}
