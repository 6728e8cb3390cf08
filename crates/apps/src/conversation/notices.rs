//! The notices of a reply in words.

use super::faults::FaultTexts;
use super::language::Language;
use super::page::{Writer, short, whole};
use super::problems;
use super::reply::{Notice, PolicyRow, RegistryCheck};
use super::request::AppVerb;
use super::run_errors;
use super::state::EntryAction;
use super::texts::fill;
use crate::access::{AccessDenied, DenialReason};
use crate::run::{LaunchOutcome, Launched, ProcessEnd, Stopped, StoppedProcess, is_shorthand_path};
use crate::{AppGroup, AppMode};

pub(super) fn write(page: &mut Writer, notice: &Notice, language: Language) {
    let texts = page.texts;
    let faults = FaultTexts(language);
    match notice {
        Notice::Created => page.line(texts.created),
        Notice::Saved { action, name } => {
            let sentence = match action {
                EntryAction::Add => texts.added,
                EntryAction::Edit | EntryAction::Policy => texts.saved,
                EntryAction::Delete => texts.deleted,
            };
            page.fill(sentence, &[("name", &short(name))]);
        }
        Notice::NothingDone => page.line(texts.nothing_done),
        Notice::NotSaved { action: EntryAction::Delete } => page.line(texts.not_deleted),
        Notice::NotSaved { .. } => page.line(texts.not_saved),
        Notice::NothingToChange => page.line(texts.nothing_to_change),
        Notice::ChangedMeanwhile => page.line(texts.changed_meanwhile),
        Notice::Launched { name, launched: launch } => launched(page, name, launch, language),
        Notice::Stopped { name, stopped: stop } => stopped(page, name, stop, language),
        Notice::Refused { verb, denied } => refused(page, *verb, denied, &faults),
        Notice::Warned { faults: odd } => page.fill(texts.warned, &[("reasons", &short(&faults.list(odd)))]),
        Notice::Failed(problem) => problems::write(page, problem, language),
        Notice::OutcomeUnknown => page.line(texts.unknown_outcome),
        Notice::List { rows, more } => list(page, rows, *more, &faults),
        Notice::Checked(check) => checked(page, check, &faults),
        Notice::Details(app) => {
            page.line(short(&app.name));
            page.values(app, &faults);
        }
        Notice::WhoMayLaunch(row) => who_may_launch(page, row, &faults),
        Notice::NotRegistered { name, offer_menu } => {
            page.fill(texts.not_registered, &[("name", &short(name))]);
            if *offer_menu {
                page.line(texts.to_open_menu);
            }
        }
        Notice::Gone { name } => page.fill(texts.gone, &[("name", &short(name))]),
        Notice::NothingRegistered => page.line(texts.nothing_registered),
        Notice::NotAChoice { text } => page.fill(texts.not_a_choice, &[("text", &short(text))]),
        Notice::NoSuchNumber { number } => {
            page.fill(texts.no_such_number, &[("number", &number.to_string())])
        }
        Notice::AnswerYesOrNo => page.line(texts.answer_yes_no),
        Notice::Required => page.line(texts.required),
        Notice::OneLine => page.line(texts.one_line),
        Notice::TooLong { limit } => page.fill(texts.too_long, &[("limit", &limit.to_string())]),
        Notice::UnknownMode => page.line(texts.not_a_mode),
        Notice::AgentsNeeded => page.line(texts.agents_needed),
        Notice::AlsoNeeded => page.line(texts.also_needed),
        Notice::PathMissing { path } => {
            let sentence = if is_shorthand_path(path) { texts.path_short } else { texts.path_missing };
            page.fill(sentence, &[("path", &whole(path))]);
        }
        Notice::Goodbye => page.line(texts.goodbye),
    }
}

fn launched(page: &mut Writer, name: &str, launched: &Launched, language: Language) {
    let texts = page.texts;
    let name = short(name);
    match &launched.outcome {
        LaunchOutcome::Started { pids } => {
            page.fill(texts.started, &[("name", &name), ("pids", &numbers(pids))]);
        }
        LaunchOutcome::Requested { process: None } => page.fill(texts.requested, &[("name", &name)]),
        LaunchOutcome::Requested { process: Some(process) } => {
            page.fill(texts.requested_unseen, &[("name", &name), ("process", &short(process))]);
        }
        LaunchOutcome::AlreadyRunning { pids } => {
            page.fill(texts.already_running, &[("name", &name), ("pids", &numbers(pids))]);
        }
        LaunchOutcome::StartedAnother { pids, before } => {
            let values = [("name", name.as_str()), ("pids", &numbers(pids)), ("before", &numbers(before))];
            page.fill(texts.started_another, &values);
        }
        LaunchOutcome::Failed(error) => {
            let error = whole(&run_errors::launch_error(error, language));
            page.fill(texts.launch_failed, &[("name", &name), ("error", &error)]);
        }
    }
    if let Some(error) = &launched.retry_of {
        page.fill(texts.retried, &[("error", &whole(&run_errors::launch_error(error, language)))]);
    }
    if !launched.launcher.is_empty() {
        let launcher: Vec<_> = launched.launcher.iter().map(|word| word.to_string_lossy()).collect();
        page.fill(texts.launcher, &[("launcher", &whole(&launcher.join(" ")))]);
    }
}

