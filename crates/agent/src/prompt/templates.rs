//! The files of a new workspace, embedded in the program.

use super::files::BOOTSTRAP;

/// Name and text of each file, in the order of writing: BOOTSTRAP.md first and AGENTS.md last, which shows whether the
/// set is complete.
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
    use crate::prompt::shield::escape_text;

    fn template(name: &str) -> &'static str {
        TEMPLATES.iter().find(|(template, _)| *template == name).unwrap().1
    }

    #[test]
    fn every_template_has_its_key_instructions() {
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
                    "Stay silent when",
                    "never more than one to the same message",
                    "WhatsApp has no headings",
                    "- Heartbeat:",
                    "- Cron:",
                    "Check in turn",
                    "`memory/heartbeat-state.json`",
                    "\"lastChecks\": { \"email\": 1767225600, \"calendar\": 1767225600, \"weather\": null }",
                    "Reach out when",
                    "from 23:00 to 08:00",
                    "move what lasts into MEMORY.md",
                ],
            ),
            ("SOUL.md", &["## Boundaries", "## Tone", "## Continuity"]),
            ("TOOLS.md", &["local notes", "does not decide which tools exist"]),
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
    fn templates_need_no_escaping() {
        for (name, text) in TEMPLATES {
            assert_eq!(escape_text(text), text, "{name}");
        }
    }
}
