//! Finds changes that take effect only after a restart.

use std::collections::BTreeSet;

use tarsus_home::Settings;
use tarsus_home::config::json5::Document;
use tarsus_home::config::view::Gateway as Server;

use super::active_config::StartupConfig;
use tarsus_home::credentials;

/// Keys with other values than at the start.
pub(super) fn keys(startup: &StartupConfig, server: &Server, settings: &Settings) -> Vec<String> {
    let before = &startup.server;
    let other = [
        ("gateway.mode", before.mode != server.mode),
        ("gateway.port", before.port != server.port),
        ("gateway.bind", before.bind != server.bind),
        ("gateway.customBindHost", before.custom_bind_host != server.custom_bind_host),
        ("gateway.auth", credentials::auth_method(before) != credentials::auth_method(server)),
        ("logs", startup.logs != settings.logs),
    ];
    named(&other)
}

/// Sections that differ between two versions of the configuration.
pub(super) fn sections(old: &Document, new: &Document) -> Vec<String> {
    let names: BTreeSet<_> =
        [old, new].iter().flat_map(|document| document.root().members().map(|(name, _)| name)).collect();
    let value = |document: &Document, name| document.root().member(name).map(|node| node.to_value());
    names.into_iter().filter(|name| value(old, name) != value(new, name)).map(str::to_owned).collect()
}

/// Settings that differ between two versions.
pub(super) fn settings(old: &Settings, new: &Settings) -> Vec<String> {
    let other = [
        ("skills.security.enforcement", old.enforcement != new.enforcement),
        ("skills.security", old.skills != new.skills),
        ("skills.pinned", old.pinned_skills != new.pinned_skills),
        ("skills.load.lenient", old.lenient_skills != new.lenient_skills),
        ("logs", old.logs != new.logs),
    ];
    named(&other)
}

fn named(other: &[(&str, bool)]) -> Vec<String> {
    other.iter().filter(|(_, is_other)| *is_other).map(|(key, _)| (*key).to_owned()).collect()
}
