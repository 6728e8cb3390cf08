//! `tarsus models` against scripted servers.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};
use tarsus_models::Dialect;
use tarsus_test_models::{Chunk, Reply, Server};
use tarsus_tests::{TestHome, printed};

const KEY: &str = "sk-canary-0123456789";

/// A home whose local providers are unreachable, except the given ones.
fn home(mut providers: Value) -> TestHome {
    for provider in ["ollama", "lmstudio", "llamacpp", "vllm"] {
        if providers[provider].is_null() {
            providers[provider] = json!({"baseUrl": "http://192.0.2.1/v1"});
        }
    }
    let home = TestHome::new();
    fs::create_dir_all(home.state_dir()).unwrap();
    let config = json!({"models": {"providers": providers}});
    fs::write(home.home().config_path(), config.to_string()).unwrap();
    home
}

fn run(home: &TestHome, arguments: &[&str]) -> Output {
    let output = home.tarsus(arguments).output().unwrap();
    assert!(!printed(&output).contains("canary"), "{}", printed(&output));
    output
}

fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", printed(output)))
}

fn provider(server: &Server, dialect: Dialect) -> Value {
    json!({"baseUrl": server.base_url(dialect), "api": dialect.as_str(), "apiKey": KEY, "models": [
        {"id": "m", "contextWindow": 4096, "maxTokens": 512, "cost": {"input": 1, "output": 2}},
    ]})
}

#[test]
fn models_test_works_in_every_dialect() {
    for dialect in Dialect::ALL {
        let server = Server::with_replies([Reply::answer([Chunk::text("rea"), Chunk::text("dy")])]);
        let home = home(json!({"cellar": provider(&server, dialect)}));
        let output = run(&home, &["models", "test", "cellar/m", "--json"]);
        assert!(output.status.success(), "{}", printed(&output));
        let mut test = json_of(&output);
        for time in ["firstMs", "totalMs"] {
            assert!(test[time].take().is_u64(), "{test}");
        }
        let expected = json!({
            "model": "cellar/m", "text": "ready", "firstMs": null, "totalMs": null,
            "input": 12, "output": 5, "cost": 0.000022,
        });
        assert_eq!(test, expected);
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn model_failure_has_a_hint_and_hides_the_key() {
    let echo = format!("Incorrect API key provided: {KEY}");
    let server = Server::with_handler(move |_| Reply::failing(401, &echo));
    let home = home(json!({"cellar": provider(&server, Dialect::OpenaiCompletions)}));
    let output = run(&home, &["models", "test", "cellar/m"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "error: cellar/m: Incorrect API key provided: …\n  `tarsus models status` shows which key is used; set it anew\n"
    );
    assert_eq!(server.requests().len(), 1, "a wrong key is not tried again");
    for (arguments, code) in [
        (&["models", "test"][..], 4),
        (&["models", "test", "nobody/m"], 1),
        (&["models", "test", "cellar"], 2),
        (&["models", "set", "nobody/m"], 4),
        (&["models", "set"], 4),
    ] {
        assert_eq!(run(&home, arguments).status.code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn local_model_is_found_set_and_shown() {
    let list = json!({"object": "list", "data": [{"id": "nomic-embed-text"}, {"id": "qwen3:4b"}]});
    let server = Server::with_handler(move |_| Reply::json(200, &list));
    let base_url = server.base_url(Dialect::OpenaiCompletions);
    let home = home(json!({"ollama": {"baseUrl": base_url}}));

    let before = json_of(&run(&home, &["models", "status", "--json"]));
    let local = json!([{"provider": "ollama", "address": base_url, "models": ["ollama/nomic-embed-text", "ollama/qwen3:4b"]}]);
    let expected =
        json!({"agent": "main", "models": [], "local": local, "keys": [], "suggestion": "ollama/qwen3:4b"});
    assert_eq!(before, expected);

    let set = run(&home, &["models", "set"]);
    assert!(set.status.success(), "{}", printed(&set));
    let after = json_of(&run(&home, &["models", "status", "--json"]));
    let state = json!({
        "model": "ollama/qwen3:4b", "ok": true, "api": "openai-completions", "address": base_url,
        "key": "no key is needed", "contextWindow": 8192,
    });
    assert_eq!(after["models"], json!([state]));
    let listed = json_of(&run(&home, &["models", "list", "--json"]));
    let used: Vec<_> =
        listed["models"].as_array().unwrap().iter().map(|row| (&row["model"], &row["usedAs"])).collect();
    assert_eq!(
        used,
        [(&json!("ollama/nomic-embed-text"), &Value::Null), (&json!("ollama/qwen3:4b"), &json!("primary"))]
    );
}

#[test]
fn models_set_keeps_the_form_of_the_setting() {
    let home = home(json!({}));
    let model = |pointer: &str| {
        let text = fs::read_to_string(home.home().config_path()).unwrap();
        serde_json::from_str::<Value>(&text).unwrap().pointer(pointer).cloned()
    };
    let set = |arguments: &[&str]| {
        let output = run(&home, &[&["models", "set"], arguments].concat());
        assert!(output.status.success(), "{}", printed(&output));
    };
    set(&["groq/a"]);
    assert_eq!(model("/agents/defaults/model"), Some(json!({"primary": "groq/a"})));
    set(&["groq/b", "--fallback", "xai/c", "--fallback", "zai/d"]);
    let with_fallbacks = json!({"primary": "groq/b", "fallbacks": ["xai/c", "zai/d"]});
    assert_eq!(model("/agents/defaults/model"), Some(with_fallbacks));
    set(&["groq/e"]);
    assert_eq!(model("/agents/defaults/model/fallbacks"), Some(json!(["xai/c", "zai/d"])));

    let agents = json!({"list": [{"id": "main"}, {"id": "home", "model": "groq/x"}]});
    fs::write(home.home().config_path(), json!({"agents": agents}).to_string()).unwrap();
    set(&["groq/y", "--agent", "home"]);
    assert_eq!(model("/agents/list/1/model"), Some(json!("groq/y")));
}

#[test]
fn models_status_as_text() {
    let server = Server::with_handler(|_| Reply::answer([Chunk::text("ready")]));
    let home = home(json!({"cellar": provider(&server, Dialect::AnthropicMessages)}));
    let text = |arguments: &[&str]| {
        let output = run(&home, arguments);
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(
        text(&["models"]),
        "agent  main\nmodel  none yet: apps and commands work without one  set a key, such as ANTHROPIC_API_KEY, or start Ollama\n"
    );
    assert_eq!(
        text(&["models", "list"]),
        "  Model     Context  Answer  $ a million, in / out  Key\n  cellar/m  4,096    512     1 / 2                  set\n\n1 model; --all includes models without a key. `tarsus models set MODEL` selects one.\n"
    );
    text(&["models", "set", "cellar/m"]);
    let address = server.base_url(Dialect::AnthropicMessages);
    assert_eq!(
        text(&["models", "status"]),
        format!(
            "agent  main\nmodel  cellar/m  available\n         anthropic-messages at {address}, key: the configuration, 4,096 tokens\n"
        )
    );
    assert!(text(&["models", "test"]).starts_with("cellar/m answered: ready\n  first token after "));
}
