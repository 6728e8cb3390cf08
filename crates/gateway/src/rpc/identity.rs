//! How an agent presents itself, from its IDENTITY.md: lines such as `- **Name:** Ada`.

use std::path::Path;

use tarsus_home::files::Confined;
use tarsus_protocol::rpc::agents::AgentIdentity;

/// Size limit of the file, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// Characters that are kept of a value.
const MAX_VALUE_CHARS: usize = 500;

/// Reads the identity from a workspace; `None` if the file has none.
pub(super) fn load(workspace: &Confined) -> Option<AgentIdentity> {
    let bytes = workspace.read(Path::new("IDENTITY.md"), MAX_BYTES).ok().flatten()?;
    let identity = parse(&String::from_utf8_lossy(&bytes));
    (identity != AgentIdentity::default()).then_some(identity)
}

fn parse(text: &str) -> AgentIdentity {
    let mut identity = AgentIdentity::default();
    for line in text.lines() {
        let line = line.trim().trim_start_matches(['-', '*', ' ']);
        let Some((name, value)) = line.split_once(':') else { continue };
        let value: String =
            value.trim_matches(['*', '_', '`', ' ', '\t']).chars().take(MAX_VALUE_CHARS).collect();
        // Placeholders of the template, in brackets, are not values.
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
    fn identity_ignores_template_placeholders() {
        let text = "# Who\n\n- **Name:** Ada\n- **Vibe:** *calm*\n* Emoji: 🦉\nAvatar: [a picture]\nColour: red\nName: Eve";
        let expected = AgentIdentity {
            name: Some("Ada".to_owned()),
            theme: Some("calm".to_owned()),
            emoji: Some("🦉".to_owned()),
            ..AgentIdentity::default()
        };
        assert_eq!(parse(text), expected);
    }
}
