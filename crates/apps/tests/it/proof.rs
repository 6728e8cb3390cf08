//! Policy proofs for an entry, by way of a registry of its own.

use std::fs;

use tarsus_apps::{
    AllowedLaunch, AllowedStop, App, AppEntry, Registry, Stopper, authorize_launch, authorize_stop,
};
use tarsus_home::{Home, HomeOptions};

pub fn allow_launch(entry: &AppEntry) -> AllowedLaunch {
    authorize_launch(&stored(entry), "main").unwrap()
}

pub fn allow_stop(entry: &AppEntry) -> AllowedStop {
    authorize_stop(&stored(entry), "main", Stopper::Agent).unwrap()
}

fn stored(entry: &AppEntry) -> App {
    let folder = tempfile::tempdir().unwrap();
    let state_flag = Some(folder.path().to_path_buf());
    let registry =
        Registry::for_home(&Home::locate(&HomeOptions { state_flag, ..HomeOptions::default() }).unwrap());
    fs::create_dir_all(registry.path().parent().unwrap()).unwrap();
    fs::write(registry.path(), serde_json::json!({ "App": entry }).to_string()).unwrap();
    registry.load().unwrap().apps.remove(0)
}
