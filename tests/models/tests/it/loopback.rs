//! Models behind a real socket: requests, responses and transport failures.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Map, Value, json};
use tarsus_home::{Home, HomeOptions};
use tarsus_host::Clock;
use tarsus_models::{
    ChainEvent, Delta, Dialect, LanguageModel, ModelCatalog, ModelChain, ModelConnections, ModelError,
    ModelLimits, ModelName, ModelRequest, ModelResponse, RemoteModel, RetryPolicy, StopReason, ToolArguments,
    ToolSpec,
};
use tarsus_protocol::{Block, Message, NoAnswer};
use tarsus_test_models::{Chunk, Gate, Reply, Script, Server, encode_events};

const KEY: &str = "sk-canary-0123456789";

fn provider(dialect: Dialect) -> Value {
    json!({
        "api": dialect.as_str(), "apiKey": KEY,
        "models": [{"id": "m", "reasoning": false, "contextWindow": 4096, "maxTokens": 512}],
    })
}

/// A provider for each dialect at this server, named as the dialect.
fn catalog(server: &Server) -> ModelCatalog {
    let providers: Map<String, Value> = Dialect::ALL
        .into_iter()
        .map(|dialect| {
            let mut entry = provider(dialect);
            entry["baseUrl"] = server.base_url(dialect).into();
            (dialect.as_str().to_owned(), entry)
        })
        .collect();
    ModelCatalog::new(&serde_json::from_value(json!({ "providers": providers })).unwrap())
}

fn name(dialect: Dialect) -> ModelName {
    ModelName::new(dialect.as_str(), "m").unwrap()
}

fn home() -> Home {
    Home::locate(&HomeOptions { state_flag: Some("/nowhere/state".into()), ..HomeOptions::default() })
        .unwrap()
}

async fn remote(server: &Server, dialect: Dialect, limits: ModelLimits) -> RemoteModel {
    let model = catalog(server).model(&name(dialect)).unwrap();
    ModelConnections::new(limits, Clock::system()).open(model, &home(), &|_| None).await.unwrap()
}

fn request(text: &str) -> Arc<ModelRequest> {
    let parameters = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let tool = ToolSpec {
        name: "read".into(),
        description: "Reads a file.".into(),
        parameters: parameters.as_object().unwrap().clone(),
    };
    let messages = vec![Message {
        role: tarsus_protocol::Role::User,
        content: vec![Block::text(text)],
        timestamp: None,
    }];
    Arc::new(ModelRequest {
        system: "Be brief.".into(),
        messages,
        tools: vec![tool],
        ..ModelRequest::default()
    })
}

/// Every piece of an answer.
async fn call_model(
    remote: &RemoteModel,
    request: Arc<ModelRequest>,
) -> (ModelResponse, Result<(), ModelError>) {
    let mut answer = ModelResponse::default();
    let mut deltas = remote.stream(request);
    while let Some(delta) = deltas.next().await {
        match delta {
            Ok(delta) => answer.push(&delta),
            Err(failure) => return (answer, Err(failure)),
        }
    }
    (answer, Ok(()))
}

/// The failure of one reply, in every dialect.
async fn failures(reply: Reply, limits: ModelLimits) -> Vec<ModelError> {
    let mut failures = Vec::new();
    for dialect in Dialect::ALL {
        let server = Server::with_replies([reply.clone()]);
        let (_, end) = call_model(&remote(&server, dialect, limits).await, request("x")).await;
        failures.push(end.unwrap_err());
    }
    failures
}

