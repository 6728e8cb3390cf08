//! The methods: name, parameters, result and scope of each, one file per family.
//!
//! Dispatch, `features.methods`, the published schema and the documentation are generated from these declarations. Both
//! ends are typed: the gateway parses the parameters that a client serialises, and the client parses the result.
//! Parameters are strict: see [`ParamsShape`].

mod call;
mod change;
mod params_shape;

pub mod agents;
pub mod approvals;
pub mod apps;
pub mod backup;
pub mod chat;
pub mod config;
pub mod cron;
pub mod devices;
pub mod files;
pub mod journal;
pub mod models;
pub mod overview;
pub mod sessions;
pub mod skills;
pub mod tools;

pub use call::{CallError, Calls, parse_response};
pub use change::FieldChange;
pub use params_shape::ParamsShape;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::scope::{ClientRole, Scope};

/// A method, as a type.
pub trait Method {
    /// The name on the wire.
    const NAME: &'static str;
    /// The scope that an operator needs.
    const SCOPE: Scope;
    /// The roles that may call it.
    const ROLES: &'static [ClientRole];
    /// The parameters.
    type Params: Serialize + DeserializeOwned + JsonSchema;
    /// The result.
    type Result: Serialize + DeserializeOwned + JsonSchema;
}

/// A method, as a value.
#[derive(Debug, Clone, Copy)]
pub struct MethodInfo {
    /// The name on the wire.
    pub name: &'static str,
    /// The purpose, in one sentence.
    pub about: &'static str,
    /// The scope that an operator needs.
    pub scope: Scope,
    /// The JSON schema of the parameters.
    pub params: fn(&mut SchemaGenerator) -> Schema,
    /// The JSON schema of the result.
    pub result: fn(&mut SchemaGenerator) -> Schema,
    /// Parses parameters and serialises them again: the JSON that a typed client sends.
    pub reserialize_params: fn(Value) -> serde_json::Result<Value>,
    /// Parses a result and serialises it again: the JSON that a typed client reads.
    pub reserialize_result: fn(Value) -> serde_json::Result<Value>,
}

fn reserialize<T: Serialize + DeserializeOwned>(value: Value) -> serde_json::Result<Value> {
    serde_json::to_value(serde_json::from_value::<T>(value)?)
}

/// Parameters of a method that takes none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoParams {}

/// Declares the methods of a family: `Type = "name", Params => Result, Scope;`. Operators may call each of them;
/// `Scope | Node` admits nodes too.
macro_rules! methods {
    ($(#[doc = $about:literal] $name:ident = $text:literal, $params:ty => $result:ty, $scope:ident $(| $role:ident)?;)*) => {
        $(
            #[doc = $about]
            #[derive(Debug, Clone, Copy)]
            pub enum $name {}

            impl $crate::rpc::Method for $name {
                const NAME: &'static str = $text;
                const SCOPE: $crate::scope::Scope = $crate::scope::Scope::$scope;
                const ROLES: &'static [$crate::scope::ClientRole] =
                    &[$crate::scope::ClientRole::Operator $(, $crate::scope::ClientRole::$role)?];
                type Params = $params;
                type Result = $result;
            }
        )*

        /// The methods of this family.
        pub const METHODS: &[$crate::rpc::MethodInfo] = &[$(
            $crate::rpc::MethodInfo {
                name: $text,
                about: $about,
                scope: $crate::scope::Scope::$scope,
                params: |generator| generator.subschema_for::<$params>(),
                result: |generator| generator.subschema_for::<$result>(),
                reserialize_params: $crate::rpc::reserialize::<$params>,
                reserialize_result: $crate::rpc::reserialize::<$result>,
            },
        )*];
    };
}
pub(crate) use methods;

/// All methods, family by family.
pub fn all() -> impl Iterator<Item = &'static MethodInfo> {
    let families = [
        overview::METHODS,
        config::METHODS,
        agents::METHODS,
        apps::METHODS,
        skills::METHODS,
        sessions::METHODS,
        files::METHODS,
        chat::METHODS,
        models::METHODS,
        tools::METHODS,
        approvals::METHODS,
        cron::METHODS,
        journal::METHODS,
        backup::METHODS,
        devices::METHODS,
    ];
    families.into_iter().flatten()
}
