//! A scripted model for the demo, which needs no key.
//!
//! It calls real tools and quotes their real results. `tarsus up --demo` creates the files, apps and skills that it uses.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt};
use serde_json::{Map, Value, json};
use tarsus_home::config::Config;
use tarsus_models::{
    ChainLink, Delta, DeltaStream, InvalidModelName, LanguageModel, ModelChain, ModelInfo, ModelName,
    ModelRequest, RetryPolicy, StopReason, ToolArguments, ToolCallMode, Usage, estimate_tokens,
};
use tarsus_protocol::{Message, Role};

use crate::model::ModelSource;

/// The name of the model.
pub const NAME: &str = "demo/guide";
/// The file that it reads.
pub const NOTES: &str = "notes.md";
/// The app that it launches.
pub const APP: &str = "Demo Clock";
/// The skill that the guard blocks.
pub const SKILL: &str = "free-credits";

/// Maximum lines that it quotes from the notes.
const MAX_LINES: usize = 8;

/// Delay between two words.
const WORD_DELAY: Duration = Duration::from_millis(25);

const GREETING: &str = "Hello! I am a scripted guide: there is no model and no key behind me, but the tools, the apps and \
    the guard are real. Try one of these:\n\n- \"What is in my notes?\" reads a file of your workspace.\n- \"Show me the \
    clock\" launches an app, if its policy allows it.\n- \"Hide the clock\" stops it.\n- \"What about the free credits?\" \
    shows a skill that the guard blocks.\n\nThe Application Manager works without a model: say \"application manager\".";

pub struct DemoModel {
    name: ModelName,
    info: ModelInfo,
    /// The SKILL.md of the blocked skill.
    skill: String,
}

impl DemoModel {
    /// `skill` is the path of the blocked skill's SKILL.md.
    ///
    /// # Errors
    /// Never, as its name is valid.
    pub fn new(skill: String) -> Result<Self, InvalidModelName> {
        let info = ModelInfo {
            label: "Demo guide".to_owned(),
            context_window: Some(32_000),
            max_output: None,
            reasoning: false,
            images: false,
            price: None,
            tool_calls: ToolCallMode::Native,
        };
        Ok(Self { name: NAME.parse()?, info, skill })
    }
}

impl LanguageModel for DemoModel {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn context_window(&self) -> u32 {
        32_000
    }

    fn stream(&self, request: Arc<ModelRequest>) -> DeltaStream {
        let ScriptedReply { text, call } = next_reply(&request.messages, &self.skill);
        let input = u32::try_from(estimate_tokens(&request.system)).unwrap_or(u32::MAX);
        let output = u32::try_from(estimate_tokens(&text)).unwrap_or(u32::MAX);
        let words: Vec<String> = text.split_inclusive(' ').map(str::to_owned).collect();
        let words = stream::iter(words).then(|word| async {
            tokio::time::sleep(WORD_DELAY).await;
            Delta::Text(word)
        });
        let stop = if call.is_some() { StopReason::ToolCalls } else { StopReason::EndTurn };
        let usage = Usage { input, output, cache_read: 0, cache_write: 0 };
        let id = format!("demo-{}", request.messages.len());
        let call_deltas = call.into_iter().flat_map(move |(tool, arguments)| {
            let name = tool.to_owned();
            [
                Delta::CallStart { call: 0, id: id.clone(), name, from_text: false },
                Delta::CallEnd { call: 0, arguments: ToolArguments::Object(arguments) },
            ]
        });
        let end = call_deltas.chain([Delta::Usage(usage), Delta::Stop(stop)]);
        words.chain(stream::iter(end)).map(Ok).boxed()
    }
}

/// The only model of the demo, whatever the configuration says.
impl ModelSource for Arc<DemoModel> {
    fn resolve_chain<'a>(&'a self, _: &'a Config, _: &'a [String]) -> BoxFuture<'a, Option<ModelChain>> {
        let model: Arc<dyn LanguageModel> = Arc::<DemoModel>::clone(self);
        Box::pin(std::future::ready(Some(ModelChain::new(vec![ChainLink::new(model)], RetryPolicy::new(0)))))
    }
}

