//! The typed configuration, the redacted client view, and the diff of a returned view.

use crate::json5_generator::{Choices, file, files, new_value};
use serde_json::{Map, Value, json};
use tarsus_home::Secret;
use tarsus_home::config::json5::{Document, Edit, JsonDialect, same_value};
use tarsus_home::config::view::*;
use tarsus_home::config::{Checked, ViewError, changes, check, merge_patch, schema, shown, shown_text};
use tarsus_home::secrets::{SecretRef, SecretSource};
use tarsus_protocol::REDACTED;
use tarsus_protocol::exec::{Ask, Security};
use tarsus_protocol::report::{ConfigFault, ConfigIssue};

fn parse(text: &str) -> Document {
    Document::parse(text.as_bytes(), JsonDialect::Json5).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn read(text: &str) -> Checked {
    let lookup = |name: &str| match name {
        "TOKEN" => Some("hush".to_owned()),
        "ORIGIN" => Some("https://x".to_owned()),
        _ => None,
    };
    check(&parse(text), Some(&lookup))
}

fn issue(path: &str, code: ConfigFault, message: &str, line: u32, column: u32) -> ConfigIssue {
    let (path, message) = (path.to_owned(), message.to_owned());
    ConfigIssue { path, message, line: Some(line), column: Some(column), code: Some(code) }
}

#[test]
fn an_empty_file_yields_defaults_and_the_main_agent() {
    let checked = read("{}");
    assert_eq!(checked, Checked { view: Config::default(), issues: vec![], warnings: vec![] });
    let view = checked.view;
    assert_eq!(
        (view.gateway.port, view.gateway.bind, view.gateway.mode),
        (18789, Bind::Loopback, Mode::Local)
    );
    assert_eq!(view.tools.exec, Exec { security: Security::Allowlist, ask: Ask::OnMiss });
    assert_eq!(view.agents.default_agent().unwrap().id, AgentId::main());
}

#[test]
fn an_invalid_value_is_dropped_and_reported() {
    let checked = read(
        r#"{
  gateway: { port: "x", bind: "moon", auth: { mode: "password", token: 5, password: "${TOKEN}" } },
  agents: { list: [{ id: "a", skills: "all" }, 7, { name: "no id" }, { id: "b/c" }, { id: "A" }], defaults: [] },
  tools: { exec: { security: "full", ask: true } },
  skills: { load: { watchDebounceMs: -1, extraDirs: ["/x", 3, "${NOPE}/y"] } },
  models: { providers: { p: { models: [{ id: "m", contextWindow: 2.5, maxTokens: 3.0 }] } } },
}"#,
    );
    assert_eq!(
        checked.issues,
        [
            issue(
                "gateway.port",
                ConfigFault::WrongValue,
                "expected a whole number from 1 to 65535, found a string",
                2,
                20
            ),
            issue(
                "gateway.bind",
                ConfigFault::WrongValue,
                "expected one of \"loopback\", \"lan\", \"tailnet\", \"custom\", \"auto\", found \"moon\"",
                2,
                31
            ),
            issue(
                "gateway.auth.token",
                ConfigFault::WrongValue,
                "expected a string or a reference to a secret, found a number",
                2,
                72
            ),
            issue("agents.list[0].skills", ConfigFault::WrongValue, "expected a list, found a string", 3, 39),
            issue("agents.list[1]", ConfigFault::WrongValue, "expected an object, found a number", 3, 48),
            issue(
                "agents.list[2]",
                ConfigFault::MissingKey,
                "the key `id` is missing; this entry is ignored",
                3,
                51
            ),
            issue("agents.list[3].id", ConfigFault::NotAnAgentId, &AgentIdError.to_string(), 3, 76),
            issue("agents.defaults", ConfigFault::WrongValue, "expected an object, found a list", 3, 109),
            issue(
                "tools.exec.ask",
                ConfigFault::WrongValue,
                "expected one of \"off\", \"on-miss\", \"always\", found true or false",
                4,
                43
            ),
            issue(
                "skills.load.watchDebounceMs",
                ConfigFault::WrongValue,
                "expected a whole number from 0 to 4294967295, found -1",
                5,
                38
            ),
            issue(
                "skills.load.extraDirs[1]",
                ConfigFault::WrongValue,
                "expected a string, found a number",
                5,
                60
            ),
            issue(
                "skills.load.extraDirs[2]",
                ConfigFault::VariableNotSet,
                "the variable NOPE is not set",
                5,
                63
            ),
            issue(
                "models.providers.p.models[0].contextWindow",
                ConfigFault::WrongValue,
                "expected a whole number from 0 to 4294967295, found 2.5",
                6,
                66
            ),
            issue(
                "agents",
                ConfigFault::AgentTwice,
                "the agent \"a\" appears twice; the first one applies",
                3,
                11
            ),
        ]
    );
    let view = checked.view;
    assert_eq!(view.gateway.port, 18789);
    assert_eq!(
        view.gateway.auth,
        Auth {
            mode: Some(AuthMode::Password),
            token: None,
            password: Some(SecretInput::Plain(Secret::new("hush")))
        }
    );
    let agent = Agent { skills: Some(vec![]), ..Agent::named("a".parse().unwrap()) };
    assert_eq!(view.agents.list, [agent], "a wrong allowlist allows nothing");
    assert_eq!(view.tools.exec, Exec { security: Security::Full, ask: Ask::OnMiss });
    assert_eq!(view.skills.load, SkillsLoad { extra_dirs: vec!["/x".to_owned()], ..SkillsLoad::default() });
    assert_eq!(view.models.providers["p"].models[0].max_tokens, Some(3));
}

