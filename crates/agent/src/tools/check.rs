//! The parameters of a tool, as one table: the schema that models see and the check of their arguments.
//!
//! Checked arguments have every required field, no unknown one, and values of the right kind under the names of the
//! table. Unlike the check of requests, this one repairs what models commonly get wrong: `5.0` for `5`, another name of a
//! parameter, `null` for an absent one.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tarsus_guard::PermittedHosts;
use tarsus_protocol::shape::{Reporter, Shape, ShapeStep, ValueRange, Violation};
use tarsus_protocol::{ErrorCode, Problem};

/// Reported errors of one call.
const MAX_FAULTS: usize = 8;
/// Characters of an argument that an error quotes.
const MAX_SHOWN_CHARS: usize = 60;
/// Texts in a list.
const MAX_TEXTS: f64 = 100.0;
/// Up to here every integer is exact as a floating-point number.
const MAX_COUNT: f64 = 9_007_199_254_740_992.0;

/// A parameter of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    pub name: &'static str,
    /// Another name that some models use.
    pub alias: Option<&'static str>,
    pub kind: Kind,
    pub required: bool,
    /// Description for the model.
    pub about: &'static str,
}

/// The values of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A text with this maximum length in characters.
    Text(usize),
    /// An integer, at least 1.
    Count,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A list of texts, each with this maximum length in characters.
    Texts(usize),
}

impl Kind {
    /// Some models write `5.0` for `5`; the check makes it an integer.
    fn shape(self) -> Shape {
        let text = |most: usize| Shape::Text(ValueRange(None, Some(most as f64)));
        match self {
            Self::Text(most) => text(most),
            Self::Count => Shape::Integer(ValueRange(Some(1.0), Some(MAX_COUNT))),
            Self::OneOf(words) => Shape::Choice(words.iter().map(|word| (*word).to_owned()).collect()),
            Self::Texts(most) => Shape::List(Box::new(text(most)), ValueRange(None, Some(MAX_TEXTS))),
        }
    }
}

impl Field {
    #[must_use]
    pub const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, alias: None, kind, required: false, about }
    }

    #[must_use]
    pub const fn required(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { required: true, ..Self::optional(name, kind, about) }
    }

    #[must_use]
    pub const fn with_alias(self, alias: &'static str) -> Self {
        Self { alias: Some(alias), ..self }
    }

    fn schema(&self) -> Value {
        match self.kind {
            Kind::Text(_) => json!({ "type": "string", "description": self.about }),
            Kind::Count => json!({ "type": "number", "description": self.about }),
            Kind::OneOf(words) => json!({ "type": "string", "enum": words, "description": self.about }),
            Kind::Texts(_) => {
                json!({ "type": "array", "items": { "type": "string" }, "description": self.about })
            }
        }
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.name].into_iter().chain(self.alias)
    }
}

/// The JSON schema of an object with these fields. A field with two names is required of neither.
#[must_use]
pub fn schema(fields: &[Field]) -> Map<String, Value> {
    let named = fields.iter().map(|field| (field.name, field));
    let aliases = fields.iter().filter_map(|field| Some((field.alias?, field)));
    let properties: Map<String, Value> =
        named.chain(aliases).map(|(name, field)| (name.to_owned(), field.schema())).collect();
    let required: Vec<&str> = fields
        .iter()
        .filter(|field| field.required && field.alias.is_none())
        .map(|field| field.name)
        .collect();
    let schema =
        [("type", json!("object")), ("required", json!(required)), ("properties", Value::Object(properties))];
    schema.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Arguments that passed the check, under the names of the table.
///
/// The guard's proof owns them as JSON: [`Arguments::into_value`] hands them over, and [`Arguments::from_authorized`]
/// takes them back without a second check.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Arguments {
    values: Map<String, Value>,
    hosts: PermittedHosts,
}

impl Arguments {
    /// The arguments of a call that was checked by [`check`] and authorized since.
    pub(super) fn from_authorized(value: Value, hosts: PermittedHosts) -> Self {
        match value {
            Value::Object(values) => Self { values, hosts },
            _ => Self::default(),
        }
    }

    /// The hosts that the call may be redirected to.
    pub(super) fn hosts(&self) -> &PermittedHosts {
        &self.hosts
    }

    /// A text or one of the choices.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.as_str()
    }

    #[must_use]
    pub fn count(&self, name: &str) -> Option<u64> {
        self.values.get(name)?.as_u64()
    }

    #[must_use]
    pub fn texts(&self, name: &str) -> Option<Vec<&str>> {
        self.values.get(name)?.as_array()?.iter().map(Value::as_str).collect()
    }

    #[must_use]
    pub fn into_value(self) -> Value {
        Value::Object(self.values)
    }
}