#[tokio::test]
async fn parallel_calls_round_trip_in_every_dialect() {
    for dialect in Dialect::ALL {
        let server = Server::with_replies([
            Reply::answer([
                Chunk::reasoning("which?"),
                Chunk::text("I look."),
                Chunk::call("id_1", "read", &json!({"path": "a"})),
                Chunk::call("id_2", "read", &json!({"path": "b"})),
            ])
            .in_pieces(1),
            Reply::answer([Chunk::text("Both "), Chunk::text("are empty.")]),
        ]);
        let remote = remote(&server, dialect, ModelLimits::DEFAULT).await;
        let first = request("What is in a and b?");
        let (answer, end) = call_model(&remote, Arc::clone(&first)).await;
        assert_eq!(end, Ok(()), "{}", dialect.as_str());
        let calls: Vec<_> = answer.calls().map(|call| (call.id.as_str(), json!(call.arguments))).collect();
        assert_eq!(calls, [("id_1", json!({"path": "a"})), ("id_2", json!({"path": "b"}))]);

        let results = ["id_1", "id_2"].map(
            |id| json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "content": "(empty)"}),
        );
        let mut second = (*first).clone();
        second.messages.push(answer.message(None));
        second.messages.extend(serde_json::from_value::<Vec<Message>>(json!(results)).unwrap());
        let (answer, end) = call_model(&remote, Arc::new(second)).await;
        assert_eq!((answer.blocks, end), (vec![Block::text("Both are empty.")], Ok(())));

        let [one, two] = server.requests().try_into().unwrap();
        let (header, value) = match dialect {
            Dialect::OpenaiCompletions | Dialect::OpenaiResponses => {
                ("authorization", format!("Bearer {KEY}"))
            }
            Dialect::AnthropicMessages => ("x-api-key", KEY.to_owned()),
            Dialect::GoogleGenerativeAi => ("x-goog-api-key", KEY.to_owned()),
        };
        assert_eq!(one.headers[header], value);
        assert!(!one.body.to_string().contains(KEY) && !one.path.contains(KEY));
        insta::assert_json_snapshot!(
            format!("{}-first", dialect.as_str()),
            json!([one.method, one.path, one.body])
        );
        insta::assert_json_snapshot!(
            format!("{}-second", dialect.as_str()),
            json!([two.method, two.path, two.body])
        );
    }
}

#[tokio::test]
async fn chunks_are_delivered_as_they_arrive() {
    for dialect in Dialect::ALL {
        let gate = Gate::closed();
        let script = [Chunk::text("first"), Chunk::text("second")];
        let held = encode_events(dialect, &Script::new(script.clone()))
            .iter()
            .position(|event| event.contains("second"))
            .unwrap();
        let server = Server::with_replies([Reply::answer(script).held_before(held, &gate)]);
        let remote = remote(&server, dialect, ModelLimits::DEFAULT).await;
        let mut deltas = remote.stream(request("x"));
        let mut seen = Vec::new();
        while let Some(delta) = deltas.next().await {
            let delta = delta.unwrap();
            if delta == Delta::Text("first".into()) {
                gate.open();
            }
            seen.push(delta);
        }
        assert!(seen.contains(&Delta::Text("second".into())), "{seen:?}");
    }
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    for dialect in Dialect::ALL {
        let partial = encode_events(dialect, &Script::new([Chunk::text("and so on")]));
        let partial = partial.iter().take_while(|event| !event.contains("finish") && !event.contains("done"));
        // While nothing has come yet, and after the first piece.
        for stream in [String::new(), partial.cloned().collect()] {
            let has_begun = !stream.is_empty();
            let server = Arc::new(Server::with_replies([Reply::recorded(stream).until_hang_up()]));
            let on_thread = |wait: fn(&Server)| {
                let server = Arc::clone(&server);
                tokio::task::spawn_blocking(move || wait(&server))
            };
            let remote = remote(&server, dialect, ModelLimits::DEFAULT).await;
            let mut deltas = remote.stream(request("x"));
            if has_begun {
                assert!(matches!(deltas.next().await, Some(Ok(_))));
            } else {
                tokio::select! {
                    piece = deltas.next() => panic!("{piece:?}"),
                    requested = on_thread(|server| server.wait_for_requests(1)) => requested.unwrap(),
                }
            }
            drop(deltas);
            on_thread(|server| server.wait_for_ends(1)).await.unwrap();
        }
    }
}