#[test]
fn unknown_keys_are_listed_unless_openclaw_has_them() {
    let checked = read(
        "{channels: {x: {}}, meta: 1, nope: {deep: 1},\n gateway: {tls: {}, nope: 1}, agents: {list: [{id: 'a', theme: 1, heartbeat: {}}]}, skills: {entries: {s: {x: 1, config: {any: 1}}}}}",
    );
    let paths: Vec<&str> = checked.warnings.iter().map(|warning| warning.path.as_str()).collect();
    assert_eq!(paths, ["nope", "gateway.nope", "agents.list[0].theme", "skills.entries.s.x"]);
    assert_eq!(checked.issues, []);

    let many: String = (0..5_000).map(|at| format!("k{at}: 1,")).collect();
    let warnings = read(&format!("{{{many}}}")).warnings;
    assert_eq!((warnings.len(), warnings[100].message.as_str()), (101, "4900 more are not listed"));
    let codes = [0, 100].map(|at: usize| warnings[at].code);
    assert_eq!(codes, [Some(ConfigFault::UnknownKey), Some(ConfigFault::NotListed)]);
}

#[test]
fn agents_list_and_entries_are_equivalent() {
    let list =
        read("{agents: {list: [{id: 'z', name: 'Z'}, {id: 'b', default: true, model: 'p/m', skills: []}]}}");
    let entries = read(
        "{agents: {entries: {z: {name: 'Z'}, b: {default: true, model: {primary: 'p/m'}, skills: []}}}}",
    );
    assert_eq!(list, entries);
    assert_eq!(list.view.agents.default_agent().unwrap().id.as_str(), "b");
    assert_eq!(list.view.agents.list[0].id.as_str(), "z", "in the order of the file");

    let odd = read("{agents: {entries: {'a b': {}, A: {}, a: {}}}}");
    let messages: Vec<&str> = odd.issues.iter().map(|issue| issue.message.as_str()).collect();
    let no_id = format!("\"a b\" is none: {AgentIdError}");
    assert_eq!(messages, [no_id.as_str(), "the agent \"a\" appears twice; the first one applies"]);
    assert_eq!(odd.view.agents.list, [Agent::named("a".parse().unwrap())]);

    let both = read("{agents: {entries: {z: {}}, list: [{id: 'y'}]}}");
    assert_eq!(
        both.issues,
        [issue(
            "agents.entries",
            ConfigFault::SecondPlace,
            "ignored, because `agents.list` exists too",
            1,
            20
        )]
    );
    assert_eq!(both.view.agents.list, [Agent::named("y".parse().unwrap())]);
}

