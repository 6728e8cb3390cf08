//! A secret in the configuration: a value, or a reference to a stored one.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use tarsus_protocol::{ErrorCode, Problem};

use crate::config::Lookup;
use crate::secrets::{SecretRef, SecretSource, SecretStore};
use crate::{Home, Secret};

/// A password, token or key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretInput {
    /// The value, with variables expanded.
    Plain(Secret),
    Reference(SecretRef),
}

impl SecretInput {
    /// Returns the secret, resolving a reference.
    ///
    /// # Errors
    /// If it does not exist, or its source is not supported by this version.
    pub fn resolve(&self, home: &Home, variables: Lookup<'_>) -> Result<Secret, Problem> {
        let reference = match self {
            Self::Plain(secret) => return Ok(secret.clone()),
            Self::Reference(reference) => reference,
        };
        let found = match reference.source {
            SecretSource::Env => variables(&reference.id).map(Secret::new),
            _ if reference.is_stored() => SecretStore::for_home(home).get(&reference.id)?,
            SecretSource::File | SecretSource::Exec => {
                return Err(Problem::new(
                    ErrorCode::NotFound,
                    format!(
                        "the secret {:?} is in a source that this version does not support",
                        reference.id
                    ),
                )
                .hint("use `${VARIABLE}`, or store it in Tarsus's own secret store"));
            }
        };
        found.ok_or_else(|| {
            Problem::new(ErrorCode::NotFound, format!("the secret {:?} does not exist", reference.id))
                .hint("set the variable or store the secret it refers to, then try again")
        })
    }
}

impl<'de> Deserialize<'de> for SecretInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Plain(Secret),
            Reference { source: SecretSource, provider: Option<String>, id: String },
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::Plain(secret) => Self::Plain(secret),
            Form::Reference { source, provider, id } => Self::Reference(SecretRef {
                source,
                provider: provider.unwrap_or_else(|| "default".to_owned()),
                id,
            }),
        })
    }
}

impl JsonSchema for SecretInput {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "SecretInput".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // Readers of this schema recognise a secret by `writeOnly`.
        json_schema!({
            "writeOnly": true,
            "anyOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "properties": {
                        "source": { "enum": ["env", "file", "exec"] },
                        "provider": { "type": "string" },
                        "id": { "type": "string" }
                    },
                    "required": ["source", "id"]
                }
            ]
        })
    }
}
