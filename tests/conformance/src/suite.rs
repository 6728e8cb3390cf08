//! The suite: cases that leave a gateway unchanged, each with its expected outcome.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tarsus_protocol::rpc::{
    self, CallError, Method, NoParams, agents, approvals, apps, chat, config, cron, files, journal, models,
    overview, sessions, skills, tools,
};

use crate::client::{Client, Opened, Received};
use crate::device::{Device, backend, command_line, page};

/// One line of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The attempt.
    pub case: String,
    /// The expected outcome.
    pub expected: String,
    /// The actual outcome.
    pub actual: String,
}

impl Row {
    /// Whether the outcome is the expected one.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.expected == self.actual
    }
}

/// Runs every case.
pub async fn run(url: &str, token: &str) -> Vec<Row> {
    let mut rows = handshake(url, token).await;
    rows.extend(first_frames(url).await);
    rows.extend(methods(url, token).await);
    rows
}

/// The table as text.
#[must_use]
pub fn table(rows: &[Row]) -> String {
    let line = |row: &Row| {
        let verdict = if row.holds() { "ok  " } else { "FAIL" };
        let more = if row.holds() { String::new() } else { format!("\n       expected {}", row.expected) };
        format!("{verdict}  {:60} {}{more}\n", row.case, row.actual)
    };
    rows.iter().map(line).collect()
}

/// The code and message of a reply's error.
pub(crate) fn error(reply: &Value) -> String {
    let error = &reply["error"];
    format!("{} {}", error["code"].as_str().unwrap_or("ok"), error["message"].as_str().unwrap_or_default())
}

/// The outcome of a typed call, in the form of [`error`].
pub(crate) fn outcome<T>(called: &Result<T, CallError>) -> String {
    match called {
        Ok(_) => "ok ".to_owned(),
        Err(CallError::Refused(shape)) => error(&json!({ "error": shape })),
        Err(error) => error.to_string(),
    }
}

/// A request that has to succeed.
async fn good<M: Method>(client: &mut Client, params: &M::Params) -> Row {
    let actual = outcome(&client.call::<M>(params).await);
    Row { case: format!("{}: good", M::NAME), expected: "ok ".to_owned(), actual }
}

pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

pub(crate) fn own_origin(url: &str) -> String {
    let port = url.trim_end_matches('/').rsplit(':').next().unwrap_or("18789");
    format!("http://localhost:{port}")
}

/// A short form of a hello, or the message, the code and the close code of a refusal.
fn summary(reply: &Value, end: Option<&Received>) -> String {
    if reply["ok"] == true {
        let hello = &reply["payload"];
        let scopes: Vec<_> = hello["auth"]["scopes"].as_array().into_iter().flatten().collect();
        let device =
            if hello["auth"]["deviceToken"].is_string() { "device token" } else { "no device token" };
        return format!("protocol {}, {} scopes, {device}", hello["protocol"], scopes.len());
    }
    let message = reply["error"]["message"].as_str().unwrap_or_default();
    let message = message.split(" (").next().unwrap_or_default();
    let code = reply["error"]["details"]["code"].as_str().unwrap_or("-");
    let closed = match end {
        Some(Received::Closed(code, _)) => code.to_string(),
        other => format!("{other:?}"),
    };
    format!("{message} [{code}] {closed}")
}

struct Attempt<'a> {
    case: &'a str,
    expected: &'a str,
    origin: bool,
    params: Box<dyn Fn(&str) -> Value + 'a>,
}

