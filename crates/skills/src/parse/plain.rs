//! YAML in which every scalar is a string, for the strict rules.

use super::text::line_of;
use super::yaml::{self, Node, Schema, Value};
use crate::strict::Value as Plain;

/// Parses YAML without flow collections; `None` if it is empty.
///
/// # Errors
/// The first error. A flow collection is reported with the message of the reference library's parser.
pub(crate) fn plain_texts(block: &str) -> Result<Option<Plain>, String> {
    let block = &*yaml::with_stand_ins(block);
    if let Some(at) = yaml::first_flow(block) {
        return Err(flow_error(block, at));
    }
    let document = yaml::parse(block, Schema::Strings);
    match document.fault {
        Some(fault) => Err(format!("{} (line {})", fault.message, line_of(block, fault.at))),
        None => document.root.as_ref().map(plain).transpose(),
    }
}

fn flow_error(block: &str, at: usize) -> String {
    let before = &block[..at];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = block[start..].split('\n').next().unwrap_or_default();
    let column = block[start..at].chars().count();
    let number = line_of(block, at);
    let place = |column: usize| {
        let shift = " ".repeat(column + 4);
        let shown = column + 1;
        format!(
            "  in \"<unicode string>\", line {number}, column {shown}:\n    {line}\n{shift}^ (line: {number})"
        )
    };
    format!(
        "While scanning\n{}\nFound ugly disallowed JSONesque flow mapping (surround with ' and ' to make text appear \
         literally)\n{}",
        place(column),
        place(column + 1)
    )
}

fn plain(node: &Node<'_>) -> Result<Plain, String> {
    Ok(match &node.value {
        Value::Text(text) => Plain::Text(text.clone().into_owned()),
        Value::Null => Plain::Text(String::new()),
        Value::Bool(value) => Plain::Text(value.to_string()),
        Value::Number(number) => Plain::Text(yaml::js_number(*number)),
        Value::Alias(name, _) => return Err(format!("the alias *{name} is not allowed")),
        Value::Seq(items) => Plain::List(items.iter().map(plain).collect::<Result<_, _>>()?),
        Value::Map(pairs) => {
            let pair = |(key, value): &(Node<'_>, Node<'_>)| match plain(key)? {
                Plain::Text(key) => Ok((key, plain(value)?)),
                _ => Err("a key must be a text".to_owned()),
            };
            Plain::Map(pairs.iter().map(pair).collect::<Result<_, String>>()?)
        }
    })
}