/// Checks the arguments that a model sent.
///
/// # Errors
/// All errors, up to a limit.
pub fn check(tool: &str, fields: &[Field], sent: &Value) -> Result<Arguments, Problem> {
    let Value::Object(sent) = sent else {
        return Err(refused(tool, fields, vec![format!("expected an object, not {}", quoted(sent))]));
    };
    let mut faults = Vec::new();
    let is_known = |name: &str| fields.iter().any(|field| field.names().any(|known| known == name));
    for name in sent.keys().filter(|name| !is_known(name)) {
        faults.push(format!("{} is no parameter", quoted(&json!(name))));
    }
    // Sorted by name, as they are recorded and shown.
    let mut arguments = BTreeMap::new();
    for field in fields {
        match field_value(field, sent) {
            Ok(Some(value)) => drop(arguments.insert(field.name.to_owned(), value)),
            Ok(None) if field.required => faults.push(format!("{:?} is missing", field.name)),
            Ok(None) => {}
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() {
        Ok(Arguments { values: arguments.into_iter().collect(), hosts: PermittedHosts::default() })
    } else {
        Err(refused(tool, fields, faults))
    }
}

fn refused(tool: &str, fields: &[Field], faults: Vec<String>) -> Problem {
    let left = faults.len().saturating_sub(MAX_FAULTS);
    let mut problem = Problem::new(ErrorCode::Usage, format!("the arguments of {tool} do not fit"));
    for fault in faults.into_iter().take(MAX_FAULTS) {
        problem = problem.note(fault);
    }
    if left > 0 {
        problem = problem.note(format!("and {left} more"));
    }
    let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    let takes = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    problem.hint(format!("nothing was done; it takes {takes}: correct the call and make it again"))
}

/// The value of a field under either name; `null` counts as absent.
fn field_value(field: &Field, sent: &Map<String, Value>) -> Result<Option<Value>, String> {
    let mut values =
        field.names().filter_map(|name| Some((name, sent.get(name)?))).filter(|(_, value)| !value.is_null());
    let Some((name, value)) = values.next() else { return Ok(None) };
    if let Some((other, _)) = values.find(|(_, again)| *again != value) {
        return Err(format!("{name:?} and {other:?} are the same parameter and say different things"));
    }
    let mut faults = ValueFaults { kind: field.kind, name, sent: value, first: None };
    let checked = field.kind.shape().check(value, &mut faults);
    faults.first.map_or(Ok(checked), Err)
}

/// The first error of a parameter's value.
struct ValueFaults<'a> {
    kind: Kind,
    name: &'a str,
    sent: &'a Value,
    first: Option<String>,
}

impl Reporter for ValueFaults<'_> {
    const LENIENT: bool = true;

    fn report(&mut self, path: &[ShapeStep<'_>], _: &Value, _: &Shape, violation: Violation<'_>) {
        let name = self.name;
        let expected = |what: &str| format!("{name:?} has to be {what}, not {}", quoted(self.sent));
        let fault = match (self.kind, violation) {
            (Kind::Text(_), Violation::Above(max)) => format!("{name:?} has more than {max} characters"),
            (Kind::Text(_), _) => expected("a text"),
            (Kind::Count, _) => expected("a whole number from 1 on"),
            (Kind::OneOf(words), _) => expected(&format!("one of {}", words.join(", "))),
            (Kind::Texts(most), _) if !path.is_empty() => {
                expected(&format!("a list of texts with at most {most} characters each"))
            }
            (Kind::Texts(_), Violation::Above(max)) => format!("{name:?} has more than {max} entries"),
            (Kind::Texts(_), _) => expected("a list of texts"),
        };
        self.first.get_or_insert(fault);
    }
}

/// A value as short JSON.
fn quoted(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FIELDS: &[Field] = &[
        Field::required("path", Kind::Text(5), "A path").with_alias("file_path"),
        Field::optional("offset", Kind::Count, "Where to begin"),
        Field::optional("action", Kind::OneOf(&["add", "edit"]), "What to do"),
        Field::optional("agents", Kind::Texts(4), "Who"),
    ];

    fn faults(sent: Value) -> Vec<String> {
        check("tool", FIELDS, &sent).map(|arguments| vec![arguments.into_value().to_string()]).unwrap_or_else(
            |problem| {
                assert_eq!(problem.code, ErrorCode::Usage);
                problem.notes
            },
        )
    }

    #[test]
    fn argument_errors_name_each_field() {
        let long = "x".repeat(200);
        let table = [
            (json!([]), vec!["expected an object, not []"]),
            (json!(null), vec!["expected an object, not null"]),
            (json!({}), vec!["\"path\" is missing"]),
            (json!({"path": null}), vec!["\"path\" is missing"]),
            (json!({"pth": "a"}), vec!["\"pth\" is no parameter", "\"path\" is missing"]),
            (json!({"path": 5}), vec!["\"path\" has to be a text, not 5"]),
            (json!({"file_path": ["a"]}), vec!["\"file_path\" has to be a text, not [\"a\"]"]),
            (json!({"path": "abcdef"}), vec!["\"path\" has more than 5 characters"]),
            (
                json!({"path": "a", "file_path": "b"}),
                vec!["\"path\" and \"file_path\" are the same parameter and say different things"],
            ),
            (
                json!({"path": "a", "offset": 0, "action": "Add", "agents": "main"}),
                vec![
                    "\"offset\" has to be a whole number from 1 on, not 0",
                    "\"action\" has to be one of add, edit, not \"Add\"",
                    "\"agents\" has to be a list of texts, not \"main\"",
                ],
            ),
            (
                json!({"path": "a", "offset": 1.5}),
                vec!["\"offset\" has to be a whole number from 1 on, not 1.5"],
            ),
            (
                json!({"path": "a", "offset": -1}),
                vec!["\"offset\" has to be a whole number from 1 on, not -1"],
            ),
            (
                json!({"path": "a", "offset": "5"}),
                vec!["\"offset\" has to be a whole number from 1 on, not \"5\""],
            ),
            (
                json!({"path": "a", "agents": ["main", 5]}),
                vec!["\"agents\" has to be a list of texts with at most 4 characters each, not [\"main\",5]"],
            ),
            (json!({"path": "a", "agents": vec!["a"; 101]}), vec!["\"agents\" has more than 100 entries"]),
        ];
        for (sent, errors) in table {
            assert_eq!(faults(sent.clone()), errors, "{sent}");
        }
        let [message] = &faults(json!({"path": "a", "offset": long}))[..] else { panic!("one fault") };
        assert!(message.ends_with("xxx…") && message.chars().count() < 120, "{message}");
        let many: Value = (0..20).map(|at| (format!("x{at}"), json!(1))).collect::<Map<_, _>>().into();
        assert_eq!(faults(many).last().map(String::as_str), Some("and 13 more"));
        let problem = check("tool", &[], &json!({"a": 1})).unwrap_err();
        assert_eq!(
            problem.next_step(),
            "nothing was done; it takes nothing: correct the call and make it again"
        );
    }

    #[test]
    fn checked_arguments_use_the_canonical_names() {
        let table = [
            (json!({"file_path": "a"}), json!({"path": "a"})),
            (json!({"path": "a", "file_path": "a"}), json!({"path": "a"})),
            (json!({"path": "a", "offset": 5.0, "action": null}), json!({"path": "a", "offset": 5})),
            (
                json!({"agents": ["x"], "action": "edit", "path": "日本語の道"}),
                json!({"action": "edit", "agents": ["x"], "path": "日本語の道"}),
            ),
        ];
        for (sent, known) in table {
            assert_eq!(check("tool", FIELDS, &sent).unwrap().into_value(), known, "{sent}");
        }
    }

    #[test]
    fn schema_has_both_names_of_an_aliased_field() {
        let text = |about: &str| json!({ "type": "string", "description": about });
        let expected = json!({
            "type": "object",
            "required": ["name"],
            "properties": { "name": text("B"), "path": text("A"), "file_path": text("A") },
        });
        let fields = [
            Field::required("name", Kind::Text(1), "B"),
            Field::required("path", Kind::Text(1), "A").with_alias("file_path"),
        ];
        assert_eq!(Value::Object(schema(&fields)), expected);
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[a-z]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(2, 8, 3, |inner| prop::collection::vec(inner, 0..3).prop_map(Value::from))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// The arguments that are authorized are the arguments that are run.
        #[test]
        fn check_is_idempotent(
            sent in prop::collection::btree_map(
                prop::sample::select(vec!["path", "file_path", "offset", "action", "agents", "x"]),
                any_value(),
                0..5,
            ),
        ) {
            let sent: Map<String, Value> = sent.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            if let Ok(arguments) = check("tool", FIELDS, &Value::Object(sent)) {
                prop_assert_eq!(check("tool", FIELDS, &arguments.clone().into_value()), Ok(arguments));
            }
        }
    }
}