#[test]
fn secrets_are_values_or_references_and_never_printed() {
    let view = read(
        "{gateway: {auth: {token: '${TOKEN}'}}, skills: {entries: {s: {apiKey: {source: 'file', provider: 'tarsus', id: 'skills/s/apiKey'}, env: {A: 'hush'}}}}}",
    )
    .view;
    assert_eq!(view.gateway.auth.token, Some(SecretInput::Plain(Secret::new("hush"))));
    let reference = SecretRef {
        source: SecretSource::File,
        provider: "tarsus".to_owned(),
        id: "skills/s/apiKey".to_owned(),
    };
    assert_eq!(view.skills.entries["s"].api_key, Some(SecretInput::Reference(reference)));
    let document = parse("{gateway: {auth: {token: 'hush'}}}");
    let edit = Edit::set("gateway.auth.token".parse().unwrap(), "hush");
    for shown in [format!("{view:?}"), format!("{document:?} {:?}", document.root()), format!("{edit:?}")] {
        assert!(!shown.contains("hush"), "{shown}");
    }
}

#[test]
fn without_lookup_a_variable_is_valid_for_any_string() {
    let document = parse("{gateway: {bind: '${BIND}', port: '${PORT}', auth: {token: '${T}'}}}");
    let checked = check(&document, None);
    let paths: Vec<&str> = checked.issues.iter().map(|issue| issue.path.as_str()).collect();
    assert_eq!(paths, ["gateway.port"], "a number cannot come from a variable");
}

#[test]
fn the_schema_describes_defaults_choices_and_secrets() {
    let schema = schema();
    let at = |pointer: &str| schema.pointer(pointer).cloned().unwrap_or(Value::Null);
    assert_eq!(at("/properties/gateway/properties/port/default"), json!(18789));
    assert_eq!(at("/properties/gateway/properties/port/description"), json!("The TCP port."));
    assert_eq!(at("/properties/tools/properties/exec/properties/security/default"), json!("allowlist"));
    assert_eq!(at("/properties/skills/properties/load/properties/watch/default"), json!(true));
    assert_eq!(at("/properties/channels"), json!(true));
    assert_eq!(
        at("/properties/agents/properties/entries/additionalProperties/properties/name/description"),
        at("/properties/agents/properties/list/items/properties/name/description")
    );
    assert!(schema.to_string().matches("writeOnly").count() >= 7);
    assert!(!schema.to_string().contains("$ref"));
}

#[test]
fn the_view_always_has_agents_as_a_list() {
    let table = [
        ("{}", json!({"agents": {"list": []}})),
        ("{agents: {}}", json!({"agents": {"list": []}})),
        ("{agents: {list: [{id: 'a'}]}}", json!({"agents": {"list": [{"id": "a"}]}})),
        (
            "{agents: {entries: {b: {x: 1}, a: {}}}}",
            json!({"agents": {"list": [{"id": "b", "x": 1}, {"id": "a"}]}}),
        ),
        ("{agents: 5}", json!({"agents": 5})),
    ];
    for (text, view) in table {
        assert_eq!(shown(&parse(text)), view, "{text}");
    }
}

/// Applies a view from a client; returns the new text and the number of edits.
fn send(text: &str, view: &Value) -> (String, usize) {
    let document = parse(text);
    let edits = changes(&document, view).unwrap();
    (document.edited_all(&edits).unwrap().text().to_owned(), edits.len())
}

#[test]
fn a_returned_view_edits_only_differences() {
    let text = "{\n  // mine\n  gateway: { auth: { token: 'hush' }, port: 1.0 }, // trailing\n  unknown: ['${HOME}', 12345678901234567890],\n}\n";
    let mut view = shown(&parse(text));
    assert_eq!(send(text, &view), (text.to_owned(), 0));

    view["gateway"]["reload"] = json!({"mode": "hot"});
    view["gateway"]["port"] = json!(1);
    view["unknown"][1] = json!(12345678901234567000_u64);
    let (after, edits) = send(text, &view);
    assert_eq!(edits, 1);
    assert_eq!(after, text.replace("port: 1.0 }", "port: 1.0, reload: { mode: \"hot\" } }"));
}

