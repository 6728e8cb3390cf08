//! `docs`: the user guide, embedded in the binary.

use serde::Serialize;
use tarsus_agent::guide::{GROUPS, find_page};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use crate::output::Output;
use crate::text::columns;

#[derive(Serialize)]
struct Page {
    name: &'static str,
    title: &'static str,
    #[serde(skip)]
    group: &'static str,
}

/// Prints the list of pages, or one of them.
pub fn run(page: Option<&str>, output: &mut Output) -> Result<ExitCode, Problem> {
    match page {
        None => {
            let pages: Vec<Page> = GROUPS
                .iter()
                .flat_map(|group| {
                    group.pages.iter().map(|page| Page {
                        name: page.name(),
                        title: page.title(),
                        group: group.title,
                    })
                })
                .collect();
            output.show(&pages, |pages| list(pages))?;
        }
        Some(name) => {
            let page = find_page(name).ok_or_else(|| {
                Problem::new(ErrorCode::NotFound, format!("there is no page named {name:?}"))
                    .hint("`tarsus docs` lists the pages")
            })?;
            output.show(
                &serde_json::json!({ "name": page.name(), "title": page.title(), "text": page.text }),
                |_| page.text.to_owned(),
            )?;
        }
    }
    Ok(ExitCode::Done)
}

fn list(pages: &[Page]) -> String {
    let rows: Vec<_> = pages.iter().map(|page| [format!("  {}", page.name), page.title.to_owned()]).collect();
    let mut text = String::new();
    let mut group = "";
    for (page, line) in pages.iter().zip(columns(&rows).lines()) {
        if page.group != group {
            group = page.group;
            let gap = if text.is_empty() { "" } else { "\n" };
            text.push_str(&format!("{gap}{group}\n"));
        }
        text.push_str(&format!("{line}\n"));
    }
    text + "\n`tarsus docs PAGE` prints one.\n"
}