#[derive(Debug, PartialEq)]
struct ScriptedReply {
    text: String,
    call: Option<(&'static str, Map<String, Value>)>,
}

fn next_reply(messages: &[Message], skill: &str) -> ScriptedReply {
    let text_only = |text: String| ScriptedReply { text, call: None };
    let Some(last) = messages.last() else { return text_only(GREETING.to_owned()) };
    match &last.role {
        Role::ToolResult { tool_name, is_error, .. } => {
            text_only(describe_result(tool_name, *is_error, &result_text(last)))
        }
        _ => reply_to_user(&last.text().to_lowercase(), skill),
    }
}

fn reply_to_user(text: &str, skill: &str) -> ScriptedReply {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let call = |text: &str, tool, arguments: Value| ScriptedReply {
        text: text.to_owned(),
        call: arguments.as_object().cloned().map(|arguments| (tool, arguments)),
    };
    if has(&["note", "笔记"]) {
        call("I am reading your notes.", "read", json!({ "path": NOTES }))
    } else if has(&["credit", "skill", "技能", "积分"]) {
        call("I am trying to read that skill.", "read", json!({ "path": skill }))
    } else if has(&["hide", "关", "no clock"]) {
        call("I am stopping the clock.", "app_stop", json!({ "name": APP }))
    } else if has(&["clock", "时钟", "app "]) {
        call("I am launching the clock.", "app_launch", json!({ "name": APP }))
    } else {
        ScriptedReply { text: GREETING.to_owned(), call: None }
    }
}

/// The text of a tool result, without the tags around quoted text.
fn result_text(message: &Message) -> String {
    let text = message.text();
    let lines = text.lines().filter(|line| !line.contains("untrusted-"));
    lines.collect::<Vec<_>>().join("\n")
}

fn describe_result(tool: &str, is_error: bool, result: &str) -> String {
    let first = result.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing").trim();
    match (tool, is_error) {
        ("read", false) => {
            let notes = result.trim().lines().take(MAX_LINES).map(|line| format!("> {line}"));
            let notes = notes.collect::<Vec<_>>().join("\n");
            format!("Your notes say:\n\n{notes}\n\nI read them with a tool. The card above shows the call.")
        }
        ("read", true) => format!(
            "I could not read it: {first}\n\nThe guard scanned that skill before any prompt included it. `tarsus skills info \
             {SKILL}` and Studio show the findings."
        ),
        (_, false) => format!("{first}\n\nThe app's policy allows this; `tarsus apps` changes it."),
        // The guard's reasons are the point of the demo.
        (_, true) => format!("That did not work: {}", result.trim()),
    }
}

#[cfg(test)]
mod tests {
    use tarsus_protocol::Block;

    use super::*;

    fn user(text: &str) -> Message {
        Message { role: Role::User, content: vec![Block::text(text)], timestamp: None }
    }

    #[test]
    fn demo_replies_call_the_matching_tool() {
        let table = [
            ("What is in my notes?", Some(("read", json!({ "path": "notes.md" })))),
            ("what about the free credits", Some(("read", json!({ "path": "/s/SKILL.md" })))),
            ("Show me the clock", Some(("app_launch", json!({ "name": "Demo Clock" })))),
            ("hide the clock", Some(("app_stop", json!({ "name": "Demo Clock" })))),
            ("hello", None),
        ];
        for (text, call) in table {
            let call = call.map(|(tool, arguments)| (tool, arguments.as_object().unwrap().clone()));
            assert_eq!(next_reply(&[user(text)], "/s/SKILL.md").call, call, "{text}");
        }
        assert_eq!(next_reply(&[], "").text, GREETING);
    }

    #[test]
    fn demo_quotes_tool_results() {
        let result = |is_error, text: &str| Message {
            role: Role::ToolResult {
                tool_call_id: "1".to_owned(),
                tool_name: "read".to_owned(),
                is_error,
                details: None,
            },
            content: vec![Block::text(text)],
            timestamp: None,
        };
        let quoted = "<untrusted-0 source=\"file notes.md\">\n\nBuy milk.\n</untrusted-0>";
        let text = next_reply(&[result(false, quoted)], "").text;
        assert!(text.starts_with("Your notes say:\n\n> Buy milk.\n\nI read them"), "{text}");
        assert!(
            next_reply(&[result(true, "no such file")], "")
                .text
                .starts_with("I could not read it: no such file\n")
        );
    }
}