async fn handshake(url: &str, token: &str) -> Vec<Row> {
    let device = Device::numbered(1);
    let with = |mut params: Value, changes: Value| {
        for (key, value) in changes.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        params
    };
    let cli = command_line(token, 4, &["operator.read", "operator.admin"]);
    let cli = &cli;
    let attempt = |case, expected, origin, params: Box<dyn Fn(&str) -> Value>| Attempt {
        case,
        expected,
        origin,
        params,
    };
    let plain = |changes: Value| -> Box<dyn Fn(&str) -> Value> {
        let params = with(cli.clone(), changes);
        Box::new(move |_| params.clone())
    };
    let signed = |version: u8, device: Device, spoil: fn(&mut Value)| -> Box<dyn Fn(&str) -> Value> {
        let params = page(token);
        Box::new(move |nonce| {
            let mut params = device.signed(version, params.clone(), nonce, now_ms());
            spoil(&mut params);
            params
        })
    };
    let keep: fn(&mut Value) = |_| {};
    let client = |id: &str, mode: &str| json!({ "client": { "id": id, "version": "1", "platform": "x", "mode": mode } });
    let attempts = [
        attempt(
            "device, third version",
            "protocol 4, 4 scopes, device token",
            true,
            signed(3, device.clone(), keep),
        ),
        attempt(
            "device, second version",
            "protocol 4, 4 scopes, device token",
            true,
            signed(2, device.clone(), keep),
        ),
        attempt("no device, cli", "protocol 4, 2 scopes, no device token", false, plain(json!({}))),
        attempt("no device, backend of version 3", "protocol 3, 5 scopes, no device token", false, {
            let params = backend(token);
            Box::new(move |_| params.clone())
        }),
        attempt(
            "no device, test",
            "protocol 4, 0 scopes, no device token",
            false,
            plain(client("test", "test")),
        ),
        attempt(
            "versions 1 to 10",
            "protocol 4, 2 scopes, no device token",
            false,
            plain(json!({"minProtocol": 1, "maxProtocol": 10})),
        ),
        attempt(
            "the token as password",
            "protocol 4, 2 scopes, no device token",
            false,
            plain(json!({"auth": {"password": token}})),
        ),
        attempt(
            "wrong token",
            "unauthorized: gateway token mismatch [AUTH_TOKEN_MISMATCH] 1008",
            false,
            plain(json!({"auth": {"token": "wrong"}})),
        ),
        attempt(
            "no token",
            "unauthorized: gateway token missing [AUTH_TOKEN_MISSING] 1008",
            false,
            plain(json!({"auth": {}})),
        ),
        attempt(
            "versions 1 to 2",
            "protocol mismatch [PROTOCOL_MISMATCH] 1002",
            false,
            plain(json!({"minProtocol": 1, "maxProtocol": 2})),
        ),
        attempt(
            "versions 5 to 6",
            "protocol mismatch [PROTOCOL_MISMATCH] 1002",
            false,
            plain(json!({"minProtocol": 5, "maxProtocol": 6})),
        ),
        attempt(
            "bad signature",
            "device signature invalid [DEVICE_AUTH_SIGNATURE_INVALID] 1008",
            true,
            signed(3, device.clone(), |params| params["scopes"] = json!(["operator.write"])),
        ),
        attempt(
            "other nonce",
            "device nonce mismatch [DEVICE_AUTH_NONCE_MISMATCH] 1008",
            true,
            signed(3, device.clone(), |params| params["device"]["nonce"] = json!("other")),
        ),
        attempt(
            "other id",
            "device identity mismatch [DEVICE_AUTH_DEVICE_ID_MISMATCH] 1008",
            true,
            signed(3, device.clone(), |params| params["device"]["id"] = json!("00")),
        ),
        attempt("old signature", "device signature expired [DEVICE_AUTH_SIGNATURE_EXPIRED] 1008", true, {
            let (device, params) = (device.clone(), page(token));
            Box::new(move |nonce| device.signed(3, params.clone(), nonce, now_ms() - 3_600_000))
        }),
        attempt(
            "unknown program",
            "invalid connect params: at /client/id: must be equal to one of the allowed values [-] 1008",
            false,
            plain(client("stranger", "cli")),
        ),
        attempt(
            "unknown mode",
            "invalid connect params: at /client/mode: must be equal to one of the allowed values [-] 1008",
            false,
            plain(client("cli", "stranger")),
        ),
        attempt(
            "unknown property",
            "invalid connect params: at root: unexpected property 'bogus' [-] 1008",
            false,
            plain(json!({"bogus": 1})),
        ),
        attempt(
            "page without device",
            "control ui requires device identity [CONTROL_UI_DEVICE_IDENTITY_REQUIRED] 1008",
            true,
            {
                let params = page(token);
                Box::new(move |_| params.clone())
            },
        ),
        attempt(
            "page without origin",
            "origin not allowed [CONTROL_UI_ORIGIN_NOT_ALLOWED] 1008",
            false,
            signed(3, device.clone(), keep),
        ),
    ];
    let origin = own_origin(url);
    let mut rows = Vec::new();
    for Attempt { case, expected, origin: names_origin, params } in attempts {
        let headers: &[(&str, &str)] = if names_origin { &[("origin", &origin)] } else { &[] };
        let mut client = Client::expect(url, headers).await;
        let nonce = client.challenge().await;
        let reply = client.connect(&params(&nonce)).await.frame();
        let end = if reply["ok"] == true { None } else { Some(client.receive_end().await) };
        let row = Row {
            case: case.to_owned(),
            expected: expected.to_owned(),
            actual: summary(&reply, end.as_ref()),
        };
        rows.push(row);
        client.close().await;
    }
    for (case, headers, expected) in [
        ("upgrade from a foreign page", vec![("origin", "https://evil.example")], "403"),
        ("upgrade for a rebound name", vec![("host", "rebound.example:18789")], "403"),
        (
            "upgrade by a browser that names no page",
            vec![("user-agent", "Mozilla/5.0"), ("sec-fetch-mode", "websocket")],
            "403",
        ),
    ] {
        let actual = match Client::open(url, &headers).await {
            Opened::Socket(_) => "a socket".to_owned(),
            Opened::Refused(status) => status.to_string(),
        };
        rows.push(Row { case: case.to_owned(), expected: expected.to_owned(), actual });
    }
    rows
}

