//! A secret as a configuration gives it: the value itself, or where it is kept.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use tarsus_protocol::{ErrorCode, Problem};

use crate::config::Lookup;
use crate::secrets::{SecretRef, SecretSource, Secrets};
use crate::{Home, Secret};

/// A password, token or key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretInput {
    /// The value itself, variables filled in.
    Plain(Secret),
    /// Where it is kept.
    Reference(SecretRef),
}

impl SecretInput {
    /// The secret itself, from wherever it is kept.
    ///
    /// # Errors
    /// When it is not there, or is kept where this version does not look.
    pub fn resolve(&self, home: &Home, variables: Lookup<'_>) -> Result<Secret, Problem> {
        let reference = match self {
            Self::Plain(secret) => return Ok(secret.clone()),
            Self::Reference(reference) => reference,
        };
        let found = match reference.source {
            SecretSource::Env => variables(&reference.id).map(Secret::new),
            _ if reference.is_stored() => Secrets::of(home).get(&reference.id)?,
            SecretSource::File | SecretSource::Exec => {
                return Err(Problem::new(
                    ErrorCode::NotFound,
                    format!("the secret {:?} is kept where this version cannot look", reference.id),
                )
                .hint("give it as `${VARIABLE}`, or keep it in Tarsus's own store"));
            }
        };
        found.ok_or_else(|| {
            Problem::new(ErrorCode::NotFound, format!("the secret {:?} is not there", reference.id))
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
        // `writeOnly` is what the readers of this schema know a secret by.
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
