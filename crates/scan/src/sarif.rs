//! SARIF 2.1.0 export, for code hosts and editors.

use serde_json::{Value, json};
use tarsus_protocol::scan::{Finding, ScanReport, Segment, Severity};
use tarsus_text::hex;

use crate::rule::Detection;
use crate::ruleset::Ruleset;

/// Builds one log of several reports. Paths of findings are relative to the path of their report; accepted findings are
/// suppressed, not omitted.
#[must_use]
pub fn log(reports: &[ScanReport], rules: &Ruleset, version: &str) -> Value {
    let described: Vec<_> = rules
        .rules()
        .map(|(family, rule)| {
            json!({
                "id": rule.id,
                "shortDescription": { "text": rule.title },
                "fullDescription": { "text": rule.why },
                "help": { "text": family.fix },
                "defaultConfiguration": { "level": level(rule.severity) },
                "properties": { "category": family.category, "tags": ["security", rule.owasp.unwrap_or(family.owasp)], "precision": precision(rule.how) },
            })
        })
        .collect();
    let results: Vec<_> = reports
        .iter()
        .flat_map(|report| report.findings.iter().map(|finding| result(report, finding)))
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "tarsus", "semanticVersion": version, "rules": described } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(report: &ScanReport, finding: &Finding) -> Value {
    let mut place = json!({ "artifactLocation": { "uri": uri(&report.path, &finding.file) } });
    if finding.segment != Segment::File {
        place["region"] = json!({
            "startLine": finding.line,
            "startColumn": finding.column,
            "endLine": finding.end_line,
            "endColumn": finding.end_column,
            "snippet": { "text": finding.excerpt },
        });
    }
    let mut result = json!({
        "ruleId": finding.rule,
        "level": level(finding.severity),
        "message": { "text": format!("{}: {}", finding.title, finding.why) },
        "locations": [{ "physicalLocation": place }],
        "partialFingerprints": { "tarsus/v1": finding.fingerprint },
        "properties": {
            "severity": finding.severity,
            "layers": finding.layers,
            "loweredBy": finding.lowered_by,
            "raisedBy": finding.raised_by,
        },
    });
    if finding.accepted {
        result["suppressions"] = json!([{ "kind": "external", "status": "accepted" }]);
    }
    result
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn precision(how: Detection) -> &'static str {
    match how {
        Detection::Text(_) | Detection::Use(..) => "high",
        Detection::Order => "high",
        Detection::InvisibleRun(_) | Detection::File(_) | Detection::ContextCheck(_) => "very-high",
    }
}

/// A percent-encoded relative reference.
fn uri(folder: &str, file: &str) -> String {
    let path = if folder == file {
        file.to_owned()
    } else {
        format!("{}/{file}", folder.trim_end_matches(['/', '\\']))
    };
    let mut uri = String::new();
    // Two leading slashes would start a host name.
    let strokes = path.len() - path.trim_start_matches(['/', '\\']).len();
    for byte in path[strokes.saturating_sub(1)..].bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(byte))
            }
            b'\\' => uri.push('/'),
            _ => {
                uri.push('%');
                uri.push_str(&hex(&[byte]).to_ascii_uppercase());
            }
        }
    }
    uri
}
