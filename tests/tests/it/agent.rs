//! `tarsus agent`, the gateway and the OpenAI API, with a scripted model.
#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::process::{Output, Stdio};

use serde_json::{Value, json};
use tarsus_conformance::holders;
use tarsus_models::Dialect;
use tarsus_test_models::{Chunk, Gate, Reply, Server};
use tarsus_tests::apps::Apps;
use tarsus_tests::{Running, TestHome, printed};

/// Configures a server as the model of a home.
fn configure(home: &TestHome, server: &Server) {
    fs::create_dir_all(home.state_dir()).unwrap();
    let provider = json!({
        "baseUrl": server.base_url(Dialect::OpenaiCompletions),
        "api": "openai-completions",
        "apiKey": "sk-canary-0123456789",
        "models": [{ "id": "m", "contextWindow": 16_000, "cost": { "input": 1, "output": 2 } }],
    });
    let config = json!({
        "agents": { "defaults": { "model": "cellar/m" } },
        "models": { "providers": { "cellar": provider } },
    });
    fs::write(home.home().config_path(), config.to_string()).unwrap();
}

fn home(replies: impl IntoIterator<Item = Reply>) -> (TestHome, Server) {
    let (home, server) = (TestHome::new(), Server::with_replies(replies));
    configure(&home, &server);
    (home, server)
}

fn text_reply(text: &str) -> Reply {
    Reply::answer([Chunk::text(text)])
}

fn run(home: &TestHome, arguments: &[&str]) -> Output {
    let output = home.tarsus(arguments).output().unwrap();
    assert!(!printed(&output).contains("canary"), "{}", printed(&output));
    output
}

fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", printed(output)))
}

/// A result without its variable parts.
fn settled(mut result: Value) -> Value {
    result["runId"] = json!("…");
    for call in result["toolCalls"].as_array_mut().into_iter().flatten() {
        call["ms"] = json!(0);
    }
    result
}

#[test]
fn agent_answers_with_and_without_a_gateway() {
    let reply = || {
        [
            Reply::answer([Chunk::text("One moment."), Chunk::call("c1", "agents_list", &json!({}))]),
            text_reply("[[reply_to: 7]] There is one agent."),
        ]
    };
    let (home, server) = home(reply().into_iter().chain(reply()));
    let expected = json!({
        "runId": "…", "sessionKey": "agent:main:work", "agentId": "main", "model": "cellar/m", "status": "ok",
        "text": "There is one agent.", "replyTo": "7", "silent": false,
        "usage": { "requests": 2, "input": 24, "output": 10, "cacheRead": 0, "cacheWrite": 0, "cost": 0.000_044 },
        "toolCalls": [{ "name": "agents_list", "ok": true, "ms": 0 }],
    });
    let ask = ["agent", "-m", "how many agents are there?", "--session-key", "work", "--json"];
    let alone = run(&home, &ask);
    assert_eq!(settled(json_of(&alone)), expected);
    let gateway = Running::up(&home);
    let through = run(&home, &ask);
    assert_eq!(settled(json_of(&through)), expected);
    drop(gateway);
    let shown = run(&home, &["sessions", "show", "work", "--json"]);
    assert_eq!(json_of(&shown)["totalMessages"], 8, "both processes wrote to one session");
    let request = &server.requests()[3].body;
    assert_eq!(
        request["messages"].as_array().unwrap().len(),
        1 + 4 + 3,
        "the second goes on where the first ended"
    );
}

#[test]
fn terminal_shows_calls_and_reasoning_if_the_session_does() {
    let reply = || {
        [
            Reply::answer([
                Chunk::reasoning("First a look."),
                Chunk::call("c1", "read", &json!({ "path": "list.txt" })),
            ]),
            text_reply("Milk."),
        ]
    };
    let (home, server) = home(std::iter::repeat_with(reply).take(3).flatten());
    fs::create_dir_all(home.state_dir().join("workspace")).unwrap();
    fs::write(home.state_dir().join("workspace/list.txt"), "milk\n").unwrap();
    let ask = ["agent", "-m", "what do I need?"];
    let stdout = |output: &Output| String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(stdout(&run(&home, &ask)), "Milk.\n");
    for setting in ["/reasoning on", "/verbose full"] {
        run(&home, &["agent", "-m", setting]);
    }
    let alone = stdout(&run(&home, &ask));
    assert!(alone.starts_with("Milk.\n\nTool calls:\n  read list.txt\n    "), "{alone}");
    assert!(alone.contains("milk") && alone.ends_with("\n\nReasoning:\nFirst a look.\n"), "{alone}");
    let _gateway = Running::up(&home);
    assert_eq!(stdout(&run(&home, &ask)), alone);
    for request in server.requests() {
        let sent = request.body.to_string();
        assert!(sent.contains("channel=terminal | capabilities=none"), "{sent}");
    }
}

