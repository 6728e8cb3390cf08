//! What OpenClaw's own loader made of real and of odd files, against what we make of them. The files are not part of
//! the project: without them these tests say so and pass.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use tarsus_skills::{Install, InstallKind, Metadata, Parsed, Skill, parse};

fn corpus(name: &str) -> Option<Vec<u8>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(name);
    let bytes = fs::read(&path).ok();
    if bytes.is_none() {
        eprintln!("skipped: there is no {}", path.display());
    }
    bytes
}

fn rows(bytes: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(bytes).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The files of a tar archive, by path. Only what these archives use is read: plain files with short or pax names.
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

fn install(install: &Install) -> Value {
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

/// The class that the data give an error, from its code.
fn class(code: &str) -> &'static str {
    match code {
        "WRONG_FILE_NAME" => "wrong-filename-case",
        "NO_FRONTMATTER" => "fail-no-frontmatter",
        "NO_DESCRIPTION" => "fail-no-description",
        "UNTERMINATED_FRONTMATTER" => "fail-unterminated",
        _ => "fail-yaml",
    }
}

/// What we make of one real file, in the fields of the data.
fn shown(parsed: &Parsed) -> Value {
    let skill = match parsed {
        Parsed::Loaded(skill) => skill,
        Parsed::Degraded(skill, error) => {
            let error = json!({"class": class(error.code.as_str()), "message": error.message});
            return json!({"ok": false, "error": error, "frontmatterKeys": keys(skill)});
        }
        Parsed::Malformed(error) => {
            let shown = json!({"class": class(error.code.as_str()), "message": error.message});
            return json!({"ok": false, "error": shown, "frontmatterKeys": error.keys});
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

#[test]
fn real_files_give_what_the_loader_gives() {
    let (Some(archive), Some(rows_bytes)) = (corpus("skills-dev.tar.gz"), corpus("skills-dev.jsonl")) else {
        return;
    };
    let files = files(&archive);
    let mut wrong = Vec::new();
    let rows = rows(&rows_bytes);
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
        let ours = shown(&parsed);
        if ours != expected {
            wrong.push(format!("{path}\n  ours     {ours}\n  expected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    assert_eq!(rows.len(), 300);
}

#[test]
fn odd_files_give_what_the_loader_gives() {
    let Some(bytes) = corpus("skills-edge-cases.jsonl") else { return };
    let mut wrong = Vec::new();
    let rows = rows(&bytes);
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
        if ours != expected {
            wrong.push(format!("{}\n  ours     {ours}\n  expected {expected}", row["id"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    assert_eq!(rows.len(), 139);
}
