//! What happened, in words.

use super::language::Language;
use super::page::{Writer, short, whole};
use super::problems;
use super::reasons::Reasons;
use super::reply::{Check, LaunchResult, Row, Said, StopResult};
use super::request::Deed;
use super::state::Action;
use crate::access::{Denied, Why};
use crate::run::is_short;
use crate::validate::Group;
use crate::{Mode, Policy};

pub(super) fn write(page: &mut Writer, said: &Said, language: Language) {
    let texts = page.texts;
    let reasons = Reasons(language);
    match said {
        Said::Created => page.line(texts.created),
        Said::Saved { action, name } => {
            let sentence = match action {
                Action::Add => texts.added,
                Action::Edit | Action::Policy => texts.saved,
                Action::Delete => texts.deleted,
            };
            page.fill(sentence, &[("name", &short(name))]);
        }
        Said::NothingDone => page.line(texts.nothing_done),
        Said::NothingToChange => page.line(texts.nothing_to_change),
        Said::ChangedMeanwhile => page.line(texts.changed_meanwhile),
        Said::Launched { name, launcher, retried, result } => {
            launched(page, name, launcher, retried.as_deref(), result, language)
        }
        Said::Stopped { name, result } => stopped(page, name, result),
        Said::Refused { deed, denied } => refused(page, *deed, denied, &reasons),
        Said::Warned { reasons: odd } => page.fill(texts.warned, &[("reasons", &short(&reasons.list(odd)))]),
        Said::Failed(problem) => problems::write(page, problem, language),
        Said::OutcomeUnknown => page.line(texts.unknown_outcome),
        Said::List { rows, more } => list(page, rows, *more, &reasons),
        Said::Checked(check) => checked(page, check, &reasons),
        Said::Details(app) => {
            page.line(short(&app.name));
            page.values(app, &reasons);
        }
        Said::NotRegistered { asked, offer_menu } => {
            page.fill(texts.not_registered, &[("asked", &short(asked))]);
            if *offer_menu {
                page.line(texts.to_open_menu);
            }
        }
        Said::Gone { name } => page.fill(texts.gone, &[("name", &short(name))]),
        Said::NothingRegistered => page.line(texts.nothing_registered),
        Said::NotAChoice { text } => page.fill(texts.not_a_choice, &[("text", &short(text))]),
        Said::NoSuchNumber { number } => page.fill(texts.no_such_number, &[("number", &number.to_string())]),
        Said::AnswerYesOrNo => page.line(texts.answer_yes_no),
        Said::Required => page.line(texts.required),
        Said::OneLine => page.line(texts.one_line),
        Said::TooLong { limit } => page.fill(texts.too_long, &[("limit", &limit.to_string())]),
        Said::NotAMode => page.line(texts.not_a_mode),
        Said::AgentsNeeded => page.line(texts.agents_needed),
        Said::AlsoNeeded => page.line(texts.also_needed),
        Said::PathMissing { path } => {
            let sentence = if is_short(path) { texts.path_short } else { texts.path_missing };
            page.fill(sentence, &[("path", &whole(path))]);
        }
        Said::Goodbye => page.line(texts.goodbye),
    }
}

fn launched(
    page: &mut Writer,
    name: &str,
    launcher: &[String],
    retried: Option<&str>,
    result: &LaunchResult,
    language: Language,
) {
    let texts = page.texts;
    let name = short(name);
    match result {
        LaunchResult::Started { pids } => {
            page.fill(texts.started, &[("name", &name), ("pids", &numbers(pids))])
        }
        LaunchResult::Requested { process: None } => page.fill(texts.requested, &[("name", &name)]),
        LaunchResult::Requested { process: Some(process) } => {
            page.fill(texts.requested_unseen, &[("name", &name), ("process", &short(process))]);
        }
        LaunchResult::AlreadyRunning { pids } => {
            page.fill(texts.already_running, &[("name", &name), ("pids", &numbers(pids))]);
        }
        LaunchResult::Failed { code, error } => {
            let error = problems::with_kind(*code, &whole(error), language);
            page.fill(texts.launch_failed, &[("name", &name), ("error", &error)]);
        }
    }
    if let Some(error) = retried {
        page.fill(texts.retried, &[("error", &whole(error))]);
    }
    if !launcher.is_empty() {
        page.fill(texts.launcher, &[("launcher", &whole(&launcher.join(" ")))]);
    }
}

