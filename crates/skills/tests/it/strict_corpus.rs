//! Compares the strict rules with the test cases of the AgentSkills reference library, which are not part of the project;
//! that test is ignored unless asked for.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tarsus_skills::strict::{self, StrictError, find_skill_md, parse_frontmatter, validate, validate_folder};

/// Returns the name of a folder and the text of its SKILL.md.
fn folder(input: &Value) -> (String, Option<String>) {
    let files = input["files"].as_object().unwrap();
    let name = find_skill_md(files.keys().map(String::as_str).collect::<Vec<_>>());
    let content = name.map(|name| files[name].as_str().unwrap().to_owned());
    (input["dirName"].as_str().unwrap().to_owned(), content)
}

fn value(value: &strict::Value) -> Value {
    match value {
        strict::Value::Text(text) => json!(text),
        strict::Value::List(items) => items.iter().map(self::value).collect(),
        strict::Value::Map(pairs) => {
            Value::Object(pairs.iter().map(|(key, value)| (key.clone(), self::value(value))).collect())
        }
    }
}

fn outcome(result: Result<Value, StrictError>) -> Value {
    match result {
        Ok(result) => json!({"result": result}),
        Err(StrictError::Parse(message)) => json!({"error": {"type": "ParseError", "message": message}}),
    }
}

/// Characters of a recorded message; longer ones are cut.
const RECORDED: usize = 300;

fn cut(mut outcome: Value) -> Value {
    if let Some(message) = outcome.pointer_mut("/error/message")
        && let Some(text) = message.as_str()
    {
        *message = text.chars().take(RECORDED).collect::<String>().into();
    }
    outcome
}

#[test]
#[ignore = "needs ../shared/corpus; ./test runs it where that is"]
fn reference_library_cases_agree() {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/skills-ref-cases.jsonl");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut cases = 0;
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let input = &case["input"];
        let ours = match case["fn"].as_str().unwrap() {
            "parse_frontmatter" => {
                outcome(parse_frontmatter(input["content"].as_str().unwrap()).map(|(fields, body)| {
                    let fields = Value::Object(
                        fields.0.iter().map(|(key, field)| (key.clone(), value(field))).collect(),
                    );
                    json!({"metadata": fields, "body": body})
                }))
            }
            "find_skill_md" => {
                let names: Vec<&str> =
                    input["files"].as_object().unwrap().keys().map(String::as_str).collect();
                json!({"result": find_skill_md(names)})
            }
            "validate" if input.get("files").is_none() => {
                let root = tempfile::tempdir().unwrap();
                let name = input.get("missingPath").or_else(|| input.get("file")).unwrap().as_str().unwrap();
                let path = root.path().join(name);
                if input.get("file").is_some() {
                    fs::write(&path, "").unwrap();
                }
                let found = validate_folder(&path).unwrap();
                let shown = found.iter().map(|line| line.replace(&*path.to_string_lossy(), "<PATH>"));
                json!({"result": shown.collect::<Vec<_>>()})
            }
            "validate" => {
                let (name, content) = folder(input);
                json!({"result": validate(&name, content.as_deref())})
            }
            // The product does not have these.
            "read_properties" | "to_prompt" => continue,
            other => panic!("no function {other}"),
        };
        let mut expected = case.clone();
        for key in ["test", "fn", "input"] {
            expected.as_object_mut().unwrap().shift_remove(key);
        }
        assert_eq!(cut(ours), expected, "{}", case["test"]);
        cases += 1;
    }
    assert_eq!(cases, 29);
}

#[test]
fn folder_is_validated_on_disk() {
    let root = tempfile::tempdir().unwrap();
    let skill = root.path().join("notes");
    fs::create_dir(&skill).unwrap();
    let file = skill.join("SKILL.md");
    let missing = root.path().join("missing");
    assert_eq!(validate_folder(&missing).unwrap(), [format!("Path does not exist: {}", missing.display())]);
    assert_eq!(validate_folder(&skill).unwrap(), ["Missing required file: SKILL.md"]);
    fs::write(&file, "---\nname: notes\ndescription: Keeps notes\n---\n").unwrap();
    assert_eq!(validate_folder(&skill).unwrap(), Vec::<String>::new());
    assert_eq!(validate_folder(&file).unwrap(), Vec::<String>::new());
    let other = root.path().join("other.txt");
    fs::write(&other, "").unwrap();
    assert_eq!(validate_folder(&other).unwrap(), [format!("Not a directory: {}", other.display())]);
}
