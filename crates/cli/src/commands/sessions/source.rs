//! Access to sessions: through the gateway if one runs, else from the store.
//!
//! Both give the same results. Reading never creates a store.

use std::sync::Arc;

use tarsus_agent::file_changes::{FileChanges, FileChangesError};
use tarsus_home::config::{AgentId, Config};
use tarsus_home::files;
use tarsus_protocol::Problem;
use tarsus_protocol::rpc::Method;
use tarsus_protocol::rpc::chat::{self, ChatHistory, ChatHistoryParams};
use tarsus_protocol::rpc::files::{
    Changes, Diff, RunDiff, RunDiffParams, SessionChanges, SessionChangesParams, Undo, UndoParams, UndoReport,
};
use tarsus_protocol::rpc::sessions::{
    Delete, List, SessionDeleted, SessionParams, SessionTranscripts, SessionsList, SessionsListParams,
    Transcripts,
};
use tarsus_store::{
    HistoryQuery, HistoryStart, RunId, SessionId, SessionKey, SessionPage, SessionQuery, Store, report,
};

use crate::context::Context;
use crate::gateway::{ACT_TIMEOUT, OptionalGateway};
use crate::output::Output;

/// Sessions considered for "did you mean" suggestions.
const SUGGESTION_POOL: usize = 1_000;

pub struct SessionSource<'a> {
    pub context: &'a Context,
    config: Config,
    gateway: OptionalGateway,
    /// Opened lazily. The inner `None` means that there is no store.
    store: Option<Option<Arc<Store>>>,
}

/// Selects items of a transcript.
pub struct Page<'a> {
    /// The transcript; `None` for the current one.
    pub session_id: Option<&'a str>,
    /// Only items after this number; `None` for the newest.
    pub after: Option<u64>,
    pub limit: usize,
}

impl<'a> SessionSource<'a> {
    /// Connects to the gateway. The store is opened only if it is needed.
    pub fn connect(context: &'a Context, output: &mut Output) -> Result<Self, Problem> {
        let config = context.config()?.view.clone();
        Ok(Self { context, config, gateway: OptionalGateway::connect(context, output)?, store: None })
    }

    /// Resolves a full session key, or a short name of the agent's sessions.
    pub fn key(&self, text: &str) -> Result<SessionKey, Problem> {
        let agent = match self.context.named_agent() {
            Some(agent) => agent.clone(),
            None => self.config.agents.default_id(),
        };
        Ok(SessionKey::complete(text, &agent)?)
    }

    /// Lists the newest sessions, only of the agent of `--agent` if given.
    pub fn list(&mut self, limit: usize, output: &mut Output) -> Result<SessionsList, Problem> {
        let agent = match self.context.named_agent() {
            Some(_) => Some(self.context.agent(&self.config)?.id.clone()),
            None => None,
        };
        self.list_for(agent, limit, output)
    }

    fn list_for(
        &mut self,
        agent: Option<AgentId>,
        limit: usize,
        output: &mut Output,
    ) -> Result<SessionsList, Problem> {
        let params = SessionsListParams {
            agent_id: agent.as_ref().map(ToString::to_string),
            search: None,
            limit: Some(limit),
            offset: None,
            include_global: None,
            include_unknown: None,
        };
        if let Some(list) = self.query::<List>(&params, output)? {
            return Ok(list);
        }
        let query = SessionQuery { agent, limit, ..SessionQuery::default() };
        let at_ms = self.context.clock.wall_ms();
        let path = self.context.home.store_path().display().to_string();
        let page = match self.local_store()? {
            Some(store) => store.sessions(&query)?,
            None => SessionPage { sessions: Vec::new(), total: 0 },
        };
        Ok(report::listed(page, &query, &self.config, &path, at_ms))
    }

    /// Reads a page of an existing session.
    pub fn page(
        &mut self,
        key: &SessionKey,
        page: &Page<'_>,
        output: &mut Output,
    ) -> Result<ChatHistory, Problem> {
        let params = ChatHistoryParams {
            session_key: key.to_string(),
            session_id: page.session_id.map(str::to_owned),
            limit: Some(page.limit),
            after: page.after,
            before: None,
        };
        if let Some(history) = self.query::<chat::History>(&params, output)? {
            return Ok(history);
        }
        let query = HistoryQuery {
            session: key.clone(),
            session_id: page.session_id.map(|id| SessionId::from(id.to_owned())),
            start: page.after.map_or(HistoryStart::Newest, HistoryStart::After),
            limit: page.limit,
        };
        let config = self.config.clone();
        match self.local_store()? {
            Some(store) => report::history(store, query, &config),
            None => Err(self.unknown_session(key, output)),
        }
    }

