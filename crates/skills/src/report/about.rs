//! The descriptive fields of a skill, truncated, because nothing checks them.

use tarsus_protocol::skills::{SkillDependency, SkillEnvVar, SkillLinks, SkillStatus};

use super::sanitize;
use crate::prompt::text::truncate;
use crate::{About, Dependency, EnvVar, Links};

/// Variables and dependencies that are reported.
const MAX_ITEMS: usize = 50;
/// Characters of one text.
const MAX_CHARS: usize = 500;
/// Characters of the help of the skill's program.
const MAX_HELP_CHARS: usize = 4_000;

/// Fills in the descriptive fields of a row.
pub(super) fn describe(status: &mut SkillStatus, about: &About) {
    let About { cli_help, author, env_vars, dependencies, links } = about;
    status.author = short(author);
    status.cli_help = cli_help.as_deref().map(|text| sanitize(truncate(text, MAX_HELP_CHARS)));
    status.links = (*links != Links::default()).then(|| SkillLinks {
        homepage: short(&links.homepage),
        repository: short(&links.repository),
        documentation: short(&links.documentation),
        changelog: short(&links.changelog),
    });
    let variable = |EnvVar { name, required, description }: &EnvVar| SkillEnvVar {
        name: sanitize(truncate(name, MAX_CHARS)),
        required: *required,
        description: short(description),
    };
    status.env_vars = env_vars.iter().take(MAX_ITEMS).map(variable).collect();
    let dependency = |Dependency { name, kind, version, url, repository }: &Dependency| SkillDependency {
        name: sanitize(truncate(name, MAX_CHARS)),
        kind: short(kind),
        version: short(version),
        url: short(url),
        repository: short(repository),
    };
    status.dependencies = dependencies.iter().take(MAX_ITEMS).map(dependency).collect();
}

fn short(text: &Option<String>) -> Option<String> {
    text.as_deref().map(|text| sanitize(truncate(text, MAX_CHARS)))
}
