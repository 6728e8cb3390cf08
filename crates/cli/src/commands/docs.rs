//! `docs`: the user guide, which travels in the binary.

use serde::Serialize;
use tarsus_agent::guide::PAGES;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use crate::output::Output;
use crate::text::columns;

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
                PAGES.iter().map(|&(file, text)| Page { name: name(file), title: title(text) }).collect();
            output.show(&pages, |pages| {
                let rows: Vec<_> =
                    pages.iter().map(|page| [page.name.to_owned(), page.title.to_owned()]).collect();
                format!("{}\n`tarsus docs PAGE` prints one.\n", columns(&rows))
            })?;
        }
        Some(wanted) => {
            let (file, text) = find(wanted)?;
            output.show(
                &serde_json::json!({ "name": name(file), "title": title(text), "text": text }),
                |_| text.to_owned(),
            )?;
        }
    }
    Ok(ExitCode::Done)
}

fn find(wanted: &str) -> Result<(&'static str, &'static str), Problem> {
    PAGES.iter().copied().find(|(file, _)| name(file) == name(wanted)).ok_or_else(|| {
        Problem::new(ErrorCode::NotFound, format!("there is no page called {wanted:?}"))
            .hint("`tarsus docs` lists the pages")
    })
}

fn name(file: &str) -> &str {
    file.trim_end_matches(".md")
}

fn title(text: &'static str) -> &'static str {
    text.lines().next().unwrap_or_default().trim_start_matches("# ")
}
