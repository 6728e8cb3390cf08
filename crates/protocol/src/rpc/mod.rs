//! The methods: one row each of name, parameters, result and scope, one file a family.
//!
//! Promises: a row is all there is to say about a method; dispatch, `features.methods`, the description and the docs
//! are made from it. Parameters are strict: see [`Shape`]. Leaves to others: doing what is asked.

mod change;
mod shape;

pub mod agents;
pub mod approvals;
pub mod apps;
pub mod backup;
pub mod chat;
pub mod config;
pub mod cron;
pub mod devices;
pub mod journal;
pub mod models;
pub mod overview;
pub mod sessions;
pub mod skills;
pub mod tools;

pub use change::Change;
pub use shape::Shape;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::scope::{Role, Scope};

/// One method, as a type.
pub trait Method {
    /// Its name on the wire.
    const NAME: &'static str;
    /// What an operator needs to call it.
    const SCOPE: Scope;
    /// Who may call it.
    const ROLES: &'static [Role];
    /// What it takes.
    type Params: DeserializeOwned + JsonSchema;
    /// What it answers.
    type Result: Serialize + JsonSchema;
}

/// One method, as a value.
#[derive(Debug, Clone, Copy)]
pub struct Described {
    /// Its name on the wire.
    pub name: &'static str,
    /// What it is for, in a sentence.
    pub about: &'static str,
    /// What an operator needs to call it.
    pub scope: Scope,
    /// The description of what it takes.
    pub params: fn(&mut SchemaGenerator) -> Schema,
    /// The description of what it answers.
    pub result: fn(&mut SchemaGenerator) -> Schema,
}

/// Parameters of a method that takes none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoParams {}

/// Declares the methods of a family: `Type = "name", Params => Result, Scope;`. Operators may call each; `Scope | Node`
/// lets nodes call it too.
macro_rules! methods {
    ($(#[doc = $about:literal] $name:ident = $text:literal, $params:ty => $result:ty, $scope:ident $(| $role:ident)?;)*) => {
        $(
            #[doc = $about]
            #[derive(Debug, Clone, Copy)]
            pub enum $name {}

            impl $crate::rpc::Method for $name {
                const NAME: &'static str = $text;
                const SCOPE: $crate::scope::Scope = $crate::scope::Scope::$scope;
                const ROLES: &'static [$crate::scope::Role] =
                    &[$crate::scope::Role::Operator $(, $crate::scope::Role::$role)?];
                type Params = $params;
                type Result = $result;
            }
        )*

        /// The methods of this family.
        pub const METHODS: &[$crate::rpc::Described] = &[$(
            $crate::rpc::Described {
                name: $text,
                about: $about,
                scope: $crate::scope::Scope::$scope,
                params: |generator| generator.subschema_for::<$params>(),
                result: |generator| generator.subschema_for::<$result>(),
            },
        )*];
    };
}
pub(crate) use methods;

/// Every method, family by family.
pub fn all() -> impl Iterator<Item = &'static Described> {
    let families = [
        overview::METHODS,
        config::METHODS,
        agents::METHODS,
        apps::METHODS,
        skills::METHODS,
        sessions::METHODS,
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
