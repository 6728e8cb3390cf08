//! Launching and stopping an application, for real.
//!
//! What to run is planned by a pure function and carried out by `host`; what is reported was seen in the
//! process list. Whether an application may be launched or stopped at all is decided before this is called.
//!
//! ```no_run
//! # async fn example(variables: Vec<(std::ffi::OsString, std::ffi::OsString)>) {
//! use tarsus_apps::run::{Desktop, Outcome, Target, launch};
//! use tarsus_host::platform::Platform;
//!
//! let desktop = Desktop::new(&Platform::here(), variables);
//! let target = Target { launch_path: "/usr/bin/gedit", runtime_exe: None, process_name: Some("gedit") };
//! match launch(&target, &desktop).await.outcome {
//!     Outcome::Started { pids } => println!("started, pid {pids:?}"),
//!     Outcome::Requested => println!("start requested"),
//!     Outcome::AlreadyRunning { pids } => println!("was already running, pid {pids:?}"),
//!     Outcome::Failed(error) => println!("{error}"),
//! }
//! # }
//! ```

mod desktop;
mod desktop_file;
mod environment;
mod error;
mod launch;
mod look;
mod plan;
mod processes;
mod shortcut;
mod stop;
mod windows;

pub use desktop::Desktop;
pub use desktop_file::DesktopFileError;
pub use environment::of_the_session;
pub use error::{LaunchError, StopError};
pub use launch::{Launched, Outcome, launch};
pub use look::is_short;
pub use plan::{Application, Facts, Found, Plan, Step, System, plan};
pub use processes::Processes;
pub use stop::{Ended, How, Stopped, stop};

/// What is stored about an application that matters for starting and ending it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target<'a> {
    /// What is launched.
    pub launch_path: &'a str,
    /// The executable that then runs.
    pub runtime_exe: Option<&'a str>,
    /// The name of the process that then runs.
    pub process_name: Option<&'a str>,
}

impl Target<'_> {
    /// What is looked for in the process list, in words; none when nothing is stored to look for.
    #[must_use]
    pub fn process(&self) -> Option<&str> {
        self.process_name.or(self.runtime_exe)
    }
}