#[test]
fn agents_entries_are_edited_in_place() {
    let text = "{\n  agents: {\n    entries: {\n      a: { name: 'A' }, // first\n      b: { name: 'B' },\n    },\n  },\n}";
    let view = json!({"agents": {"list": [
        {"id": "b", "name": "B", "skills": []},
        {"id": "c"},
    ]}});
    let (after, _) = send(text, &view);
    assert_eq!(
        after,
        "{\n  agents: {\n    entries: {\n      b: { name: 'B', skills: [] },\n      c: {},\n    },\n  },\n}"
    );
    assert_eq!(send(text, &json!({"agents": {}})).0, "{\n  agents: {\n  },\n}");
    let (after, _) = send("{}", &json!({"agents": {"list": [{"id": "x"}]}}));
    assert_eq!(parse(&after).value(), json!({"agents": {"list": [{"id": "x"}]}}));
}

#[test]
fn list_edits_keep_the_lines_of_other_elements() {
    let text = "{\n  l: [\n    'a', // 1\n    'b', // 2\n    'c', // 3\n  ],\n}";
    let table = [
        (json!(["a", "c"]), "{\n  l: [\n    'a', // 1\n    'c', // 3\n  ],\n}"),
        (
            json!(["x", "a", "b", "c", "y"]),
            "{\n  l: [\n    \"x\",\n    'a', // 1\n    'b', // 2\n    'c', // 3\n    \"y\",\n  ],\n}",
        ),
        (json!(["c", "a", "b"]), "{\n  l: [\n    \"c\",\n    'a', // 1\n    'b', // 2\n  ],\n}"),
        (json!([]), "{\n  l: [],\n}"),
        (json!(["z"]), "{\n  l: [\"z\"],\n}"),
    ];
    for (list, after) in table {
        assert_eq!(send(text, &json!({"l": list, "agents": {"list": []}})).0, after, "{list}");
    }
    let empty = "{l: [ /* none yet */ ]}";
    assert_eq!(send(empty, &json!({"l": ["a", "b"]})).0, "{l: [\"a\", /* none yet */ \"b\" ]}");
}

#[test]
fn a_placeholder_keeps_the_secret_of_its_id() {
    let text = "{channels: {accounts: [{id: 'a', token: 'one'}, {id: 'b', token: 'two', n: 1}], list: [{token: 'x', n: 1}, {token: 'y', n: 2}]}}";
    let view = shown(&parse(text));
    let mut swapped = view.clone();
    swapped["channels"]["accounts"].as_array_mut().unwrap().reverse();
    swapped["channels"]["accounts"][0]["n"] = json!(2);
    let after = parse(&send(text, &swapped).0).value();
    assert_eq!(
        after["channels"]["accounts"],
        json!([{"id": "b", "token": "two", "n": 2}, {"id": "a", "token": "one"}])
    );

    let mut removed = view.clone();
    removed["channels"]["accounts"].as_array_mut().unwrap().remove(0);
    let after = parse(&send(text, &removed).0).value();
    assert_eq!(after["channels"]["accounts"], json!([{"id": "b", "token": "two", "n": 1}]));

    let refused = |path: &str, change: &dyn Fn(&mut Value)| {
        let mut view = view.clone();
        change(&mut view);
        let refused = ViewError::Placeholder { path: path.to_owned() };
        assert_eq!(changes(&parse(text), &view), Err(refused));
    };
    refused("gateway.auth.token", &|view| view["gateway"] = json!({"auth": {"token": REDACTED}}));
    refused("channels.list[0].token", &|view| {
        view["channels"]["list"].as_array_mut().unwrap().remove(0);
    });
    refused("channels.list[0].token", &|view| {
        view["channels"]["list"] = json!([{"token": REDACTED, "n": 3}])
    });
    refused("channels.accounts[0].n", &|view| view["channels"]["accounts"][0]["n"] = json!(REDACTED));
    refused("channels.accounts[2].token", &|view| {
        let list = view["channels"]["accounts"].as_array_mut().unwrap();
        list.push(json!({"id": "c", "token": REDACTED}));
    });
}

