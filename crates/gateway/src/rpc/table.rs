//! The method table: name to scope, parameter schema and handler.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};
use tarsus_agent::AcceptedRun;
use tarsus_protocol::rpc::{Method, ParamsShape};
use tarsus_protocol::scope::{ClientRole, Scope, allows};
use tarsus_protocol::{ErrorCode, ErrorShape, Problem, RpcCode};
use tarsus_store::SessionKey;

use super::failure::Failure;
use crate::events::ConnectedClient;
use crate::gateway::{Gateway, WorkKind};

type ReplyFuture = Pin<Box<dyn Future<Output = Result<RpcReply, Failure>> + Send>>;
type Handler = Box<dyn Fn(Arc<Gateway>, Caller, Value) -> ReplyFuture + Send + Sync>;

/// The caller of a method.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Has the admin scope.
    pub is_admin: bool,
    /// Has the approvals scope.
    pub may_approve: bool,
    pub member: Arc<ConnectedClient>,
}

impl Caller {
    /// Fails once the credentials that admitted the client are no longer valid.
    fn check_still_authorized(&self, gateway: &Gateway) -> Result<(), Failure> {
        match self.member.close_reason_if_revoked(&gateway.access) {
            None => Ok(()),
            Some(close) => Err(Problem::new(ErrorCode::Denied, close.frame().reason.as_str()).into()),
        }
    }

    /// Whether this is a process that an agent started.
    pub fn is_agent(&self) -> bool {
        self.member.agent_process.is_some()
    }

    /// Checks that the caller may act in a session: a process of an agent only in those of that agent.
    ///
    /// # Errors
    /// If it may not.
    pub fn check_session(&self, session: &SessionKey) -> Result<(), Failure> {
        let process = self.member.agent_process.as_ref();
        Ok(process.map_or(Ok(()), |process| process.check_session(session))?)
    }
}

/// A reply that is ready to be sent.
#[derive(Debug)]
pub struct RpcReply {
    /// The payload, as JSON.
    pub payload: Payload,
    /// The run that the request has started.
    pub accepted: Option<AcceptedRun>,
}

impl RpcReply {
    /// Call it once the reply is queued: the turn of an accepted run starts only then, so that its sender gets the reply
    /// before the first event.
    pub fn sent(self) {
        if let Some(accepted) = self.accepted {
            accepted.start_turn();
        }
    }
}

/// JSON text, owned by one reply or shared by many.
#[derive(Debug)]
pub enum Payload {
    /// Owned by this reply.
    Own(String),
    /// Cached and shared.
    Kept(Arc<str>),
}

impl Payload {
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Own(text) => text,
            Self::Kept(text) => text,
        }
    }
}

/// The methods with their handlers.
#[derive(Default)]
pub struct Table {
    rows: BTreeMap<&'static str, Row>,
}

struct Row {
    /// Only waits, so that it can be cancelled.
    only_waits: bool,
    scope: Scope,
    roles: &'static [ClientRole],
    handler: Handler,
}

impl Table {
    /// Adds a method whose handler may use the disk.
    #[must_use]
    pub(super) fn blocking<M: Method<Params: Send + 'static, Result: Send> + 'static>(
        self,
        handle: fn(&Gateway, M::Params) -> Result<M::Result, Failure>,
    ) -> Self {
        self.on_disk::<M>(move |gateway, params| to_payload::<M>(handle(gateway, params)))
    }

    /// Adds a method whose handler may use the disk and returns serialised JSON.
    #[must_use]
    pub(super) fn blocking_json<M: Method<Params: Send + 'static> + 'static>(
        self,
        handle: fn(&Gateway, M::Params) -> Result<Arc<str>, Failure>,
    ) -> Self {
        self.on_disk::<M>(move |gateway, params| handle(gateway, params).map(Payload::Kept))
    }

