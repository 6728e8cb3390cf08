//! Providers that need no configuration.

use crate::wire::Dialect;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInProvider {
    /// The provider part of `provider/model`.
    pub id: &'static str,
    /// The display name.
    pub label: &'static str,
    pub dialect: Dialect,
    pub base_url: &'static str,
    /// The first of these variables that is set holds the key. Empty: no key is needed.
    pub key_variables: &'static [&'static str],
    /// The model to suggest when only a key is set.
    pub default_model: Option<&'static str>,
}

const fn hosted(
    id: &'static str,
    label: &'static str,
    dialect: Dialect,
    base_url: &'static str,
    key_variables: &'static [&'static str],
    default_model: &'static str,
) -> BuiltInProvider {
    BuiltInProvider { id, label, dialect, base_url, key_variables, default_model: Some(default_model) }
}

const fn local(id: &'static str, label: &'static str, base_url: &'static str) -> BuiltInProvider {
    let dialect = Dialect::OpenaiCompletions;
    BuiltInProvider { id, label, dialect, base_url, key_variables: &[], default_model: None }
}

/// Hosted providers are suggested in this order when nothing is configured.
pub const BUILT_IN_PROVIDERS: &[BuiltInProvider] = &[
    hosted(
        "anthropic",
        "Anthropic",
        Dialect::AnthropicMessages,
        "https://api.anthropic.com",
        &["ANTHROPIC_API_KEY"],
        "claude-sonnet-4-5",
    ),
    hosted(
        "openai",
        "OpenAI",
        Dialect::OpenaiResponses,
        "https://api.openai.com/v1",
        &["OPENAI_API_KEY"],
        "gpt-5",
    ),
    hosted(
        "google",
        "Google Gemini",
        Dialect::GoogleGenerativeAi,
        "https://generativelanguage.googleapis.com/v1beta",
        &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        "gemini-2.5-pro",
    ),
    hosted(
        "openrouter",
        "OpenRouter",
        Dialect::OpenaiCompletions,
        "https://openrouter.ai/api/v1",
        &["OPENROUTER_API_KEY"],
        "openrouter/auto",
    ),
    hosted(
        "groq",
        "Groq",
        Dialect::OpenaiCompletions,
        "https://api.groq.com/openai/v1",
        &["GROQ_API_KEY"],
        "llama-3.3-70b-versatile",
    ),
    hosted(
        "deepseek",
        "DeepSeek",
        Dialect::OpenaiCompletions,
        "https://api.deepseek.com/v1",
        &["DEEPSEEK_API_KEY"],
        "deepseek-chat",
    ),
    hosted(
        "mistral",
        "Mistral",
        Dialect::OpenaiCompletions,
        "https://api.mistral.ai/v1",
        &["MISTRAL_API_KEY"],
        "mistral-large-latest",
    ),
    hosted("xai", "xAI", Dialect::OpenaiCompletions, "https://api.x.ai/v1", &["XAI_API_KEY"], "grok-4"),
    hosted(
        "moonshot",
        "Moonshot",
        Dialect::OpenaiCompletions,
        "https://api.moonshot.ai/v1",
        &["MOONSHOT_API_KEY"],
        "kimi-k2-0905-preview",
    ),
    hosted(
        "zai",
        "Z.ai",
        Dialect::OpenaiCompletions,
        "https://api.z.ai/api/paas/v4",
        &["ZAI_API_KEY", "Z_AI_API_KEY"],
        "glm-4.6",
    ),
    local("ollama", "Ollama", "http://127.0.0.1:11434/v1"),
    local("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1"),
    local("llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1"),
    local("vllm", "vLLM", "http://127.0.0.1:8000/v1"),
];
