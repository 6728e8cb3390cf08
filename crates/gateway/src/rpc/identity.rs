//! How an agent presents itself, from its IDENTITY.md: lines such as `- **Name:** Ada`.

use std::path::Path;

use tarsus_home::files::Confined;
use tarsus_protocol::rpc::agents::AgentIdentity;

/// At most so many bytes are read.
const MOST_BYTES: u64 = 64 * 1024;

/// At most so many characters of a value count.
const LONGEST_VALUE: usize = 500;

/// What the file in a workspace says; none when it says nothing.
pub(super) fn of(workspace: &Confined) -> Option<AgentIdentity> {
    let bytes = workspace.read(Path::new("IDENTITY.md"), MOST_BYTES).ok().flatten()?;
    let identity = read(&String::from_utf8_lossy(&bytes));
    (identity != AgentIdentity::default()).then_some(identity)
}

fn read(text: &str) -> AgentIdentity {
    let mut identity = AgentIdentity::default();
    for line in text.lines() {
        let line = line.trim().trim_start_matches(['-', '*', ' ']);
        let Some((name, value)) = line.split_once(':') else { continue };
        let value: String =
            value.trim_matches(['*', '_', '`', ' ', '\t']).chars().take(LONGEST_VALUE).collect();
        // A template's own words, in brackets, are no answer.
        if value.is_empty() || value.starts_with('(') || value.starts_with('[') {
            continue;
        }
        let field = match name.trim_matches(['*', '_', ' ']).to_ascii_lowercase().as_str() {
            "name" => &mut identity.name,
            "theme" | "creature" | "vibe" => &mut identity.theme,
            "emoji" => &mut identity.emoji,
            "avatar" => &mut identity.avatar,
            _ => continue,
        };
        field.get_or_insert(value);
    }
    identity
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_a_name_and_a_value_count_and_templates_do_not() {
        let text = "# Who\n\n- **Name:** Ada\n- **Vibe:** *calm*\n* Emoji: 🦉\nAvatar: [a picture]\nColour: red\nName: Eve";
        let expected = AgentIdentity {
            name: Some("Ada".to_owned()),
            theme: Some("calm".to_owned()),
            emoji: Some("🦉".to_owned()),
            ..AgentIdentity::default()
        };
        assert_eq!(read(text), expected);
    }
}
