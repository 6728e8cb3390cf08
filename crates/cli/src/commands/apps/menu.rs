//! The menu, and one request in plain words: lines in, pages out, the same conversation as the chat.

use std::io;

use tarsus_apps::Registry;
use tarsus_apps::conversation::{Conversation, Event, Language, Said, Screen, Start, YesNo};
use tarsus_apps::desk::{Surface, Talked};
use tarsus_protocol::apps::AppAnswer;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use super::launch;
use crate::commands::runtime;
use crate::context::Context;
use crate::input;
use crate::output::Output;

/// The menu, until `quit`, the end of the input, or the end of its reader: what nobody sees, nobody answers.
pub fn run(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    context.refuse_inside_an_agent("the menu")?;
    let desk = super::desk(context)?;
    let surface = surface(context);
    let runtime = runtime()?;
    let mut lines = io::stdin().lock();
    let mut talked = runtime.block_on(desk.talk(Conversation::default(), Event::Open, &surface));
    loop {
        output.text(&talked.text())?;
        if !talked.conversation.is_open() {
            if !talked.passed_on {
                return Ok(ExitCode::Done);
            }
            // After a long pause the conversation has ended by itself, but the menu is still here.
            talked = runtime.block_on(desk.talk(Conversation::default(), Event::Open, &surface));
            continue;
        }
        if context.environment.stdin_is_terminal {
            output.bytes(b"\n> ")?;
        } else {
            output.bytes(b"\n")?;
        }
        if output.is_unread() {
            return Ok(ExitCode::Done);
        }
        let line = input::line(&mut lines)?;
        let event = line.as_deref().map_or(Event::Ended, Event::Line);
        talked = runtime.block_on(desk.talk(talked.conversation, event, &surface));
    }
}

/// One request, as the first line of a chat.
pub fn ask(request: &str, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let desk = super::desk(context)?;
    let surface = surface(context);
    let talk = desk.talk(Conversation::default(), Event::Line(request), &surface);
    let talked = runtime()?.block_on(talk);
    if talked.passed_on {
        return Err(Problem::new(ErrorCode::NotFound, "this is no request to the Application Manager")
            .hint("ask to open or to stop a registered app, or for the \"application manager\""));
    }
    let exit = exit(&talked);
    let answer = AppAnswer { answer: talked.text(), run: talked.run };
    output.show(&answer, |answer| answer.answer.clone())?;
    Ok(exit)
}

fn surface(context: &Context) -> Surface {
    Surface {
        registry_path: context.home.display(Registry::of(&context.home).path()),
        person: context.inside().is_none(),
        model: false,
        locale: Language::of_locale(&context.environment.locale()),
    }
}

/// How a request ends that nobody can be asked back about.
fn exit(talked: &Talked) -> ExitCode {
    if let Some(run) = &talked.run {
        return launch::exit(run.outcome);
    }
    let said = talked.replies.iter().flat_map(|reply| &reply.said).find_map(|said| match said {
        Said::NotRegistered { .. } | Said::Gone { .. } => Some(ExitCode::NotFound),
        Said::Failed(problem) => Some(problem.code.exit()),
        _ => None,
    });
    let asked = || match talked.replies.last()?.screen.as_ref()? {
        Screen::Which { .. } | Screen::YesNo(YesNo::Suggested { .. }) => Some(ExitCode::NotFound),
        Screen::YesNo(YesNo::StopOff { .. }) => Some(ExitCode::Usage),
        Screen::Start { start: Start::Broken(problem), .. } => Some(problem.code.exit()),
        Screen::Start { start: Start::Missing, .. } => Some(ExitCode::NotFound),
        _ => None,
    };
    said.or_else(asked).unwrap_or(ExitCode::Done)
}