async fn first_frames(url: &str) -> Vec<Row> {
    let large = format!(r#"{{"type":"req","id":"1","method":"{}"}}"#, "x".repeat(70_000));
    let table = [
        (
            "first frame: another request",
            r#"{"type":"req","id":"1","method":"health"}"#,
            "invalid handshake: first request must be connect, then 1008",
        ),
        ("first frame: no frame", r#"{"hello":"world"}"#, "1008 invalid request frame"),
        ("first frame: no JSON", "hello", "1000 "),
        ("first frame: more than 64 KiB", &large, "1009 the frame is too large"),
    ];
    let mut rows = Vec::new();
    for (case, text, expected) in table {
        let mut client = Client::expect(url, &[]).await;
        client.challenge().await;
        client.send_text(text).await;
        let actual = match client.receive().await {
            Received::Frame(reply) => {
                let end = client.receive_end().await;
                let Received::Closed(code, _) = end else { panic!("{end:?}") };
                format!("{}, then {code}", reply["error"]["message"].as_str().unwrap_or_default())
            }
            Received::Closed(code, reason) => format!("{code} {reason}"),
            Received::Gone => "gone".to_owned(),
        };
        rows.push(Row { case: case.to_owned(), expected: expected.to_owned(), actual });
    }
    rows
}

pub(crate) async fn connected(url: &str, params: &Value) -> (Client, Value) {
    let mut client = Client::expect(url, &[]).await;
    client.challenge().await;
    let hello = client.connect(params).await.frame();
    assert_eq!(hello["ok"], true, "{hello}");
    (client, hello)
}

/// A good case of every method that only reads.
async fn good_reads(client: &mut Client) -> Vec<Row> {
    let no_session = "agent:main:no-such-session".to_owned();
    let mut rows = Vec::new();
    macro_rules! good {
        ($($method:ty, $params:expr;)*) => { $(rows.push(good::<$method>(client, &$params).await);)* };
    }
    good! {
        overview::Health, overview::HealthParams { probe: None };
        overview::Status, NoParams {};
        overview::SystemPresence, NoParams {};
        config::Get, NoParams {};
        config::Schema, NoParams {};
        agents::List, NoParams {};
        models::List, NoParams {};
        models::Cost, models::CostParams {
            start_date: Some("2026-01-01".to_owned()),
            end_date: Some("2026-01-31".to_owned()),
            days: None,
        };
        tools::Catalog, tools::CatalogParams { agent_id: None };
        tools::ApprovalsGet, NoParams {};
        approvals::List, NoParams {};
        cron::List, cron::CronListParams { include_disabled: Some(true) };
        cron::Status, NoParams {};
        journal::LogsTail, journal::LogsParams {
            cursor: None, limit: None, max_bytes: None, category: None, level: None, since: None,
        };
        journal::AuditTail, journal::AuditParams { category: None, level: None, since: None, limit: Some(5) };
        journal::AuditVerify, NoParams {};
        apps::List, NoParams {};
        skills::Status, skills::SkillsParams { agent_id: None };
        skills::Bins, NoParams {};
        skills::Refresh, skills::SkillsParams { agent_id: None };
        sessions::List, sessions::SessionsListParams {
            agent_id: None,
            search: None,
            limit: Some(4),
            offset: None,
            include_global: Some(false),
            include_unknown: Some(false),
        };
        sessions::Preview, sessions::SessionsPreviewParams {
            keys: vec![no_session.clone()],
            limit: Some(8),
            max_chars: Some(240),
        };
        sessions::Transcripts, sessions::SessionParams { key: no_session.clone() };
        files::Changes, files::SessionChangesParams { key: no_session.clone(), run_id: None, limit: None };
        files::Undo, files::UndoParams { key: no_session.clone(), run_id: None, dry_run: Some(true) };
        chat::History, chat::ChatHistoryParams {
            session_key: no_session.clone(),
            session_id: None,
            limit: Some(10),
            after: None,
            before: None,
        };
        chat::Abort, chat::ChatAbortParams { session_key: no_session, run_id: None };
    }
    rows
}

async fn methods(url: &str, token: &str) -> Vec<Row> {
    let all = ["operator.read", "operator.write", "operator.admin", "operator.approvals"];
    let (mut admin, hello) = connected(url, &command_line(token, 4, &all)).await;
    let (mut nobody, _) = connected(url, &command_line(token, 4, &[])).await;
    let (mut old_nobody, _) = connected(url, &command_line(token, 3, &[])).await;
    let listed: Vec<String> = hello["payload"]["features"]["methods"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|name| name.as_str().unwrap_or_default().to_owned())
        .collect();
    let mut rows = Vec::new();
    let mut row = |case: String, expected: String, actual: String| rows.push(Row { case, expected, actual });
    for method in rpc::all() {
        let name = method.name;
        row(
            format!("{name}: listed"),
            "yes".to_owned(),
            if listed.iter().any(|listed| listed == name) { "yes" } else { "no" }.to_owned(),
        );
        let bad = error(&admin.raw_call(name, &json!({ "bogus": 1 })).await);
        let fault = "at root: unexpected property 'bogus'";
        let actual =
            if bad.contains(fault) && bad.starts_with(&format!("INVALID_REQUEST invalid {name} params: ")) {
                fault.to_owned()
            } else {
                bad
            };
        row(format!("{name}: bad parameters"), fault.to_owned(), actual);
        let scope = method.scope.as_str();
        row(
            format!("{name}: missing scope"),
            format!("FORBIDDEN missing scope: {scope}"),
            error(&nobody.raw_call(name, &json!({})).await),
        );
        row(
            format!("{name}: missing scope, version 3"),
            format!("INVALID_REQUEST missing scope: {scope}"),
            error(&old_nobody.raw_call(name, &json!({})).await),
        );
    }
    rows.extend(good_reads(&mut admin).await);
    let mut row = |case: String, expected: String, actual: String| rows.push(Row { case, expected, actual });
    let stale = "INVALID_REQUEST config changed since last load; re-run config.get and retry";
    for (name, params, expected) in [
        ("config.set", json!({ "raw": "{}", "baseHash": "stale" }), stale),
        ("config.patch", json!({ "raw": "{}", "baseHash": "stale" }), stale),
        (
            "exec.approvals.set",
            json!({ "file": { "version": 1 }, "baseHash": "stale" }),
            "INVALID_REQUEST exec approvals changed since last load; re-run exec.approvals.get and retry",
        ),
        (
            "exec.approval.resolve",
            json!({ "id": "no-such-question", "decision": "deny" }),
            "INVALID_REQUEST unknown approval id \"no-such-question\": it was already decided, or it expired",
        ),
        ("no.such.method", json!({}), "INVALID_REQUEST unknown method: no.such.method"),
        (
            "agents.files.get",
            json!({ "agentId": "no-such-agent", "name": "SOUL.md" }),
            "INVALID_REQUEST unknown agent id \"no-such-agent\"",
        ),
        (
            "skills.status",
            json!({ "agentId": "no-such-agent" }),
            "INVALID_REQUEST unknown agent id \"no-such-agent\"",
        ),
        (
            "skills.update",
            json!({ "skillKey": "no-such-skill", "enabled": true }),
            "INVALID_REQUEST unknown skill key \"no-such-skill\"",
        ),
        (
            "chat.history",
            json!({ "sessionKey": "agent:no-such-agent:main" }),
            "INVALID_REQUEST unknown agent id \"no-such-agent\"",
        ),
        (
            "chat.send",
            json!({ "sessionKey": "agent:main:main", "message": "hello" }),
            "INVALID_REQUEST invalid chat.send params: must have required property 'idempotencyKey'",
        ),
        (
            "chat.send",
            json!({ "sessionKey": "agent:main:main", "message": " ", "idempotencyKey": "k" }),
            "INVALID_REQUEST the message is empty",
        ),
        (
            "sessions.preview",
            json!({ "keys": vec!["agent:main:main"; 65] }),
            "INVALID_REQUEST invalid sessions.preview params: at /keys: must NOT have more than 64 items",
        ),
        (
            "sessions.patch",
            json!({ "key": "agent:main:main", "execHost": "moon" }),
            "INVALID_REQUEST invalid sessions.patch params: at /execHost: must be equal to one of the allowed values; \
             at /execHost: must be null",
        ),
        ("agent.wait", json!({ "runId": "no-such-run" }), "INVALID_REQUEST unknown run id \"no-such-run\""),
    ] {
        row(
            format!("{name}: stale, unknown or wrong"),
            expected.to_owned(),
            error(&admin.raw_call(name, &params).await),
        );
    }
    admin.send_text("this is no JSON").await;
    let actual = admin.receive().await;
    let actual = match actual {
        Received::Frame(frame) if frame["id"] == "invalid" => "invalid".to_owned(),
        other => format!("{other:?}"),
    };
    row("no JSON after hello".to_owned(), "invalid".to_owned(), actual);
    rows
}
