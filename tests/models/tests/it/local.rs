//! Servers on this machine are found by what they answer, and by nothing else.

use serde_json::json;
use tarsus_models::{LocalEndpoint, LocalServer, ModelName, find_local_servers};
use tarsus_test_models::{Reply, Server};

fn endpoint(provider: &str, server: &Server) -> LocalEndpoint {
    LocalEndpoint { provider: provider.into(), base_url: format!("http://{}/v1", server.address()) }
}

#[tokio::test]
async fn local_server_is_found_by_its_model_list() {
    let list =
        json!({"object": "list", "data": [{"id": "qwen3:4b", "owned_by": "library"}, {"id": "bad id"}]});
    let ollama = Server::with_replies([Reply::json(200, &list)]);
    let empty = Server::with_replies([Reply::json(200, &json!({"object": "list", "data": null}))]);
    let others = [
        Reply::failing(404, "not here"),
        Reply::json(200, &json!({"ok": true})),
        Reply::json(200, &json!([1])),
        Reply::recorded("<html>a page</html>"),
        Reply::json(200, &json!({"data": [{"id": "x".repeat(2 << 20)}]})),
        Reply::json(302, &json!(null)).header("location", "http://127.0.0.1:1/v1/models"),
    ]
    .map(|reply| Server::with_replies([reply]));
    let gone = Server::with_replies([]);
    let mut endpoints =
        vec![endpoint("ollama", &ollama), endpoint("lmstudio", &empty), endpoint("gone", &gone)];
    endpoints.extend(others.iter().map(|server| endpoint("other", server)));
    endpoints.push(LocalEndpoint { provider: "far".into(), base_url: "http://192.0.2.1:8080/v1".into() });
    endpoints.push(LocalEndpoint { provider: "odd".into(), base_url: "not an address".into() });
    drop(gone);

    let qwen: ModelName = "ollama/qwen3:4b".parse().unwrap();
    let expected = [
        LocalServer { endpoint: endpoints[0].clone(), models: vec![qwen] },
        LocalServer { endpoint: endpoints[1].clone(), models: vec![] },
    ];
    assert_eq!(find_local_servers(&endpoints).await, expected);
    assert_eq!(ollama.requests()[0].path, "/v1/models");
    assert_eq!(ollama.requests()[0].headers.get("authorization"), None);
}

#[tokio::test]
async fn silent_local_server_times_out() {
    let silent = Server::with_replies([Reply::recorded("").until_hang_up()]);
    assert_eq!(find_local_servers(&[endpoint("ollama", &silent)]).await, []);
}
