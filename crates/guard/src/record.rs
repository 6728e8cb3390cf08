//! Writes decisions about calls to the audit chain, and explains recorded ones.
//!
//! A record always fits the chain's limit and counts what was left out. Arguments may hold secrets, so only their digest
//! is recorded.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tarsus_audit::{Audit, AuditEntry, Record, RecordFilter, RecordSeverity, check_line};
use tarsus_protocol::authorize::{Explanation, Inspector, Reason, Verdict};

use crate::activation::Activation;
use crate::authorize::{Call, CallContext, CallDigest};
use crate::error::GuardError;
use crate::sanitize::{sanitize, truncate};
use tarsus_protocol::tool::{ToolId, ToolTier};

/// Bytes of the reasons and active skills in one record, as JSON; the chain keeps 4 KiB of details.
const MAX_REASONS_BYTES: usize = 2_600;
const MAX_ACTIVE_BYTES: usize = 800;
/// Characters of one sentence; bytes of one command. Whatever they are, the strictest reason fits.
const MAX_MESSAGE_CHARS: usize = 300;
const MAX_REMEDY_BYTES: usize = 400;
/// Detail keys that an explanation shows in fields of their own.
const REASON_KEYS: [&str; 4] = ["reasons", "leftOut", "active", "moreActive"];

/// The kind of an audit record about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecisionEvent {
    /// Refused because a community skill lacks a capability.
    CapabilityRefused,
    /// Refused because a community skill is loaded, whatever is granted.
    AlwaysDenied,
    /// The command of a skill was refused its tool.
    DispatchRefused,
    /// Refused by another inspector.
    Refused,
    /// Permitted because enforcement is off.
    Bypassed,
    /// The owner is asked.
    Asked,
    /// The owner approved.
    Approved,
    /// The owner declined.
    Declined,
}

