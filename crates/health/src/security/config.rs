//! Checks of the configuration: exposure, allowed origins, authentication, dangerous keys and plain secrets.

use std::collections::BTreeSet;

use serde_json::Value;
use tarsus_home::config::json5::{Document, JsonDialect};
use tarsus_home::config::view::{AuthMode, Bind, Gateway};
use tarsus_home::config::{LoadedConfig, origin_fault, shown_text};
use tarsus_home::{Home, credentials};
use tarsus_protocol::report::Check;
use tarsus_protocol::{Problem, REDACTED};
use tarsus_text::{count, printable};

use super::first_names;
use crate::check::{failed, ok, warning};

/// Returns all checks; only one if the configuration cannot be read.
pub(super) fn checks(config: Result<&LoadedConfig, Problem>, home: &Home) -> Vec<Check> {
    let config = match config {
        Ok(config) => config,
        Err(problem) => return vec![failed("config", "configuration", problem)],
    };
    let gateway = &config.view.gateway;
    let file = printable(&home.display(home.config_path()));
    vec![
        exposure(gateway),
        origins(gateway, &config.document.value()),
        auth(gateway),
        dangerous_keys(&config.document.value(), &file),
        plain_secrets(&config.document, &file),
    ]
}

/// Checks from where the gateway can be reached.
fn exposure(gateway: &Gateway) -> Check {
    const TITLE: &str = "exposure";
    match gateway.bind {
        Bind::Loopback => ok("exposure", TITLE, "the gateway listens on this machine only"),
        // This version always listens on loopback, but OpenClaw reads the same file.
        Bind::Lan | Bind::Tailnet | Bind::Custom | Bind::Auto => warning(
            "exposure",
            TITLE,
            "gateway.bind names addresses that other machines can reach; other programs that read this file listen there",
            "tarsus config set gateway.bind loopback",
        ),
    }
}

/// Checks which web origins may connect.
fn origins(gateway: &Gateway, config: &Value) -> Check {
    const TITLE: &str = "web origins";
    let allowed = &gateway.control_ui.allowed_origins;
    let written = config.pointer("/gateway/controlUi/allowedOrigins").and_then(Value::as_array);
    let written = written.into_iter().flatten().filter_map(Value::as_str);
    let faults: BTreeSet<&str> = written.filter_map(origin_fault).collect();
    if !faults.is_empty() {
        let faults = Vec::from_iter(faults).join("; ");
        // As with `gateway.bind`.
        let message = format!(
            "gateway.controlUi.allowedOrigins: {faults}; such entries are ignored here, but not by every program that reads this file"
        );
        return warning("origins", TITLE, message, "list each allowed origin, as `https://host:port`");
    }
    match allowed.len() {
        0 => ok("origins", TITLE, "only the gateway's own page may connect"),
        more => ok("origins", TITLE, format!("its own page and {} may connect", count(more, "other origin"))),
    }
}

/// Checks the authentication of clients.
fn auth(gateway: &Gateway) -> Check {
    const TITLE: &str = "access";
    if gateway.auth.mode == Some(AuthMode::None) {
        let message =
            "gateway.auth.mode is none: every program and account on this machine can use the gateway";
        return warning("auth", TITLE, message, "tarsus config unset gateway.auth.mode");
    }
    match credentials::auth_warning(gateway) {
        Some(hint) => warning("auth", TITLE, hint, "see `tarsus docs security`"),
        None => ok("auth", TITLE, format!("clients need a {}", enum_word(credentials::auth_method(gateway)))),
    }
}

fn enum_word(value: impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Finds keys named `dangerous…`, which should be set only in emergencies.
fn dangerous_keys(config: &Value, file: &str) -> Check {
    const TITLE: &str = "dangerous keys";
    let mut found = Vec::new();
    walk(config, "", &mut |path, key, value| {
        let named = key.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("dangerous"));
        if named && !matches!(value, Value::Null | Value::Bool(false)) {
            found.push(printable(path));
        }
    });
    if found.is_empty() {
        return ok("dangerous", TITLE, "none is set");
    }
    let message = format!("{} set in {file}: {}", count(found.len(), "break-glass key"), first_names(&found));
    warning("dangerous", TITLE, message, format!("tarsus config unset {}", found[0]))
}

/// Finds secrets stored as plain text.
fn plain_secrets(document: &Document, file: &str) -> Check {
    const TITLE: &str = "secrets";
    // The redacted values are the secrets; compare both documents position by position.
    let hidden = Document::parse_object(shown_text(document).as_bytes(), JsonDialect::Json5);
    let written = document.value();
    let mut found = Vec::new();
    if let Ok(hidden) = hidden {
        // Both documents have the same members in the same order.
        let mut texts = Vec::new();
        walk(&written, "", &mut |_, _, value| {
            texts.push(value.as_str().is_some_and(|text| !is_reference(text)))
        });
        let mut texts = texts.into_iter();
        walk(&hidden.value(), "", &mut |path, _, value| {
            let is_plain = texts.next().unwrap_or_default();
            if is_plain && value.as_str() == Some(REDACTED) {
                found.push(printable(path));
            }
        });
    }
    if found.is_empty() {
        return ok("secrets", TITLE, "no plain secret in the configuration");
    }
    let message = format!("{} in {file}: {}", count(found.len(), "plain secret"), first_names(&found));
    let fix = "use ${NAME} and set that variable, or give the secret to the gateway, which keeps it in its own store";
    warning("secrets", TITLE, message, fix)
}

/// Whether the text is a `${NAME}` reference.
fn is_reference(text: &str) -> bool {
    let name = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    name.is_some_and(|name| !name.is_empty() && !name.contains(['$', '{', '}']))
}

/// Visits every member with its path, as in `a.b[0].c`.
fn walk(value: &Value, path: &str, each: &mut dyn FnMut(&str, &str, &Value)) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                each(&below, key, value);
                walk(value, &below, each);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                let below = format!("{path}[{index}]");
                each(&below, "", value);
                walk(value, &below, each);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use tarsus_protocol::report::Level;

    use super::*;

    fn document(text: &str) -> Document {
        Document::parse_object(text.as_bytes(), JsonDialect::Json5).unwrap()
    }

    #[test]
    fn plain_secrets_are_reported_by_path() {
        let text =
            "{ gateway: { auth: { token: 'hunter2' } }, models: { providers: { x: { apiKey: '${KEY}' } } } }";
        let check = plain_secrets(&document(text), "openclaw.json");
        assert_eq!(check.level, Level::Warning);
        assert_eq!(check.message, "1 plain secret in openclaw.json: gateway.auth.token");
        assert_eq!(plain_secrets(&document("{}"), "openclaw.json").level, Level::Ok);
    }

    #[test]
    fn dangerous_keys_are_reported_unless_they_are_off() {
        let text =
            "{ gateway: { controlUi: { dangerouslyDisableDeviceAuth: true, dangerousOther: false } } }";
        let check = dangerous_keys(&document(text).value(), "openclaw.json");
        let key = "gateway.controlUi.dangerouslyDisableDeviceAuth";
        assert_eq!(check.message, format!("1 break-glass key set in openclaw.json: {key}"));
        assert_eq!(check.fix, Some(format!("tarsus config unset {key}")));
    }
}
