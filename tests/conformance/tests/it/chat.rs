//! Chat with an agent: replies, events and stored history.

use crate::common;

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::Client;
use tarsus_conformance::params::{
    agent_skills, agent_wait, chat_history, chat_message, session, session_patch, sessions_list,
};
use tarsus_gateway::limits::Limits;
use tarsus_protocol::exec::{Ask, ExecHost, Reasoning, Security, ThinkingLevel, Verbose};
use tarsus_protocol::message::Role;
use tarsus_protocol::rpc::chat::{
    AgentRunParams, AgentWaitParams, ChatHistory, ChatHistoryParams, ChatSendParams, ChatSendStatus,
    ChatSent, RunStatus,
};
use tarsus_protocol::rpc::models::CostParams;
use tarsus_protocol::rpc::overview::HealthParams;
use tarsus_protocol::rpc::sessions::{
    ModelChoice, PreviewRole, PreviewStatus, SessionDeleted, SessionPatchParams, SessionsListParams,
    SessionsPreviewParams,
};
use tarsus_protocol::rpc::{FieldChange, NoParams, apps, chat, models, overview, sessions, skills};

const MAIN: &str = "agent:main:main";

fn message(text: &str, key: &str) -> ChatSendParams {
    ChatSendParams { deliver: Some(false), ..chat_message(MAIN, text, key) }
}

fn sent(key: &str, status: ChatSendStatus) -> ChatSent {
    ChatSent { run_id: key.to_owned(), status }
}

fn text_of(item: &chat::HistoryItem) -> String {
    item.message.text()
}

/// Sends a message and collects its events.
async fn send_and_collect(client: &mut Client, text: &str, key: &str) -> Vec<Value> {
    let accepted = client.call_ok::<chat::Send>(&message(text, key)).await;
    assert_eq!(accepted, sent(key, ChatSendStatus::Started));
    let mut events: Vec<Value> = Vec::new();
    loop {
        let event = match client.events.pop_front() {
            Some(event) => event,
            None => client.receive().await.frame(),
        };
        if event["payload"]["runId"] == key || event["event"] == "apps.changed" {
            let is_interim = ["status", "delta"].iter().any(|state| event["payload"]["state"] == **state);
            let is_last = event["event"] == "chat" && !is_interim;
            events.push(event);
            if is_last {
                return events;
            }
        }
    }
}

/// The reply to a message.
async fn reply(client: &mut Client, text: &str, key: &str) -> String {
    let last = send_and_collect(client, text, key).await.pop().unwrap();
    assert_eq!(last["payload"]["state"], "final", "{last}");
    last["payload"]["message"]["content"][0]["text"].as_str().unwrap().to_owned()
}

/// A short description of an event.
fn describe(event: &Value) -> String {
    let payload = &event["payload"];
    let detail = match event["event"].as_str().unwrap() {
        "session.message" => payload["message"]["role"].to_string(),
        "agent" if payload["stream"] == "lifecycle" => payload["data"]["phase"].to_string(),
        "agent" => payload["stream"].to_string(),
        "chat" if payload["state"] == "status" => payload["phase"].to_string(),
        "chat" => payload["state"].to_string(),
        "apps.changed" => payload["action"].to_string(),
        other => panic!("{other} is not an event of a run"),
    };
    format!("{} {}", event["event"].as_str().unwrap(), detail.trim_matches('"'))
}