impl DecisionEvent {
    /// The event of a refusal, by its strictest reasons.
    pub(crate) fn refusal(call: &Call, reasons: &[Reason]) -> Self {
        if call.dispatched_by.is_some() {
            return Self::DispatchRefused;
        }
        let by_capabilities = reasons
            .iter()
            .any(|reason| reason.inspector == Inspector::Capabilities && reason.verdict == Verdict::Deny);
        match ToolId::from_name(&call.tool).map(ToolId::tier) {
            _ if !by_capabilities => Self::Refused,
            Some(ToolTier::Denied) => Self::AlwaysDenied,
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

    const fn severity(self) -> RecordSeverity {
        match self {
            Self::AlwaysDenied | Self::DispatchRefused | Self::CapabilityRefused | Self::Bypassed => {
                RecordSeverity::Warning
            }
            Self::Refused | Self::Asked | Self::Approved | Self::Declined => RecordSeverity::Info,
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

pub(crate) fn decision_entry(
    event: DecisionEvent,
    call: &Call,
    context: &CallContext<'_>,
    reasons: &[Reason],
) -> AuditEntry {
    let skill = reasons.iter().find_map(|reason| reason.skill.clone());
    let mut line = AuditEntry::security(event.name(), event.severity());
    line.agent_id = Some(context.agent.to_owned());
    line.session_key = Some(context.session.to_owned());
    line.run_id = context.run.map(str::to_owned);
    line.skill = skill;
    line.tool = Some(sanitize(&call.tool));
    line.decision = Some(event.decision().to_owned());
    line.reason = reasons.first().map(|reason| truncate(&reason.message, MAX_MESSAGE_CHARS));
    line.detail = decision_detail(call, context.active, reasons);
    line
}

/// The record of an answer, which names the record of its question.
pub(crate) fn answer_entry(
    event: DecisionEvent,
    call: &Call,
    context: &CallContext<'_>,
    reasons: &[Reason],
    question: u64,
) -> AuditEntry {
    let mut line = decision_entry(event, call, context, reasons);
    line.detail.insert("asked".to_owned(), question.into());
    line
}

fn decision_detail(call: &Call, active: &Activation, reasons: &[Reason]) -> Map<String, Value> {
    let mut room = MAX_REASONS_BYTES;
    let fitting: Vec<Value> = reasons
        .iter()
        .map(|reason| json!(shorten(reason)))
        .take_while(|reason| consume_if_fits(&mut room, reason))
        .collect();
    let left_out = reasons.len() - fitting.len();
    let mut room = MAX_ACTIVE_BYTES;
    let skills: Vec<Value> = active
        .skills()
        .map(|(id, skill)| {
            let causes: Vec<&str> = skill.causes.iter().map(|cause| cause.description()).collect();
            json!(format!("{} ({}: {})", sanitize(&id.name), skill.tier, causes.join(", ")))
        })
        .take_while(|skill| consume_if_fits(&mut room, skill))
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
        detail.insert("dispatchedBy".to_owned(), sanitize(&skill.name).into());
    }
    detail.insert("arguments".to_owned(), CallDigest::new(&call.tool, &call.arguments).to_hex().into());
    detail
}

fn consume_if_fits(room: &mut usize, value: &Value) -> bool {
    let length = value.to_string().len() + 1;
    let fits = length <= *room;
    *room = room.saturating_sub(length);
    fits
}

fn shorten(reason: &Reason) -> Reason {
    Reason {
        message: truncate(&reason.message, MAX_MESSAGE_CHARS).into(),
        skill: reason.skill.as_deref().map(sanitize),
        remedy: reason.remedy.clone().filter(|remedy| remedy.len() <= MAX_REMEDY_BYTES),
        ..reason.clone()
    }
}

/// Explains the record `id` with all its reasons. Records that are no decisions are explained, too.
///
/// # Errors
/// If there is no such record, or the chain cannot be read.
pub fn explain(audit: &Audit, id: u64) -> Result<Explanation, GuardError> {
    let newest = audit.tail(&RecordFilter::default())?.records;
    // Sequence numbers ascend, so an older record is searched from the start of the chain.
    let found = match newest.first() {
        Some(oldest) if id < oldest.seq => find_from_start(audit, id)?,
        _ => newest.into_iter().find(|record| record.seq == id),
    };
    let record = found.ok_or(GuardError::NoRecord { id })?;
    let unverified = verification_failure(audit, record.seq)?;
    Ok(Explanation { unverified, ..explanation(record) })
}

/// Returns why a record cannot be trusted: the chain is broken before or at it.
fn verification_failure(audit: &Audit, seq: u64) -> Result<Option<String>, GuardError> {
    let found = audit.verify()?;
    Ok(found.first_bad.filter(|_| found.lines < seq).map(|bad| bad.to_string()))
}

fn find_from_start(audit: &Audit, id: u64) -> Result<Option<Record>, GuardError> {
    let mut sought = RecordFinder { id, line: Vec::new(), found: None };
    let filter = RecordFilter { limit: usize::try_from(id).ok(), ..RecordFilter::default() };
    audit.export(&mut sought, &filter)?;
    Ok(sought.found)
}

/// A writer that receives the exported lines and keeps one record.
struct RecordFinder {
    id: u64,
    line: Vec<u8>,
    found: Option<Record>,
}

impl std::io::Write for RecordFinder {
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

/// The remaining details of a record, as text.
fn detail_text(detail: &Map<String, Value>) -> BTreeMap<String, String> {
    let others =
        detail.iter().filter(|(key, value)| !REASON_KEYS.contains(&key.as_str()) && !value.is_null());
    others.map(|(key, value)| (sanitize(key), truncate(&value_text(value), MAX_MESSAGE_CHARS))).collect()
}

/// Strings as they are, lists joined by commas, anything else as JSON.
fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(value_text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

fn explanation(record: Record) -> Explanation {
    let Record { seq, ts, entry, .. } = record;
    let list = |key: &str| entry.detail.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let number = |key: &str| entry.detail.get(key).and_then(Value::as_u64).unwrap_or(0);
    // Reasons of a newer version that cannot be read are counted as left out.
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
        detail: detail_text(&entry.detail),
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
    use tarsus_home::{Home, HomeOptions};

    #[test]
    fn old_record_is_found_from_the_start() {
        let dir = tempfile::tempdir().unwrap();
        let choice = HomeOptions { state_flag: Some(dir.path().to_path_buf()), ..HomeOptions::default() };
        let audit = Audit::open(&Home::locate(&choice).unwrap(), None).unwrap();
        for event in ["one", "two", "three"] {
            audit
                .record(AuditEntry::security(event, RecordSeverity::Info), jiff::Timestamp::UNIX_EPOCH)
                .unwrap();
        }
        for (id, event) in [(0, None), (1, Some("one")), (2, Some("two")), (3, Some("three")), (4, None)] {
            let found = find_from_start(&audit, id).unwrap();
            assert_eq!(found.map(|record| record.entry.event).as_deref(), event, "{id}");
        }
    }
}
