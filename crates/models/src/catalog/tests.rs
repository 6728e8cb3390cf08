use serde_json::json;

use tarsus_protocol::NoAnswer;

use super::*;

fn catalog(providers: serde_json::Value) -> ModelCatalog {
    ModelCatalog::new(&serde_json::from_value(json!({ "providers": providers })).unwrap())
}

fn model(catalog: &ModelCatalog, name: &str) -> Result<Model, ModelError> {
    catalog.model(&name.parse().unwrap())
}

#[test]
fn built_in_providers_resolve_with_valid_default_models() {
    let catalog = ModelCatalog::default();
    for provider in BUILT_IN_PROVIDERS {
        let id = provider.default_model.unwrap_or("any");
        let name = ModelName::new(provider.id, id).unwrap();
        let model = catalog.model(&name).unwrap();
        assert_eq!(model.dialect, provider.dialect);
        assert_eq!(model.is_local, provider.key_variables.is_empty(), "{}", provider.id);
        assert_eq!(model.is_local, provider.default_model.is_none(), "{}", provider.id);
        assert!(model.is_local || model.base_url.scheme() == "https", "{}", provider.id);
    }
    assert!(catalog.providers().eq(BUILT_IN_PROVIDERS.iter().map(|provider| provider.id)));
}

#[test]
fn configuration_overrides_built_in_providers() {
    let catalog = catalog(json!({
        "anthropic": {
            "baseUrl": "https://proxy.example/anthropic",
            "apiKey": {"source": "env", "id": "PROXY_KEY"},
            "headers": {"X-Team": "a"},
            "models": [{"id": "claude-sonnet-4-5", "maxTokens": 1000, "toolCalls": "native"}],
        },
        "home": {
            "baseUrl": "http://localhost:9/v1",
            "models": [{
                "id": "tiny", "name": "Tiny", "contextWindow": 4096, "input": ["text", "image"], "reasoning": true,
                "cost": {"input": 1, "output": 2}, "toolCalls": "text",
            }],
        },
    }));
    let claude = model(&catalog, "anthropic/claude-sonnet-4-5").unwrap();
    assert_eq!(claude.base_url.as_str(), "https://proxy.example/anthropic");
    assert_eq!(claude.dialect, Dialect::AnthropicMessages);
    assert!(matches!(claude.key, KeySource::Configured(SecretInput::Reference(_))));
    assert_eq!(claude.headers.len(), 1);
    assert_eq!((claude.info.context_window, claude.info.max_output), (Some(200_000), Some(1000)));
    assert_eq!(claude.info.tool_calls, ToolCallMode::Native);

    let tiny = model(&catalog, "home/tiny").unwrap();
    assert_eq!(
        (tiny.dialect, tiny.is_local, &tiny.key),
        (Dialect::OpenaiCompletions, true, &KeySource::None)
    );
    let price = Price::new(&view::Cost { input: 1.0, output: 2.0, ..view::Cost::default() });
    let info = ModelInfo {
        label: "Tiny".into(),
        context_window: Some(4096),
        max_output: None,
        reasoning: true,
        images: true,
        price: Some(price),
        tool_calls: ToolCallMode::Text,
    };
    assert_eq!(tiny.info, info);
    let listed: Vec<_> = catalog.model_ids("anthropic").collect();
    assert_eq!(listed, ["claude-sonnet-4-5", "claude-opus-4-5", "claude-haiku-4-5"]);
    assert_eq!(catalog.model_ids("home").collect::<Vec<_>>(), ["tiny"]);
    assert!(catalog.providers().take(2).eq(["anthropic", "home"]));
}

#[test]
fn unusable_providers_are_named_in_the_error() {
    let catalog = catalog(json!({
        "bare": {},
        "odd": {"baseUrl": "ftp://example.com"},
        "bedrock": {"baseUrl": "https://b.example", "api": "bedrock-converse-stream"},
    }));
    for (name, what) in [
        ("nobody/x", "nobody/x has an unknown provider: models.providers has no \"nobody\""),
        ("bare/x", "models.providers.bare has no baseUrl"),
        ("odd/x", "the baseUrl of models.providers.odd is not a web address"),
        ("bedrock/x", "the provider \"bedrock\" uses the API BedrockConverseStream, which is not supported"),
    ] {
        assert_eq!(model(&catalog, name), Err(ModelError::new(NoAnswer::BadRequest, what)));
    }
}

#[test]
fn unlisted_models_get_default_info() {
    let catalog = ModelCatalog::default();
    let hosted = model(&catalog, "groq/new").unwrap();
    let local = model(&catalog, "ollama/qwen3:4b").unwrap();
    assert_eq!((hosted.context_window(), local.context_window()), (128_000, 8_192));
    assert_eq!((hosted.info.price, local.info.max_output), (None, None));
    let newer = model(&catalog, "anthropic/claude-opus-9").unwrap().info;
    assert_eq!(
        (newer.context_window, newer.reasoning, newer.images, newer.price),
        (Some(200_000), true, true, None)
    );
    let dated = model(&catalog, "anthropic/claude-haiku-4-5-20251001").unwrap();
    assert_eq!((dated.info.label.as_str(), dated.context_window()), ("claude-haiku-4-5-20251001", 200_000));
}

#[test]
fn local_endpoints_follow_defaults_and_configuration() {
    let places = |catalog: &ModelCatalog| -> Vec<(String, String)> {
        catalog.local_endpoints().into_iter().map(|place| (place.provider, place.base_url)).collect()
    };
    let at = |provider: &str, url: &str| (provider.to_owned(), url.to_owned());
    let usual = [
        at("ollama", "http://127.0.0.1:11434/v1"),
        at("lmstudio", "http://127.0.0.1:1234/v1"),
        at("llamacpp", "http://127.0.0.1:8080/v1"),
        at("vllm", "http://127.0.0.1:8000/v1"),
    ];
    assert_eq!(places(&ModelCatalog::default()), usual);
    let moved = catalog(json!({
        "ollama": {"baseUrl": "http://127.0.0.1:5/v1"}, "lmstudio": {"baseUrl": "http://far.example/v1"},
        "own": {"baseUrl": "http://localhost:6/v1"}, "with-key": {"baseUrl": "http://localhost:7/v1", "apiKey": "k"},
    }));
    let expected = [
        at("ollama", "http://127.0.0.1:5/v1"),
        at("own", "http://localhost:6/v1"),
        usual[2].clone(),
        usual[3].clone(),
    ];
    assert_eq!(places(&moved), expected);
}
