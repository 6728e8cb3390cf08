//! Lists the packages that are linked into the product on any supported platform, with their licences.
//!
//! Sorted and independent of this machine, without packages that only build, test or expand
//! macros, and without our own.
#![allow(clippy::disallowed_methods, reason = "a tool of the workspace asks cargo")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::{Generated, TaskError};

const PRODUCT: &str = "tarsus";

const PLATFORMS: &[&str] = &[
    "aarch64-apple-darwin",
    "aarch64-unknown-linux-gnu",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-gnu",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-linux-gnu",
];

const HEADER: &str = "\
Tarsus is licensed under MIT OR Apache-2.0.
It contains the packages below, each under its own licence.

";

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
    workspace_members: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    /// `dev`, `build`, or `None` for a normal dependency.
    kind: Option<String>,
}

/// The file that `tarsus licenses` prints.
pub fn generate(root: &Path) -> Result<Generated, TaskError> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root).args(["metadata", "--format-version", "1", "--locked"]);
    for platform in PLATFORMS {
        cargo.args(["--filter-platform", platform]);
    }
    let answer = cargo.output().map_err(TaskError::Cargo)?;
    if !answer.status.success() {
        return Err(TaskError::Metadata(String::from_utf8_lossy(&answer.stderr).into_owned()));
    }
    let metadata = serde_json::from_slice(&answer.stdout)?;
    Ok(Generated { path: "crates/cli/assets/licenses.txt", text: list(&metadata)? })
}

fn list(metadata: &Metadata) -> Result<String, TaskError> {
    let mut rows = BTreeSet::new();
    for package in linked(metadata)? {
        if metadata.workspace_members.contains(&package.id) {
            continue;
        }
        let name = format!("{} {}", package.name, package.version);
        let Some(licence) = &package.license else { return Err(TaskError::NoLicence(name)) };
        rows.insert((name, licence.as_str()));
    }
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let rows = rows.iter().map(|(name, licence)| format!("{name:width$}  {licence}\n"));
    Ok(std::iter::once(HEADER.to_owned()).chain(rows).collect())
}

/// The product and everything that normal dependencies lead to, except macros.
fn linked(metadata: &Metadata) -> Result<Vec<&Package>, TaskError> {
    let packages: BTreeMap<_, _> =
        metadata.packages.iter().map(|package| (package.id.as_str(), package)).collect();
    let nodes: BTreeMap<_, _> = metadata.resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    let product = metadata
        .packages
        .iter()
        .find(|package| package.name == PRODUCT && metadata.workspace_members.contains(&package.id))
        .ok_or_else(|| TaskError::NoPackage(PRODUCT.into()))?;

    let mut seen = BTreeSet::from([product.id.as_str()]);
    let mut open = vec![product.id.as_str()];
    let mut found = Vec::new();
    while let Some(id) = open.pop() {
        let missing = || TaskError::NoPackage(id.into());
        let package = packages.get(id).ok_or_else(missing)?;
        if package.targets.iter().flat_map(|target| &target.kind).any(|kind| kind == "proc-macro") {
            continue;
        }
        found.push(*package);
        for dependency in &nodes.get(id).ok_or_else(missing)?.deps {
            let normal = dependency.dep_kinds.iter().any(|kind| kind.kind.is_none());
            if normal && seen.insert(&dependency.pkg) {
                open.push(&dependency.pkg);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn metadata(licence_of_c: Option<&str>) -> Metadata {
        let package = |name: &str, licence: Option<&str>, kind: &str| json!({"id": name, "name": name, "version": "1.0.0", "license": licence, "targets": [{"kind": [kind]}]});
        let needs = |pkg: &str, kind: Option<&str>| json!({"pkg": pkg, "dep_kinds": [{"kind": kind}]});
        serde_json::from_value(json!({
            "packages": [
                package("tarsus", Some("MIT"), "bin"),
                package("tarsus-home", Some("MIT"), "lib"),
                package("zeta", Some("ISC"), "lib"),
                package("c-long-name", licence_of_c, "lib"),
                package("derive", Some("MIT"), "proc-macro"),
                package("syntax", Some("MIT"), "lib"),
                package("builder", Some("MIT"), "lib"),
                package("tester", Some("MIT"), "lib"),
                package("stranger", Some("GPL-3.0"), "lib"),
            ],
            "resolve": {"nodes": [
                {"id": "tarsus", "deps": [needs("tarsus-home", None), needs("zeta", None), needs("tester", Some("dev"))]},
                {"id": "tarsus-home", "deps": [needs("c-long-name", None), needs("derive", None), needs("builder", Some("build"))]},
                {"id": "zeta", "deps": [needs("c-long-name", None)]},
                {"id": "c-long-name", "deps": [needs("zeta", None)]},
                {"id": "derive", "deps": [needs("syntax", None)]},
            ]},
            "workspace_members": ["tarsus", "tarsus-home"],
        }))
        .unwrap()
    }

    #[test]
    fn a_package_without_a_licence_stops_the_list() {
        let error = list(&metadata(None)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "c-long-name 1.0.0 names no licence: find it out before it goes into the product"
        );
    }

    #[test]
    fn only_what_is_linked_and_not_ours_is_listed_in_order() {
        let rows = "c-long-name 1.0.0  MIT/Apache-2.0\nzeta 1.0.0         ISC\n";
        assert_eq!(list(&metadata(Some("MIT/Apache-2.0"))).unwrap(), format!("{HEADER}{rows}"));
    }
}
