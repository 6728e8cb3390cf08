//! Where sessions are asked for: the gateway that has the store, else the store itself.
//!
//! Promises: the same answers from both; looking makes no store where there is none.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tarsus_home::config::{AgentId, Config};
use tarsus_home::files;
use tarsus_protocol::rpc::chat::ChatHistory;
use tarsus_protocol::rpc::sessions::{SessionDeleted, SessionTranscripts, SessionsList};
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::{History, SessionId, SessionKey, SessionPage, SessionQuery, Start, Store, report};

use crate::context::Context;
use crate::gateway::{ACTING, Neighbour};
use crate::output::Output;

/// Sessions among which one that was misspelt is looked for.
const KNOWN: usize = 1_000;

/// The sessions of a state folder.
pub struct Source<'a> {
    pub context: &'a Context,
    config: Config,
    gateway: Neighbour,
    /// `None` until it is needed; inside, `None` when there is no store.
    own: Option<Option<Store>>,
}

/// Which items of a transcript.
pub struct Page<'a> {
    /// The transcript; without one, the present one.
    pub session_id: Option<&'a str>,
    /// Only those after this number; without one, the newest.
    pub after: Option<u64>,
    /// At most so many.
    pub limit: usize,
}

impl<'a> Source<'a> {
    /// Finds the gateway. The store itself is opened when it is needed.
    pub fn find(context: &'a Context, output: &mut Output) -> Result<Self, Problem> {
        let config = context.load_config()?.view;
        Ok(Self { context, config, gateway: Neighbour::find(context, output)?, own: None })
    }

    /// The session that a person means: a whole key, or a name of one of the agent's.
    pub fn key(&self, text: &str) -> Result<SessionKey, Problem> {
        let agent = match self.context.named_agent() {
            Some(agent) => agent.clone(),
            None => self.config.agents.default_id(),
        };
        Ok(SessionKey::complete(text, &agent)?)
    }

    /// The newest sessions, of one agent where one was named.
    pub fn list(&mut self, limit: usize, output: &mut Output) -> Result<SessionsList, Problem> {
        let agent = match self.context.named_agent() {
            Some(_) => Some(self.context.agent(&self.config)?.id.clone()),
            None => None,
        };
        self.listed(agent, limit, output)
    }

    fn listed(
        &mut self,
        agent: Option<AgentId>,
        limit: usize,
        output: &mut Output,
    ) -> Result<SessionsList, Problem> {
        let mut params = Map::from_iter([("limit".to_owned(), json!(limit))]);
        params.extend(agent.iter().map(|agent| ("agentId".to_owned(), json!(agent.as_str()))));
        if let Some(list) = self.ask("sessions.list", params, output)? {
            return Ok(list);
        }
        let query = SessionQuery { agent, limit, ..SessionQuery::default() };
        let at_ms = self.context.clock.wall_ms();
        let path = self.context.home.store_path().display().to_string();
        let page = match self.own()? {
            Some(store) => store.sessions(&query)?,
            None => SessionPage { sessions: Vec::new(), total: 0 },
        };
        Ok(report::listed(page, &query, &self.config, &path, at_ms))
    }

    /// A page of a session that is there.
    pub fn page(
        &mut self,
        key: &SessionKey,
        page: &Page<'_>,
        output: &mut Output,
    ) -> Result<ChatHistory, Problem> {
        let mut params = self.named("sessionKey", key);
        params.insert("limit".to_owned(), json!(page.limit));
        params.extend(page.session_id.map(|id| ("sessionId".to_owned(), json!(id))));
        params.extend(page.after.map(|number| ("after".to_owned(), json!(number))));
        if let Some(history) = self.ask("chat.history", params, output)? {
            return Ok(history);
        }
        let wanted = History {
            session: key.clone(),
            session_id: page.session_id.map(|id| SessionId::from(id.to_owned())),
            start: page.after.map_or(Start::Newest, Start::After),
            limit: page.limit,
        };
        let config = self.config.clone();
        match self.own()? {
            Some(store) => report::history(store, wanted, &config),
            None => Err(self.unknown(key, output)),
        }
    }

    /// The transcripts of a session; an error when there is no such one.
    pub fn transcripts(
        &mut self,
        key: &SessionKey,
        output: &mut Output,
    ) -> Result<SessionTranscripts, Problem> {
        let params = self.named("key", key);
        let found = match self.ask("sessions.transcripts", params, output)? {
            Some(found) => found,
            None => match self.own()? {
                Some(store) => report::transcripts(store, key)?,
                None => SessionTranscripts { key: key.to_string(), transcripts: Vec::new() },
            },
        };
        if found.transcripts.is_empty() { Err(self.unknown(key, output)) } else { Ok(found) }
    }

    /// Deletes a session.
    pub fn delete(&mut self, key: &SessionKey) -> Result<SessionDeleted, Problem> {
        let params = Value::Object(self.named("key", key));
        if let Some(answer) = self.gateway.have_done("sessions.delete", params, ACTING) {
            return understood(answer?);
        }
        let deleted = match self.own()? {
            Some(store) => store.delete(key.clone()).wait()?,
            None => false,
        };
        Ok(SessionDeleted { ok: true, key: key.to_string(), deleted })
    }

    /// There is no such session; those that may be meant are named.
    fn unknown(&mut self, key: &SessionKey, output: &mut Output) -> Problem {
        match self.listed(None, KNOWN, output) {
            Ok(list) => report::unknown(key, &list.sessions),
            Err(problem) => problem,
        }
    }

    fn named(&self, name: &str, key: &SessionKey) -> Map<String, Value> {
        Map::from_iter([(name.to_owned(), json!(key.as_str()))])
    }

    fn ask<T: DeserializeOwned>(
        &mut self,
        method: &str,
        params: Map<String, Value>,
        output: &mut Output,
    ) -> Result<Option<T>, Problem> {
        self.gateway
            .hear_of(method, Value::Object(params), output)
            .map(|answer| understood(answer?))
            .transpose()
    }

    fn own(&mut self) -> Result<Option<&Store>, Problem> {
        if self.own.is_none() {
            let home = &self.context.home;
            let there = files::open(&home.store_path())?.is_some();
            self.own = Some(if there { Some(Store::open(home)?) } else { None });
        }
        Ok(self.own.as_ref().and_then(Option::as_ref))
    }
}

fn understood<T: DeserializeOwned>(answer: Value) -> Result<T, Problem> {
    serde_json::from_value(answer).map_err(|error| {
        Problem::new(ErrorCode::Failed, format!("the answer of the gateway is not understood: {error}"))
            .hint("it may be of another version than this command: `tarsus gateway restart`")
    })
}
