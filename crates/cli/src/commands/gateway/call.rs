//! `gateway call`: one request, its answer as JSON.

use std::time::Duration;

use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use crate::args::Call;
use crate::context::Context;
use crate::gateway;
use crate::output::Output;

/// Asks, and prints what is answered.
pub fn run(call: &Call, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let mut client = gateway::connect(context)?;
    let timeout = Duration::from_secs(call.timeout);
    let answer = client
        .call(&call.method, call.params.clone(), timeout)
        .map_err(|problem| explained(problem, &call.method, &client.hello.features.methods))?;
    output.json(&answer)?;
    Ok(ExitCode::Done)
}

/// Says what there is when the method is unknown, and what to look at when the parameters are wrong.
fn explained(mut problem: Problem, method: &str, methods: &[String]) -> Problem {
    if !methods.iter().any(|known| known == method) {
        problem.code = ErrorCode::NotFound;
        return problem.hint(format!("this gateway has {}", similar(method, methods).join(", ")));
    }
    match problem.code {
        ErrorCode::Usage if problem.hint.is_none() => {
            problem.hint("`tarsus docs gateway` lists the methods; what they take is in the message")
        }
        ErrorCode::TimedOut => {
            problem.hint("allow more time with --timeout; what was asked for may still be done")
        }
        _ => problem,
    }
}

/// The methods of the same family; where there are none, the families.
fn similar(method: &str, methods: &[String]) -> Vec<String> {
    let family = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let wanted = family(method);
    let near: Vec<String> = methods.iter().filter(|name| family(name) == wanted).cloned().collect();
    if !near.is_empty() {
        return near;
    }
    let mut families: Vec<String> = methods
        .iter()
        .map(|name| if name.contains('.') { format!("{}.…", family(name)) } else { name.clone() })
        .collect();
    families.sort();
    families.dedup();
    families
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_method_is_answered_with_its_family_or_with_all_families() {
        let methods = ["config.get", "config.set", "health", "skills.status"].map(str::to_owned);
        assert_eq!(similar("config.gte", &methods), ["config.get", "config.set"]);
        assert_eq!(similar("healht", &methods), ["config.…", "health", "skills.…"]);
    }
}
