//! Launches and stops applications.
//!
//! A pure function plans what to run, `host` runs it, and the reported outcome was seen in the process list. [`launch`]
//! takes the proof that the launch policy allows it; for [`stop`] the caller checks the policy first.
//!
//! ```no_run
//! # use tarsus_apps::{App, Denied};
//! # async fn example(app: &App, variables: Vec<(std::ffi::OsString, std::ffi::OsString)>) -> Result<(), Denied> {
//! use tarsus_apps::authorize_launch;
//! use tarsus_apps::run::{Desktop, Outcome, launch};
//! use tarsus_host::platform::Platform;
//!
//! let desktop = Desktop::new(&Platform::detect(), variables);
//! let allowed = authorize_launch(app, "main")?;
//! match launch(&allowed, &desktop).await.outcome {
//!     Outcome::Started { pids } => println!("started, pid {pids:?}"),
//!     Outcome::Requested => println!("start requested"),
//!     Outcome::AlreadyRunning { pids } => println!("was already running, pid {pids:?}"),
//!     Outcome::Failed(error) => println!("{error}"),
//! }
//! # Ok(())
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

use crate::entry::Entry;

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

impl<'a> Target<'a> {
    pub(crate) fn for_entry(entry: &'a Entry) -> Self {
        Self {
            launch_path: entry.launch_path.as_str(),
            runtime_exe: entry.runtime_exe.as_deref(),
            process_name: entry.process_name.as_deref(),
        }
    }

    /// What is looked for in the process list, in words; none when nothing is stored to look for.
    #[must_use]
    pub fn process(&self) -> Option<&str> {
        self.process_name.or(self.runtime_exe)
    }
}
