//! Parses one install spec of the metadata and checks it against the rule of its kind.

use serde_json::{Map, Value};

use super::coerce::{list, text};
use super::text::{is_space, trimmed};
use crate::{InstallExtra, InstallKind, InstallSpec};

/// Returns the spec, or why it is ignored.
pub(super) fn parse(value: &Value) -> Result<InstallSpec, String> {
    let empty = Map::new();
    let raw = match value {
        Value::Object(raw) => raw,
        Value::Array(_) => &empty,
        _ => return Err("it is not an object".to_owned()),
    };
    let word = raw.get("kind").and_then(Value::as_str).or_else(|| raw.get("type").and_then(Value::as_str));
    let word = trimmed(word.unwrap_or_default()).to_lowercase();
    let formula = safe(raw, "formula", is_formula).or_else(|| safe(raw, "cask", is_formula));
    let module = safe(raw, "module", is_module);
    let url = safe(raw, "url", |_| true).and_then(|url| http_url(&url));
    let mut extra = InstallExtra {
        formula,
        module,
        url,
        archive: text(raw, "archive"),
        extract: raw.get("extract").and_then(Value::as_bool),
        strip_components: raw.get("stripComponents").and_then(Value::as_f64),
        target_dir: text(raw, "targetDir"),
    };
    let missing = |field: &str| format!("its {field} is missing or not safe to install");
    let kind = match word.as_str() {
        "brew" => InstallKind::Brew { formula: extra.formula.take().ok_or_else(|| missing("formula"))? },
        "node" => InstallKind::Node {
            package: safe(raw, "package", is_npm_package).ok_or_else(|| missing("package"))?,
        },
        "go" => InstallKind::Go { module: extra.module.take().ok_or_else(|| missing("module"))? },
        "uv" => InstallKind::Uv {
            package: safe(raw, "package", is_uv_package).ok_or_else(|| missing("package"))?,
        },
        "download" => {
            let sha256 =
                raw.get("sha256").map(|value| digest(value).ok_or_else(|| missing("sha256"))).transpose()?;
            InstallKind::Download { url: extra.url.take().ok_or_else(|| missing("url"))?, sha256 }
        }
        "" => return Err("it has no kind".to_owned()),
        other => {
            let other: String = other.chars().take(40).collect();
            return Err(format!("its kind `{other}` is not one of brew, node, go, uv, download"));
        }
    };
    let extra = (extra != InstallExtra::default()).then(|| Box::new(extra));
    let named = |key: &str| text(raw, key).filter(|text| !text.is_empty());
    Ok(InstallSpec {
        id: named("id"),
        kind,
        label: named("label"),
        bins: list(raw.get("bins")),
        os: list(raw.get("os")),
        extra,
    })
}

/// Returns a trimmed string that is safe as an argument and matches a rule.
fn safe(raw: &Map<String, Value>, key: &str, matches: impl Fn(&str) -> bool) -> Option<String> {
    let value = trimmed(raw.get(key)?.as_str()?);
    let is_safe = !value.is_empty() && !value.starts_with('-') && matches(value);
    is_safe.then(|| value.to_owned())
}

fn consists_of(value: &str, extra: &[u8]) -> bool {
    let starts_well = value.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
    starts_well && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || extra.contains(&byte))
}

pub(crate) fn is_formula(value: &str) -> bool {
    consists_of(value, b"@+._/-") && !value.contains("..")
}

pub(crate) fn is_module(value: &str) -> bool {
    let (path, version) =
        value.split_once('@').map_or((value, None), |(path, version)| (path, Some(version)));
    consists_of(path, b"._~+-/") && version.is_none_or(|version| consists_of(version, b"._~+-/"))
}

pub(crate) fn is_uv_package(value: &str) -> bool {
    consists_of(value, b"._-[]=<>!~+,")
}

/// Matches a package of the registry, with at most one version or tag; no ranges, URLs or paths.
pub(crate) fn is_npm_package(value: &str) -> bool {
    if value.contains(is_space) {
        return false;
    }
    let at = value.rfind('@').filter(|&at| at > 0);
    let (name, selector) = at.map_or((value, None), |at| (&value[..at], Some(&value[at + 1..])));
    let is_part = |part: &str| {
        let is_rest =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._~".contains(&byte);
        part.as_bytes().first().is_some_and(|first| first.is_ascii_lowercase() || first.is_ascii_digit())
            && part.bytes().all(is_rest)
    };
    let is_name = match name.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/').is_some_and(|(scope, name)| is_part(scope) && is_part(name)),
        None => is_part(name),
    };
    is_name && selector.is_none_or(|selector| is_version(selector) || consists_of(selector, b"._-"))
}

/// Matches one exact semantic version.
fn is_version(selector: &str) -> bool {
    let text = selector.trim_start_matches(['=', 'v', ' ']);
    let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
    let (core, pre) = text.split_once('-').map_or((text, None), |(core, pre)| (core, Some(pre)));
    let is_number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && (part == "0" || !part.starts_with('0'))
    };
    let is_identifier = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let is_pre = |part: &str| {
        is_identifier(part) && (is_number(part) || !part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let numbers: Vec<&str> = core.split('.').collect();
    numbers.len() == 3
        && numbers.into_iter().all(is_number)
        && pre.is_none_or(|pre| pre.split('.').all(is_pre))
        && build.is_none_or(|build| build.split('.').all(is_identifier))
}

/// Normalizes an HTTP URL as browsers do.
fn http_url(value: &str) -> Option<String> {
    if value.contains(is_space) {
        return None;
    }
    let url = url::Url::parse(value).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.to_string())
}

fn digest(value: &Value) -> Option<String> {
    let digest = trimmed(value.as_str()?).to_lowercase();
    let is_digest = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_digest.then_some(digest)
}
