//! What a skill says about itself that gates nothing: cut, because nobody checks it.

use tarsus_protocol::skills::{SkillDependency, SkillEnvVar, SkillLinks, SkillStatus, Text};

use super::clean;
use crate::prompt::text::cut_at;
use crate::{About, Dependency, EnvVar, Links};

/// Variables and dependencies that are shown.
const MOST: usize = 50;
/// Characters of a text.
const LONGEST: usize = 500;
/// The same of the help of its program.
const LONGEST_HELP: usize = 4_000;

/// Takes over what a skill says about itself.
pub(super) fn describe<'a>(status: &mut SkillStatus<'a>, about: &'a About) {
    let About { cli_help, author, env_vars, dependencies, links } = about;
    status.author = short(author);
    status.cli_help = cli_help.as_deref().map(|text| within(text, LONGEST_HELP));
    status.links = (*links != Links::default()).then(|| SkillLinks {
        homepage: short(&links.homepage),
        repository: short(&links.repository),
        documentation: short(&links.documentation),
        changelog: short(&links.changelog),
    });
    let variable = |EnvVar { name, required, description }: &'a EnvVar| SkillEnvVar {
        name: within(name, LONGEST),
        required: *required,
        description: short(description),
    };
    status.env_vars = env_vars.iter().take(MOST).map(variable).collect();
    let dependency = |Dependency { name, kind, version, url, repository }: &'a Dependency| SkillDependency {
        name: within(name, LONGEST),
        kind: short(kind),
        version: short(version),
        url: short(url),
        repository: short(repository),
    };
    status.dependencies = dependencies.iter().take(MOST).map(dependency).collect();
}

fn short(text: &Option<String>) -> Option<Text<'_>> {
    text.as_deref().map(|text| within(text, LONGEST))
}

fn within(text: &str, most: usize) -> Text<'_> {
    match cut_at(text, most) {
        (all, "") => clean(all),
        (kept, dots) => clean(format!("{kept}{dots}")),
    }
}
