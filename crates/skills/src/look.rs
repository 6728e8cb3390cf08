//! One agent's skills as they lie on disk now, with everything that they are judged by: for whoever asks once.
//!
//! Promises: bundled skills that cannot be put on disk are reported as skipped, and the others are there all the same.
//! Leaves to others: keeping skills up to date ([`Library`](crate::Library)).

use tarsus_home::config::view::Agent;
use tarsus_home::config::{Loaded, Lookup};
use tarsus_home::settings::{self, SettingsError};
use tarsus_home::{Home, Settings};
use tarsus_host::path::SearchPath;
use tarsus_host::platform::Platform;
use tarsus_protocol::report::SkillsStatus;
use tarsus_protocol::skills::SkillsReport;

use crate::eligibility::Machine;
use crate::prompt::Prompt;
use crate::view::View;
use crate::{Catalog, Roots, SkipReason, Skipped, Source, bundled, report};

/// One agent's skills as they lie on disk now.
pub struct Look<'a> {
    home: &'a Home,
    config: &'a Loaded,
    agent: &'a Agent,
    variables: Lookup<'a>,
    settings: Settings,
    programs: SearchPath,
    /// What was found.
    pub catalog: Catalog,
}

impl<'a> Look<'a> {
    /// Looks through the roots of an agent.
    ///
    /// # Errors
    /// When our own settings cannot be read.
    pub fn new(
        home: &'a Home,
        config: &'a Loaded,
        agent: &'a Agent,
        variables: Lookup<'a>,
        programs: SearchPath,
    ) -> Result<Self, SettingsError> {
        let settings = settings::load(home)?;
        let bundled = bundled::ensure(home);
        let roots = Roots::of(home, &config.view, agent, bundled.as_deref().ok());
        let mut catalog = Catalog::look(&roots);
        if let Err(error) = bundled {
            let reason = SkipReason::Unreadable(error.to_string());
            catalog.skipped.push(Skipped { source: Source::Bundled, path: bundled::folder(home), reason });
        }
        Ok(Self { home, config, agent, variables, settings, programs, catalog })
    }

    /// Judges what was found, and hands on the report and what the model is told.
    pub fn view<T>(&self, then: impl FnOnce(&SkillsReport<'_>, &Prompt) -> T) -> T {
        let machine = Machine {
            platform: Platform::here().os,
            programs: &self.programs,
            variables: self.variables,
            nodes: &[],
        };
        let Self { home, config, settings, agent, .. } = self;
        View { home, config, settings, agent, machine: &machine }.of(&self.catalog, None, then)
    }

    /// How many skills stand how.
    #[must_use]
    pub fn counted(&self) -> SkillsStatus {
        self.view(|report, _| report::counted(report, &self.catalog))
    }
}
