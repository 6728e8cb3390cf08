//! `gateway call`: sends one request and prints the response as JSON.

use std::time::Duration;

use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use crate::args::Call;
use crate::context::Context;
use crate::gateway;
use crate::output::Output;

pub fn run(call: &Call, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let mut client = gateway::connect(context)?;
    let timeout = Duration::from_secs(call.timeout);
    let answer = client
        .call_untyped(&call.method, call.params.clone(), timeout)
        .map_err(|problem| with_hint(problem, &call.method, &client.hello.features.methods))?;
    output.json(&answer)?;
    Ok(ExitCode::Done)
}

/// Adds a hint: known methods for an unknown one, or where to look for parameters and timeouts.
fn with_hint(mut problem: Problem, method: &str, methods: &[String]) -> Problem {
    if !methods.iter().any(|known| known == method) {
        problem.code = ErrorCode::NotFound;
        return problem.hint(format!("this gateway has {}", similar_methods(method, methods).join(", ")));
    }
    match problem.code {
        ErrorCode::Usage if problem.hint.is_none() => {
            problem.hint("`tarsus docs gateway` lists the methods; the message names the expected parameters")
        }
        ErrorCode::TimedOut => problem.hint("allow more time with --timeout; the request may still complete"),
        _ => problem,
    }
}

/// Methods with the same prefix; if there are none, all prefixes.
fn similar_methods(method: &str, methods: &[String]) -> Vec<String> {
    let family = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let prefix = family(method);
    let siblings: Vec<String> = methods.iter().filter(|name| family(name) == prefix).cloned().collect();
    if !siblings.is_empty() {
        return siblings;
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
    fn similar_methods_share_a_prefix_or_list_all_prefixes() {
        let methods = ["config.get", "config.set", "health", "skills.status"].map(str::to_owned);
        assert_eq!(similar_methods("config.gte", &methods), ["config.get", "config.set"]);
        assert_eq!(similar_methods("healht", &methods), ["config.…", "health", "skills.…"]);
    }
}
