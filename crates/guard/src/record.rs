//! Decisions in the audit chain: how they are written, and how they are read again.
//!
//! Promises: what is written always fits, and says how much was left out. Arguments are never written, only their
//! digest: they may hold secrets. Leaves to others: the chain itself (`audit`).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tarsus_audit::{Audit, Entry, Filter, Record, Severity, check_line};
use tarsus_protocol::authorize::{Explanation, Inspector, Reason, Verdict};

use crate::activation::Activation;
use crate::authorize::{Call, CallDigest, Context};
use crate::error::GuardError;
use crate::shown::{cut, shown};
use crate::tools::{Tier, Tool};
use crate::voices;

/// Bytes of the reasons and active skills in one record, as JSON; the chain keeps 4 KiB of details.
const REASONS_BYTES: usize = 2_600;
const ACTIVE_BYTES: usize = 800;
/// Characters of one sentence; bytes of one command. Whatever they are, the strictest reason fits.
const LONGEST_SENTENCE: usize = 300;
const LONGEST_REMEDY: usize = 400;
/// The details that an explanation has places of their own for.
const OF_THE_REASONS: [&str; 4] = ["reasons", "leftOut", "active", "moreActive"];

/// What is written down about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// Refused because a community skill lacks a capability.
    CapabilityRefused,
    /// Refused because a community skill is there, whatever is granted.
    AlwaysDenied,
    /// The command of a community skill was refused its tool.
    DispatchRefused,
    /// Refused by something else.
    Refused,
    /// Permitted because enforcement is off.
    Bypassed,
    /// The owner is asked.
    Asked,
    /// The owner said yes.
    Approved,
    /// The owner said no.
    Declined,
}

impl Event {
    /// The event of a refusal, by its strictest reasons.
    pub(crate) fn refusal(call: &Call, context: &Context<'_>, reasons: &[Reason]) -> Self {
        let dispatcher = call.dispatched_by.as_ref().and_then(|skill| voices::of(skill, context.skills));
        let by_capabilities = reasons
            .iter()
            .any(|reason| reason.inspector == Inspector::Capabilities && reason.verdict == Verdict::Deny);
        match Tool::named(&call.tool).map(Tool::tier) {
            _ if !by_capabilities => Self::Refused,
            _ if dispatcher.is_some() => Self::DispatchRefused,
            Some(Tier::Denied) => Self::AlwaysDenied,
            _ => Self::CapabilityRefused,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::CapabilityRefused => "capability.refused",
            Self::AlwaysDenied => "tool.always-denied",
            Self::DispatchRefused => "dispatch.refused",
            Self::Refused => "tool.refused",
            Self::Bypassed => "enforcement.bypassed",
            Self::Asked => "approval.asked",
            Self::Approved | Self::Declined => "approval.answered",
        }
    }

    const fn severity(self) -> Severity {
        match self {
            Self::AlwaysDenied | Self::DispatchRefused | Self::CapabilityRefused | Self::Bypassed => {
                Severity::Warning
            }
            Self::Refused | Self::Asked | Self::Approved | Self::Declined => Severity::Info,
        }
    }

    const fn decision(self) -> &'static str {
        match self {
            Self::CapabilityRefused | Self::AlwaysDenied | Self::DispatchRefused | Self::Refused => "deny",
            Self::Bypassed => "allow",
            Self::Asked => "needs-approval",
            Self::Approved => "approved",
            Self::Declined => "declined",
        }
    }
}

/// The record of a decision.
pub(crate) fn entry(event: Event, call: &Call, context: &Context<'_>, reasons: &[Reason]) -> Entry {
    let skill = reasons.iter().find_map(|reason| reason.skill.clone());
    let mut line = Entry::security(event.name(), event.severity());
    line.agent_id = Some(context.agent.to_owned());
    line.session_key = Some(context.session.to_owned());
    line.run_id = context.run.map(str::to_owned);
    line.skill = skill;
    line.tool = Some(shown(&call.tool));
    line.decision = Some(event.decision().to_owned());
    line.reason = reasons.first().map(|reason| cut(&reason.message, LONGEST_SENTENCE));
    line.detail = detail(call, context.active, reasons);
    line
}

/// The record of an answer, which names the record of its question.
pub(crate) fn answer(
    event: Event,
    call: &Call,
    context: &Context<'_>,
    reasons: &[Reason],
    question: u64,
) -> Entry {
    let mut line = entry(event, call, context, reasons);
    line.detail.insert("asked".to_owned(), question.into());
    line
}

fn detail(call: &Call, active: &Activation, reasons: &[Reason]) -> Map<String, Value> {
    let mut room = REASONS_BYTES;
    let fitting: Vec<Value> = reasons
        .iter()
        .map(|reason| json!(short(reason)))
        .take_while(|reason| take(&mut room, reason))
        .collect();
    let left_out = reasons.len() - fitting.len();
    let mut room = ACTIVE_BYTES;
    let skills: Vec<Value> = active
        .skills()
        .map(|(skill, say)| {
            let how: Vec<&str> = say.how.iter().map(|how| how.described()).collect();
            json!(format!("{} ({}: {})", shown(&skill.name), say.tier, how.join(", ")))
        })
        .take_while(|skill| take(&mut room, skill))
        .collect();
    let more = active.skills().count() - skills.len();
    let mut detail = Map::new();
    detail.insert("reasons".to_owned(), fitting.into());
    detail.insert("leftOut".to_owned(), left_out.into());
    detail.insert("active".to_owned(), skills.into());
    if more > 0 || active.has_unknown() {
        detail.insert("moreActive".to_owned(), more.into());
    }
    if let Some(skill) = &call.dispatched_by {
        detail.insert("dispatchedBy".to_owned(), shown(&skill.name).into());
    }
    detail.insert("arguments".to_owned(), CallDigest::of(&call.tool, &call.arguments).to_hex().into());
    detail
}

