//! The files that a new workspace begins with. They travel in the program.

use super::files::BOOTSTRAP;

/// Each file's name and text, in the order in which they are written: the first conversation's before everything else,
/// AGENTS.md after everything else, so that it can be seen whether all are there.
pub(super) const TEMPLATES: [(&str, &str); 7] = [
    (BOOTSTRAP, include_str!("../../../../templates/BOOTSTRAP.md")),
    ("SOUL.md", include_str!("../../../../templates/SOUL.md")),
    ("TOOLS.md", include_str!("../../../../templates/TOOLS.md")),
    ("IDENTITY.md", include_str!("../../../../templates/IDENTITY.md")),
    ("USER.md", include_str!("../../../../templates/USER.md")),
    ("HEARTBEAT.md", include_str!("../../../../templates/HEARTBEAT.md")),
    (LAST, include_str!("../../../../templates/AGENTS.md")),
];

/// The file that is written last.
pub(super) const LAST: &str = "AGENTS.md";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::shield::shielded;

    fn template(name: &str) -> &'static str {
        TEMPLATES.iter().find(|(template, _)| *template == name).unwrap().1
    }

    #[test]
    fn every_template_says_what_it_is_for() {
        let table: &[(&str, &[&str])] = &[
            (
                "AGENTS.md",
                &[
                    "BOOTSTRAP.md",
                    "before you do anything else",
                    "`memory/YYYY-MM-DD.md`",
                    "`MEMORY.md`",
                    "Write it down",
                    "Red lines",
                    "Prefer the trash",
                    "Ask first:",
                    "Free:",
                    "Speak when",
                    "Keep silent when",
                    "never more than one to the same message",
                    "WhatsApp has no headings",
                    "- Heartbeat:",
                    "- Cron:",
                    "Things to look at",
                    "`memory/heartbeat-state.json`",
                    "Reach out when",
                    "from 23:00 to 08:00",
                    "take over into MEMORY.md what lasts",
                ],
            ),
            ("SOUL.md", &["## Boundaries", "## Tone", "## Continuity"]),
            ("TOOLS.md", &["local notes", "does not decide which tools there are"]),
            (
                "IDENTITY.md",
                &["- **Name:**", "- **Creature:**", "- **Vibe:**", "- **Emoji:**", "- **Avatar:**"],
            ),
            (
                "USER.md",
                &[
                    "- **Name:**",
                    "- **What to call them:**",
                    "- **Pronouns:**",
                    "- **Timezone:**",
                    "- **Notes:**",
                    "## Context",
                ],
            ),
            (BOOTSTRAP, &["first conversation", "IDENTITY.md", "USER.md", "SOUL.md", "delete this file"]),
        ];
        for (name, facts) in table {
            let text = template(name).split_whitespace().collect::<Vec<_>>().join(" ");
            for fact in *facts {
                assert!(text.contains(fact), "{name} does not say {fact:?}");
            }
        }
        assert!(template("HEARTBEAT.md").lines().all(|line| line.starts_with('#')), "comments only");
    }

    #[test]
    fn templates_stand_in_a_prompt_as_they_are() {
        for (name, text) in TEMPLATES {
            assert_eq!(shielded(text), text, "{name}");
        }
    }
}