#[tokio::test]
async fn without_model_one_message_arrives_in_order() {
    let server = Server::start().await;
    let (mut client, mut other) = (server.admin().await, server.client(&["operator.read"]).await);
    let events = send_and_collect(&mut client, "what is the meaning of life?", "run-1").await;
    let order: Vec<_> = events.iter().map(describe).collect();
    let expected = [
        "session.message user",
        "chat preparing_workspace",
        "chat preparing_context",
        "agent start",
        "agent assistant",
        "chat delta",
        "session.message assistant",
        "agent end",
        "chat final",
    ];
    assert_eq!(order, expected);
    let last = &events[8]["payload"];
    let text = last["message"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("No language model is configured yet"), "{text}");
    assert_eq!(
        (&last["sessionKey"], &last["stopReason"], &last["message"]["role"]),
        (&json!(MAIN), &json!("stop"), &json!("assistant"))
    );
    assert_eq!(events[4]["payload"]["data"], json!({ "text": text, "delta": text }));
    assert_eq!(events[5]["payload"]["deltaText"], text);
    let seqs: Vec<_> = events.iter().filter_map(|event| event["payload"]["seq"].as_u64()).collect();
    assert!(seqs.is_sorted(), "{seqs:?}");
    let numbers: Vec<_> = events.iter().filter_map(|event| event["payload"]["number"].as_u64()).collect();
    assert_eq!(numbers, [1, 2]);
    assert_eq!(other.event("chat").await["payload"]["state"], "status");

    let wait = AgentWaitParams { timeout_ms: Some(1), ..agent_wait("run-1") };
    let waited = client.call_ok::<chat::Wait>(&wait).await;
    assert_eq!((waited.run_id.as_str(), waited.status), ("run-1", RunStatus::Ok));
}

#[tokio::test]
async fn idempotency_key_accepts_a_message_once() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    reply(&mut client, "/help", "key").await;
    let again = client.call_ok::<chat::Send>(&message("/help", "key")).await;
    assert_eq!(again, sent("key", ChatSendStatus::Ok));
    let history = client.call_ok::<chat::History>(&chat_history(MAIN)).await;
    assert_eq!((history.total_messages, history.has_more), (2, false));
    let elsewhere = chat_message("agent:main:other", "/help", "key");
    assert!(client.call_err::<chat::Send>(&elsewhere).await.message.contains("key"));
    let waited = client.call_ok::<chat::Wait>(&agent_wait("key")).await;
    assert_eq!(waited.status, RunStatus::Ok);
}

#[tokio::test]
async fn attachments_are_checked_and_survive_a_restart() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    let picture = "iVBORw0KGgo=";
    let refused = [
        (json!([{ "type": "image" }]), "must have required property 'content'"),
        (
            json!([{ "type": "file", "fileName": "a.pdf", "content": "JVBERi0xLjc=" }]),
            "\"a.pdf\" is a PDF document",
        ),
        (json!([{ "content": picture }, { "fileName": "b", "content": "?" }]), "\"b\" is not valid base64"),
    ];
    // Raw: the first one is not valid by its type.
    for (attachments, reason) in refused {
        let mut params = json!(message("look", "refused"));
        params["attachments"] = attachments;
        let error = client.raw_error("chat.send", &params).await;
        assert!(error.contains(reason), "{error}");
    }
    let nothing = client.call_ok::<chat::History>(&chat_history(MAIN)).await;
    assert_eq!(nothing.total_messages, 0, "a refused message leaves nothing");
    let attachment = |kind: &str, mime_type: &str, file_name: &str, content: &str| chat::ChatAttachment {
        kind: Some(kind.to_owned()),
        mime_type: Some(mime_type.to_owned()),
        file_name: Some(file_name.to_owned()),
        content: content.to_owned(),
    };
    let attachments = vec![
        attachment("image", "image/jpeg", "p.jpg", picture),
        attachment("file", "text/plain", "n.txt", "data:text/plain;base64,aGk="),
    ];
    let kept = ChatSendParams { attachments: Some(attachments.clone()), ..message("", "kept") };
    client.call_ok::<chat::Send>(&kept).await;
    client.call_ok::<chat::Wait>(&agent_wait("kept")).await;
    let agent = AgentRunParams {
        message: "look".to_owned(),
        idempotency_key: "agent".to_owned(),
        agent_id: None,
        session_key: Some(MAIN.to_owned()),
        model: None,
        attachments: Some(attachments),
        deliver: None,
    };
    client.call_ok::<chat::Agent>(&agent).await;
    client.call_ok::<chat::Wait>(&agent_wait("agent")).await;
    drop(client);
    let server = server.restart().await;
    let mut client = server.admin().await;
    let history = client.call_ok::<chat::History>(&chat_history(MAIN)).await;
    let blocks = json!([
        { "type": "image", "data": picture, "mimeType": "image/png" },
        { "type": "file", "fileName": "n.txt", "text": "hi" },
    ]);
    assert_eq!(json!(history.messages[0].message.content), blocks);
    let content = json!(history.messages[2].message.content);
    assert_eq!((&content[2], &content[0]["text"]), (&blocks[1], &json!("look")));
}

