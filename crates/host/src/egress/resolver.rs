//! Name resolution that returns only allowed addresses: the connection never sees another one, whatever a name server
//! answers the next time.

use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::rule::EgressRule;

/// The system's resolver.
pub(super) struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Another resolver, filtered by the rule.
pub(super) struct FilteredResolver {
    pub(super) rule: EgressRule,
    pub(super) inner: Arc<dyn Resolve>,
}

impl Resolve for FilteredResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (rule, host) = (self.rule.clone(), name.as_str().to_owned());
        let found = self.inner.resolve(name);
        Box::pin(async move {
            let mut refused = None;
            let mut allowed: Vec<SocketAddr> = Vec::new();
            for address in found.await? {
                match rule.check_address(&host, address.ip()) {
                    Ok(()) => allowed.push(address),
                    Err(why) => refused = refused.or(Some(why)),
                }
            }
            match refused {
                Some(why) if allowed.is_empty() => Err(why.into()),
                _ => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}
