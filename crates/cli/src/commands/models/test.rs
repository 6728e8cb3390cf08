//! `models test`: sends a short question to a model.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use tarsus_models::{
    Delta, LanguageModel, Model, ModelConnections, ModelError, ModelLimits, ModelRequest, ModelResponse,
    suggest_model,
};
use tarsus_protocol::models::ModelTest;
use tarsus_protocol::{Block, ErrorCode, ExitCode, Message, Problem, Role};

use super::{ModelSetup, no_model_problem, parse_model_name};
use crate::commands::runtime;
use crate::context::Context;
use crate::output::Output;
use crate::text::{duration, number, truncate};

pub(super) fn run(model: Option<&str>, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let setup = ModelSetup::new(context)?;
    let variables = |name: &str| context.variable(name);
    let model = match (model, setup.chosen_models().into_iter().next()) {
        (Some(model), _) => parse_model_name(model)?,
        (None, Some(chosen)) => chosen.or_else(|text| parse_model_name(&text))?,
        (None, None) => {
            suggest_model(&setup.find_local_servers()?, &variables).ok_or_else(no_model_problem)?
        }
    };
    let with_model =
        |problem: Problem| Problem { message: format!("{model}: {}", problem.message), ..problem };
    let model = setup.catalog.model(&model).map_err(|failure| with_model(failure.into()))?;
    let connections = ModelConnections::new(ModelLimits::DEFAULT, context.clock.clone());
    let opened = connections.open(model.clone(), &context.home, &variables);
    let test = runtime()?.block_on(async {
        let remote = opened.await?;
        ask(&remote, &model, context).await
    });
    let test = test.map_err(|failure| with_model(failure.into()))?;
    if test.text.trim().is_empty() {
        return Err(Problem::new(ErrorCode::Failed, format!("{} returned an empty answer", test.model))
            .hint("try it again, or choose another model with `tarsus models set`"));
    }
    output.show(&test, text)?;
    Ok(ExitCode::Done)
}

async fn ask(remote: &dyn LanguageModel, model: &Model, context: &Context) -> Result<ModelTest, ModelError> {
    let question = Block::text("Answer with the one word: ready");
    let message = Message { role: Role::User, content: vec![question], timestamp: None };
    let request = ModelRequest { messages: vec![message], ..ModelRequest::default() };
    let start = context.clock.monotonic();
    let since = |start: Instant| context.clock.monotonic().saturating_duration_since(start);
    let mut deltas = remote.stream(Arc::new(request));
    let (mut answer, mut first) = (ModelResponse::default(), None);
    while let Some(delta) = deltas.next().await {
        let delta = delta?;
        if matches!(delta, Delta::Text(_) | Delta::Reasoning(_)) {
            first.get_or_insert_with(|| since(start));
        }
        answer.push(&delta);
    }
    let total = since(start);
    let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let cost = model.info.price.zip(answer.usage).map(|(price, usage)| price.cost(&usage) as f64 / 1e9);
    Ok(ModelTest {
        model: model.name.to_string(),
        text: answer.message(None).text(),
        first_ms: ms(first.unwrap_or(total)),
        total_ms: ms(total),
        input: answer.usage.map(|usage| usage.total() - u64::from(usage.output)),
        output: answer.usage.map(|usage| usage.output.into()),
        cost,
    })
}

fn text(test: &ModelTest) -> String {
    let took = |ms: u64| match Duration::from_millis(ms) {
        time if time < Duration::from_secs(10) => format!("{ms} ms"),
        time => duration(time),
    };
    let mut text = format!("{} answered: {}\n", test.model, truncate(&test.text, 80));
    text.push_str(&format!(
        "  first token after {}, complete after {}\n",
        took(test.first_ms),
        took(test.total_ms)
    ));
    if let (Some(input), Some(output)) = (test.input, test.output) {
        let cost = test.cost.map(|cost| format!(", ${cost:.6}")).unwrap_or_default();
        text.push_str(&format!("  {} input tokens, {} output tokens{cost}\n", number(input), number(output)));
    }
    text
}
