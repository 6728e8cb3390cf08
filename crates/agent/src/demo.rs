//! A model that needs no key: it plays a part, so that everything around it can be seen at work.
//!
//! Promises: it calls real tools, and what it says of their results is read off the results. Leaves to others: the files,
//! apps and skills that it speaks of (`tarsus up --demo` makes them).

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

/// What it is called.
pub const NAME: &str = "demo/guide";
/// The file that it looks into.
pub const NOTES: &str = "notes.md";
/// The app that it launches.
pub const APP: &str = "Demo Clock";
/// The skill that no prompt shows.
pub const SKILL: &str = "free-credits";

/// Lines of the notes that it repeats.
const LINES: usize = 8;

/// How long it takes for a word.
const A_WORD: Duration = Duration::from_millis(25);

const GREETING: &str = "Hello! I am a scripted guide: no model and no key is behind me, but the tools, the apps and the \
    guard are real. Say one of these:\n\n- \"What is in my notes?\" and I read a file of your workspace.\n- \"Show me the \
    clock\" and I launch an app, as far as its policy lets me.\n- \"Hide the clock\" and I stop it.\n- \"What about the \
    free credits?\" and you see a skill that the guard keeps out.\n\nThe Application Manager answers by itself: say \
    \"application manager\".";

/// The guide.
pub struct DemoModel {
    name: ModelName,
    facts: ModelInfo,
    /// The file of the skill that no prompt shows.
    skill: String,
}

impl DemoModel {
    /// A guide who knows where the file of the skill is that no prompt shows.
    ///
    /// # Errors
    /// Never: its name is one.
    pub fn new(skill: String) -> Result<Self, InvalidModelName> {
        let facts = ModelInfo {
            label: "Guide of the demo".to_owned(),
            context_window: Some(32_000),
            max_output: None,
            reasoning: false,
            images: false,
            price: None,
            tool_calls: ToolCallMode::Native,
        };
        Ok(Self { name: NAME.parse()?, facts, skill })
    }
}

impl LanguageModel for DemoModel {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn info(&self) -> &ModelInfo {
        &self.facts
    }

    fn context_window(&self) -> u32 {
        32_000
    }

    fn stream(&self, request: Arc<ModelRequest>) -> DeltaStream {
        let Says { text, call } = says(&request.messages, &self.skill);
        let input = u32::try_from(estimate_tokens(&request.system)).unwrap_or(u32::MAX);
        let output = u32::try_from(estimate_tokens(&text)).unwrap_or(u32::MAX);
        let words: Vec<String> = text.split_inclusive(' ').map(str::to_owned).collect();
        let words = stream::iter(words).then(|word| async {
            tokio::time::sleep(A_WORD).await;
            Delta::Text(word)
        });
        let stop = if call.is_some() { StopReason::ToolCalls } else { StopReason::EndTurn };
        let usage = Usage { input, output, cache_read: 0, cache_write: 0 };
        let id = format!("demo-{}", request.messages.len());
        let called = call.into_iter().flat_map(move |(tool, arguments)| {
            let name = tool.to_owned();
            [
                Delta::CallStart { call: 0, id: id.clone(), name, from_text: false },
                Delta::CallEnd { call: 0, arguments: ToolArguments::Object(arguments) },
            ]
        });
        let end = called.chain([Delta::Usage(usage), Delta::Stop(stop)]);
        words.chain(stream::iter(end)).map(Ok).boxed()
    }
}

/// The guide is the only model, whatever is chosen.
impl ModelSource for Arc<DemoModel> {
    fn resolve_chain<'a>(&'a self, _: &'a Config, _: &'a [String]) -> BoxFuture<'a, Option<ModelChain>> {
        let guide: Arc<dyn LanguageModel> = Arc::<DemoModel>::clone(self);
        Box::pin(std::future::ready(Some(ModelChain::new(vec![ChainLink::new(guide)], RetryPolicy::new(0)))))
    }
}

/// What it says next.
#[derive(Debug, PartialEq)]
struct Says {
    text: String,
    call: Option<(&'static str, Map<String, Value>)>,
}

fn says(messages: &[Message], skill: &str) -> Says {
    let words = |text: String| Says { text, call: None };
    let Some(last) = messages.last() else { return words(GREETING.to_owned()) };
    match &last.role {
        Role::ToolResult { tool_name, is_error, .. } => words(about(tool_name, *is_error, &result(last))),
        _ => asked(&last.text().to_lowercase(), skill),
    }
}

fn asked(text: &str, skill: &str) -> Says {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let call = |text: &str, tool, arguments: Value| Says {
        text: text.to_owned(),
        call: arguments.as_object().cloned().map(|arguments| (tool, arguments)),
    };
    if has(&["note", "笔记"]) {
        call("I look into your notes.", "read", json!({ "path": NOTES }))
    } else if has(&["credit", "skill", "技能", "积分"]) {
        call("I try to read that skill.", "read", json!({ "path": skill }))
    } else if has(&["hide", "关", "no clock"]) {
        call("I stop the clock.", "app_stop", json!({ "name": APP }))
    } else if has(&["clock", "时钟", "app "]) {
        call("I launch the clock.", "app_launch", json!({ "name": APP }))
    } else {
        Says { text: GREETING.to_owned(), call: None }
    }
}

/// What a tool answered, without the marks that quoted text stands between.
fn result(message: &Message) -> String {
    let text = message.text();
    let lines = text.lines().filter(|line| !line.contains("untrusted-"));
    lines.collect::<Vec<_>>().join("\n")
}

fn about(tool: &str, is_error: bool, result: &str) -> String {
    let first = result.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing").trim();
    match (tool, is_error) {
        ("read", false) => {
            let notes = result.trim().lines().take(LINES).map(|line| format!("> {line}"));
            let notes = notes.collect::<Vec<_>>().join("\n");
            format!("Your notes say:\n\n{notes}\n\nI read them with a tool; the card above shows the call.")
        }
        ("read", true) => format!(
            "I was not let near it: {first}\n\nThe guard looked at that skill before any prompt did. `tarsus skills info \
             {SKILL}` and the page of skills show what it found."
        ),
        (_, false) => format!("{first}\n\nIts policy lets me do that; `tarsus apps` changes it."),
        // Whatever the guard has to say to it is the point of a demo.
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
    fn words_lead_to_tools() {
        let table = [
            ("What is in my notes?", Some(("read", json!({ "path": "notes.md" })))),
            ("what about the free credits", Some(("read", json!({ "path": "/s/SKILL.md" })))),
            ("Show me the clock", Some(("app_launch", json!({ "name": "Demo Clock" })))),
            ("hide the clock", Some(("app_stop", json!({ "name": "Demo Clock" })))),
            ("hello", None),
        ];
        for (text, call) in table {
            let call = call.map(|(tool, arguments)| (tool, arguments.as_object().unwrap().clone()));
            assert_eq!(says(&[user(text)], "/s/SKILL.md").call, call, "{text}");
        }
        assert_eq!(says(&[], "").text, GREETING);
    }

    #[test]
    fn what_it_says_of_a_result_is_in_the_result() {
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
        let told = says(&[result(false, quoted)], "").text;
        assert!(told.starts_with("Your notes say:\n\n> Buy milk.\n\nI read them"), "{told}");
        assert!(
            says(&[result(true, "no such file")], "")
                .text
                .starts_with("I was not let near it: no such file\n")
        );
    }
}
