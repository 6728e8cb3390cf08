//! Renders a request for a model without tool calls: tools go into the prompt, earlier calls and results become text.
//!
//! `<` is escaped inside results, so that none can close its own frame or imitate another.

use serde_json::{Map, Value, json};
use tarsus_protocol::{Block, Message, Role};

use crate::request::ModelRequest;

pub(crate) fn render_as_text(request: &ModelRequest) -> ModelRequest {
    let mut system = request.system.clone();
    if !request.tools.is_empty() {
        if !system.is_empty() {
            system.push_str("\n\n");
        }
        system.push_str(
            "## Calling tools\nTo call a tool, answer with this and nothing else, once for each call:\n",
        );
        system.push_str("<tool_call>\n{\"name\": \"TOOL\", \"arguments\": {…}}\n</tool_call>\n");
        system.push_str(
            "Its result comes back between <tool_response> and </tool_response>. The tools, one a line:\n",
        );
        for tool in &request.tools {
            let line =
                json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters });
            system.push_str(&escaped(&line));
            system.push('\n');
        }
    }
    let messages = request.messages.iter().map(message).collect();
    ModelRequest { system, messages, tools: Vec::new(), ..request.clone() }
}

fn message(message: &Message) -> Message {
    let Role::ToolResult { tool_name, is_error, .. } = &message.role else {
        let content = message.content.iter().map(block).collect();
        return Message { role: message.role.clone(), content, timestamp: message.timestamp };
    };
    let mut result = Map::new();
    result.insert("name".into(), tool_name.as_str().into());
    result.insert(if *is_error { "error" } else { "result" }.into(), message.text().into());
    let text = format!("<tool_response>\n{}\n</tool_response>", escaped(&Value::Object(result)));
    let images = message.content.iter().filter(|block| matches!(block, Block::Image(_))).cloned();
    let content = [Block::text(text)].into_iter().chain(images).collect();
    Message { role: Role::User, content, timestamp: message.timestamp }
}

fn block(block: &Block) -> Block {
    let Block::ToolCall(call) = block else { return block.clone() };
    let call = escaped(&json!({ "name": call.name, "arguments": call.arguments }));
    Block::text(format!("<tool_call>\n{call}\n</tool_call>"))
}

/// JSON without tags: `<` occurs only inside strings, where it can be escaped.
fn escaped(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}
