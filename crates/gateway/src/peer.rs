//! Clients that are processes of an agent: what they may do, whatever token or device they present.
//!
//! A process that an agent started has the owner's account, so it can read the token file. The mark that it carries
//! ([`tarsus_host::agent_mark`]) decides here. A client whose process cannot be seen, as that of a proxy with an account
//! of its own, is admitted by its credentials alone: a process of an agent has our account.

use std::net::SocketAddr;
use std::sync::Arc;

use tarsus_home::config::AgentId;
use tarsus_host::peer::{PeerOrigin, peer_origin};
use tarsus_protocol::rpc::Method;
use tarsus_protocol::rpc::chat::{Abort, Agent, Send};
use tarsus_protocol::rpc::devices::TokenRevoke;
use tarsus_protocol::scope::{Scope, allows};
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::SessionKey;

use crate::gateway::Gateway;

/// The methods beyond reading that a process of an agent may call, for sessions of that agent. Each handler checks the
/// session.
const OWN_SESSION: [&str; 3] = [Send::NAME, Agent::NAME, Abort::NAME];

/// A process that an agent started, or that one of its processes started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentProcess {
    /// A process of this agent.
    Of(AgentId),
    /// A process of an agent, perhaps; which one is not known. It may only read.
    Unknown,
}

impl AgentProcess {
    /// Identifies the client at `peer`. Reads the process list: call it on a blocking thread, once for each connection,
    /// after the credentials were checked.
    #[must_use]
    pub fn of_peer(gateway: &Gateway, peer: SocketAddr) -> Option<Self> {
        let mark = match peer_origin(peer, gateway.access.port()) {
            PeerOrigin::Ordinary => return None,
            PeerOrigin::Unknown => return Some(Self::Unknown),
            PeerOrigin::Marked(mark) => mark,
        };
        let agents = &gateway.config().agents;
        let mut ids = agents.list.iter().map(|agent| agent.id.clone()).chain([agents.default_id()]);
        Some(ids.find(|id| mark.is_of(id.as_str())).map_or(Self::Unknown, Self::Of))
    }

    /// Like [`AgentProcess::of_peer`], outside of a blocking thread.
    pub async fn of_client(gateway: &Arc<Gateway>, peer: SocketAddr) -> Option<Self> {
        let gateway = Arc::clone(gateway);
        let looked = tokio::task::spawn_blocking(move || Self::of_peer(&gateway, peer)).await;
        looked.unwrap_or(Some(Self::Unknown))
    }

    /// What remains of the scopes that the credentials give.
    #[must_use]
    pub fn limit(&self, scopes: &[Scope]) -> Vec<Scope> {
        let most: &[Scope] = match self {
            Self::Of(_) => &[Scope::Read, Scope::Write],
            Self::Unknown => &[Scope::Read],
        };
        most.iter().copied().filter(|scope| allows(scopes, *scope)).collect()
    }

    /// Checks that a process of an agent may call a method.
    ///
    /// # Errors
    /// If it changes more than a session of the agent.
    pub fn check_method(&self, method: &str, scope: Scope) -> Result<(), Problem> {
        let is_open = match scope {
            Scope::Read => method != TokenRevoke::NAME,
            Scope::Write => OWN_SESSION.contains(&method),
            Scope::Admin | Scope::Approvals | Scope::Pairing => false,
        };
        if is_open { Ok(()) } else { Err(self.refusal(&format!("call {method}"))) }
    }

    /// Checks that a process of an agent may send to a session.
    ///
    /// # Errors
    /// If it is a session of another agent, or it is not known which agent started the process.
    pub fn check_session(&self, session: &SessionKey) -> Result<(), Problem> {
        match self {
            Self::Of(agent) if agent == session.agent() => Ok(()),
            _ => Err(self.refusal(&format!("act in {session}"))),
        }
    }

    fn refusal(&self, what: &str) -> Problem {
        let who = match self {
            Self::Of(agent) => format!("a process that the agent {agent} started"),
            Self::Unknown => "a process that may have been started by an agent".to_owned(),
        };
        Problem::new(ErrorCode::Denied, format!("{who} may not {what}"))
            .hint("only you may, from a terminal or a browser that no agent started")
    }
}