/// Whether a value still fits.
fn take(room: &mut usize, value: &Value) -> bool {
    let length = value.to_string().len() + 1;
    let fits = length <= *room;
    *room = room.saturating_sub(length);
    fits
}

fn short(reason: &Reason) -> Reason {
    Reason {
        message: cut(&reason.message, LONGEST_SENTENCE).into(),
        skill: reason.skill.as_deref().map(shown),
        remedy: reason.remedy.clone().filter(|remedy| remedy.len() <= LONGEST_REMEDY),
        ..reason.clone()
    }
}

/// The recorded decision of a number, with its chain of reasons. Any record has an answer, one without reasons too.
///
/// # Errors
/// When there is no such record, or the chain cannot be read.
pub fn explain(audit: &Audit, id: u64) -> Result<Explanation, GuardError> {
    let newest = audit.tail(&Filter::default())?.records;
    // Numbers are given in order, so what is older than the newest ones is looked for from the beginning.
    let found = match newest.first() {
        Some(oldest) if id < oldest.seq => from_the_beginning(audit, id)?,
        _ => newest.into_iter().find(|record| record.seq == id),
    };
    let record = found.ok_or(GuardError::NoRecord { id })?;
    let unverified = unverified(audit, record.seq)?;
    Ok(Explanation { unverified, ..explanation(record) })
}

/// Why the record of a number cannot be relied on: the chain does not hold up to it.
fn unverified(audit: &Audit, seq: u64) -> Result<Option<String>, GuardError> {
    let found = audit.verify()?;
    Ok(found.first_bad.filter(|_| found.lines < seq).map(|bad| bad.to_string()))
}

fn from_the_beginning(audit: &Audit, id: u64) -> Result<Option<Record>, GuardError> {
    let mut sought = Sought { id, line: Vec::new(), found: None };
    let filter = Filter { limit: usize::try_from(id).ok(), ..Filter::default() };
    audit.export(&mut sought, &filter)?;
    Ok(sought.found)
}

/// Takes lines of the chain and keeps the record of one number.
struct Sought {
    id: u64,
    line: Vec<u8>,
    found: Option<Record>,
}

impl std::io::Write for Sought {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if let Some(line) = self.line.strip_suffix(b"\n") {
                self.found = self
                    .found
                    .take()
                    .or_else(|| check_line(line).ok().filter(|record| record.seq == self.id));
                self.line.clear();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What a record holds beside the chain of reasons, in words.
fn in_words(detail: &Map<String, Value>) -> BTreeMap<String, String> {
    let others =
        detail.iter().filter(|(key, value)| !OF_THE_REASONS.contains(&key.as_str()) && !value.is_null());
    others.map(|(key, value)| (shown(key), cut(&words(value), LONGEST_SENTENCE))).collect()
}

/// A text as it is, a list with commas, anything else as JSON has it.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(words).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

fn explanation(record: Record) -> Explanation {
    let Record { seq, ts, entry, .. } = record;
    let list = |key: &str| entry.detail.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let number = |key: &str| entry.detail.get(key).and_then(Value::as_u64).unwrap_or(0);
    // What a newer version wrote and this one does not know is counted.
    let (known, strange): (Vec<_>, Vec<_>) =
        list("reasons").into_iter().map(serde_json::from_value::<Reason>).partition(Result::is_ok);
    let mut active: Vec<String> =
        list("active").iter().filter_map(|skill| skill.as_str().map(str::to_owned)).collect();
    if entry.detail.contains_key("moreActive") {
        active.push(format!("and {} more", number("moreActive").max(1)));
    }
    Explanation {
        id: seq,
        ts: ts.to_string(),
        reasons: known.into_iter().flatten().collect(),
        left_out: number("leftOut") + strange.len() as u64,
        active,
        detail: in_words(&entry.detail),
        unverified: None,
        event: entry.event,
        decision: entry.decision,
        agent_id: entry.agent_id,
        session_key: entry.session_key,
        run_id: entry.run_id,
        tool: entry.tool,
        skill: entry.skill,
        app: entry.app,
        reason: entry.reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tarsus_home::{Choice, Home};

    #[test]
    fn a_record_older_than_the_newest_ones_is_found_from_the_beginning() {
        let dir = tempfile::tempdir().unwrap();
        let choice = Choice { state_flag: Some(dir.path().to_path_buf()), ..Choice::default() };
        let audit = Audit::open(&Home::locate(&choice).unwrap()).unwrap();
        for event in ["one", "two", "three"] {
            audit.record(Entry::security(event, Severity::Info), jiff::Timestamp::UNIX_EPOCH).unwrap();
        }
        for (id, event) in [(0, None), (1, Some("one")), (2, Some("two")), (3, Some("three")), (4, None)] {
            let found = from_the_beginning(&audit, id).unwrap();
            assert_eq!(found.map(|record| record.entry.event).as_deref(), event, "{id}");
        }
    }
}
