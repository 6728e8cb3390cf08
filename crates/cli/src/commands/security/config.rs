//! Checks of the configuration: exposure, allowed origins, authentication, dangerous keys and plain secrets.

use serde_json::Value;
use tarsus_home::config::json5::{Dialect, Document};
use tarsus_home::config::shown_text;
use tarsus_home::config::view::{AuthMode, Bind, Gateway};
use tarsus_home::credentials;
use tarsus_protocol::report::Check;
use tarsus_protocol::{Problem, REDACTED};

use super::{error, first_names, ok, warning};
use crate::context::Context;
use crate::text::{count, printable};

/// Returns all checks; only one if the configuration cannot be read.
pub fn checks(context: &Context) -> Result<Vec<Check>, Problem> {
    let config = match context.load_config() {
        Ok(config) => config,
        Err(problem) => {
            return Ok(vec![error("config", "configuration", problem.message.clone(), problem.next_step())]);
        }
    };
    let gateway = &config.view.gateway;
    let file = printable(&context.home.display(context.home.config_path()));
    Ok(vec![
        exposure(gateway),
        origins(gateway),
        auth(gateway),
        dangerous(&config.document.value(), &file),
        plain_secrets(&config.document, &file),
    ])
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
            "gateway.bind asks for addresses that other machines reach; programs that share this file listen there",
            "tarsus config set gateway.bind loopback",
        ),
    }
}

/// Checks which web origins may connect.
fn origins(gateway: &Gateway) -> Check {
    const TITLE: &str = "pages";
    let allowed = &gateway.control_ui.allowed_origins;
    if allowed.iter().any(|origin| origin.contains('*')) {
        let message = "gateway.controlUi.allowedOrigins lets pages of other sites in";
        return warning("origins", TITLE, message, "name each page that may, without `*`");
    }
    match allowed.len() {
        0 => ok("origins", TITLE, "only the gateway's own page may talk to it"),
        more => ok("origins", TITLE, format!("beside its own page, {} may talk to it", count(more, "page"))),
    }
}

/// Checks the authentication of clients.
fn auth(gateway: &Gateway) -> Check {
    const TITLE: &str = "access";
    if gateway.auth.mode == Some(AuthMode::None) {
        let message =
            "gateway.auth.mode is none: every program and account of this machine may use the gateway";
        return warning("auth", TITLE, message, "tarsus config unset gateway.auth.mode");
    }
    match credentials::auth_warning(gateway) {
        Some(hint) => warning("auth", TITLE, hint, "`tarsus docs security` says what opens the gateway"),
        None => ok("auth", TITLE, format!("clients show a {}", enum_word(credentials::auth_method(gateway)))),
    }
}

fn enum_word(value: impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Finds keys named `dangerous…`, which should be set only in emergencies.
fn dangerous(config: &Value, file: &str) -> Check {
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
    let hidden = Document::parse_object(shown_text(document).as_bytes(), Dialect::Json5);
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
        return ok("secrets", TITLE, "none stands in the configuration");
    }
    let message = format!("{} in {file}: {}", count(found.len(), "plain secret"), first_names(&found));
    let fix =
        "write ${NAME} and set that variable, or give it to the gateway, which keeps it in its own store";
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