    /// Lists the transcripts of a session. Fails if it does not exist.
    pub fn transcripts(
        &mut self,
        key: &SessionKey,
        output: &mut Output,
    ) -> Result<SessionTranscripts, Problem> {
        let params = SessionParams { key: key.to_string() };
        let found = match self.query::<Transcripts>(&params, output)? {
            Some(found) => found,
            None => match self.local_store()? {
                Some(store) => report::transcripts(store, key)?,
                None => SessionTranscripts { key: key.to_string(), transcripts: Vec::new() },
            },
        };
        if found.transcripts.is_empty() { Err(self.unknown_session(key, output)) } else { Ok(found) }
    }

    pub fn delete(&mut self, key: &SessionKey) -> Result<SessionDeleted, Problem> {
        let params = SessionParams { key: key.to_string() };
        if let Some(answer) = self.gateway.execute::<Delete>(&params, ACT_TIMEOUT) {
            return answer;
        }
        let deleted = match self.local_store()? {
            Some(store) => store.delete(key.clone()).wait()?,
            None => false,
        };
        Ok(SessionDeleted { ok: true, key: key.to_string(), deleted })
    }

    /// Lists the turns that changed files, of `run` alone if it is given.
    pub fn changes(
        &mut self,
        key: &SessionKey,
        run: Option<&str>,
        limit: usize,
        output: &mut Output,
    ) -> Result<SessionChanges, Problem> {
        let params =
            SessionChangesParams { key: key.to_string(), run_id: run.map(str::to_owned), limit: Some(limit) };
        if let Some(changes) = self.query::<Changes>(&params, output)? {
            return Ok(changes);
        }
        let run = run.map(str::parse).transpose()?;
        match self.local_changes()? {
            Some(changes) => Ok(changes.session_changes(key, run.as_ref(), limit)?),
            None => Ok(SessionChanges { runs: Vec::new() }),
        }
    }

    /// The lines that a turn changed.
    pub fn diff(&mut self, key: &SessionKey, run: &str, output: &mut Output) -> Result<RunDiff, Problem> {
        let params = RunDiffParams { key: key.to_string(), run_id: run.to_owned(), path: None };
        if let Some(diff) = self.query::<Diff>(&params, output)? {
            return Ok(diff);
        }
        let run: RunId = run.parse()?;
        match self.local_changes()? {
            Some(changes) => Ok(changes.run_diff(key, &run, None)?),
            None => Err(FileChangesError::UnknownRun { run }.into()),
        }
    }

    /// Undoes the changes of a turn, or reports what an undo would do.
    pub fn undo(
        &mut self,
        key: &SessionKey,
        run: Option<&str>,
        dry_run: bool,
    ) -> Result<UndoReport, Problem> {
        let params =
            UndoParams { key: key.to_string(), run_id: run.map(str::to_owned), dry_run: Some(dry_run) };
        if let Some(answer) = self.gateway.execute::<Undo>(&params, ACT_TIMEOUT) {
            return answer;
        }
        let run = run.map(str::parse).transpose()?;
        match self.local_changes()? {
            Some(changes) => Ok(changes.undo(key, run.as_ref(), dry_run)?),
            None => match run {
                Some(run) => Err(FileChangesError::UnknownRun { run }.into()),
                None => Ok(UndoReport { run_id: None, files: Vec::new() }),
            },
        }
    }

    fn local_changes(&mut self) -> Result<Option<FileChanges>, Problem> {
        let home = self.context.home.clone();
        let store = self.local_store()?.map(Arc::clone);
        Ok(store.map(|store| FileChanges::new(&home, store)))
    }

    /// The problem for an unknown session, with similar names.
    fn unknown_session(&mut self, key: &SessionKey, output: &mut Output) -> Problem {
        match self.list_for(None, SUGGESTION_POOL, output) {
            Ok(list) => report::unknown(key, &list.sessions),
            Err(problem) => problem,
        }
    }

    fn query<M: Method>(
        &mut self,
        params: &M::Params,
        output: &mut Output,
    ) -> Result<Option<M::Result>, Problem> {
        self.gateway.try_call::<M>(params, output).transpose()
    }

    fn local_store(&mut self) -> Result<Option<&Arc<Store>>, Problem> {
        if self.store.is_none() {
            let home = &self.context.home;
            let there = files::open(&home.store_path())?.is_some();
            self.store = Some(if there { Some(Arc::new(Store::open(home)?)) } else { None });
        }
        Ok(self.store.as_ref().and_then(Option::as_ref))
    }
}
