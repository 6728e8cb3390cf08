//! Serialized problems and reports match the documented shapes.

use insta::assert_json_snapshot;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tarsus_protocol::report::{
    AppsStatus, AuditHead, AuditStatus, Check, ConfigFault, ConfigIssue, ConfigReload, ConfigStatus,
    DoctorReport, GatewayStatus, Health, HomeStatus, Level, ReadyReport, RejectedFile, SkillsStatus,
    StatusReport, StoreStatus,
};
use tarsus_protocol::{
    Block, CliFailure, ErrorCode, ErrorShape, Frame, Message, Problem, Response, Role, SourceLocation, schema,
};

fn problem() -> Problem {
    let place = SourceLocation {
        line: Some(12),
        column: Some(5),
        ..SourceLocation::file("/home/ada/.openclaw/openclaw.json")
    };
    Problem::new(ErrorCode::Malformed, "openclaw.json is not valid")
        .at(place)
        .note("expected `:` after the key")
        .hint("`tarsus config validate` checks it again")
}

fn running() -> StatusReport {
    StatusReport {
        version: "0.1.0".into(),
        gateway: GatewayStatus {
            running: true,
            pid: Some(4711),
            port: Some(18789),
            addresses: vec!["127.0.0.1:18789".into(), "[::1]:18789".into()],
            uptime_ms: Some(11_520_000),
            version: Some("0.1.0".into()),
            config_reload: Some(ConfigReload {
                rejected: vec![RejectedFile {
                    path: "/home/ada/.openclaw/tarsus/tarsus.json5".into(),
                    issues: vec![ConfigIssue {
                        path: String::new(),
                        message: "the settings are not valid JSON5: expected a value, found `,`".into(),
                        line: Some(3),
                        column: Some(12),
                        code: Some(ConfigFault::Unreadable),
                    }],
                }],
                needs_restart: ["gateway.port".to_owned()].into(),
                hash: None,
            }),
        },
        model: Some("anthropic/claude".into()),
        skills: Some(SkillsStatus { ready: 23, need_setup: 4, blocked: 1, ..SkillsStatus::default() }),
        apps: AppsStatus { exists: true, registered: 6, running: 2, off: 1, doubtful: 0, problem: None },
        config: ConfigStatus {
            path: "/home/ada/.openclaw/openclaw.json".into(),
            exists: true,
            valid: true,
            issues: vec![],
            warnings: vec![ConfigIssue {
                path: "agents.list[0].theme".into(),
                message: "unknown key kept".into(),
                line: Some(4),
                column: Some(9),
                code: None,
            }],
        },
        audit: AuditStatus {
            records: 18_204,
            verified: true,
            head: Some(AuditHead { seq: 18_204, hash: "9f2c".into() }),
            lost: 0,
            fault: None,
        },
        store: StoreStatus { exists: true, problem: None, hint: None },
        enforcement: Some("active".into()),
        home: HomeStatus {
            state_dir: "/home/ada/.openclaw".into(),
            workspace: "/home/ada/.openclaw/workspace".into(),
        },
    }
}

fn doctor() -> DoctorReport {
    let check = |id: &str, level, fix: Option<&str>| Check {
        id: id.into(),
        title: format!("the {id}"),
        level,
        message: "looked at".into(),
        fix: fix.map(Into::into),
    };
    DoctorReport {
        checks: vec![
            check("config", Level::Ok, None),
            check("audit", Level::Error, Some("tarsus audit verify")),
            check("disk", Level::Warning, Some("free some space")),
        ],
    }
}

#[test]
fn every_code_is_written_as_the_word_of_its_table() {
    for code in ErrorCode::ALL {
        assert_eq!(json!(code), json!(code.as_str()));
        assert_eq!(serde_json::from_value::<ErrorCode>(json!(code.as_str())).unwrap(), *code);
    }
}

#[test]
fn a_problem_looks_the_same_to_scripts_and_to_clients() {
    assert_json_snapshot!("command_line_failure", CliFailure::from(problem()));
    assert_json_snapshot!("wire_error", ErrorShape::from(problem()));
    assert_json_snapshot!(
        "wire_error_of_a_bare_problem",
        ErrorShape::from(Problem::new(
            ErrorCode::Stale,
            "config changed since last load; re-run config.get and retry"
        ))
    );
}

#[cfg(unix)]
#[test]
fn a_file_name_that_is_not_utf_8_can_still_be_reported() {
    use std::os::unix::ffi::OsStrExt;

    let place = SourceLocation::file(std::ffi::OsStr::from_bytes(b"/tmp/\xff.json"));
    let failure = json!(CliFailure::from(Problem::new(ErrorCode::Io, "cannot be read").at(place)));
    assert_eq!(failure["error"]["location"], json!({"path": "/tmp/\u{fffd}.json"}));
}

