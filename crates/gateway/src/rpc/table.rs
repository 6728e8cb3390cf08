//! The table itself: name to scope, shape of the parameters, and handler.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};
use tarsus_agent::Begin;
use tarsus_protocol::rpc::{Method, Shape};
use tarsus_protocol::scope::{Role, Scope, allows};
use tarsus_protocol::{ErrorCode, ErrorShape, Problem, RpcCode};

use super::failure::Failure;
use crate::events::Member;
use crate::gateway::{Gateway, Use};

type Answering = Pin<Box<dyn Future<Output = Result<Answered, Failure>> + Send>>;
type Handler = Box<dyn Fn(Arc<Gateway>, Caller, Value) -> Answering + Send + Sync>;

/// What a handler knows of whoever asks.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Whether it may change how the gateway is set up.
    pub is_admin: bool,
    /// Whether it may answer for the owner.
    pub may_approve: bool,
    /// Who it is.
    pub member: Arc<Member>,
}

impl Caller {
    /// Fails once what let it in does not open the gateway any more.
    fn is_still_let_in(&self, gateway: &Gateway) -> Result<(), Failure> {
        match self.member.shut_out(&gateway.access) {
            None => Ok(()),
            Some(close) => Err(Problem::new(ErrorCode::Denied, close.frame().reason.as_str()).into()),
        }
    }
}

/// An answer that is ready to be sent.
#[derive(Debug)]
pub struct Answered {
    /// The payload, as JSON.
    pub payload: Payload,
    /// What begins when the answer is on its way and this is dropped.
    pub then: Option<Begin>,
}

/// JSON that was written for one answer, or is kept for many.
#[derive(Debug)]
pub enum Payload {
    /// For this answer.
    Own(String),
    /// For every answer to the same question.
    Kept(Arc<str>),
}

impl Payload {
    /// The JSON.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Own(text) => text,
            Self::Kept(text) => text,
        }
    }
}

/// Every method that works.
#[derive(Default)]
pub struct Table {
    rows: BTreeMap<&'static str, Row>,
}

struct Row {
    /// Whether it waits for something and does nothing else.
    only_waits: bool,
    scope: Scope,
    roles: &'static [Role],
    handler: Handler,
}

impl Table {
    /// Adds a method whose handler may use the disk.
    #[must_use]
    pub(super) fn on<M: Method<Params: Send + 'static, Result: Send> + 'static>(
        self,
        handle: fn(&Gateway, M::Params) -> Result<M::Result, Failure>,
    ) -> Self {
        self.on_disk::<M>(move |gateway, params| written::<M>(handle(gateway, params)))
    }

    /// Adds a method whose handler may use the disk and answers with JSON that is written already.
    #[must_use]
    pub(super) fn kept_on<M: Method<Params: Send + 'static> + 'static>(
        self,
        handle: fn(&Gateway, M::Params) -> Result<Arc<str>, Failure>,
    ) -> Self {
        self.on_disk::<M>(move |gateway, params| handle(gateway, params).map(Payload::Kept))
    }

