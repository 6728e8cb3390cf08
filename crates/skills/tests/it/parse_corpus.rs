//! Compares the parser with the recorded results of OpenClaw's loader.
//!
//! `tests/corpus/parse.jsonl` is part of the project. The larger sets of real files and of edge cases are not; their tests
//! are ignored unless asked for.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use tarsus_skills::{InstallKind, InstallSpec, Metadata, Parsed, Skill, parse};

fn corpus(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn rows(bytes: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(bytes).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the files of a tar.gz archive by path. Supports plain files with short, GNU or pax names only.
fn files(archive: &[u8]) -> HashMap<String, Vec<u8>> {
    let mut tar = Vec::new();
    flate2::read::GzDecoder::new(archive).read_to_end(&mut tar).unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
    let mut files = HashMap::new();
    let mut long_name = None;
    let mut rest = tar.as_slice();
    while rest.len() >= 512 && rest[0] != 0 {
        let (header, tail) = rest.split_at(512);
        let size = usize::from_str_radix(text(&header[124..136]).trim(), 8).unwrap();
        let content = &tail[..size];
        rest = &tail[size.next_multiple_of(512)..];
        let prefix = text(&header[345..500]);
        let name = text(&header[..100]);
        let name = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
        match header[156] {
            b'x' => {
                let pax = text(content);
                long_name =
                    pax.split_once(" path=").and_then(|(_, path)| path.lines().next()).map(str::to_owned);
            }
            b'L' => long_name = Some(text(content)),
            b'0' | 0 => {
                files.insert(long_name.take().unwrap_or(name), content.to_vec());
            }
            _ => long_name = None,
        }
    }
    files
}

fn install(install: &InstallSpec) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| {
        if !value.is_null() {
            object.insert(key.to_owned(), value);
        }
    };
    put("kind", json!(install.kind.word()));
    put("id", json!(install.id));
    put("label", json!(install.label));
    match &install.kind {
        InstallKind::Brew { formula } => put("formula", json!(formula)),
        InstallKind::Node { package } | InstallKind::Uv { package } => put("package", json!(package)),
        InstallKind::Go { module } => put("module", json!(module)),
        InstallKind::Download { url, sha256 } => {
            put("url", json!(url));
            put("sha256", json!(sha256));
        }
    }
    if !install.bins.is_empty() {
        put("bins", json!(install.bins));
    }
    if !install.os.is_empty() {
        put("os", json!(install.os));
    }
    if let Some(extra) = &install.extra {
        put("formula", json!(extra.formula));
        put("module", json!(extra.module));
        put("url", json!(extra.url));
        put("archive", json!(extra.archive));
        put("extract", json!(extra.extract));
        put("stripComponents", json!(extra.strip_components.map(|number| number as i64)));
        put("targetDir", json!(extra.target_dir));
    }
    Value::Object(object)
}

fn requires(metadata: &Metadata) -> Value {
    metadata.requires.as_ref().map_or(Value::Null, |requires| {
        json!({"bins": requires.bins, "anyBins": requires.any_bins, "env": requires.env, "config": requires.config})
    })
}

fn metadata(metadata: &Metadata) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| {
        if !value.is_null() {
            object.insert(key.to_owned(), value);
        }
    };
    put("always", json!(metadata.always));
    put("emoji", json!(metadata.emoji));
    put("homepage", json!(metadata.homepage));
    put("skillKey", json!(metadata.skill_key));
    put("primaryEnv", json!(metadata.primary_env));
    put("os", json!(metadata.os));
    put("requires", requires(metadata));
    if !metadata.install.is_empty() {
        put("install", metadata.install.iter().map(install).collect());
    }
    Value::Object(object)
}

fn frontmatter(skill: &Skill) -> Value {
    Value::Object(skill.frontmatter.0.iter().map(|(key, value)| (key.clone(), json!(value))).collect())
}

fn keys(skill: &Skill) -> Vec<String> {
    skill.frontmatter.0.iter().map(|(key, _)| key.clone()).collect()
}

/// Returns the class of an error in the recorded results.
fn class(code: &str) -> &'static str {
    match code {
        "WRONG_FILE_NAME" => "wrong-filename-case",
        "NO_FRONTMATTER" => "fail-no-frontmatter",
        "NO_DESCRIPTION" => "fail-no-description",
        "UNTERMINATED_FRONTMATTER" => "fail-unterminated",
        _ => "fail-yaml",
    }
}