#[tokio::test]
async fn skill_command_calls_its_tool_without_model() {
    let server = Server::start().await;
    let folder = server.home.state_dir().join("skills").join("who");
    std::fs::create_dir_all(&folder).unwrap();
    let skill = "---\nname: who\ndescription: Lists agents.\ncommand-dispatch: tool\ncommand-tool: agents_list\n---\n\nX\n";
    std::fs::write(folder.join("SKILL.md"), skill).unwrap();
    let mut client = server.admin().await;
    client.call_ok::<skills::Refresh>(&agent_skills(None)).await;
    let order: Vec<_> = send_and_collect(&mut client, "/who", "a").await.iter().map(describe).collect();
    let expected = [
        "session.message user",
        "agent start",
        "session.message assistant",
        "session.message toolResult",
        "agent assistant",
        "chat delta",
        "session.message assistant",
        "agent end",
        "chat final",
    ];
    assert_eq!(order, expected);
    assert!(reply(&mut client, "/who", "b").await.contains("main"));
}

#[tokio::test]
async fn messages_of_a_session_are_answered_in_order() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    for number in 0..20 {
        let params = message("/status", &format!("run-{number}"));
        client.send_request::<chat::Send>(&format!("q{number}"), &params).await;
    }
    let mut finished = Vec::new();
    while finished.len() < 20 {
        let frame = client.receive().await.frame();
        if frame["event"] == "chat" && frame["payload"]["state"] == "final" {
            finished.push(frame["payload"]["runId"].as_str().unwrap().to_owned());
        }
    }
    let newest = ChatHistoryParams { limit: Some(1000), ..chat_history(MAIN) };
    let history = client.call_ok::<chat::History>(&newest).await;
    let questions = history.messages.into_iter().filter(|item| item.message.role == Role::User);
    assert_eq!(finished, questions.map(|item| item.run_id.unwrap()).collect::<Vec<_>>());
}

#[tokio::test]
async fn application_manager_resumes_after_a_restart() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    let menu = reply(&mut client, "application manager", "1").await;
    assert!(menu.starts_with("Application Manager"), "{menu}");
    let created = send_and_collect(&mut client, "create", "2").await;
    assert!(created.iter().any(|event| describe(event) == "apps.changed create"), "{created:?}");
    for (number, line) in ["add", "Notes", "/no/such/app"].iter().enumerate() {
        reply(&mut client, line, &format!("a{number}")).await;
    }
    drop(client);
    let server = server.restart().await;
    let mut client = server.admin().await;
    // The next question is the one that was open.
    for (number, line) in ["skip", "skip", "full"].iter().enumerate() {
        reply(&mut client, line, &format!("b{number}")).await;
    }
    let saved = send_and_collect(&mut client, "yes", "3").await;
    let changed = saved.iter().find(|event| event["event"] == "apps.changed").expect("it was saved");
    assert_eq!(
        (&changed["payload"]["action"], &changed["payload"]["name"]),
        (&json!("save"), &json!("Notes"))
    );
    let list = client.call_ok::<apps::List>(&NoParams {}).await;
    assert_eq!(list.apps[0].name, "Notes");
}