    /// Adds a method that is answered from a cache if possible, else by a handler that may use the disk.
    #[must_use]
    pub(super) fn cached_or_blocking<M: Method<Params: Send + 'static, Result: Send + 'static> + 'static>(
        self,
        at_hand: fn(&Gateway, &M::Params) -> Option<M::Result>,
        handle: fn(&Gateway, M::Params) -> Result<M::Result, Failure>,
    ) -> Self {
        self.add::<M>(move |gateway, caller, params| match at_hand(&gateway, &params) {
            Some(answer) => {
                Box::pin(async { Ok(RpcReply { payload: to_payload::<M>(Ok(answer))?, accepted: None }) })
            }
            None => run_queued::<M>(gateway, caller, params, move |gateway, params| {
                to_payload::<M>(handle(gateway, params))
            }),
        })
    }

    fn on_disk<M: Method<Params: Send + 'static> + 'static>(
        self,
        handle: impl Fn(&Gateway, M::Params) -> Result<Payload, Failure> + Copy + Send + Sync + 'static,
    ) -> Self {
        self.add::<M>(move |gateway, caller, params| run_queued::<M>(gateway, caller, params, handle))
    }

    /// Adds a method whose handler waits for something other than the disk.
    #[must_use]
    pub(super) fn spawned<M, F>(self, handle: fn(Arc<Gateway>, Caller, M::Params) -> F) -> Self
    where
        M: Method<Params: Send + 'static, Result: Send + 'static> + 'static,
        F: Future<Output = Result<M::Result, Failure>> + Send + 'static,
    {
        self.add::<M>(move |gateway, caller, params| {
            let answering = tokio::spawn(handle(gateway, caller, params));
            Box::pin(async move {
                let answered = answering.await.unwrap_or_else(|error| Err(failed::<M>(&error)));
                Ok(RpcReply { payload: to_payload::<M>(answered)?, accepted: None })
            })
        })
    }

    /// Adds a method that only waits: it is cancelled when the client is gone.
    #[must_use]
    pub(super) fn cancellable<M, F>(self, handle: fn(Arc<Gateway>, M::Params) -> F) -> Self
    where
        M: Method<Params: Send + 'static> + 'static,
        F: Future<Output = Result<M::Result, Failure>> + Send + 'static,
    {
        let mut table = self.add::<M>(move |gateway, _, params| {
            let answering = handle(gateway, params);
            Box::pin(
                async move { Ok(RpcReply { payload: to_payload::<M>(answering.await)?, accepted: None }) },
            )
        });
        if let Some(row) = table.rows.get_mut(M::NAME) {
            row.only_waits = true;
        }
        table
    }

    #[must_use]
    pub fn only_waits(&self, method: &str) -> bool {
        self.rows.get(method).is_some_and(|row| row.only_waits)
    }

    /// Like [`Table::spawned`], for a method whose run starts after its reply.
    #[must_use]
    pub(super) fn starting_run<M, F>(self, handle: fn(Arc<Gateway>, Caller, M::Params) -> F) -> Self
    where
        M: Method<Params: Send + 'static, Result: Send + 'static> + 'static,
        F: Future<Output = Result<(M::Result, AcceptedRun), Failure>> + Send + 'static,
    {
        self.add::<M>(move |gateway, caller, params| {
            let answering = tokio::spawn(handle(gateway, caller, params));
            Box::pin(async move {
                let answered = answering.await.unwrap_or_else(|error| Err(failed::<M>(&error)));
                let (result, accepted) = answered?;
                Ok(RpcReply { payload: to_payload::<M>(Ok(result))?, accepted: Some(accepted) })
            })
        })
    }

    fn add<M: Method + 'static>(
        mut self,
        handle: impl Fn(Arc<Gateway>, Caller, M::Params) -> ReplyFuture + Send + Sync + 'static,
    ) -> Self {
        let shape = OnceLock::new();
        let handler: Handler = Box::new(move |gateway, caller, params| {
            let checked = shape
                .get_or_init(ParamsShape::for_type::<M::Params>)
                .check(&params)
                .and_then(|()| serde_json::from_value(params).map_err(|error| error.to_string()));
            match checked {
                Ok(params) => handle(gateway, caller, params),
                Err(why) => {
                    let message = format!("invalid {} params: {why}", M::NAME);
                    Box::pin(async { Err(Failure::invalid(message)) })
                }
            }
        });
        let row = Row { only_waits: false, scope: M::SCOPE, roles: M::ROLES, handler };
        self.rows.insert(M::NAME, row);
        self
    }

    /// The methods by name, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.rows.keys().copied()
    }

    /// Checks role and scope, then runs the handler.
    ///
    /// # Errors
    /// The error reply.
    pub async fn answer(
        &self,
        gateway: &Arc<Gateway>,
        member: &Arc<ConnectedClient>,
        method: &str,
        params: Option<Value>,
    ) -> Result<RpcReply, Failure> {
        let Some(row) = self.rows.get(method) else {
            return Err(Failure::invalid(format!("unknown method: {method}")));
        };
        if !row.roles.contains(&member.role) {
            let message = format!("unauthorized role: {}", member.role.as_str());
            return Err(Failure::invalid(message));
        }
        if let Some(process) = &member.agent_process {
            process.check_method(method, row.scope)?;
        }
        // Only operators have scopes; a node may call everything that is open to nodes.
        if member.role == ClientRole::Operator && !allows(&member.scopes, row.scope) {
            return Err(missing_scope(row.scope, member.protocol));
        }
        let may = |scope| member.role == ClientRole::Operator && allows(&member.scopes, scope);
        let (is_admin, may_approve) = (may(Scope::Admin), may(Scope::Approvals));
        let caller = Caller { is_admin, may_approve, member: Arc::clone(member) };
        caller.check_still_authorized(gateway)?;
        (row.handler)(Arc::clone(gateway), caller, params.unwrap_or_else(|| json!({}))).await
    }
}