#[test]
fn answer_is_streamed_and_failure_sets_the_exit_code() {
    let gate = Gate::closed();
    let replies = [
        Reply::answer([Chunk::text("First.\n"), Chunk::text("\u{1b}[31mSecond.")]).held_before(2, &gate),
        text_reply("Plain \u{7}text."),
        Reply::failing(401, "no such key"),
        text_reply("NO_REPLY"),
    ];
    let (home, _server) = home(replies);
    let mut streaming =
        home.tarsus(["agent", "-m", "count", "--stream"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = streaming.stdout.take().unwrap();
    let mut first = [0; 6];
    stdout.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"First.", "it is there while the model still speaks");
    gate.open();
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert!(streaming.wait().unwrap().success());
    assert!(rest.contains("Second.") && !rest.contains('\u{1b}'), "{rest:?}");
    let plain = run(&home, &["agent", "-m", "again"]);
    assert!(plain.status.success() && !plain.stdout.contains(&7), "{}", printed(&plain));
    let failed = run(&home, &["agent", "-m", "and again"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(
        printed(&failed).contains("cellar/m") && printed(&failed).contains("no such key"),
        "{}",
        printed(&failed)
    );
    let silent = json_of(&run(&home, &["agent", "-m", "hush", "--json"]));
    assert_eq!((&silent["silent"], &silent["text"]), (&json!(true), &json!("")));
}

#[test]
fn ctrl_c_aborts_the_run_and_keeps_its_text() {
    for through_gateway in [false, true] {
        let gate = Gate::closed();
        // Text is held back while it may start a secret; no secret starts with a full stop.
        let (home, _server) =
            home([Reply::answer([Chunk::text("Half. "), Chunk::text("whole")]).held_before(2, &gate)]);
        let gateway = through_gateway.then(|| Running::up(&home));
        let mut asking = home
            .tarsus(["agent", "-m", "speak", "--stream"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = asking.stdout.take().unwrap();
        let mut half = [0; 5];
        stdout.read_exact(&mut half).unwrap();
        assert_eq!(&half, b"Half.");
        let pid = asking.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        let ended = asking.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(130), "{}", printed(&ended));
        gate.open();
        drop(gateway);
        let shown = json_of(&run(&home, &["sessions", "show", "main", "--json"]));
        assert_eq!(shown["messages"][1]["content"][0]["text"], "Half.");
    }
}

#[test]
fn missing_model_reply_says_how_to_add_one() {
    let home = TestHome::new();
    fs::create_dir_all(home.state_dir()).unwrap();
    let nowhere = json!({ "baseUrl": "http://192.0.2.1/v1" });
    let providers = json!({ "ollama": nowhere, "lmstudio": nowhere, "llamacpp": nowhere, "vllm": nowhere });
    fs::write(home.home().config_path(), json!({ "models": { "providers": providers } }).to_string())
        .unwrap();
    let output = run(&home, &["agent", "-m", "how are you?"]);
    assert!(output.status.success());
    let text = printed(&output);
    assert!(text.contains("tarsus models set") && text.contains("application manager"), "{text}");
    let menu = run(&home, &["agent", "-m", "/help"]);
    assert!(printed(&menu).contains("/model [provider/model | default]"));
}

#[test]
fn model_launches_an_app_only_if_its_policy_allows() {
    for (mode, launched) in [("full", true), ("deny", false)] {
        let apps = Apps::with(mode, &[]);
        let server = Server::with_replies([
            Reply::answer([Chunk::call("c1", "app_launch", &json!({ "name": "Last Z" }))]),
            text_reply("That is that."),
        ]);
        configure(&apps.home, &server);
        let result =
            json_of(&run(&apps.home, &["agent", "-m", "I would like to play the zombie game", "--json"]));
        assert_eq!(result["text"], "That is that.");
        assert_eq!(result["toolCalls"][0]["ok"], launched, "{mode}: {result}");
        assert_eq!(apps.pids().is_empty(), !launched, "{mode}");
        let stopped = apps.run(&["stop", "Last Z", "--yes"]);
        assert_eq!(stopped.status.success(), launched, "{mode}: {}", printed(&stopped));
    }
}

/// Sends a request and returns the response.
fn post(gateway: &Running, token: &str, body: &Value) -> String {
    let body = body.to_string();
    let mut stream = gateway.connect();
    write!(
        stream,
        "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        gateway.port,
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn openai_client_can_talk_to_an_agent() {
    let (home, server) =
        home([text_reply("Hello."), text_reply("Again."), Reply::failing(401, "no such key")]);
    let gateway = Running::up(&home);
    let token = fs::read_to_string(home.home().token_path()).unwrap();
    let bearer = format!("Authorization: Bearer {}", token.trim());
    let models = gateway.get("/v1/models", &[&bearer]);
    assert!(models.contains(r#""id":"tarsus""#) && models.contains(r#""id":"tarsus:main""#), "{models}");
    for refused in [gateway.get("/v1/models", &[]), post(&gateway, "wrong", &json!({}))] {
        assert!(refused.starts_with("HTTP/1.1 401"), "{refused}");
    }
    let ask = |model: &str, text: &str, stream: bool| {
        let messages = json!([{ "role": "user", "content": text }]);
        let options = json!({ "include_usage": true });
        let body = json!({
            "model": model, "messages": messages, "stream": stream, "stream_options": options, "user": "ada",
            "temperature": 0.5,
        });
        post(&gateway, token.trim(), &body)
    };
    let whole = ask("tarsus", "hi", false);
    let (_, body) = whole.split_once("\r\n\r\n").unwrap();
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["choices"][0]["message"], json!({ "role": "assistant", "content": "Hello." }));
    assert_eq!(body["usage"]["total_tokens"], 17);
    let pieces = ask("openclaw:main", "once more", true);
    let text: String = pieces
        .lines()
        .filter_map(|line| line.strip_prefix("data: {"))
        .map(|line| serde_json::from_str::<Value>(&format!("{{{line}")).unwrap())
        .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(text, "Again.");
    assert!(pieces.contains("\"finish_reason\":\"stop\"") && pieces.contains("data: [DONE]"), "{pieces}");
    assert!(pieces.contains("\"total_tokens\":17"), "{pieces}");
    let failed = ask("tarsus", "fail", false);
    assert!(failed.starts_with("HTTP/1.1 502") && failed.contains("no such key"), "{failed}");
    let unknown = ask("gpt-5", "hi", false);
    assert!(unknown.starts_with("HTTP/1.1 404") && unknown.contains("model_not_found"), "{unknown}");
    assert!(server.requests()[1].body["messages"].to_string().contains("Hello."), "the same user goes on");
}

#[test]
fn secrets_stay_out_of_output_requests_and_logs() {
    const VARIABLE: &str = "tucked-away-8c1f0e";
    const KEY: &str = "sk-canary-0123456789";
    /// The key and a variable in the settings of a skill.
    const OF_SKILL: [&str; 2] = ["hidden-skill-key-77ab", "hidden-skill-zone-77ab"];
    let loud = format!("{KEY} and {VARIABLE} and {}", OF_SKILL.join(" and "));
    let is_leaked = |text: &str| [KEY, VARIABLE].iter().chain(&OF_SKILL).any(|secret| text.contains(secret));
    let replies = [
        Reply::answer([
            Chunk::reasoning(loud.clone()),
            Chunk::text(format!("I found {loud}.")),
            Chunk::call("c1", "read", &json!({ "path": "leak.txt" })),
            Chunk::call("c2", "read", &json!({ "path": loud })),
            Chunk::call("c3", VARIABLE, &json!({ "what": loud })),
        ]),
        text_reply(&format!("It says {loud}!")),
        // Retried, then given up: the server's message is logged.
        Reply::failing(500, &format!("no luck with {loud}")),
        Reply::failing(400, &format!("bad request with {loud}")),
    ];
    let (home, server) = home(replies);
    fs::create_dir_all(home.state_dir().join("workspace")).unwrap();
    fs::write(home.state_dir().join("workspace/leak.txt"), &loud).unwrap();
    let skill = home.state_dir().join("workspace/skills/forecast");
    fs::create_dir_all(&skill).unwrap();
    let metadata = json!({ "openclaw": { "primaryEnv": "FORECAST_KEY" } });
    let text = format!(
        "---\nname: forecast\ndescription: Says the weather.\nmetadata: {metadata}\n---\n\nSay it.\n"
    );
    fs::write(skill.join("SKILL.md"), text).unwrap();
    for (key, value) in [("apiKey", OF_SKILL[0]), ("env.FORECAST_ZONE", OF_SKILL[1])] {
        let set = run(&home, &["config", "set", &format!("skills.entries.forecast.{key}"), value]);
        assert!(set.status.success() && !is_leaked(&printed(&set)), "{}", printed(&set));
    }
    let mut command = home.tarsus(["up", "--port", "0", "-v"]);
    command.env("SOME_API_KEY", VARIABLE);
    let gateway = Running::begun(command);
    for text in ["what is in leak.txt, $forecast?", "and again?"] {
        let output = printed(&run(&home, &["agent", "-m", text, "--stream"]));
        assert!(!is_leaked(&output), "{output}");
    }
    let asked = server.requests()[0].body.to_string();
    assert!(asked.contains("- forecast: ~/.openclaw/workspace/skills/forecast/SKILL.md"), "{asked}");
    for request in server.requests() {
        let sent = request.body.to_string();
        assert!(!is_leaked(&sent), "{sent}");
    }
    gateway.signal("TERM");
    let (_, printed) = gateway.wait();
    assert!(!is_leaked(&printed), "{printed}");
    // The configuration and its backups contain the keys.
    let mut places = holders(home.state_dir(), KEY);
    places.extend(OF_SKILL.iter().flat_map(|secret| holders(home.state_dir(), secret)));
    let is_config = |path: &String| {
        path == "openclaw.json"
            || path.starts_with("tarsus/backups/openclaw.json.")
            || path == "workspace/leak.txt"
    };
    assert!(places.iter().all(is_config), "{places:?}");
    assert_eq!(holders(home.state_dir(), VARIABLE), ["workspace/leak.txt"]);
    assert!(fs::read_dir(home.home().logs_dir()).unwrap().next().is_some(), "there is a log to look at");
}
