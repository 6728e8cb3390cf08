//! Launches and stops apps.
//!
//! A pure function plans the commands, `host` runs them, and the process list confirms the outcome. [`launch`] and [`stop`]
//! take the proof that the launch policy allows it.
//!
//! ```no_run
//! # use tarsus_apps::{AccessDenied, App};
//! # async fn example(app: &App, variables: Vec<(std::ffi::OsString, std::ffi::OsString)>) -> Result<(), AccessDenied> {
//! use tarsus_apps::authorize_launch;
//! use tarsus_apps::run::{Desktop, LaunchOutcome, launch};
//! use tarsus_host::platform::Platform;
//!
//! let desktop = Desktop::new(&Platform::detect(), variables);
//! let allowed = authorize_launch(app, "main")?;
//! match launch(&allowed, &desktop).await.outcome {
//!     LaunchOutcome::Started { pids } => println!("started, pid {pids:?}"),
//!     LaunchOutcome::Requested { .. } => println!("start requested"),
//!     LaunchOutcome::AlreadyRunning { pids } => println!("was already running, pid {pids:?}"),
//!     LaunchOutcome::StartedAnother { pids, .. } => println!("started another copy, pid {pids:?}"),
//!     LaunchOutcome::Failed(error) => println!("{error}"),
//! }
//! # Ok(())
//! # }
//! ```

mod desktop;
mod desktop_file;
mod environment;
mod error;
mod launch;
mod plan;
mod printed;
mod processes;
mod shortcut;
mod stop;
mod windows;

pub use desktop::{Desktop, is_shorthand_path};
pub use desktop_file::DesktopFileError;
pub use environment::session_environment;
pub use error::{LaunchError, StopError, UnsafePath};
pub use launch::{LaunchOutcome, Launched, launch};
pub use plan::{DesktopEntry, LaunchFacts, LaunchPlan, LaunchStep, LaunchSystem, PathContent, plan_launch};
pub use processes::Processes;
pub use stop::{ProcessEnd, Stopped, StoppedProcess, stop};
use tarsus_protocol::apps::AppEntry;

/// The name or path by which the processes of an app are identified; `None` if neither is stored.
fn process_identity(entry: &AppEntry) -> Option<&str> {
    entry.process_name.as_deref().or(entry.runtime_exe.as_deref())
}
