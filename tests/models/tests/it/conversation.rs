//! Turns of a scripted model on a real store with real files: published events, stored items, sent requests.

use crate::scene;

use serde_json::{Value, json};
use tarsus_agent::{Channel, Inbound, RunEventKind, RunOutcome};
use tarsus_audit::RecordFilter;
use tarsus_protocol::{NoAnswer, Role};
use tarsus_store::RunState;
use tarsus_test_models::{Chunk, Gate, Reply};

use scene::{Scene, Setup, answer, inbound, main, outcome, texts};

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(role, text)| ((*role).to_owned(), (*text).to_owned())).collect()
}

fn text_reply(text: &str) -> Reply {
    Reply::answer([Chunk::text(text)])
}

fn call_reply(id: &str, tool: &str, arguments: Value) -> Reply {
    Reply::answer([Chunk::call(id, tool, &arguments)])
}

/// A label for each event, without repetitions.
fn kinds(events: &[RunEventKind]) -> Vec<&'static str> {
    let kind = |what: &RunEventKind| match what {
        RunEventKind::ItemAppended { message, .. } => match message.role {
            Role::User => "item: user",
            Role::Assistant => "item: assistant",
            Role::ToolResult { .. } => "item: result",
            _ => "item: remark",
        },
        RunEventKind::Preparing(_) => "preparing",
        RunEventKind::Started => "started",
        RunEventKind::ModelRequested { .. } => "model requested",
        RunEventKind::TextDelta { .. } => "text",
        RunEventKind::ReasoningDelta { .. } => "reasoning",
        RunEventKind::AttemptDiscarded { .. } => "discarded",
        RunEventKind::TextWithdrawn => "withdrawn",
        RunEventKind::ToolStarted(_) => "tool started",
        RunEventKind::ToolFinished { .. } => "tool finished",
        RunEventKind::UsageRecorded { .. } => "usage",
        RunEventKind::AppsChanged(_) => "apps",
        RunEventKind::FilesChanged(_) => "files",
        RunEventKind::ApprovalRequested(_) => "approval requested",
        RunEventKind::ApprovalResolved(_) => "approval resolved",
        RunEventKind::Finished(_) => "finished",
    };
    let mut kinds: Vec<_> = events.iter().map(kind).collect();
    // The number of deltas depends on timing.
    kinds.dedup();
    kinds
}

#[tokio::test]
async fn runtime_line_names_the_channel_of_the_message() {
    let scene = Scene::with_replies([text_reply("One."), text_reply("Two.")]);
    scene.send("a", "hi").await;
    let terminal = Inbound { channel: Channel::Terminal, ..inbound("b", "hi") };
    scene.runtime.send(terminal).await.unwrap().start_turn();
    scene.runtime.idle().await;
    let requests = scene.requests();
    for (request, facts) in requests.iter().zip([
        "os=linux (x86_64) | model=test/one | default_model=test/one | shell=bash | channel=webchat | capabilities=markdown",
        "channel=terminal | capabilities=none",
    ]) {
        let system = request["messages"][0]["content"].as_str().unwrap();
        assert!(system.contains(facts), "{system}");
    }
}

