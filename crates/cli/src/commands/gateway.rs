//! `gateway`: running, starting, stopping, looking at and asking the gateway of a state folder.

mod call;
mod start;
mod status;
mod stop;

use tarsus_protocol::{ExitCode, Problem};

use super::up::{self, Greeting};
use crate::args::Gateway;
use crate::context::Context;
use crate::output::Output;

/// Carries out one step. An agent may look at the gateway that runs it, and no more.
pub fn run(step: &Gateway, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    if !matches!(step, Gateway::Status) {
        context.refuse_inside_an_agent("the commands that operate the gateway")?;
    }
    match step {
        Gateway::Run(listen) => up::run(listen, Greeting::Line, context, output),
        Gateway::Start(listen) => start::run(listen, context, output),
        Gateway::Stop => stop::run(context, output),
        Gateway::Restart(listen) => start::again(listen, context, output),
        Gateway::Status => status::run(context, output),
        Gateway::Call(call) => call::run(call, context, output),
    }
}