fn stopped(page: &mut Writer, name: &str, stopped: &Stopped, language: Language) {
    let texts = page.texts;
    let name = short(name);
    let processes = match stopped {
        Stopped::NoStopData => return page.fill(texts.no_stop_data, &[("name", &name)]),
        Stopped::NotRunning => return page.fill(texts.not_running, &[("name", &name)]),
        Stopped::Processes(processes) => processes,
    };
    for (sentence, end) in [(texts.closed, ProcessEnd::Closed), (texts.killed, ProcessEnd::Killed)] {
        let pids: Vec<u32> =
            processes.iter().filter(|process| process.end == end).map(|process| process.pid).collect();
        if !pids.is_empty() {
            page.fill(sentence, &[("name", &name), ("pids", &numbers(&pids))]);
        }
    }
    for StoppedProcess { pid, end } in processes {
        if let ProcessEnd::StillRunning(error) = end {
            let error = whole(&run_errors::stop_error(error, language));
            let values = [("name", name.as_str()), ("pid", &pid.to_string()), ("error", &error)];
            page.fill(texts.left, &values);
        }
    }
}

fn numbers(pids: &[u32]) -> String {
    let pids: Vec<String> = pids.iter().map(u32::to_string).collect();
    pids.join(", ")
}

fn refused(page: &mut Writer, verb: AppVerb, denied: &AccessDenied, faults: &FaultTexts) {
    let texts = page.texts;
    let sentence = if verb == AppVerb::Stop { texts.refused_stop } else { texts.refused_launch };
    page.fill(sentence, &[("agent", &short(&denied.agent)), ("name", &short(&denied.app))]);
    match &denied.reason {
        DenialReason::Off | DenialReason::OffNeedsYes => page.line(texts.refused_off),
        DenialReason::NotListed { listed } => {
            page.fill(texts.refused_list, &[("agents", &short(&listed.join(", ")))])
        }
        DenialReason::Unusable(wrong) => {
            page.fill(texts.refused_entry, &[("reasons", &short(&faults.list(wrong)))]);
            page.line(texts.to_repair);
            return;
        }
    }
    page.line(texts.to_allow);
}

fn who_may_launch(page: &mut Writer, row: &PolicyRow, faults: &FaultTexts) {
    let texts = page.texts;
    let name = short(&row.name);
    let Some(entry) = &row.entry else {
        let reasons = short(&faults.list(&row.faults));
        page.fill(texts.who_entry, &[("name", &name), ("reasons", &reasons)]);
        return;
    };
    match entry.mode {
        AppMode::Full => page.fill(texts.who_full, &[("name", &name)]),
        AppMode::Off => page.fill(texts.who_off, &[("name", &name)]),
        AppMode::Allowlist => {
            let agents = whole(&entry.allowed_agents().join(", "));
            page.fill(texts.who_list, &[("name", &name), ("agents", &agents)]);
        }
    }
}

fn list(page: &mut Writer, rows: &[PolicyRow], more: usize, faults: &FaultTexts) {
    let texts = page.texts;
    page.line(if rows.is_empty() { texts.nothing_registered } else { texts.list_title });
    for row in rows {
        let who = match &row.entry {
            Some(entry) => {
                let agents = match entry.mode {
                    AppMode::Full => texts.list_full.to_owned(),
                    AppMode::Off => texts.list_off.to_owned(),
                    AppMode::Allowlist => entry.allowed_agents().join(", "),
                };
                format!("{}{}", entry.mode, fill(texts.badge, &[("badge", &agents)]))
            }
            None => faults.list(&row.faults),
        };
        page.line(format!("- {}: {}", short(&row.name), short(&who)));
    }
    if more > 0 {
        page.fill(texts.more, &[("count", &more.to_string())]);
    }
}

fn checked(page: &mut Writer, check: &RegistryCheck, faults: &FaultTexts) {
    let texts = page.texts;
    page.line(texts.validate_title);
    for group in &check.groups {
        let name = match group.group {
            AppGroup::Valid => texts.valid,
            AppGroup::Incomplete => texts.incomplete,
            AppGroup::Malformed => texts.malformed,
            AppGroup::PolicyMismatch => texts.mismatch,
        };
        page.line(format!("{name}: {}", group.count));
        for (entry, wrong) in &group.entries {
            let entry = short(entry);
            page.line(match wrong.as_slice() {
                [] => format!("- {entry}"),
                wrong => format!("- {entry}: {}", short(&faults.list(wrong))),
            });
        }
        let more = group.count - group.entries.len();
        if more > 0 {
            page.fill(texts.more, &[("count", &more.to_string())]);
        }
    }
}