#[tokio::test]
async fn history_survives_a_restart_and_resumes_after_seq() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    for number in 0..3 {
        reply(&mut client, "/status", &format!("run-{number}")).await;
    }
    let all = client.call_ok::<chat::History>(&chat_history(MAIN)).await;
    drop(client);
    let server = server.restart().await;
    let mut client = server.admin().await;
    let numbers = |page: &ChatHistory| -> Vec<u64> { page.messages.iter().map(|item| item.number).collect() };
    let again = client.call_ok::<chat::History>(&chat_history(MAIN)).await;
    assert_eq!((&again.messages, &again.session_id), (&all.messages, &all.session_id));
    assert_eq!(numbers(&all), [1, 2, 3, 4, 5, 6]);
    let page = |limit, after, before| ChatHistoryParams { limit, after, before, ..chat_history(MAIN) };
    for (params, expected, more) in [
        (page(None, Some(4), None), vec![5, 6], false),
        (page(Some(2), Some(0), None), vec![1, 2], true),
        (page(None, Some(6), None), vec![], false),
        (page(Some(2), None, None), vec![5, 6], true),
        (page(None, None, Some(3)), vec![1, 2], false),
        // A name without an agent is one of the default agent.
        (ChatHistoryParams { after: Some(5), ..chat_history("main") }, vec![6], false),
    ] {
        let page = client.call_ok::<chat::History>(&params).await;
        assert_eq!((numbers(&page), page.has_more), (expected, more), "{params:?}");
    }
    assert_eq!(
        client.call_err::<chat::History>(&page(None, Some(1), Some(3))).await.message,
        "invalid chat.history params: either after or before"
    );
}

#[tokio::test]
async fn write_scope_does_not_change_model_or_thinking() {
    let server = Server::start().await;
    let mut guest = server.client(&["operator.read", "operator.write"]).await;
    let refused = "Nothing was changed: changing the model or the thinking level of a session needs the scope \
                   operator.admin.";
    let table = [
        ("/model a/b", refused),
        ("/model default", refused),
        ("/think high", refused),
        ("/model", "Model of this session: none"),
        ("/think", "Thinking in this session: default"),
    ];
    for (number, (line, expected)) in table.into_iter().enumerate() {
        assert_eq!(reply(&mut guest, line, &format!("guest-{number}")).await, expected, "{line}");
    }
    let patch = SessionPatchParams { model: Some(FieldChange::Set("a/b".to_owned())), ..session_patch(MAIN) };
    let refused = guest.call_err::<sessions::Patch>(&patch).await.message;
    assert_eq!(refused, "missing scope: operator.admin", "the same right");
}

#[tokio::test]
async fn commands_show_and_change_the_session() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    let table = [
        ("/model a/b", "Model of this session: a/b"),
        ("/model nonsense", "Use provider/model or default; nothing was changed."),
        ("/model", "Model of this session: a/b"),
        ("/model default", "Model of this session: none"),
        ("/think low", "Thinking in this session: low"),
        ("/think deeply", "Use off, minimal, low, medium, high or default; nothing was changed."),
        ("/THINK default", "Thinking in this session: default"),
        ("/stop", "No run was in progress."),
    ];
    for (number, (line, expected)) in table.into_iter().enumerate() {
        assert_eq!(reply(&mut client, line, &format!("run-{number}")).await, expected, "{line}");
    }
    assert!(reply(&mut client, "/help", "help").await.starts_with("/help: lists the commands\n"));
    assert!(reply(&mut client, "/skills", "skills").await.starts_with("Skills: "));
    let status = reply(&mut client, "/status", "status").await;
    assert!(status.starts_with("Session: agent:main:main\nModel: none\n"), "{status}");
    assert!(status.contains("\nSkills: "), "{status}");

    let before = client.call_ok::<chat::History>(&chat_history(MAIN)).await.session_id;
    let greeting = reply(&mut client, "/new", "new").await;
    let history = client.call_ok::<chat::History>(&chat_history(MAIN)).await;
    assert_ne!(history.session_id, before);
    assert_eq!(history.total_messages, 1, "the answer is the first item of the new transcript: {history:?}");
    assert_eq!(text_of(&history.messages[0]), greeting);
    assert!(reply(&mut client, "/apps", "apps").await.starts_with("Application Manager"));
}