/// Formats a parsed file like the recorded results.
fn to_row(parsed: &Parsed) -> Value {
    let skill = match parsed {
        Parsed::Loaded(skill) => skill,
        Parsed::Degraded(skill, error) => {
            let error = json!({"class": class(error.code.as_str()), "message": error.message});
            return json!({"ok": false, "error": error, "frontmatterKeys": keys(skill)});
        }
        Parsed::Malformed(error) => {
            let keys = &error.keys;
            let error = json!({"class": class(error.code.as_str()), "message": error.message});
            return json!({"ok": false, "error": error, "frontmatterKeys": keys});
        }
    };
    let own = skill.metadata.as_deref();
    let install: Vec<Value> = own.into_iter().flat_map(|own| &own.install).map(install).collect();
    let mut row = json!({
        "ok": true,
        "name": skill.name,
        "description": skill.description,
        "displayName": skill.display_name,
        "skillKey": skill.key(),
        "hasManifest": own.is_some(),
        "requires": own.map_or(Value::Null, requires),
        "os": own.and_then(|own| own.os.clone()),
        "always": own.and_then(|own| own.always),
        "primaryEnv": own.and_then(|own| own.primary_env.clone()),
        "emoji": own.and_then(|own| own.emoji.clone()),
        "homepage": skill.homepage(),
        "installCount": install.len(),
        "install": install,
        "userInvocable": skill.invocation.user_invocable,
        "disableModelInvocation": skill.invocation.disable_model_invocation,
        "nameFromDir": skill.name_from_dir,
        "slashBase": skill.slash_base,
        "frontmatterKeys": keys(skill),
    });
    for key in ["command-dispatch", "command-tool", "command-arg-mode"] {
        if let Some(value) = skill.frontmatter.get(key) {
            row[key] = json!(value);
        }
    }
    row
}

fn compare(id: &str, ours: &Value, expected: &Value, wrong: &mut Vec<String>) {
    if ours != expected {
        wrong.push(format!("{id}\n  ours     {ours}\n  expected {expected}"));
    }
}

fn assert_no_difference(wrong: &[String], total: usize) {
    assert!(wrong.is_empty(), "{} of {total} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn project_cases_parse_as_in_the_loader() {
    let mut wrong = Vec::new();
    let rows = rows(include_bytes!("../corpus/parse.jsonl"));
    for row in &rows {
        let text = |key: &str| row[key].as_str().unwrap();
        let content = match row["contentBase64"].as_str() {
            Some(encoded) => STANDARD.decode(encoded).unwrap(),
            None => text("content").as_bytes().to_vec(),
        };
        let parsed = parse(&content, text("fileName"), text("dirName"));
        compare(text("id"), &to_row(&parsed), &row["expected"], &mut wrong);
        let fields = match &parsed {
            Parsed::Loaded(skill) => frontmatter(skill),
            _ => Value::Null,
        };
        for (key, value) in row["fields"].as_object().into_iter().flatten() {
            compare(text("id"), &fields[key], value, &mut wrong);
        }
    }
    assert_no_difference(&wrong, rows.len());
    assert_eq!(rows.len(), 61);
}

#[test]
#[ignore = "needs ../shared/corpus; ./test runs it where that is"]
fn real_files_parse_as_in_the_loader() {
    let files = files(&corpus("skills-dev.tar.gz"));
    let mut wrong = Vec::new();
    let rows = rows(&corpus("skills-dev.jsonl"));
    for row in &rows {
        let path = row["path"].as_str().unwrap();
        let found =
            files.iter().find(|(name, _)| name.ends_with(path)).unwrap_or_else(|| panic!("no {path}"));
        let file_name = path.rsplit('/').next().unwrap();
        let parsed = parse(found.1, file_name, row["dirName"].as_str().unwrap());
        let mut expected = row.clone();
        for key in ["path", "dirName", "bytes", "sha256", "strata"] {
            expected.as_object_mut().unwrap().shift_remove(key);
        }
        compare(path, &to_row(&parsed), &expected, &mut wrong);
    }
    assert_no_difference(&wrong, rows.len());
    assert_eq!(rows.len(), 300);
}

#[test]
#[ignore = "needs ../shared/corpus; ./test runs it where that is"]
fn edge_cases_parse_as_in_the_loader() {
    let mut wrong = Vec::new();
    let rows = rows(&corpus("skills-edge-cases.jsonl"));
    for row in &rows {
        let content = STANDARD.decode(row["contentBase64"].as_str().unwrap()).unwrap();
        let parsed = parse(&content, "SKILL.md", row["dirName"].as_str().unwrap());
        let ours = match &parsed {
            Parsed::Loaded(skill) => json!({
                "ok": true,
                "name": skill.name,
                "description": skill.description,
                "displayName": skill.display_name,
                "frontmatter": frontmatter(skill),
                "metadata": skill.metadata.as_deref().map(metadata),
                "userInvocable": skill.invocation.user_invocable,
                "disableModelInvocation": skill.invocation.disable_model_invocation,
            }),
            Parsed::Degraded(_, error) | Parsed::Malformed(error) => {
                json!({"ok": false, "diagnostic": error.message})
            }
        };
        let mut expected = row.clone();
        for key in ["id", "contentBase64", "dirName"] {
            expected.as_object_mut().unwrap().shift_remove(key);
        }
        compare(row["id"].as_str().unwrap(), &ours, &expected, &mut wrong);
    }
    assert_no_difference(&wrong, rows.len());
    assert_eq!(rows.len(), 139);
}
