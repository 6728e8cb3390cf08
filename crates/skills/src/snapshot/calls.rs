//! An agent's skills as guard asks about them when a tool is called.
//!
//! Promises: every skill that the agent can use is among the [`Skills`], however far it is trusted; every folder of a
//! skill that is held to its capabilities is watched, also one that is blocked, switched off or shadowed: its text can be
//! read all the same. Leaves to others: what follows for a call.

use tarsus_guard::{Places, SkillId, Skills, Watch, Watched};

use super::{Basis, Snapshot};
use crate::commands::Commands;
use crate::report::{self, Judged};
use crate::view::View;

impl Snapshot {
    /// The skills that the agent can use, and the watch over what is used. `commands` are those that people have.
    #[must_use]
    pub fn for_calls(&self, commands: &Commands) -> (Skills, Watch) {
        let Basis { home, config, settings, surroundings } = &*self.basis;
        let machine = surroundings.machine();
        let view = View { home, config, settings, agent: &self.agent, machine: &machine };
        let commands = commands.by_skill();
        let watched = |judged: &Judged<'_>| {
            let standing = &judged.guarded.standing;
            let folder = judged.found.dir();
            Watched {
                skill: SkillId { name: standing.name.clone(), hash: standing.hash.clone() },
                tier: standing.tier,
                // One that is gone meanwhile cannot be read either.
                folder: folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf()),
                command: commands.get(standing.name.as_str()).map(|command| (*command).to_owned()),
            }
        };
        let (skills, watched) = view.rules(|rules| {
            let judged = report::judge_all(&self.catalog, rules);
            let beneath = self.catalog.shadowed.iter().map(|shadow| report::judged(&shadow.loser, rules));
            let beneath: Vec<Judged<'_>> = beneath.collect();
            let counts = |judged: &&Judged<'_>| judged.is_at_hand() || judged.guarded.standing.is_enforced();
            let enforced = beneath.iter().filter(|judged| judged.guarded.standing.is_enforced());
            let watched = judged.iter().filter(counts).chain(enforced).map(watched).collect();
            (report::at_hand(&judged).collect(), watched)
        });
        let workspace = home.workspace(&config.view.agents, &self.agent);
        (skills, Watch::new(watched, Places { workspace: &workspace, home: home.user_home() }))
    }
}