#[tokio::test]
async fn sessions_are_listed_previewed_patched_and_reset() {
    let server = Server::with(
        r#"{ agents: { list: [{ id: "main" }, { id: "ada", model: "p/m" }] } }"#,
        Limits::DEFAULT,
    )
    .await;
    let mut client = server.admin().await;
    reply(&mut client, &"x".repeat(300), "run").await;
    let choice = |provider: &str, model: &str| ModelChoice {
        model_provider: Some(provider.to_owned()),
        model: Some(model.to_owned()),
    };
    let patch = SessionPatchParams {
        label: Some(FieldChange::Set("Ada's".to_owned())),
        thinking_level: Some(FieldChange::Set(ThinkingLevel::Low)),
        reasoning_level: Some(FieldChange::Set(Reasoning::On)),
        verbose_level: Some(FieldChange::Set(Verbose::Full)),
        exec_host: Some(FieldChange::Set(ExecHost::Sandbox)),
        exec_security: Some(FieldChange::Set(Security::Deny)),
        exec_ask: Some(FieldChange::Set(Ask::OnMiss)),
        ..session_patch("agent:ada:main")
    };
    let patched = client.call_ok::<sessions::Patch>(&patch).await;
    assert!(patched.ok);
    assert_eq!((patched.key.as_str(), patched.resolved), ("agent:ada:main", choice("p", "m")));
    assert_eq!(patched.entry.display_name.as_deref(), Some("Ada's"));
    let settings = sessions::SessionSettings {
        thinking_level: Some(ThinkingLevel::Low),
        reasoning_level: Some(Reasoning::On),
        verbose_level: Some(Verbose::Full),
        exec_host: Some(ExecHost::Sandbox),
        exec_security: Some(Security::Deny),
        exec_ask: Some(Ask::OnMiss),
    };
    assert_eq!(patched.entry.settings, settings);
    let patch = SessionPatchParams {
        model: Some(FieldChange::Set("q/n".to_owned())),
        exec_ask: Some(FieldChange::Clear),
        ..session_patch("agent:ada:main")
    };
    let patched = client.call_ok::<sessions::Patch>(&patch).await;
    assert_eq!(patched.resolved, choice("q", "n"));
    assert_eq!(patched.entry.settings, sessions::SessionSettings { exec_ask: None, ..settings });

    let list = client.call_ok::<sessions::List>(&sessions_list()).await;
    assert_eq!((list.count, list.total_count, list.has_more), (2, 2, false));
    let search = SessionsListParams {
        agent_id: Some("ada".to_owned()),
        search: Some("agent:ada:main".to_owned()),
        limit: Some(4),
        include_global: Some(false),
        include_unknown: Some(false),
        ..sessions_list()
    };
    let list = client.call_ok::<sessions::List>(&search).await;
    assert_eq!(list.sessions[0].key, "agent:ada:main");
    assert_eq!((list.count, list.defaults.model.as_deref()), (1, Some("m")));
    let page = |offset| SessionsListParams { limit: Some(1), offset, ..sessions_list() };
    let list = client.call_ok::<sessions::List>(&page(None)).await;
    assert_eq!((list.has_more, list.next_offset), (true, Some(1)));
    let list = client.call_ok::<sessions::List>(&page(Some(1))).await;
    assert_eq!((list.has_more, list.next_offset), (false, None));

    let keys = [MAIN, "agent:main:none", "agent:ada:main", "not:a:key", "agent:no-one:main"];
    let params =
        SessionsPreviewParams { keys: keys.map(str::to_owned).into(), limit: Some(8), max_chars: Some(240) };
    let previews = client.call_ok::<sessions::Preview>(&params).await.previews;
    let status: Vec<_> = previews.iter().map(|preview| preview.status).collect();
    let missing = PreviewStatus::Missing;
    assert_eq!(status, [PreviewStatus::Ok, missing, PreviewStatus::Empty, missing, missing]);
    let items = &previews[0].items;
    assert_eq!((items[0].role, items[1].role), (PreviewRole::User, PreviewRole::Assistant));
    assert_eq!(items[0].text, format!("{}…", "x".repeat(240)));

    let reset = client.call_ok::<sessions::Reset>(&session(MAIN)).await;
    assert_eq!((reset.ok, reset.entry.items), (true, 0));
    let status = client.call_ok::<overview::Status>(&NoParams {}).await;
    assert_eq!(status.sessions.all.count, 2);
    assert_eq!(status.sessions.by_agent[1].sessions.recent[0].key, "agent:ada:main");
    let health = client.call_ok::<overview::Health>(&HealthParams { probe: None }).await;
    assert_eq!(health.agents[0].sessions.recent[0].key, MAIN);
    let label = Some(FieldChange::Set("x".to_owned()));
    let unknown = SessionPatchParams { label, ..session_patch("agent:no-one:main") };
    assert_eq!(client.call_err::<sessions::Patch>(&unknown).await.message, "unknown agent id \"no-one\"");
}