#[tokio::test]
async fn server_errors_are_classified_in_every_dialect() {
    for (reply, class) in [
        (Reply::failing(401, "no"), NoAnswer::Auth),
        (Reply::failing(402, "no"), NoAnswer::Billing),
        (Reply::failing(429, "no"), NoAnswer::RateLimit),
        (Reply::failing(500, "no"), NoAnswer::Overloaded),
        (Reply::failing(529, "no"), NoAnswer::Overloaded),
        (Reply::failing(400, "no"), NoAnswer::BadRequest),
        (Reply::failing(404, "no"), NoAnswer::BadRequest),
        (Reply::failing(413, "no"), NoAnswer::ContextTooLong),
    ] {
        let status = failures(reply, ModelLimits::DEFAULT).await;
        for failure in status {
            assert_eq!((failure.class, failure.message.as_str()), (class, "no"));
        }
    }
    let reply = Reply::failing(429, "no").header("Retry-After", "7");
    for failure in failures(reply, ModelLimits::DEFAULT).await {
        assert_eq!(failure.retry_after, Some(Duration::from_secs(7)));
    }
    let redirect = Reply::json(307, &Value::Null).header("location", "http://127.0.0.1:9/elsewhere");
    for failure in failures(redirect, ModelLimits::DEFAULT).await {
        assert_eq!(
            (failure.class, failure.status),
            (NoAnswer::BadRequest, Some(307)),
            "a key is carried nowhere else"
        );
    }
}

#[tokio::test]
async fn stream_errors_are_classified_over_http() {
    let overloaded =
        "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n";
    for failure in failures(Reply::recorded(overloaded), ModelLimits::DEFAULT).await {
        assert_eq!((failure.class, failure.message.as_str()), (NoAnswer::Overloaded, "busy"));
    }
    for failure in failures(Reply::recorded("data: {\"choices\": [}\n\n"), ModelLimits::DEFAULT).await {
        assert_eq!(failure.class, NoAnswer::Malformed, "{failure:?}");
    }
    let deep = format!("data: {}\n\n", "[".repeat(100_000));
    for failure in failures(Reply::recorded(deep), ModelLimits::DEFAULT).await {
        assert_eq!(failure.class, NoAnswer::Malformed, "{failure:?}");
    }
    for failure in failures(Reply::recorded("<html>hello</html>"), ModelLimits::DEFAULT).await {
        assert_eq!(failure.class, NoAnswer::Network, "nothing of an answer came: {failure:?}");
    }
}

#[tokio::test]
async fn json_body_in_place_of_a_stream_is_classified() {
    let busy = json!({"error": {"code": 429, "message": "slow down"}});
    for failure in failures(Reply::json(200, &busy), ModelLimits::DEFAULT).await {
        assert_eq!(failure, ModelError::new(NoAnswer::RateLimit, "slow down"));
    }
    for failure in failures(Reply::json(200, &json!({"choices": []})), ModelLimits::DEFAULT).await {
        let what = "the server sent the whole response at once instead of streaming it";
        assert_eq!(failure, ModelError::new(NoAnswer::Malformed, what));
    }
}

#[tokio::test]
async fn broken_connection_is_a_network_error() {
    let long = || Reply::answer((0..50).map(|number| Chunk::text(format!("word {number} "))));
    for reply in [long().broken_after(700), long().ended_after(700), long().ended_after(0)] {
        for failure in failures(reply, ModelLimits::DEFAULT).await {
            assert_eq!(failure.class, NoAnswer::Network, "{failure:?}");
        }
    }
}

#[tokio::test]
async fn waiting_times_are_bounded() {
    let brief = Duration::from_millis(60);
    let gate = Gate::closed();
    let silent = || Reply::answer([Chunk::text("x")]).held_before(0, &gate);
    let limits = ModelLimits { first_byte: brief, first_byte_loopback: brief, ..ModelLimits::DEFAULT };
    for failure in failures(silent(), limits).await {
        let late = ModelError::new(NoAnswer::TimedOut, "the server did not start to respond within 0.06 s");
        assert_eq!(failure, late);
    }
    let limits = ModelLimits { idle: brief, ..ModelLimits::DEFAULT };
    let stops = Reply::answer([Chunk::text("x"), Chunk::text("y")]).held_before(1, &gate);
    for failure in failures(stops, limits).await {
        assert_eq!(failure, ModelError::new(NoAnswer::TimedOut, "the server sent nothing within 0.06 s"));
    }
    gate.open();
}

