//! The transport-free half of a typed client: it numbers requests, and parses the responses to them.
//!
//! Every client of the gateway is built on it, so that a method's parameters and result are typed on both ends.

use serde_json::Value;

use super::Method;
use crate::failure::ErrorShape;
use crate::frame::{Name, NameError, Request, Response};

/// Numbers the requests of one connection.
///
/// ```
/// use tarsus_protocol::Frame;
/// use tarsus_protocol::frame::Stage;
/// use tarsus_protocol::rpc::overview::{Health, HealthParams};
/// use tarsus_protocol::rpc::{Calls, parse_response};
///
/// let mut calls = Calls::default();
/// let request = calls.request::<Health>(&HealthParams { probe: None })?;
/// let text = serde_json::to_string(&Frame::Request(request))?;
/// assert_eq!(text, r#"{"type":"req","id":"1","method":"health","params":{}}"#);
///
/// let text = r#"{"type":"res","id":"1","ok":false,"error":{"code":"UNAVAILABLE","message":"busy"}}"#;
/// let Frame::Response(response) = Frame::parse(text, Stage::AfterHello)? else { panic!("{text}") };
/// assert_eq!(parse_response::<Health>(response).unwrap_err().to_string(), "busy");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Calls {
    last_id: u64,
}

impl Calls {
    /// A request for a method.
    ///
    /// # Errors
    /// If the parameters have no JSON form.
    pub fn request<M: Method>(&mut self, params: &M::Params) -> Result<Request, CallError> {
        let params = serde_json::to_value(params)
            .map_err(|source| CallError::InvalidParams { method: M::NAME, source })?;
        Ok(self.untyped_request(M::NAME, Some(params))?)
    }

    /// A request for a method that is known only by name.
    ///
    /// # Errors
    /// If the name is empty or too long.
    pub fn untyped_request(&mut self, method: &str, params: Option<Value>) -> Result<Request, NameError> {
        self.last_id += 1;
        Ok(Request { id: self.last_id.to_string().try_into()?, method: Name::try_from(method)?, params })
    }
}

/// Parses the response to a request for `M`.
///
/// # Errors
/// If the gateway refused the request, or if the result is not one of `M`.
pub fn parse_response<M: Method>(response: Response) -> Result<M::Result, CallError> {
    let payload = response.result.map_err(|error| CallError::Refused(Box::new(error)))?.unwrap_or_default();
    serde_json::from_value(payload).map_err(|source| CallError::InvalidResponse { method: M::NAME, source })
}

/// The reason why a call has no result.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The gateway answered with an error.
    #[error("{}", .0.message)]
    Refused(Box<ErrorShape>),
    /// The result does not have the form that the method declares.
    #[error("the gateway's response to {method} is not valid: {source}")]
    InvalidResponse {
        /// The method.
        method: &'static str,
        /// The parser's reason.
        source: serde_json::Error,
    },
    /// The parameters have no JSON form.
    #[error("the parameters of {method} cannot be sent: {source}")]
    InvalidParams {
        /// The method.
        method: &'static str,
        /// The serializer's reason.
        source: serde_json::Error,
    },
    /// The name of the method is empty or too long.
    #[error(transparent)]
    Name(#[from] NameError),
}
