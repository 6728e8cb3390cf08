//! Errors in flow collections.

use granit_parser::ErrorKind as Kind;
use tarsus_protocol::DiagnosticCode as Code;

use super::{FaultContext, ONE_LINE, bad_start, is_list_item, token};
use crate::parse::yaml::Fault;

const ONE_LINE_IN_LIST: &str = "Implicit keys of flow sequence pairs need to be on a single line";
const BLOCK_IN_FLOW: &str = "Block collections are not allowed within flow collections";

impl FaultContext<'_> {
    pub(super) fn in_flow(&self, kind: &Kind, at: usize) -> Fault {
        let rest = self.rest(at);
        let (name, pair) = if self.is_map { ("map", "map items") } else { ("sequence", "sequence items") };
        match kind {
            _ if rest.starts_with(":{") || rest.starts_with(":[") => {
                Fault::new(Code::BlockInFlow, BLOCK_IN_FLOW, at)
            }
            Kind::PlainScalarStartsWithDashFlowIndicator => Fault::new(Code::BlockInFlow, BLOCK_IN_FLOW, at),
            Kind::UnexpectedCharacter { .. } => bad_start(rest, at).unwrap_or_else(|| self.unexpected(at)),
            Kind::BlockEntryInFlowCollection if !self.is_map && rest.len() > 1 && is_list_item(rest) => {
                Fault::new(Code::MultilineImplicitKey, ONE_LINE_IN_LIST, at)
            }
            Kind::BlockEntryInFlowCollection => Fault::new(Code::BlockInFlow, BLOCK_IN_FLOW, at),
            _ if rest.starts_with(',') => {
                Fault::new(Code::UnexpectedToken, format!("Unexpected , in flow {name}"), at)
            }
            Kind::InvalidColonPlacement => {
                Fault::new(Code::MultilineImplicitKey, ONE_LINE_IN_LIST, self.line_before(at))
            }
            _ if rest.starts_with(':') && self.last_is_collection => {
                Fault::new(Code::MissingChar, format!("Missing , between flow {pair}"), at)
            }
            _ if rest.starts_with(':') && self.has_newline(self.last.start, at) => {
                Fault::new(Code::MultilineImplicitKey, ONE_LINE, self.last.start)
            }
            _ if rest.starts_with(':') => Fault::new(Code::BlockInFlow, BLOCK_IN_FLOW, at),
            _ => self.between_items(at, pair),
        }
    }

    /// Two items of a flow collection without a comma.
    fn between_items(&self, at: usize, pair: &str) -> Fault {
        let is_next_line = self.is_first_of_line(at);
        if self.is_map && is_next_line {
            return Fault::new(Code::MissingChar, format!("Missing , between flow {pair}"), at);
        }
        // After a scalar that is not a value, a colon could follow as well.
        let is_value = self.last_is_collection || (self.is_map && self.has_key);
        if !is_value || (!self.is_map && is_next_line) {
            return Fault::new(Code::MissingChar, format!("Missing , or : between flow {pair}"), at);
        }
        let token = token(self.rest(at));
        if !self.last_is_collection && self.is_key(at) {
            return Fault::new(Code::UnexpectedToken, format!("Unexpected {token} token"), at);
        }
        Fault::new(Code::UnexpectedToken, format!("Unexpected {token} at node end"), at)
    }

    /// Whether a scalar of a flow collection is followed by a colon.
    fn is_key(&self, at: usize) -> bool {
        let rest = self.rest(at);
        let after = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                rest.get(1..).and_then(|text| text.split_once(quote)).map(|(_, after)| after)
            }
            _ => rest.find([':', ',', '}', ']']).and_then(|end| rest.get(end..)),
        };
        after.is_some_and(|after| after.trim_start().starts_with(':'))
    }
}
