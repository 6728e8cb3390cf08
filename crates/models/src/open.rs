//! From names to models that can be asked: the catalog, the keys and the headers put together.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use futures_util::future::join_all;
use tarsus_home::Home;
use tarsus_home::config::Lookup;

use crate::catalog::{Catalog, Model};
use crate::chain::{Chain, Link};
use crate::failure::Failure;
use crate::key::Key;
use crate::name::ModelName;
use crate::remote::{Connections, LanguageModel, Remote};
use crate::retry::Policy;

impl Connections {
    /// A model with its key and headers. The variables are asked before this returns.
    ///
    /// # Errors
    /// When the key or a header is not there.
    pub fn open(
        &self,
        model: Model,
        home: &Home,
        variables: Lookup<'_>,
    ) -> impl Future<Output = Result<Remote, Failure>> + Send + use<> {
        let key = model.key.resolve(home, variables);
        let headers: Vec<_> = model
            .headers
            .iter()
            .map(|(name, value)| (name.clone(), Key::Given(value.clone()).resolve(home, variables)))
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

    /// A model and its fallbacks. One that cannot be asked stands in the chain with its reason.
    pub fn chain(
        &self,
        catalog: &Catalog,
        names: &[ModelName],
        home: &Home,
        variables: Lookup<'_>,
        policy: Policy,
    ) -> impl Future<Output = Chain> + Send + use<> {
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
                    Link { name, model: model.map(|remote| Arc::new(remote) as Arc<dyn LanguageModel>) }
                }
            })
            .collect();
        async move { Chain::new(join_all(opened).await, policy) }
    }
}
