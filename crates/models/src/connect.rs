//! Turns model names into models that can be called: catalog entry, key and headers.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use futures_util::future::join_all;
use tarsus_home::Home;
use tarsus_home::config::Lookup;

use crate::catalog::{Catalog, Model};
use crate::chain::{ChainLink, ModelChain};
use crate::error::ModelError;
use crate::key::KeySource;
use crate::name::ModelName;
use crate::remote::{LanguageModel, ModelConnections, RemoteModel};
use crate::retry::RetryPolicy;

impl ModelConnections {
    /// Opens a model with its key and headers. Environment variables are read before this returns.
    ///
    /// # Errors
    /// When the key or a header cannot be resolved.
    pub fn open(
        &self,
        model: Model,
        home: &Home,
        variables: Lookup<'_>,
    ) -> impl Future<Output = Result<RemoteModel, ModelError>> + Send + use<> {
        let key = model.key.resolve(home, variables);
        let headers: Vec<_> = model
            .headers
            .iter()
            .map(|(name, value)| {
                (name.clone(), KeySource::Configured(value.clone()).resolve(home, variables))
            })
            .collect();
        let connections = self.clone();
        async move {
            let key = key.await?;
            let mut found = BTreeMap::new();
            for (name, value) in headers {
                found.extend(value.await?.map(|value| (name, value)));
            }
            connections.remote(model, key, &found)
        }
    }

    /// Opens a model and its fallbacks. A model that cannot be opened is in the chain with its error.
    pub fn chain(
        &self,
        catalog: &Catalog,
        names: &[ModelName],
        home: &Home,
        variables: Lookup<'_>,
        policy: RetryPolicy,
    ) -> impl Future<Output = ModelChain> + Send + use<> {
        let opened: Vec<_> = names
            .iter()
            .map(|name| {
                let opened = catalog.model(name).map(|model| self.open(model, home, variables));
                let name = name.clone();
                async move {
                    let model = match opened {
                        Ok(remote) => remote.await,
                        Err(failure) => Err(failure),
                    };
                    ChainLink { name, model: model.map(|remote| Arc::new(remote) as Arc<dyn LanguageModel>) }
                }
            })
            .collect();
        async move { ModelChain::new(join_all(opened).await, policy) }
    }
}