#[test]
fn reports_have_every_field_in_order_and_come_back_whole() {
    fn comes_back<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(report: &T) {
        let text = serde_json::to_string(report).unwrap();
        assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), report);
    }

    let stopped = StatusReport {
        gateway: GatewayStatus::default(),
        model: None,
        skills: None,
        apps: AppsStatus {
            exists: true,
            problem: Some("the application registry is not valid JSON".into()),
            ..AppsStatus::default()
        },
        audit: AuditStatus { records: 0, verified: true, head: None, lost: 0, fault: None },
        store: StoreStatus::default(),
        ..running()
    };
    comes_back(&running());
    comes_back(&stopped);
    comes_back(&doctor());
    comes_back(&ReadyReport::new(vec!["audit".into()], 21));
    comes_back(&Health::LIVE);
    assert_json_snapshot!("status_running", running());
    assert_json_snapshot!("status_stopped", stopped);
    assert_json_snapshot!("doctor", doctor());
    assert_eq!(serde_json::to_string(&Health::LIVE).unwrap(), r#"{"ok":true,"status":"live"}"#);
    assert_eq!(
        serde_json::to_string(&ReadyReport::new(vec![], 21)).unwrap(),
        r#"{"ready":true,"failing":[],"uptimeMs":21}"#
    );
    assert_eq!(
        serde_json::to_string(&ReadyReport::new(vec!["audit".into()], 21)).unwrap(),
        r#"{"ready":false,"failing":["audit"],"uptimeMs":21}"#
    );
}

#[test]
fn the_level_of_a_report_is_its_most_serious_one() {
    assert_eq!(doctor().level(), Level::Error);
    assert_eq!(DoctorReport::default().level(), Level::Ok);
}

/// The description, with one definition as the thing to check against.
fn described(name: &str) -> Value {
    let mut schema = schema::describe();
    assert!(schema["$defs"][name].is_object(), "{name} is not described");
    schema["$ref"] = json!(format!("#/$defs/{name}"));
    schema
}

#[test]
fn the_description_accepts_what_is_written() {
    let reply = |result| Frame::Response(Response { id: "1".try_into().unwrap(), result });
    let role = Role::ToolResult {
        tool_call_id: "1".into(),
        tool_name: "exec".into(),
        is_error: true,
        details: None,
    };
    let other = serde_json::from_value(json!({"type": "hologram", "z": 1})).unwrap();
    let message = Message { role, content: vec![Block::text("x"), other], timestamp: Some(1) };
    let written = [
        ("Frame", json!(reply(Ok(Some(json!(null)))))),
        ("Frame", json!(reply(Err(problem().into())))),
        ("Frame", json!({"type": "req", "id": "1", "method": "health"})),
        ("Frame", json!({"type": "event", "event": "tick", "seq": 1})),
        ("Message", json!(message)),
        ("Message", json!({"role": "user", "content": []})),
        ("CliFailure", json!(CliFailure::from(problem()))),
        ("StatusReport", json!(running())),
        ("DoctorReport", json!(doctor())),
        ("Health", json!(Health::LIVE)),
        ("ReadyReport", json!(ReadyReport::new(vec![], 1))),
    ];
    for (name, value) in written {
        let schema = described(name);
        let errors: Vec<_> = jsonschema::validator_for(&schema)
            .unwrap()
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert_eq!(errors, [""; 0], "{name}: {value}");
    }
}

#[test]
fn the_description_refuses_what_is_never_written() {
    let never = [
        ("Frame", json!({"type": "res", "id": "1", "ok": false})),
        ("Frame", json!({"type": "res", "id": "", "ok": true})),
        ("Frame", json!({"type": "req", "id": "1", "method": "health", "parms": {}})),
        ("Frame", json!({"type": "ping"})),
        ("Message", json!({"role": "robot", "content": []})),
        ("Message", json!({"role": "toolResult", "content": []})),
        ("Message", json!({"role": "user", "content": [{"text": "no type"}]})),
        ("CliFailure", json!({"ok": true, "error": CliFailure::from(problem()).error})),
        ("Health", json!({"ok": true, "status": "dead"})),
        ("ReadyReport", json!({"ready": true})),
    ];
    for (name, value) in never {
        assert!(!jsonschema::is_valid(&described(name), &value), "{name}: {value}");
    }
}

#[test]
fn the_description_is_sorted_and_stable() {
    let schema = schema::describe();
    let names: Vec<_> = schema["$defs"].as_object().unwrap().keys().cloned().collect();
    let mut sorted = names.clone();
    sorted.sort();
    assert_eq!(names, sorted);
    assert_eq!(schema.to_string(), schema::describe().to_string());
}
