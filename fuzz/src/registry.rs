//! The registry of apps: reading it, changing it, finding an app in it.

use std::path::Path;

use tarsus_apps::{
    App, AppEntry, AppMatch, AppMode, AppPatch, LoadedRegistry, RegistryChange, authorize_launch, find_app,
};
use tarsus_protocol::rpc::FieldChange;

pub(crate) const SEEDS: &[&[u8]] = &[
    include_bytes!("../seeds/registry.json"),
    b"{}",
    br#"{"Last Z":{"launch_path":"/z","mode":"full","allowed_agents":[]},"n":2.50}"#,
    br#"{"A": {"mode": "off", "allowed_agents": ["main"], "launch_path": ""}, "": [], "a": 1E+2}"#,
];

/// A readable registry is changed without loss elsewhere; no agent launches an app that is off or unclear; each app is
/// found by its own name.
pub fn registry(data: &[u8]) {
    let Some(loaded) = read(data) else { return };
    for app in &loaded.apps {
        launched_by_policy_only(app);
        assert_eq!(find_app(&app.name, loaded.names()), AppMatch::One(&app.name));
    }
    let entry = AppEntry::new("/new", AppMode::Off, [""; 0]);
    changed(&loaded, &RegistryChange::Add { name: "fresh name".to_owned(), entry: entry.clone() });
    if let Some(first) = loaded.apps.first() {
        let name = first.name.clone();
        changed(&loaded, &RegistryChange::policy(name.clone(), AppMode::Full, [""; 0]));
        changed(&loaded, &RegistryChange::Edit { name: name.clone(), patch: entry.into() });
        let patch = AppPatch { process_name: Some(FieldChange::Clear), ..AppPatch::default() };
        changed(&loaded, &RegistryChange::Edit { name: name.clone(), patch });
        changed(&loaded, &RegistryChange::Delete { name });
    }
}

fn read(data: &[u8]) -> Option<LoadedRegistry> {
    LoadedRegistry::parse(Path::new("registry.json"), data.to_vec(), Some("hash".to_owned())).ok()
}

fn launched_by_policy_only(app: &App) {
    let is_listed = app.allowed_agents.iter().any(|agent| agent == "main");
    let is_clear = app.group.has_clear_policy();
    let may = match app.mode {
        Some(AppMode::Full) => is_clear,
        Some(AppMode::Allowlist) => is_clear && is_listed,
        Some(AppMode::Off) | None => false,
    };
    assert_eq!(authorize_launch(app, "main").is_ok(), may, "{app:?}");
}

fn changed(loaded: &LoadedRegistry, change: &RegistryChange) {
    let Ok(text) = loaded.text_after(change) else { return };
    let after = read(text.as_bytes());
    assert!(after.is_some(), "{change:?} makes {text}");
    let Some(after) = after else { return };
    let fields = |app: &App| {
        let App { name, launch_path, runtime_exe, process_name, mode, allowed_agents, .. } = app.clone();
        ((name, mode, allowed_agents), [launch_path, runtime_exe, process_name])
    };
    let others = |loaded: &LoadedRegistry| -> Vec<_> {
        let others = loaded.apps.iter().filter(|app| Some(app.name.as_str()) != change.name());
        others.map(fields).collect()
    };
    assert_eq!(others(&after), others(loaded), "{change:?}");
    assert_eq!(after.text_after(change).ok().filter(|again| *again != text), None, "{change:?} twice");
}
