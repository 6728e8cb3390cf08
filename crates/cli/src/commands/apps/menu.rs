//! The Application Manager's menu, and single requests in plain language. Both run the same conversation as the
//! chat.

use std::io;

use tarsus_apps::Registry;
use tarsus_apps::conversation::{
    Confirmation, Conversation, ConversationEvent, Language, Notice, Screen, StartScreen,
};
use tarsus_apps::manager::{ConversationOptions, ConversationUpdate};
use tarsus_protocol::apps::AppAnswer;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use super::launch;
use crate::commands::runtime;
use crate::context::Context;
use crate::input;
use crate::output::Output;

/// Runs the menu until `quit`, the end of the input, or until standard output is closed.
pub fn run(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let manager = super::manager(context)?;
    let options = options(context);
    let runtime = runtime()?;
    let mut lines = io::stdin().lock();
    let mut turn =
        runtime.block_on(manager.handle(Conversation::default(), ConversationEvent::Open, &options));
    loop {
        output.text(&turn.text())?;
        if !turn.conversation.is_open() {
            if !turn.passed_on {
                return Ok(ExitCode::Done);
            }
            // The conversation expired after a long pause; the menu starts it again.
            turn =
                runtime.block_on(manager.handle(Conversation::default(), ConversationEvent::Open, &options));
            continue;
        }
        if context.environment.stdin_is_terminal {
            output.bytes(b"\n> ")?;
        } else {
            output.bytes(b"\n")?;
        }
        if output.is_closed() {
            return Ok(ExitCode::Done);
        }
        let line = input::read_line(&mut lines)?;
        let event = line.as_deref().map_or(ConversationEvent::Ended, ConversationEvent::Line);
        turn = runtime.block_on(manager.handle(turn.conversation, event, &options));
    }
}

/// Runs one request as the first line of a chat.
pub fn ask(request: &str, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let manager = super::manager(context)?;
    let options = options(context);
    let talk = manager.handle(Conversation::default(), ConversationEvent::Line(request), &options);
    let turn = runtime()?.block_on(talk);
    if turn.passed_on {
        let (message, hint) = match options.locale {
            Language::English => (
                "this is not a request for the Application Manager",
                "ask to open or stop a registered app, or say \"application manager\"",
            ),
            Language::Chinese => (
                "这不是应用程序管理器能处理的请求",
                "可以请求打开或停止已注册的应用程序，或发送“应用程序管理器”",
            ),
        };
        return Err(Problem::new(ErrorCode::NotFound, message).hint(hint));
    }
    let exit = exit_code(&turn);
    let answer = AppAnswer { answer: turn.text(), run: turn.run };
    output.show(&answer, |answer| answer.answer.clone())?;
    Ok(exit)
}

fn options(context: &Context) -> ConversationOptions {
    ConversationOptions {
        registry_path: context.home.display(Registry::for_home(&context.home).path()),
        person: context.inside().is_none(),
        model: false,
        locale: Language::from_locale(&context.environment.locale()),
    }
}

/// The exit code of a request that cannot ask back.
fn exit_code(turn: &ConversationUpdate) -> ExitCode {
    if let Some(run) = &turn.run {
        return launch::exit_code(run.outcome);
    }
    let from_replies = turn.replies.iter().flat_map(|reply| &reply.notices).find_map(|notice| match notice {
        Notice::NotRegistered { .. } | Notice::Gone { .. } => Some(ExitCode::NotFound),
        Notice::Failed(problem) => Some(problem.code.exit()),
        _ => None,
    });
    let from_screen = || match turn.replies.last()?.screen.as_ref()? {
        Screen::Which { .. } | Screen::Confirm(Confirmation::Suggested { .. }) => Some(ExitCode::NotFound),
        Screen::Confirm(Confirmation::StopOff { .. }) => Some(ExitCode::Usage),
        Screen::Start { start: StartScreen::Broken(unreadable), .. } => Some(unreadable.problem.code.exit()),
        Screen::Start { start: StartScreen::Missing, .. } => Some(ExitCode::NotFound),
        _ => None,
    };
    from_replies.or_else(from_screen).unwrap_or(ExitCode::Done)
}
