//! Chat with an agent: replies, events and stored history.

use crate::common;

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::Client;
use tarsus_gateway::limits::Limits;

const MAIN: &str = "agent:main:main";

fn message(text: &str, key: &str) -> Value {
    json!({ "sessionKey": MAIN, "message": text, "deliver": false, "idempotencyKey": key })
}

/// Sends a message and collects its events.
async fn send_and_collect(client: &mut Client, text: &str, key: &str) -> Vec<Value> {
    let sent = client.get("chat.send", &message(text, key)).await;
    assert_eq!(sent, json!({ "runId": key, "status": "started" }));
    let mut told: Vec<Value> = Vec::new();
    loop {
        let event = match client.events.pop_front() {
            Some(event) => event,
            None => client.receive().await.frame(),
        };
        if event["payload"]["runId"] == key || event["event"] == "apps.changed" {
            let goes_on = ["status", "delta"].iter().any(|state| event["payload"]["state"] == **state);
            let is_last = event["event"] == "chat" && !goes_on;
            told.push(event);
            if is_last {
                return told;
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

/// An event in a few words.
fn words(event: &Value) -> String {
    let payload = &event["payload"];
    let more = match event["event"].as_str().unwrap() {
        "session.message" => payload["message"]["role"].to_string(),
        "agent" if payload["stream"] == "lifecycle" => payload["data"]["phase"].to_string(),
        "agent" => payload["stream"].to_string(),
        "chat" if payload["state"] == "status" => payload["phase"].to_string(),
        "chat" => payload["state"].to_string(),
        "apps.changed" => payload["action"].to_string(),
        other => panic!("{other} is not told of a run"),
    };
    format!("{} {}", event["event"].as_str().unwrap(), more.trim_matches('"'))
}

#[tokio::test]
async fn without_model_one_message_arrives_in_order() {
    let server = Server::start().await;
    let (mut client, mut other) = (server.admin().await, server.client(&["operator.read"]).await);
    let told = send_and_collect(&mut client, "what is the meaning of life?", "run-1").await;
    let order: Vec<_> = told.iter().map(words).collect();
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
    let last = &told[8]["payload"];
    let text = last["message"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("No language model is configured yet"), "{text}");
    assert_eq!(
        (&last["sessionKey"], &last["stopReason"], &last["message"]["role"]),
        (&json!(MAIN), &json!("stop"), &json!("assistant"))
    );
    assert_eq!(told[4]["payload"]["data"], json!({ "text": text, "delta": text }));
    assert_eq!(told[5]["payload"]["deltaText"], text);
    let seqs: Vec<_> = told.iter().filter_map(|event| event["payload"]["seq"].as_u64()).collect();
    assert!(seqs.is_sorted(), "{seqs:?}");
    let numbers: Vec<_> = told.iter().filter_map(|event| event["payload"]["number"].as_u64()).collect();
    assert_eq!(numbers, [1, 2]);
    assert_eq!(other.event("chat").await["payload"]["state"], "status");

    let waited = client.get("agent.wait", &json!({ "runId": "run-1", "timeoutMs": 1 })).await;
    assert_eq!((&waited["runId"], &waited["status"]), (&json!("run-1"), &json!("ok")));
}

#[tokio::test]
async fn idempotency_key_accepts_a_message_once() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    reply(&mut client, "/help", "key").await;
    let again = client.get("chat.send", &message("/help", "key")).await;
    assert_eq!(again, json!({ "runId": "key", "status": "ok" }));
    let history = client.get("chat.history", &json!({ "sessionKey": MAIN })).await;
    assert_eq!((&history["totalMessages"], &history["hasMore"]), (&json!(2), &json!(false)));
    let elsewhere = json!({ "sessionKey": "agent:main:other", "message": "/help", "idempotencyKey": "key" });
    assert!(client.refusal("chat.send", &elsewhere).await.contains("key"));
    let waited = client.get("agent.wait", &json!({ "runId": "key" })).await;
    assert_eq!(waited["status"], "ok");
}

#[tokio::test]
async fn attachments_are_checked_and_survive_a_restart() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    let with = |key: &str, message: &str, attachments: Value| {
        let mut params = self::message(message, key);
        params["attachments"] = attachments;
        params
    };
    let picture = "iVBORw0KGgo=";
    let refused = [
        (json!([{ "type": "image" }]), "must have required property 'content'"),
        (
            json!([{ "type": "file", "fileName": "a.pdf", "content": "JVBERi0xLjc=" }]),
            "\"a.pdf\" is a PDF document",
        ),
        (json!([{ "content": picture }, { "fileName": "b", "content": "?" }]), "\"b\" is not valid base64"),
    ];
    for (attachments, why) in refused {
        let told = client.refusal("chat.send", &with("refused", "look", attachments.clone())).await;
        assert!(told.contains(why), "{told}");
    }
    let nothing = client.get("chat.history", &json!({ "sessionKey": MAIN })).await;
    assert_eq!(nothing["totalMessages"], 0, "nothing of a message is taken then");
    let attachments = json!([
        { "type": "image", "mimeType": "image/jpeg", "fileName": "p.jpg", "content": picture },
        { "type": "file", "mimeType": "text/plain", "fileName": "n.txt", "content": "data:text/plain;base64,aGk=" },
    ]);
    client.get("chat.send", &with("kept", "", attachments.clone())).await;
    client.get("agent.wait", &json!({ "runId": "kept" })).await;
    let mut agent = with("agent", "look", attachments);
    agent.as_object_mut().unwrap().remove("deliver");
    client.get("agent", &agent).await;
    client.get("agent.wait", &json!({ "runId": "agent" })).await;
    drop(client);
    let server = server.restart().await;
    let mut client = server.admin().await;
    let history = client.get("chat.history", &json!({ "sessionKey": MAIN })).await;
    let blocks = json!([
        { "type": "image", "data": picture, "mimeType": "image/png" },
        { "type": "file", "fileName": "n.txt", "text": "hi" },
    ]);
    assert_eq!(history["messages"][0]["content"], blocks);
    assert_eq!(history["messages"][2]["content"][2], blocks[1]);
    assert_eq!(history["messages"][2]["content"][0]["text"], "look");
}

#[tokio::test]
async fn skill_command_calls_its_tool_without_model() {
    let server = Server::start().await;
    let folder = server.home.state_dir().join("skills").join("who");
    std::fs::create_dir_all(&folder).unwrap();
    let skill = "---\nname: who\ndescription: Lists agents.\ncommand-dispatch: tool\ncommand-tool: agents_list\n---\n\nX\n";
    std::fs::write(folder.join("SKILL.md"), skill).unwrap();
    let mut client = server.admin().await;
    client.get("skills.refresh", &json!({})).await;
    let order: Vec<_> = send_and_collect(&mut client, "/who", "a").await.iter().map(words).collect();
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
        let frame = json!({
            "type": "req", "id": format!("q{number}"), "method": "chat.send",
            "params": message("/status", &format!("run-{number}")),
        });
        client.send(&frame).await;
    }
    let mut ended = Vec::new();
    while ended.len() < 20 {
        let frame = client.receive().await.frame();
        if frame["event"] == "chat" && frame["payload"]["state"] == "final" {
            ended.push(frame["payload"]["runId"].as_str().unwrap().to_owned());
        }
    }
    let history = client.get("chat.history", &json!({ "sessionKey": MAIN, "limit": 1000 })).await;
    let asked: Vec<_> = history["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| item["role"] == "user")
        .map(|item| item["runId"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ended, asked);
}

#[tokio::test]
async fn application_manager_resumes_after_a_restart() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    let menu = reply(&mut client, "application manager", "1").await;
    assert!(menu.starts_with("Application Manager"), "{menu}");
    let created = send_and_collect(&mut client, "create", "2").await;
    assert!(created.iter().any(|event| words(event) == "apps.changed create"), "{created:?}");
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
    let list = client.get("apps.list", &json!({})).await;
    assert_eq!(list["apps"][0]["name"], "Notes");
}

#[tokio::test]
async fn history_survives_a_restart_and_resumes_after_seq() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    for number in 0..3 {
        reply(&mut client, "/status", &format!("run-{number}")).await;
    }
    let all = client.get("chat.history", &json!({ "sessionKey": MAIN })).await;
    drop(client);
    let server = server.restart().await;
    let mut client = server.admin().await;
    let numbers = |page: &Value| -> Vec<u64> {
        page["messages"].as_array().unwrap().iter().map(|item| item["number"].as_u64().unwrap()).collect()
    };
    let again = client.get("chat.history", &json!({ "sessionKey": MAIN })).await;
    assert_eq!((&again["messages"], &again["sessionId"]), (&all["messages"], &all["sessionId"]));
    assert_eq!(numbers(&all), [1, 2, 3, 4, 5, 6]);
    for (params, expected, more) in [
        (json!({ "sessionKey": MAIN, "after": 4 }), vec![5, 6], false),
        (json!({ "sessionKey": MAIN, "after": 0, "limit": 2 }), vec![1, 2], true),
        (json!({ "sessionKey": MAIN, "after": 6 }), vec![], false),
        (json!({ "sessionKey": MAIN, "limit": 2 }), vec![5, 6], true),
        (json!({ "sessionKey": MAIN, "before": 3 }), vec![1, 2], false),
        // A name without an agent is one of the default agent.
        (json!({ "sessionKey": "main", "after": 5 }), vec![6], false),
    ] {
        let page = client.get("chat.history", &params).await;
        assert_eq!((numbers(&page), &page["hasMore"]), (expected, &json!(more)), "{params}");
    }
    let both = json!({ "sessionKey": MAIN, "after": 1, "before": 3 });
    assert_eq!(
        client.refusal("chat.history", &both).await,
        "invalid chat.history params: either after or before"
    );
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

    let before = client.get("chat.history", &json!({ "sessionKey": MAIN })).await["sessionId"].clone();
    let begun = reply(&mut client, "/new", "new").await;
    let history = client.get("chat.history", &json!({ "sessionKey": MAIN })).await;
    assert_ne!(history["sessionId"], before);
    assert_eq!(history["totalMessages"], 1, "the answer is the first item of what has begun: {history}");
    assert_eq!(history["messages"][0]["content"][0]["text"], begun.as_str());
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
    let patch = json!({ "key": "agent:ada:main", "label": "Ada's", "thinkingLevel": "low", "execHost": "sandbox",
        "execSecurity": "deny", "execAsk": "on-miss" });
    let patched = client.get("sessions.patch", &patch).await;
    assert_eq!(
        (&patched["ok"], &patched["key"], &patched["resolved"]),
        (&json!(true), &json!("agent:ada:main"), &json!({ "modelProvider": "p", "model": "m" }))
    );
    let entry = &patched["entry"];
    let told =
        ["displayName", "thinkingLevel", "execHost", "execSecurity", "execAsk"].map(|name| &entry[name]);
    assert_eq!(told, ["Ada's", "low", "sandbox", "deny", "on-miss"]);
    let patch = json!({ "key": "agent:ada:main", "model": "q/n", "execAsk": null });
    let patched = client.get("sessions.patch", &patch).await;
    assert_eq!(patched["resolved"], json!({ "modelProvider": "q", "model": "n" }));
    assert_eq!(
        (&patched["entry"]["execAsk"], &patched["entry"]["execHost"]),
        (&Value::Null, &json!("sandbox"))
    );

    let list = client.get("sessions.list", &json!({})).await;
    assert_eq!(
        (&list["count"], &list["totalCount"], &list["hasMore"]),
        (&json!(2), &json!(2), &json!(false))
    );
    let asked = json!({ "agentId": "ada", "includeGlobal": false, "includeUnknown": false,
        "search": "agent:ada:main", "limit": 4 });
    let list = client.get("sessions.list", &asked).await;
    assert_eq!(list["sessions"][0]["key"], "agent:ada:main");
    assert_eq!((&list["count"], &list["defaults"]["model"]), (&json!(1), &json!("m")));
    let list = client.get("sessions.list", &json!({ "limit": 1 })).await;
    assert_eq!((&list["hasMore"], &list["nextOffset"]), (&json!(true), &json!(1)));
    let list = client.get("sessions.list", &json!({ "limit": 1, "offset": 1 })).await;
    assert_eq!((&list["hasMore"], &list["nextOffset"]), (&json!(false), &Value::Null));

    let keys = json!({ "keys": [MAIN, "agent:main:none", "agent:ada:main", "not:a:key", "agent:no-one:main"],
        "limit": 8, "maxChars": 240 });
    let previews = client.get("sessions.preview", &keys).await["previews"].clone();
    let status: Vec<_> =
        previews.as_array().unwrap().iter().map(|preview| preview["status"].clone()).collect();
    assert_eq!(status, ["ok", "missing", "empty", "missing", "missing"]);
    assert_eq!(previews[0]["items"][0]["role"], "user");
    assert_eq!(previews[0]["items"][0]["text"], format!("{}…", "x".repeat(240)));
    assert_eq!(previews[0]["items"][1]["role"], "assistant");

    let reset = client.get("sessions.reset", &json!({ "key": MAIN })).await;
    assert_eq!((&reset["ok"], &reset["entry"]["items"]), (&json!(true), &json!(0)));
    let status = client.get("status", &json!({})).await;
    assert_eq!(status["sessions"]["count"], 2);
    assert_eq!(status["sessions"]["byAgent"][1]["recent"][0]["key"], "agent:ada:main");
    let health = client.get("health", &json!({})).await;
    assert_eq!(health["agents"][0]["sessions"]["recent"][0]["key"], MAIN);
    assert_eq!(
        client.refusal("sessions.patch", &json!({ "key": "agent:no-one:main", "label": "x" })).await,
        "unknown agent id \"no-one\""
    );
}

#[tokio::test]
async fn cost_is_reported_by_day() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    reply(&mut client, "/status", "run").await;
    let usage = |at_ms, cost_nano_usd| tarsus_store::Usage {
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
    let one = json!({ "startDate": "2026-01-01", "endDate": "2026-01-01" });
    let report = client.get("usage.cost", &one).await;
    assert_eq!(report["daily"], json!([day]));
    assert_eq!(report["totals"]["totalTokens"], 40);
    let report = client.get("usage.cost", &json!({ "endDate": "2026-01-02", "days": 2 })).await;
    assert_eq!(report["daily"].as_array().map(Vec::len), Some(2));
    let report = client.get("usage.cost", &json!({ "endDate": "2025-12-31" })).await;
    assert_eq!(report["daily"], json!([]));
    assert_eq!(
        client.refusal("usage.cost", &json!({ "startDate": "yesterday" })).await,
        "invalid usage.cost params: at /startDate: must be a day as in 2026-01-31"
    );
}

#[tokio::test]
async fn transcript_before_reset_is_readable_until_deletion() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    let said = reply(&mut client, "/help", "before").await;
    let before = client.get("chat.history", &json!({ "sessionKey": MAIN })).await["sessionId"].clone();
    client.get("sessions.reset", &json!({ "key": MAIN })).await;
    let told = client.get("sessions.transcripts", &json!({ "key": "main" })).await;
    let items: Vec<_> = told["transcripts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|transcript| transcript["items"].clone())
        .collect();
    assert_eq!((&told["key"], items), (&json!(MAIN), vec![json!(2), json!(0)]));
    assert_eq!(told["transcripts"][0]["sessionId"], before);
    let page =
        client.get("chat.history", &json!({ "sessionKey": MAIN, "sessionId": before, "after": 1 })).await;
    assert_eq!((&page["sessionId"], &page["totalMessages"]), (&before, &json!(2)));
    assert_eq!(page["messages"][0]["content"][0]["text"], said.as_str());
    let never = client.refusal("chat.history", &json!({ "sessionKey": MAIN, "sessionId": "never" })).await;
    assert_eq!(never, "the session agent:main:main never had that id");

    let deleted = client.get("sessions.delete", &json!({ "key": MAIN })).await;
    assert_eq!(deleted, json!({ "ok": true, "key": MAIN, "deleted": true }));
    let again = client.get("sessions.delete", &json!({ "key": MAIN })).await;
    assert_eq!(again["deleted"], false);
    assert_eq!(client.get("sessions.transcripts", &json!({ "key": MAIN })).await["transcripts"], json!([]));
    assert_eq!(client.get("sessions.list", &json!({})).await["count"], 0);
    // The same key begins a new run: what was deleted is known no more.
    reply(&mut client, "/help", "before").await;
}
