//! The proof that the launch policy allows a target, by way of a registry of its own.

use std::fs;

use tarsus_apps::run::Target;
use tarsus_apps::{AllowedLaunch, Registry, authorize_launch};
use tarsus_home::{Choice, Home};

pub fn allow(target: &Target<'_>) -> AllowedLaunch {
    let folder = tempfile::tempdir().unwrap();
    let state_flag = Some(folder.path().to_path_buf());
    let registry = Registry::of(&Home::locate(&Choice { state_flag, ..Choice::default() }).unwrap());
    let Target { launch_path, runtime_exe, process_name } = target;
    let mut entry = serde_json::json!({ "launch_path": launch_path, "mode": "full", "allowed_agents": [] });
    for (key, value) in [("runtime_exe", runtime_exe), ("process_name", process_name)] {
        if let Some(value) = value {
            entry[key] = (*value).into();
        }
    }
    fs::create_dir_all(registry.path().parent().unwrap()).unwrap();
    fs::write(registry.path(), serde_json::json!({ "App": entry }).to_string()).unwrap();
    authorize_launch(&registry.load().unwrap().apps[0], "main").unwrap()
}
