//! `models list`: lists usable models.

use tarsus_models::report;
use tarsus_protocol::models::{KeyState, ModelRow, ModelsReport, UsedAs};
use tarsus_protocol::{ExitCode, Problem};

use super::ModelSetup;
use crate::context::Context;
use crate::output::Output;
use crate::text::{columns, count, number, printable};

pub(super) fn run(all: bool, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let setup = ModelSetup::new(context)?;
    let used: Vec<_> = setup.chosen_models().into_iter().flatten().collect();
    let variables = |name: &str| context.variable(name);
    let report = report::list(&setup.catalog, &used, &setup.find_local_servers()?, &variables, all);
    output.show(&report, |report| text(report, all))?;
    Ok(ExitCode::Done)
}

fn text(report: &ModelsReport, all: bool) -> String {
    let head = ["", "Model", "Context", "Answer", "$ a million, in / out", "Key"].map(str::to_owned);
    let mut text = match report.models.is_empty() {
        true => "No model is available yet.\n".to_owned(),
        false => columns(&[head].into_iter().chain(report.models.iter().map(row)).collect::<Vec<_>>()),
    };
    for problem in &report.problems {
        text.push_str(&format!("x {}: {}\n", printable(&problem.model), printable(&problem.problem)));
    }
    let more = if all { "" } else { "; --all includes models without a key" };
    text.push_str(&format!(
        "\n{}{more}. `tarsus models set MODEL` selects one.\n",
        count(report.models.len(), "model")
    ));
    text
}

fn row(row: &ModelRow) -> [String; 6] {
    let tokens = |tokens: Option<u32>| tokens.map_or("?".to_owned(), |tokens| number(tokens.into()));
    let sign = match row.used_as {
        Some(UsedAs::Primary) => "*",
        Some(UsedAs::Fallback) => "+",
        None => "",
    };
    let price = match row.cost {
        Some(cost) => format!("{} / {}", cost.input, cost.output),
        None if row.local => "on this machine".to_owned(),
        None => "?".to_owned(),
    };
    let key = match row.key {
        KeyState::Set => "set",
        KeyState::Missing => "missing",
        KeyState::NotNeeded => "not needed",
    };
    [
        sign.to_owned(),
        printable(&row.model),
        tokens(row.context_window),
        tokens(row.max_tokens),
        price,
        key.to_owned(),
    ]
}
