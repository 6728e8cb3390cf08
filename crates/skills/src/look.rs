//! One agent's skills as they lie on disk now, with everything that they are judged by: for whoever asks once.
//!
//! Promises: bundled skills that cannot be put on disk are reported as skipped, and the others are there all the same.
//! Leaves to others: keeping skills up to date ([`Library`](crate::Library)).

use std::path::Path;
use std::sync::Arc;

use tarsus_home::config::view::Agent;
use tarsus_home::config::{Loaded, Lookup};
use tarsus_home::settings::{self, SettingsError};
use tarsus_home::{Home, Settings};
use tarsus_host::path::SearchPath;
use tarsus_host::platform::Platform;
use tarsus_protocol::report::SkillsStatus;
use tarsus_protocol::skills::SkillsReport;

use crate::eligibility::Machine;
use crate::gate::{Blocked, Depth, Gate};
use crate::prompt::Prompt;
use crate::view::View;
use crate::{Catalog, Found, Roots, Shelf, SkipReason, Skipped, Source, bundled, install, report};

/// One agent's skills as they lie on disk now.
pub struct Look<'a> {
    home: &'a Home,
    config: &'a Loaded,
    agent: &'a Agent,
    variables: Lookup<'a>,
    settings: Settings,
    programs: SearchPath,
    roots: Roots,
    shelves: Vec<Arc<Shelf>>,
    /// Why bundled skills are not among them.
    left_out: Option<Skipped>,
    gate: Gate,
    now_ms: i64,
    /// What was found.
    pub catalog: Catalog,
}

impl<'a> Look<'a> {
    /// Looks through the roots of an agent, and into the folders of skills as deep as is said. `now_ms` is the time.
    ///
    /// # Errors
    /// When our own settings cannot be read.
    pub fn new(
        home: &'a Home,
        config: &'a Loaded,
        agent: &'a Agent,
        variables: Lookup<'a>,
        programs: SearchPath,
        depth: Depth,
        now_ms: i64,
    ) -> Result<Self, SettingsError> {
        let settings = settings::load(home)?;
        let bundled = bundled::ensure(home);
        // Out of sight; what cannot be removed now the next installation clears, or says why not.
        install::clear(home).ok();
        let roots = Roots::of(home, &config.view, agent, bundled.as_deref().ok());
        // The time only matters to a later look, and there is none.
        let shelves = roots.list.iter().map(|root| Arc::new(Shelf::look(root, &roots.limits, None, 0)));
        let left_out = bundled.err().map(|error| Skipped {
            source: Source::Bundled,
            path: bundled::folder(home),
            reason: SkipReason::Unreadable(error.to_string()),
        });
        let mut look = Self {
            home,
            config,
            agent,
            variables,
            programs,
            shelves: shelves.collect(),
            roots,
            left_out,
            gate: Gate::new(home.clone()),
            now_ms,
            settings,
            catalog: Catalog::default(),
        };
        let records = look.settings.skills.clone();
        look.look_into(|found| depth.takes_in(found, &records));
        Ok(look)
    }

    /// Looks into the folder of the skill with this SKILL.md as well.
    pub fn look_into_one(&mut self, file: &Path) {
        let records = self.settings.skills.clone();
        self.look_into(|found| found.file() == file && Depth::Everything.takes_in(found, &records));
    }

    fn look_into(&mut self, takes_in: impl Fn(&Found) -> bool) {
        for shelf in &mut self.shelves {
            *shelf = self.gate.pass(shelf, &takes_in, self.now_ms);
        }
        self.catalog = Catalog::guarded(&self.shelves, &self.roots.limits, &self.settings.skills);
        self.catalog.skipped.extend(self.gate.remark().into_iter().chain(self.left_out.clone()));
    }

    /// Hands to `write` the skills that must not be used as they are, when nobody wrote that down yet: in this process or
    /// another one. It says whether all of them were written down. Called only when there are some.
    pub fn tell(&mut self, write: impl FnOnce(&[Blocked]) -> bool) {
        let skills = self.shelves.iter().flat_map(|shelf| &shelf.found).map(|found| &**found);
        self.gate.tell(skills, &self.settings.skills, write);
    }

    /// The folders that were looked through.
    #[must_use]
    pub fn roots(&self) -> &Roots {
        &self.roots
    }

    /// Our own settings as they were read.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Judges what was found, and hands on the report and what the model is told.
    pub fn view<T>(&self, then: impl FnOnce(&SkillsReport<'_>, &Prompt) -> T) -> T {
        self.judging(|view| view.of(&self.catalog, None, then))
    }

    /// What the model is told in at most so many characters.
    #[must_use]
    pub fn prompt_within(&self, chars: u32) -> Prompt {
        self.judging(|view| view.prompt_within(&self.catalog, chars))
    }

    fn judging<T>(&self, then: impl FnOnce(View<'_>) -> T) -> T {
        let machine = Machine {
            platform: Platform::here().os,
            programs: &self.programs,
            variables: self.variables,
            nodes: &[],
        };
        let Self { home, config, settings, agent, .. } = self;
        then(View { home, config, settings, agent, machine: &machine })
    }

    /// How many skills stand how.
    #[must_use]
    pub fn counted(&self) -> SkillsStatus {
        self.view(|report, _| report::counted(report, &self.catalog))
    }
}
