//! From names to addresses, letting through only those that the rule allows: whoever connects later
//! never sees another one, whatever a name server says the next time.

use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::rule::Rule;

/// The name service of this machine.
pub(super) struct System;

impl Resolve for System {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Another resolver behind the rule.
pub(super) struct Ruled {
    pub(super) rule: Rule,
    pub(super) inner: Arc<dyn Resolve>,
}

impl Resolve for Ruled {
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
