//! `gateway`: runs, starts, stops, inspects and calls the gateway of a state folder.

mod call;
mod start;
mod status;
mod stop;

use tarsus_protocol::{ExitCode, Problem};

use super::up::{self, Greeting};
use crate::args::Gateway;
use crate::context::Context;
use crate::output::Output;

pub fn run(step: &Gateway, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    match step {
        Gateway::Run(listen) => up::run(listen, Greeting::Line, context, output),
        Gateway::Start(listen) => start::run(listen, context, output),
        Gateway::Stop => stop::run(context, output),
        Gateway::Restart(listen) => start::restart(listen, context, output),
        Gateway::Status => status::run(context, output),
        Gateway::Call(call) => call::run(call, context, output),
    }
}