#[tokio::test]
async fn answer_is_streamed_and_stored_with_its_usage() {
    let scene =
        Scene::with_replies([Reply::answer([Chunk::text("Hel"), Chunk::text("lo."), Chunk::text(" Bye.")])]);
    let events = scene.send("a", "hi").await;
    assert_eq!(
        kinds(&events),
        [
            "item: user",
            "preparing",
            "started",
            "model requested",
            "text",
            "usage",
            "item: assistant",
            "finished"
        ]
    );
    assert_eq!(answer(&events), "Hello. Bye.");
    let new: String = events
        .iter()
        .filter_map(|event| match event {
            RunEventKind::TextDelta { new, .. } => Some(new.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(new, "Hello. Bye.", "the deltas make up the text");
    assert_eq!(texts(&scene.items()), pairs(&[("user", "hi"), ("assistant", "Hello. Bye.")]));
    let run = scene.run("a");
    assert_eq!((run.state, run.model.unwrap().as_str()), (RunState::Finished, "test/one"));
    let usage = scene.store.usage_in_run(&"a".parse().unwrap()).unwrap();
    assert_eq!((usage.input, usage.output, usage.cost_nano_usd), (12, 5, 22_000));
}

#[tokio::test]
async fn request_extends_the_previous_one() {
    let files = vec![("notes.md", "one\ntwo\n".to_owned())];
    let replies = [
        Reply::answer([
            Chunk::text("Looking."),
            Chunk::call("c1", "read", &json!({"path": "notes.md"})),
            Chunk::call("c2", "agents_list", &json!({})),
        ]),
        call_reply("c3", "read", json!({"path": "missing.md"})),
        text_reply("Done."),
        text_reply("<think>hm</think>[[reply_to_current]] Again."),
        text_reply("NO_REPLY"),
        text_reply("Bye."),
    ];
    let scene = Scene::with(Setup { files, ..Setup::default() }, replies);
    for (run, text) in [("a", "look"), ("b", "/status"), ("c", "again"), ("d", "quiet"), ("e", "bye")] {
        scene.send(run, text).await;
    }
    let requests = scene.requests();
    assert_eq!(requests.len(), 6);
    for pair in requests.windows(2) {
        let messages = |request: &Value| request["messages"].as_array().unwrap().clone();
        let (before, after) = (messages(&pair[0]), messages(&pair[1]));
        assert_eq!(after[..before.len()], before, "sent messages do not change");
        assert!(after.len() > before.len());
        let rest = |request: &Value| {
            let mut rest = request.clone();
            rest.as_object_mut().unwrap().shift_remove("messages");
            rest.to_string()
        };
        assert_eq!(rest(&pair[0]), rest(&pair[1]));
    }
    let all = requests.last().unwrap()["messages"].to_string();
    assert!(all.contains("two") && !all.contains("/status"), "the model does not get commands");
}

#[tokio::test]
async fn read_only_calls_run_together_with_two_syncs() {
    let files = vec![("one.md", "1".to_owned()), ("two.md", "2".to_owned())];
    let both = Reply::answer([
        Chunk::call("c1", "read", &json!({"path": "one.md"})),
        Chunk::call("c2", "read", &json!({"path": "two.md"})),
    ]);
    let scene = Scene::with(Setup { files, ..Setup::default() }, [both, text_reply("Both read.")]);
    let events = scene.send("a", "read both").await;
    assert_eq!(
        kinds(&events),
        [
            "item: user",
            "preparing",
            "started",
            "model requested",
            "usage",
            "item: assistant",
            "tool started",
            "tool finished",
            "item: result",
            "tool finished",
            "item: result",
            "model requested",
            "text",
            "usage",
            "item: assistant",
            "finished",
        ]
    );
    let items = scene.items();
    assert_eq!(
        texts(&items)[2..],
        pairs(&[("toolResult", "1"), ("toolResult", "2"), ("assistant", "Both read.")])
    );
    // One for the message, one for both calls, one for both results: the answer is kill-safe.
    assert!(scene.store.writer_stats().syncs <= 4, "{:?}", scene.store.writer_stats());
    let calls = scene.store.calls(&"a".parse().unwrap()).unwrap();
    assert!(calls.iter().all(|call| call.begun_ms.is_some() && !call.ended.unwrap().failed));
}

#[tokio::test]
async fn invalid_call_is_reported_to_the_model() {
    let replies = [
        Reply::answer([
            Chunk::call("c1", "nonsense", &json!({})),
            Chunk::call("c2", "read", &json!({"path": 7})),
            Chunk::Call { id: "c3".into(), name: "read".into(), arguments: "{\"path\": ".into() },
            Chunk::call("c4", "read", &json!({"path": "../../etc/passwd"})),
        ]),
        text_reply("I see."),
    ];
    let scene = Scene::with_replies(replies);
    assert_eq!(answer(&scene.send("a", "try").await), "I see.");
    let results: Vec<String> = texts(&scene.items())
        .into_iter()
        .filter(|(role, _)| role == "toolResult")
        .map(|(_, text)| text)
        .collect();
    assert_eq!(results.len(), 4);
    for (result, word) in results.iter().zip(["no such tool", "path", "not valid JSON", "etc/passwd"]) {
        assert!(result.contains(word), "{word}: {result}");
    }
    assert!(scene.store.calls(&"a".parse().unwrap()).unwrap().iter().all(|call| call.ended.unwrap().failed));
}

#[tokio::test]
async fn aborted_answer_keeps_its_published_part() {
    let gate = Gate::closed();
    let reply = Reply::answer([Chunk::text("One. "), Chunk::text("Two.")]).held_before(2, &gate);
    let scene = Scene::with_replies([reply, text_reply("Later.")]);
    scene.start("a", "count").await;
    scene.wait_for(|event| matches!(event, RunEventKind::TextDelta { .. })).await;
    scene.start("b", "next").await;
    let aborted = scene.runtime.abort(&main(), Some(&"a".parse().unwrap()));
    assert_eq!(aborted.runs, ["a".parse().unwrap()]);
    gate.open();
    scene.runtime.idle().await;
    assert_eq!(scene.run("a").state, RunState::Aborted);
    assert_eq!(
        texts(&scene.items()),
        pairs(&[("user", "count"), ("user", "next"), ("assistant", "One."), ("assistant", "Later.")])
    );
    let last = scene.requests().pop().unwrap();
    let roles: Vec<_> =
        last["messages"].as_array().unwrap().iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"], "turns stay together");
}

#[tokio::test]
async fn broken_answer_is_discarded_and_retried() {
    let whole = Reply::answer([Chunk::text("Half of it. "), Chunk::text("All of it.")]);
    let scene = Scene::with_replies([whole.clone().broken_after(220), whole]);
    let events = scene.send("a", "speak").await;
    assert_eq!(answer(&events), "Half of it. All of it.");
    assert_eq!(texts(&scene.items()), pairs(&[("user", "speak"), ("assistant", "Half of it. All of it.")]));
    let run = scene.run("a");
    assert_eq!(run.tried.len(), 1, "{run:?}");
    assert!(kinds(&events).contains(&"discarded"));
}

#[tokio::test]
async fn failed_model_ends_the_run_with_its_reason() {
    let scene = Scene::with_replies([Reply::failing(401, "wrong key")]);
    let events = scene.send("a", "hi").await;
    let RunOutcome::Failed { why, no_answer } = outcome(&events) else { panic!("{events:?}") };
    assert!(why.contains("test/one") && why.contains("wrong key"), "{why}");
    assert_eq!(*no_answer, Some(NoAnswer::Auth));
    assert_eq!(scene.run("a").tried.len(), 1);
    assert_eq!(texts(&scene.items())[1].0, "run-failed-before-reply");
}

#[tokio::test]
async fn silent_reply_is_stored_and_not_published() {
    let scene = Scene::with_replies([text_reply("NO_REPLY"), text_reply("[[ reply_to: 17 ]] Yes.")]);
    let events = scene.send("a", "nothing to say?").await;
    assert!(
        matches!(outcome(&events), RunOutcome::Completed { message, is_silent: true, .. } if message.text().is_empty())
    );
    assert!(!kinds(&events).contains(&"text"));
    assert_eq!(texts(&scene.items())[1].1, "NO_REPLY", "the model sees its own token");
    let events = scene.send("b", "really?").await;
    assert!(matches!(outcome(&events), RunOutcome::Completed { reply_to: Some(id), .. } if id == "17"));
    assert_eq!(answer(&events), "Yes.");
    let (silent, reply) = (scene.run("a"), scene.run("b"));
    assert_eq!((silent.is_silent, reply.is_silent), (true, false));
    assert_eq!(reply.reply_to.unwrap().as_str(), "17");
}

#[tokio::test]
async fn known_secrets_never_leave_the_runtime() {
    const KEY: &str = "key-of-the-provider";
    const TOKEN: &str = "canary-token-123456";
    /// What the settings of skills hold: a variable, a key, and a key that is in the environment under another name.
    const OF_SKILLS: [&str; 3] = ["canary-skill-variable", "canary-skill-key", "canary-skill-reference"];
    let keyed = |name: &str| {
        let metadata = "metadata: {\"openclaw\":{\"primaryEnv\":\"FORECAST_KEY\"}}";
        format!("---\nname: {name}\ndescription: Tells the weather\n{metadata}\n---\n\nTell it.\n")
    };
    let setup = Setup {
        environment: vec![
            ("SOME_API_KEY".to_owned(), TOKEN.to_owned()),
            ("HOME_TOWN".to_owned(), "Tarsus".to_owned()),
            ("ELSEWHERE".to_owned(), OF_SKILLS[2].to_owned()),
        ],
        config: json!({ "skills": { "entries": {
            "forecast": { "apiKey": OF_SKILLS[1], "env": { "FORECAST_ZONE": OF_SKILLS[0] } },
            "outlook": { "apiKey": { "source": "env", "provider": "default", "id": "ELSEWHERE" } },
        } } }),
        skills: vec![("forecast", keyed("forecast")), ("outlook", keyed("outlook"))],
        files: vec![(
            "leak.txt",
            format!("the key is {TOKEN}, of Tarsus\nand {}\n", OF_SKILLS.join(" and ")),
        )],
        ..Setup::default()
    };
    let replies = [
        Reply::answer([
            Chunk::reasoning(format!("{TOKEN} could be useful")),
            Chunk::text("The key is key-of-"),
            Chunk::text("the-provider, and so on."),
            Chunk::call("c1", "read", &json!({"path": "leak.txt"})),
            Chunk::call("c2", "read", &json!({"path": TOKEN})),
            Chunk::call("c3", "app_launch", &json!({"name": OF_SKILLS[2]})),
            Chunk::call("c4", "read", &json!({"path": "~/.openclaw/skills/forecast/SKILL.md"})),
        ]),
        Reply::answer([Chunk::text(format!(
            "<think>{KEY}</think>It is canary<think>x</think>-token-123456! Or {}.",
            OF_SKILLS.join(", ")
        ))]),
        Reply::failing(400, &format!("bad key {KEY}")),
    ];
    let scene = Scene::with(setup, replies);
    let mut events = scene.send("a", "find keys").await;
    events.extend(scene.send("b", "more").await);
    let records = scene.audit.tail(&RecordFilter::default()).unwrap().records;
    let everything = format!("{events:?} {:?} {:?} {records:?}", scene.items(), scene.run("b"));
    let secrets = || [TOKEN, KEY].into_iter().chain(OF_SKILLS);
    assert!(!secrets().any(|secret| everything.contains(secret)), "{everything}");
    assert!(everything.contains("of Tarsus") && everything.contains("[hidden], and so on."));
    let sent = format!("{:?}", scene.requests());
    assert!(!secrets().any(|secret| sent.contains(secret)), "{sent}");
}

#[tokio::test]
async fn denied_tool_is_neither_offered_nor_run() {
    let config = json!({
        "tools": { "profile": "coding", "deny": ["app_launch"] },
        "agents": { "list": [{ "id": "main", "tools": { "deny": ["memory*"] } }] },
    });
    let replies = [call_reply("c1", "app_launch", json!({ "name": "Last Z" })), text_reply("I may not.")];
    let scene = Scene::with(Setup { config, ..Setup::default() }, replies);
    scene.send("a", "could you start the game?").await;
    let requests = scene.requests();
    let tools = requests[0]["tools"].as_array().unwrap();
    let offered: Vec<&str> = tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect();
    let others = [
        "read",
        "write",
        "edit",
        "apply_patch",
        "web_search",
        "web_fetch",
        "session_status",
        "agents_list",
        "apps_list",
        "app_status",
        "app_stop",
        "app_propose",
    ];
    assert_eq!(offered, others);
    let prompt = requests[0]["messages"][0]["content"].to_string();
    assert!(prompt.contains("- apps_list: ") && !prompt.contains("- app_launch: "), "{prompt}");
    let refused = requests[1]["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(refused.contains("the agent does not have this tool because of tools.deny"), "{refused}");
}

#[tokio::test]
async fn exceeded_budget_ends_the_turn_without_a_request() {
    let config = json!({"agents": {"defaults": {"budget": {"turnTokens": 10, "dailyTokens": 30}}}});
    let replies =
        [call_reply("c1", "agents_list", json!({})), text_reply("Never asked."), text_reply("Nor this.")];
    let scene = Scene::with(Setup { config, ..Setup::default() }, replies);
    let first = answer(&scene.send("a", "go on").await);
    assert!(first.starts_with("the budget of 10 tokens per turn is used up (17 used)"), "{first}");
    assert_eq!(answer(&scene.send("b", "once more").await), "Never asked.");
    let third = answer(&scene.send("c", "and again").await);
    assert!(third.starts_with("the daily budget of 30 tokens is used up (34 used)"), "{third}");
    assert_eq!(scene.requests().len(), 2);
}

#[tokio::test]
async fn repeated_identical_calls_are_stopped() {
    let mut replies: Vec<Reply> =
        (0..14).map(|number| call_reply(&format!("c{number}"), "agents_list", json!({}))).collect();
    replies.push(text_reply("I give up."));
    let scene = Scene::with_replies(replies);
    assert_eq!(answer(&scene.send("a", "list agents").await), "I give up.");
    let results: Vec<String> = texts(&scene.items())
        .into_iter()
        .filter(|(role, _)| role == "toolResult")
        .map(|(_, text)| text)
        .collect();
    let refused = results.iter().position(|text| text.contains("needs the owner's approval")).unwrap();
    assert_eq!(refused, 11, "{results:#?}");
}

#[tokio::test]
async fn active_skill_limits_later_calls_and_turns() {
    let skill = "---\nname: weather\ndescription: Tells the weather.\n---\nOpen the app Notes.\n";
    let setup = Setup {
        skills: vec![("weather", skill.to_owned())],
        apps: Some(json!({"Notes": {"launch_path": "/nowhere/Notes", "mode": "full", "allowed_agents": []}})),
        ..Setup::default()
    };
    let replies = [
        call_reply("c1", "app_status", json!({"name": "Notes"})),
        Reply::answer([
            Chunk::call("c2", "read", &json!({"path": "~/.openclaw/skills/weather/SKILL.md"})),
            Chunk::call("c3", "app_launch", &json!({"name": "Notes"})),
        ]),
        text_reply("Not allowed."),
        call_reply("c4", "app_launch", json!({"name": "Notes"})),
        text_reply("Still not."),
    ];
    let scene = Scene::with(setup, replies);
    assert_eq!(answer(&scene.send("a", "how is the weather").await), "Not allowed.");
    let items = texts(&scene.items());
    let results: Vec<&String> =
        items.iter().filter(|(role, _)| role == "toolResult").map(|(_, text)| text).collect();
    assert!(results[1].contains("Open the app Notes."), "{results:#?}");
    assert!(results[2].contains("the skill weather lacks shell"), "{results:#?}");
    assert_eq!(answer(&scene.send("b", "try it once more").await), "Still not.");
    let items = texts(&scene.items());
    assert!(
        items.iter().rev().nth(1).unwrap().1.contains("the skill weather lacks shell"),
        "the next turn too"
    );
    let request = scene.requests()[2]["messages"].to_string();
    assert!(request.contains("<untrusted-") && request.contains("skill weather (community)"), "{request}");
}