/// Runs a handler on a blocking thread once a slot is free.
fn run_queued<M: Method<Params: Send + 'static> + 'static>(
    gateway: Arc<Gateway>,
    caller: Caller,
    params: M::Params,
    handle: impl FnOnce(&Gateway, M::Params) -> Result<Payload, Failure> + Send + 'static,
) -> ReplyFuture {
    Box::pin(async move {
        let purpose = if M::SCOPE == Scope::Read { WorkKind::Read } else { WorkKind::Write };
        let worked = gateway.run_blocking(purpose, move |gateway| {
            // The client may have been revoked while the request was queued.
            caller.check_still_authorized(gateway)?;
            handle(gateway, params)
        });
        let payload = worked.await.unwrap_or_else(|error| Err(failed::<M>(&error)))?;
        Ok(RpcReply { payload, accepted: None })
    })
}

/// Clients of protocol version 3 expect another code.
pub(super) fn missing_scope(scope: Scope, protocol: u32) -> Failure {
    let code = if protocol >= 4 { RpcCode::Forbidden } else { RpcCode::InvalidRequest };
    Failure::from_shape(ErrorShape {
        code: code.into(),
        message: format!("missing scope: {}", scope.as_str()),
        details: Some(json!({ "code": "MISSING_SCOPE", "missingScope": scope, "requiredScopes": [scope] })),
        retryable: None,
    })
}

fn to_payload<M: Method>(answered: Result<M::Result, Failure>) -> Result<Payload, Failure> {
    serde_json::to_string(&answered?).map(Payload::Own).map_err(|error| failed::<M>(&error))
}

fn failed<M: Method>(error: &dyn std::error::Error) -> Failure {
    tracing::error!(method = M::NAME, %error, "a request could not be answered");
    Problem::new(ErrorCode::Failed, format!("{} could not be answered", M::NAME)).into()
}