#[tokio::test]
async fn cost_is_reported_by_day() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    reply(&mut client, "/status", "run").await;
    let usage = |at_ms, cost_nano_usd| tarsus_store::RequestUsage {
        run: "run".parse().unwrap(),
        model: "p/m".parse().unwrap(),
        input: 10,
        output: 5,
        cache_read: 2,
        cache_write: 3,
        cost_nano_usd,
        at_ms,
    };
    // The first and the last moment of 2026-01-01, and the next day.
    for (at_ms, cost) in
        [(1_767_225_600_000, Some(500_000_000)), (1_767_311_999_999, None), (1_767_312_000_000, Some(1))]
    {
        let added = server.gateway.store.add_usage(usage(at_ms, cost), tarsus_store::Durability::KillSafe);
        added.await.unwrap();
    }
    let day = json!({ "date": "2026-01-01", "input": 30, "output": 10, "totalTokens": 40, "totalCost": 0.5 });
    let period = |start: Option<&str>, end: Option<&str>, days| CostParams {
        start_date: start.map(str::to_owned),
        end_date: end.map(str::to_owned),
        days,
    };
    let one = period(Some("2026-01-01"), Some("2026-01-01"), None);
    let report = client.call_ok::<models::Cost>(&one).await;
    assert_eq!(json!(report.daily), json!([day]));
    assert_eq!(report.totals.total_tokens, 40);
    let report = client.call_ok::<models::Cost>(&period(None, Some("2026-01-02"), Some(2))).await;
    assert_eq!(report.daily.len(), 2);
    let report = client.call_ok::<models::Cost>(&period(None, Some("2025-12-31"), None)).await;
    assert_eq!(report.daily, []);
    assert_eq!(
        client.call_err::<models::Cost>(&period(Some("yesterday"), None, None)).await.message,
        "invalid usage.cost params: at /startDate: must be a day as in 2026-01-31"
    );
}

#[tokio::test]
async fn transcript_before_reset_is_readable_until_deletion() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    let answer = reply(&mut client, "/help", "before").await;
    let before = client.call_ok::<chat::History>(&chat_history(MAIN)).await.session_id;
    client.call_ok::<sessions::Reset>(&session(MAIN)).await;
    let listed = client.call_ok::<sessions::Transcripts>(&session("main")).await;
    let items: Vec<_> = listed.transcripts.iter().map(|transcript| transcript.items).collect();
    assert_eq!((listed.key.as_str(), items), (MAIN, vec![2, 0]));
    assert_eq!(Some(&listed.transcripts[0].session_id), before.as_ref());
    let old = ChatHistoryParams { session_id: before.clone(), after: Some(1), ..chat_history(MAIN) };
    let page = client.call_ok::<chat::History>(&old).await;
    assert_eq!((&page.session_id, page.total_messages), (&before, 2));
    assert_eq!(text_of(&page.messages[0]), answer);
    let never = ChatHistoryParams { session_id: Some("never".to_owned()), ..chat_history(MAIN) };
    let error = client.call_err::<chat::History>(&never).await;
    assert_eq!(error.message, "the session agent:main:main never had that id");

    let deleted = client.call_ok::<sessions::Delete>(&session(MAIN)).await;
    assert_eq!(deleted, SessionDeleted { ok: true, key: MAIN.to_owned(), deleted: true });
    let again = client.call_ok::<sessions::Delete>(&session(MAIN)).await;
    assert!(!again.deleted);
    assert_eq!(client.call_ok::<sessions::Transcripts>(&session(MAIN)).await.transcripts, []);
    assert_eq!(client.call_ok::<sessions::List>(&sessions_list()).await.count, 0);
    // The same key starts a new run: nothing of the deleted one is left.
    reply(&mut client, "/help", "before").await;
}