fn stopped(page: &mut Writer, name: &str, result: &StopResult) {
    let texts = page.texts;
    let name = short(name);
    match result {
        StopResult::NoStopData => page.fill(texts.no_stop_data, &[("name", &name)]),
        StopResult::NotRunning => page.fill(texts.not_running, &[("name", &name)]),
        StopResult::Ended { closed, killed, left } => {
            for (sentence, pids) in [(texts.closed, closed), (texts.killed, killed)] {
                if !pids.is_empty() {
                    page.fill(sentence, &[("name", &name), ("pids", &numbers(pids))]);
                }
            }
            for (pid, error) in left {
                let values = [("name", name.as_str()), ("pid", &pid.to_string()), ("error", &whole(error))];
                page.fill(texts.left, &values);
            }
        }
    }
}

fn numbers(pids: &[u32]) -> String {
    let pids: Vec<String> = pids.iter().map(u32::to_string).collect();
    pids.join(", ")
}

fn refused(page: &mut Writer, deed: Deed, denied: &Denied, reasons: &Reasons) {
    let texts = page.texts;
    let sentence = if deed == Deed::Stop { texts.refused_stop } else { texts.refused_launch };
    page.fill(sentence, &[("agent", &short(&denied.agent)), ("name", &short(&denied.app))]);
    match &denied.why {
        Why::Off | Why::OffNeedsYes => page.line(texts.refused_off),
        Why::NotListed { listed } => page.fill(texts.refused_list, &[("agents", &short(&listed.join(", ")))]),
        Why::Unusable(wrong) => {
            page.fill(texts.refused_entry, &[("reasons", &short(&reasons.list(wrong)))]);
            page.line(texts.to_repair);
            return;
        }
    }
    page.line(texts.to_allow);
}

fn list(page: &mut Writer, rows: &[Row], more: usize, reasons: &Reasons) {
    let texts = page.texts;
    page.line(if rows.is_empty() { texts.nothing_registered } else { texts.list_title });
    for row in rows {
        let who = match &row.policy {
            Some(Policy::Full) => format!("{} ({})", Mode::Full, texts.list_full),
            Some(Policy::Off) => format!("{} ({})", Mode::Off, texts.list_off),
            Some(Policy::Allowlist(agents)) => {
                format!("{} ({})", Mode::Allowlist, agents.as_slice().join(", "))
            }
            None => reasons.list(&row.reasons),
        };
        page.line(format!("- {}: {}", short(&row.name), short(&who)));
    }
    if more > 0 {
        page.fill(texts.more, &[("count", &more.to_string())]);
    }
}

fn checked(page: &mut Writer, check: &Check, reasons: &Reasons) {
    let texts = page.texts;
    page.line(texts.validate_title);
    for group in &check.groups {
        let name = match group.group {
            Group::Valid => texts.valid,
            Group::Incomplete => texts.incomplete,
            Group::Malformed => texts.malformed,
            Group::PolicyMismatch => texts.mismatch,
        };
        page.line(format!("{name}: {}", group.count));
        for (entry, wrong) in &group.entries {
            let entry = short(entry);
            page.line(match wrong.as_slice() {
                [] => format!("- {entry}"),
                wrong => format!("- {entry}: {}", short(&reasons.list(wrong))),
            });
        }
        let more = group.count - group.entries.len();
        if more > 0 {
            page.fill(texts.more, &[("count", &more.to_string())]);
        }
    }
}