#[tokio::test]
async fn response_sizes_are_bounded() {
    let text = || Reply::answer([Chunk::text("x".repeat(5_000))]);
    for limits in [
        ModelLimits { answer_bytes: 2_000, ..ModelLimits::DEFAULT },
        ModelLimits { event_bytes: 2_000, ..ModelLimits::DEFAULT },
    ] {
        for failure in failures(text(), limits).await {
            assert_eq!(failure.class, NoAnswer::Malformed, "{failure:?}");
        }
    }
    let call = |number: usize| Chunk::call(format!("id_{number}"), "read", &json!({"path": "x".repeat(500)}));
    for (limits, what) in [
        (
            ModelLimits { arguments_bytes: 400, ..ModelLimits::DEFAULT },
            "the arguments of the answer's calls have more than 400 bytes",
        ),
        (ModelLimits { calls: 3, ..ModelLimits::DEFAULT }, "the answer calls more than 3 tools"),
    ] {
        for failure in failures(Reply::answer((0..4).map(call)), limits).await {
            assert_eq!(failure, ModelError::new(NoAnswer::Malformed, what));
        }
    }
}

#[tokio::test]
async fn large_arguments_arrive_complete() {
    let path = "é".repeat(1 << 20);
    for dialect in Dialect::ALL {
        let server =
            Server::with_replies([Reply::answer([Chunk::call("id_1", "read", &json!({"path": path}))])]);
        let (answer, end) =
            call_model(&remote(&server, dialect, ModelLimits::DEFAULT).await, request("x")).await;
        assert_eq!(end, Ok(()));
        let call = answer.calls().next().unwrap();
        assert!(call.arguments["path"] == path.as_str(), "{}", dialect.as_str());
    }
}

#[tokio::test]
async fn invalid_arguments_are_reported() {
    for dialect in Dialect::ALL {
        let broken = Chunk::Call { id: "id_1".into(), name: "read".into(), arguments: "{\"path\": ".into() };
        let server = Server::with_replies([Reply::answer([broken])]);
        let remote = remote(&server, dialect, ModelLimits::DEFAULT).await;
        let deltas: Vec<_> = remote.stream(request("x")).map(Result::unwrap).collect().await;
        let ended = deltas.iter().find_map(|delta| match delta {
            Delta::CallEnd { arguments: ToolArguments::Invalid { reason: why, .. }, .. } => {
                Some(why.as_str())
            }
            _ => None,
        });
        assert!(ended.is_some_and(|why| why.starts_with("arguments ")), "{ended:?}");
    }
}

#[tokio::test]
async fn call_written_as_text_is_recorded_as_such() {
    let text = "<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>";
    for dialect in Dialect::ALL {
        let says = text.split_inclusive('l').map(Chunk::text);
        let server = Server::with_replies([Reply::answer(says), Reply::answer([Chunk::text(text)])]);
        let remote = remote(&server, dialect, ModelLimits::DEFAULT).await;
        let (answer, end) = call_model(&remote, request("x")).await;
        assert_eq!((end, &answer.stop), (Ok(()), &Some(StopReason::ToolCalls)));
        assert_eq!((answer.from_text.as_slice(), answer.blocks.len()), (&["call_1".to_owned()][..], 1));

        let without_tools = ModelRequest { tools: vec![], ..(*request("x")).clone() };
        let (answer, _) = call_model(&remote, Arc::new(without_tools)).await;
        assert_eq!(answer.blocks, [Block::text(text)], "no tool was offered");
    }
}

#[tokio::test]
async fn server_messages_never_reveal_the_key() {
    let echo = format!("Incorrect API key provided: {KEY} (Authorization: Bearer {KEY})");
    // Where a long message is cut in the middle of the key, its beginning does not stay either.
    let cut = format!("{}{KEY}", "x".repeat(590));
    for reply in [
        Reply::failing(401, &echo),
        Reply::failing(401, &cut),
        Reply::recorded(format!("data: {}\n\n", json!({"type": "error", "error": {"message": echo}}))),
        Reply::failing(200, &echo),
    ] {
        for failure in failures(reply, ModelLimits::DEFAULT).await {
            assert!(!format!("{failure:?}").contains("sk-"), "{failure:?}");
        }
    }
}

