//! `explain`: shows a record of the audit chain with every reason of the decision.

use jiff::tz::TimeZone;
use tarsus_guard::GuardError;
use tarsus_protocol::authorize::{Explanation, Reason, Verdict};
use tarsus_protocol::{ExitCode, Problem};

use crate::context::Context;
use crate::output::Output;
use crate::text::{columns, count, printable};

/// Prints the record of this number.
pub fn run(id: u64, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let Some(audit) = context.existing_audit()? else {
        return Err(GuardError::NoRecord { id }.into());
    };
    let explanation = tarsus_guard::explain(&audit, id)?;
    output.show(&explanation, text)?;
    Ok(ExitCode::Done)
}

fn text(explanation: &Explanation) -> String {
    let decision = explanation.decision.as_deref().map(|word| format!("  {}", printable(word)));
    let mut text =
        format!("{}  {}{}\n\n", explanation.id, printable(&explanation.event), decision.unwrap_or_default());
    let known = [
        ("When", Some(local_time(&explanation.ts))),
        ("Agent", explanation.agent_id.clone()),
        ("Session", explanation.session_key.clone()),
        ("Run", explanation.run_id.clone()),
        ("Tool", explanation.tool.clone()),
        ("Skill", explanation.skill.clone()),
        ("App", explanation.app.clone()),
        ("Why", explanation.reason.clone()),
    ];
    let mut rows: Vec<[String; 2]> = known
        .into_iter()
        .filter_map(|(label, value)| Some([format!("  {label}"), printable(&value?)]))
        .collect();
    let more = explanation.detail.iter().map(|(label, value)| [format!("  {label}"), value.clone()]);
    rows.extend(more.map(|row| row.map(|cell| printable(&cell))));
    text.push_str(&columns(&rows));
    if let Some(why) = &explanation.unverified {
        text.push_str(&format!("\nthis record is not trustworthy: {}\n", printable(why)));
    }
    if !explanation.reasons.is_empty() {
        text.push_str("\nReasons\n");
        explanation.reasons.iter().for_each(|reason| text.push_str(&reason_text(reason)));
    }
    if explanation.left_out > 0 {
        let left = usize::try_from(explanation.left_out).unwrap_or(usize::MAX);
        text.push_str(&format!("  {} not stored in the record\n", count(left, "more reason")));
    }
    if !explanation.active.is_empty() {
        text.push_str("\nActive skills\n");
        explanation.active.iter().for_each(|skill| text.push_str(&format!("  {}\n", printable(skill))));
    }
    text
}

fn reason_text(reason: &Reason) -> String {
    let sign = match reason.verdict {
        Verdict::Allow => '+',
        Verdict::Ask => '?',
        Verdict::Deny => 'x',
    };
    let mut text = format!("  {sign} {}\n", printable(&reason.message));
    if let Some(remedy) = &reason.remedy {
        text.push_str(&format!("    to allow  {}\n", printable(remedy)));
    }
    text
}

/// Formats a timestamp in local time; other text is returned unchanged.
fn local_time(ts: &str) -> String {
    let read: Result<jiff::Timestamp, _> = ts.parse();
    read.map_or_else(
        |_| ts.to_owned(),
        |moment| moment.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
    )
}