    /// Adds a method that is answered from memory when the answer is at hand, else by a handler that may use the disk.
    #[must_use]
    pub(super) fn at_hand_or_on<M: Method<Params: Send + 'static, Result: Send + 'static> + 'static>(
        self,
        at_hand: fn(&Gateway, &M::Params) -> Option<M::Result>,
        handle: fn(&Gateway, M::Params) -> Result<M::Result, Failure>,
    ) -> Self {
        self.add::<M>(move |gateway, caller, params| match at_hand(&gateway, &params) {
            Some(answer) => {
                Box::pin(async { Ok(Answered { payload: written::<M>(Ok(answer))?, then: None }) })
            }
            None => in_turn::<M>(gateway, caller, params, move |gateway, params| {
                written::<M>(handle(gateway, params))
            }),
        })
    }

    fn on_disk<M: Method<Params: Send + 'static> + 'static>(
        self,
        handle: impl Fn(&Gateway, M::Params) -> Result<Payload, Failure> + Copy + Send + Sync + 'static,
    ) -> Self {
        self.add::<M>(move |gateway, caller, params| in_turn::<M>(gateway, caller, params, handle))
    }

    /// Adds a method whose handler waits for something other than the disk.
    #[must_use]
    pub(super) fn waiting_on<M, F>(self, handle: fn(Arc<Gateway>, Caller, M::Params) -> F) -> Self
    where
        M: Method<Params: Send + 'static, Result: Send + 'static> + 'static,
        F: Future<Output = Result<M::Result, Failure>> + Send + 'static,
    {
        self.add::<M>(move |gateway, caller, params| {
            let answering = tokio::spawn(handle(gateway, caller, params));
            Box::pin(async move {
                let answered = answering.await.unwrap_or_else(|error| Err(failed::<M>(&error)));
                Ok(Answered { payload: written::<M>(answered)?, then: None })
            })
        })
    }

    /// The same where nothing else happens: when nobody waits for the answer any more, nobody needs it.
    #[must_use]
    pub(super) fn only_waiting_on<M, F>(self, handle: fn(Arc<Gateway>, M::Params) -> F) -> Self
    where
        M: Method<Params: Send + 'static> + 'static,
        F: Future<Output = Result<M::Result, Failure>> + Send + 'static,
    {
        let mut table = self.add::<M>(move |gateway, _, params| {
            let answering = handle(gateway, params);
            Box::pin(async move { Ok(Answered { payload: written::<M>(answering.await)?, then: None }) })
        });
        if let Some(row) = table.rows.get_mut(M::NAME) {
            row.only_waits = true;
        }
        table
    }

    /// Whether a method waits for something and does nothing else.
    #[must_use]
    pub fn only_waits(&self, method: &str) -> bool {
        self.rows.get(method).is_some_and(|row| row.only_waits)
    }

    /// The same as [`Table::waiting_on`] where the answer comes before something begins.
    #[must_use]
    pub(super) fn beginning_on<M, F>(self, handle: fn(Arc<Gateway>, Caller, M::Params) -> F) -> Self
    where
        M: Method<Params: Send + 'static, Result: Send + 'static> + 'static,
        F: Future<Output = Result<(M::Result, Option<Begin>), Failure>> + Send + 'static,
    {
        self.add::<M>(move |gateway, caller, params| {
            let answering = tokio::spawn(handle(gateway, caller, params));
            Box::pin(async move {
                let answered = answering.await.unwrap_or_else(|error| Err(failed::<M>(&error)));
                let (result, then) = answered?;
                Ok(Answered { payload: written::<M>(Ok(result))?, then })
            })
        })
    }

    fn add<M: Method + 'static>(
        mut self,
        handle: impl Fn(Arc<Gateway>, Caller, M::Params) -> Answering + Send + Sync + 'static,
    ) -> Self {
        let shape = OnceLock::new();
        let handler: Handler = Box::new(move |gateway, caller, params| {
            let checked = shape
                .get_or_init(Shape::of::<M::Params>)
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

    /// The answer to one request.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn answer(
        &self,
        gateway: &Arc<Gateway>,
        member: &Arc<Member>,
        method: &str,
        params: Option<Value>,
    ) -> Result<Answered, Failure> {
        let Some(row) = self.rows.get(method) else {
            return Err(Failure::invalid(format!("unknown method: {method}")));
        };
        if !row.roles.contains(&member.role) {
            let message = format!("unauthorized role: {}", member.role.as_str());
            return Err(Failure::invalid(message));
        }
        // Scopes are what operators have; a node may do all that is open to nodes.
        if member.role == Role::Operator && !allows(&member.scopes, row.scope) {
            return Err(missing_scope(row.scope, member.protocol));
        }
        let may = |scope| member.role == Role::Operator && allows(&member.scopes, scope);
        let (is_admin, may_approve) = (may(Scope::Admin), may(Scope::Approvals));
        let caller = Caller { is_admin, may_approve, member: Arc::clone(member) };
        caller.is_still_let_in(gateway)?;
        (row.handler)(Arc::clone(gateway), caller, params.unwrap_or_else(|| json!({}))).await
    }
}

/// Works on a thread that may wait for the disk, when the turn of this request comes.
fn in_turn<M: Method<Params: Send + 'static> + 'static>(
    gateway: Arc<Gateway>,
    caller: Caller,
    params: M::Params,
    handle: impl FnOnce(&Gateway, M::Params) -> Result<Payload, Failure> + Send + 'static,
) -> Answering {
    Box::pin(async move {
        let purpose = if M::SCOPE == Scope::Read { Use::Look } else { Use::Change };
        let worked = gateway.working(purpose, move |gateway| {
            // Its turn may have come late.
            caller.is_still_let_in(gateway)?;
            handle(gateway, params)
        });
        let payload = worked.await.unwrap_or_else(|error| Err(failed::<M>(&error)))?;
        Ok(Answered { payload, then: None })
    })
}

/// Clients of the third version know another code for it.
pub(super) fn missing_scope(scope: Scope, protocol: u32) -> Failure {
    let code = if protocol >= 4 { RpcCode::Forbidden } else { RpcCode::InvalidRequest };
    Failure::shaped(ErrorShape {
        code: code.into(),
        message: format!("missing scope: {}", scope.as_str()),
        details: Some(json!({ "code": "MISSING_SCOPE", "missingScope": scope, "requiredScopes": [scope] })),
        retryable: None,
    })
}

fn written<M: Method>(answered: Result<M::Result, Failure>) -> Result<Payload, Failure> {
    serde_json::to_string(&answered?).map(Payload::Own).map_err(|error| failed::<M>(&error))
}

fn failed<M: Method>(error: &dyn std::error::Error) -> Failure {
    tracing::error!(method = M::NAME, %error, "a request could not be answered");
    Problem::new(ErrorCode::Failed, format!("{} could not be answered", M::NAME)).into()
}