#[tokio::test]
async fn unreachable_server_is_a_network_error() {
    let server = Server::with_replies([]);
    let remote = remote(&server, Dialect::OpenaiCompletions, ModelLimits::DEFAULT).await;
    drop(server);
    let (_, end) = call_model(&remote, request("x")).await;
    let failure = end.unwrap_err();
    assert_eq!(failure.class, NoAnswer::Network);
    assert!(failure.message.contains("cannot be reached"), "{failure:?}");
}

#[tokio::test]
async fn chain_retries_falls_back_and_reports_attempts() {
    let first = Server::with_replies([
        Reply::failing(500, "oh").header("retry-after", "0"),
        Reply::answer([Chunk::text("half an answer that is long enough to be cut")]).broken_after(180),
        Reply::failing(429, "slow"),
    ]);
    let second = Server::with_replies([Reply::answer([Chunk::text("whole")])]);
    let providers = json!({"providers": {
        "a": {"baseUrl": first.base_url(Dialect::OpenaiCompletions), "apiKey": "k"},
        "b": {"baseUrl": second.base_url(Dialect::AnthropicMessages), "api": "anthropic-messages", "apiKey": "k"},
    }});
    let catalog = ModelCatalog::new(&serde_json::from_value(providers).unwrap());
    let names: Vec<ModelName> = ["openai/gpt-5", "a/m", "b/m"].map(|name| name.parse().unwrap()).into();
    let quick = RetryPolicy { base_delay: Duration::from_millis(1), ..RetryPolicy::new(3) };
    let connections = ModelConnections::new(ModelLimits::DEFAULT, Clock::system());
    let chain = ModelChain::open(&connections, &catalog, &names, &home(), &|_| None, quick).await;
    let events: Vec<ChainEvent> = chain.stream(request("x")).collect().await;
    let Some(ChainEvent::Completed { model, failed: tried }) = events.last() else { panic!("{events:?}") };
    let tried: Vec<_> =
        tried.iter().map(|tried| (tried.model.as_str(), tried.attempt, tried.error.class)).collect();
    assert_eq!(model.as_str(), "b/m");
    assert_eq!(
        tried,
        [
            ("openai/gpt-5", 1, NoAnswer::Auth),
            ("a/m", 1, NoAnswer::Overloaded),
            ("a/m", 2, NoAnswer::Network),
            ("a/m", 3, NoAnswer::RateLimit),
        ]
    );
    assert_eq!((first.requests().len(), second.requests().len()), (3, 1));
    let bodies: Vec<_> = first.requests().into_iter().map(|request| request.body).collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]), "each try asks the same");
}

#[tokio::test]
async fn configured_headers_are_sent_and_masked() {
    let server = Server::with_replies([Reply::failing(400, "you sent hush-hush")]);
    let mut model = catalog(&server).model(&name(Dialect::OpenaiCompletions)).unwrap();
    model.headers = serde_json::from_value::<BTreeMap<_, _>>(json!({"X-Team": "hush-hush"})).unwrap();
    let connections = ModelConnections::new(ModelLimits::DEFAULT, Clock::system());
    let remote = connections.open(model.clone(), &home(), &|_| None).await.unwrap();
    let (_, end) = call_model(&remote, request("x")).await;
    assert_eq!(end.unwrap_err().message, "you sent …");
    assert_eq!(server.requests()[0].headers["x-team"], "hush-hush");

    model.headers = serde_json::from_value::<BTreeMap<_, _>>(json!({"X-Team": "a\nb"})).unwrap();
    let unsendable = connections.open(model, &home(), &|_| None).await.err().unwrap();
    assert_eq!(unsendable.message, "the header \"X-Team\" of openai-completions cannot be sent");
}
