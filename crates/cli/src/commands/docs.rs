//! `docs`: the user guide, which travels in the binary.

use serde::Serialize;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use crate::output::Output;
use crate::text::columns;

/// The pages, in reading order. A test compares them with the folder.
const PAGES: &[(&str, &str)] = &[
    ("start", include_str!("../../../../docs/start.md")),
    ("gateway", include_str!("../../../../docs/gateway.md")),
    ("apps", include_str!("../../../../docs/apps.md")),
    ("skills", include_str!("../../../../docs/skills.md")),
    ("agents", include_str!("../../../../docs/agents.md")),
    ("models", include_str!("../../../../docs/models.md")),
    ("sessions", include_str!("../../../../docs/sessions.md")),
    ("config", include_str!("../../../../docs/config.md")),
    ("config-reference", include_str!("../../../../docs/config-reference.md")),
    ("status", include_str!("../../../../docs/status.md")),
    ("audit", include_str!("../../../../docs/audit.md")),
    ("security", include_str!("../../../../docs/security.md")),
    ("scan", include_str!("../../../../docs/scan.md")),
    ("guard", include_str!("../../../../docs/guard.md")),
    ("security-audit", include_str!("../../../../docs/security-audit.md")),
    ("claims", include_str!("../../../../docs/claims.md")),
    ("errors", include_str!("../../../../docs/errors.md")),
];

#[derive(Serialize)]
struct Page {
    name: &'static str,
    title: &'static str,
}

/// Prints the list of pages, or one of them.
pub fn run(page: Option<&str>, output: &mut Output) -> Result<ExitCode, Problem> {
    match page {
        None => {
            let pages: Vec<Page> =
                PAGES.iter().map(|&(name, text)| Page { name, title: title(text) }).collect();
            output.show(&pages, |pages| {
                let rows: Vec<_> =
                    pages.iter().map(|page| [page.name.to_owned(), page.title.to_owned()]).collect();
                format!("{}\n`tarsus docs PAGE` prints one.\n", columns(&rows))
            })?;
        }
        Some(wanted) => {
            let (name, text) = find(wanted)?;
            output.show(&serde_json::json!({ "name": name, "title": title(text), "text": text }), |_| {
                text.to_owned()
            })?;
        }
    }
    Ok(ExitCode::Done)
}

fn find(wanted: &str) -> Result<(&'static str, &'static str), Problem> {
    PAGES.iter().copied().find(|(name, _)| *name == wanted.trim_end_matches(".md")).ok_or_else(|| {
        Problem::new(ErrorCode::NotFound, format!("there is no page called {wanted:?}"))
            .hint("`tarsus docs` lists the pages")
    })
}

fn title(text: &'static str) -> &'static str {
    text.lines().next().unwrap_or_default().trim_start_matches("# ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::disallowed_methods, reason = "compares with the folder")]
    fn every_page_of_the_folder_is_in_the_binary_and_has_a_title() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter_map(|name| name.strip_suffix(".md").map(str::to_owned))
            .collect();
        files.sort();
        let mut pages: Vec<&str> = PAGES.iter().map(|(name, _)| *name).collect();
        pages.sort_unstable();
        assert_eq!(files, pages);
        assert!(PAGES.iter().all(|(_, text)| text.starts_with("# ")));
    }
}