#[test]
fn invalid_views_are_rejected() {
    let table = [
        ("{}", json!([]), ViewError::NotAnObject),
        ("{}", json!({"agents": {"list": [], "entries": {}}}), ViewError::AgentsTwice),
        ("{agents: {entries: {}}}", json!({"agents": {"list": 5}}), ViewError::Agents),
        ("{agents: {entries: {}}}", json!({"agents": {"list": [{"name": "no id"}]}}), ViewError::Agents),
        (
            "{agents: {entries: {}}}",
            json!({"agents": {"list": [{"id": "a"}, {"id": "a"}]}}),
            ViewError::Agents,
        ),
    ];
    for (text, view, error) in table {
        assert_eq!(changes(&parse(text), &view), Err(error), "{view}");
    }
}

/// Returns a view with values changed, added and removed at random.
fn disturbed(choices: &mut Choices, value: &Value, depth: usize) -> Value {
    if value == REDACTED {
        return value.clone();
    }
    match value {
        Value::Object(members) => {
            let mut new = Map::new();
            for (name, value) in members {
                match choices.below(8) {
                    0 if depth > 0 => {}
                    1 => drop(new.insert(name.clone(), new_value(choices))),
                    _ => drop(new.insert(name.clone(), disturbed(choices, value, depth + 1))),
                }
            }
            if choices.one_in(4) {
                new.insert("added by".to_owned(), new_value(choices));
            }
            Value::Object(new)
        }
        // A redacted value in a list without ids may not move.
        Value::Array(items) if items.iter().any(|item| item.to_string().contains(REDACTED)) => {
            items.iter().map(|item| disturbed(choices, item, depth + 1)).collect()
        }
        Value::Array(items) => {
            let mut new = Vec::new();
            for item in items {
                if choices.one_in(5) {
                    new.push(new_value(choices));
                }
                if !choices.one_in(5) {
                    new.push(disturbed(choices, item, depth + 1));
                }
            }
            if choices.one_in(6) {
                new.reverse();
            }
            Value::Array(new)
        }
        plain if choices.one_in(6) => new_value(choices).as_str().map_or_else(|| plain.clone(), Value::from),
        plain => plain.clone(),
    }
}

/// True if the view equals the one that was sent, except for new secrets, which are redacted.
fn is_shown_as(view: &Value, stored: &Value, sent: &Value) -> bool {
    match (view, stored, sent) {
        (Value::Object(view), Value::Object(stored), Value::Object(sent)) => {
            view.len() == sent.len()
                && view.iter().all(|(name, value)| {
                    let stored = stored.get(name).unwrap_or(value);
                    sent.get(name).is_some_and(|sent| is_shown_as(value, stored, sent))
                })
        }
        (Value::Array(view), Value::Array(stored), Value::Array(sent)) => {
            view.len() == sent.len()
                && (0..view.len()).all(|at| is_shown_as(&view[at], &stored[at], &sent[at]))
        }
        (view, stored, sent) => same_value(view, sent) || (view == REDACTED && same_value(stored, sent)),
    }
}

/// Converts `agents.entries` to a list.
fn listed(mut config: Value) -> Value {
    let entries = config["agents"].as_object_mut().and_then(|agents| agents.shift_remove("entries"));
    if let Some(Value::Object(entries)) = entries {
        let list = entries.into_iter().map(|(id, mut agent)| {
            agent["id"] = json!(id);
            agent
        });
        config["agents"]["list"] = list.collect();
    }
    config
}

#[test]
fn applying_the_diff_yields_the_view() {
    let agents = [
        "",
        "agents: {entries: {a: {name: 'A', token: 't'}, /* c */ b: {}}, defaults: {x: [1, 2]}},",
        "agents: {list: [{id: 'a', token: 't', n: 1}, {id: 'b', apiKey: '${K}'}, {id: 'c'}]}, // agents\n",
    ];
    let mut changed = 0;
    for seed in 0..files() {
        let mut choices = Choices::new(seed ^ 0x5555);
        let generated = file(seed);
        let agents = choices.pick(&agents);
        let text = if generated.contains("agents") {
            generated
        } else {
            generated.replacen('{', &format!("{{{agents}"), 1)
        };
        let Ok(document) = Document::parse(text.as_bytes(), JsonDialect::Json5) else { continue };
        let view = shown(&document);
        assert_eq!(changes(&document, &view).unwrap(), [], "seed {seed}\n{text}");

        let mut wanted = disturbed(&mut choices, &view, 0);
        if wanted["agents"].is_object() && !wanted["agents"]["list"].is_array() {
            wanted["agents"]["list"] = json!([]);
        }
        let Ok(edits) = changes(&document, &wanted) else { continue };
        let after = document
            .edited_all(&edits)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}\n{wanted}"));
        let sorted = |mut view: Value| {
            // `agents.entries` keeps the order of the file.
            if document.value().pointer("/agents/entries").is_some()
                && let Some(Value::Array(list)) = view.pointer_mut("/agents/list")
            {
                list.sort_by_key(|agent| agent["id"].to_string());
            }
            view
        };
        let mut stored = after.value();
        if document.value().pointer("/agents/entries").is_some() {
            stored = listed(stored);
        }
        let (actual, expected) = (sorted(shown(&after)), sorted(wanted));
        assert!(
            is_shown_as(&actual, &sorted(stored), &expected),
            "seed {seed}\n{text}\n---\n{}\nactual:   {actual}\nexpected: {expected}",
            after.text()
        );
        changed += usize::from(!edits.is_empty());
    }
    assert!(changed > 1_000, "{changed} views differed");
}

#[test]
fn comments_and_other_lines_survive_a_diff() {
    for seed in 0..500 {
        let text = file(seed);
        let document = parse(&text);
        let mut view = shown(&document);
        view["added"] = json!(1);
        let edits = changes(&document, &view).unwrap_or_else(|problem| panic!("{problem}\n{text}\n{view}"));
        let expected = document.edited(&Edit::set("added".parse().unwrap(), 1)).unwrap();
        assert_eq!(document.edited_all(&edits).unwrap().text(), expected.text());
        assert_eq!(shown(&parse(&shown_text(&document))), shown(&document), "text and values hide the same");
    }
}

#[test]
fn a_merge_patch_merges_objects_and_removes_nulls() {
    let document =
        parse("{gateway: {port: 1, auth: {token: 'hush'}}, agents: {entries: {a: {name: 'A'}, b: {}}}}");
    let patch = json!({
        "gateway": {"port": null, "bind": "lan", "auth": {"mode": "token"}},
        "agents": {"entries": {"a": {"name": null, "skills": []}, "b": null, "c": {"name": "C", "x": null}}},
        "new": {"deep": {"gone": null}},
    });
    let patched = merge_patch(&document, &patch);
    assert_eq!(
        patched.view,
        json!({
            "gateway": {"auth": {"token": REDACTED, "mode": "token"}, "bind": "lan"},
            "agents": {"list": [{"id": "a", "skills": []}, {"id": "c", "name": "C"}]},
            "new": {"deep": {}},
        })
    );
    assert_eq!(patched.changed, ["gateway.auth.mode", "gateway.bind", "gateway.port", "agents.list", "new"]);
    let edits = changes(&document, &patched.view).unwrap();
    let after = document.edited_all(&edits).unwrap().value();
    assert_eq!(
        after,
        json!({
            "gateway": {"auth": {"token": "hush", "mode": "token"}, "bind": "lan"},
            "agents": {"entries": {"a": {"skills": []}, "c": {"name": "C"}}},
            "new": {"deep": {}},
        })
    );
    assert_eq!(merge_patch(&document, &json!({})).changed, Vec::<String>::new());
}
