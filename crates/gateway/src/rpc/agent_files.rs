//! The eight files that shape an agent. No other name is read or written, and no link leads out of the workspace.

use std::path::{Path, PathBuf};

use tarsus_agent::prompt::files::NAMES;
use tarsus_home::files::{self, Confined, Durability, Fingerprints, Lock};
use tarsus_protocol::rpc::agents::{
    AgentFile, AgentFileAnswer, AgentFileParams, AgentFileSetParams, AgentFileWritten, AgentFiles,
    AgentParams,
};
use tarsus_protocol::{ErrorCode, Place, Problem};

use super::agents::find;
use super::failure::{Failure, echoed};
use crate::gateway::Gateway;

/// At most so many bytes a file.
const MOST_BYTES: usize = 2 * 1024 * 1024;

/// An agent's workspace. The folder need not be there to be looked at.
struct Workspace {
    agent: String,
    path: PathBuf,
}

impl Workspace {
    fn of(gateway: &Gateway, id: &str) -> Result<Self, Failure> {
        let config = gateway.config();
        let agent = find(&config, id)?;
        Ok(Self { agent: agent.id.to_string(), path: gateway.given.home.workspace(&config.agents, agent) })
    }

    /// The bytes of a file; none when it is not there.
    fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>, Failure> {
        if !self.path.is_dir() {
            return Ok(None);
        }
        Ok(Confined::open(&self.path)?.read(Path::new(name), MOST_BYTES as u64)?)
    }

    fn shown(&self, name: &str, content: Option<Vec<u8>>) -> Result<AgentFile, Failure> {
        let size = content.as_ref().map(Vec::len);
        // Whoever is shown something else and saves it would change the file for good.
        let content = content.map(String::from_utf8).transpose().map_err(|error| {
            let message = format!("{name} is no UTF-8 text (byte {})", error.utf8_error().valid_up_to());
            Problem::new(ErrorCode::Malformed, message).at(Place::file(self.path.join(name)))
        })?;
        Ok(AgentFile { missing: content.is_none(), size, content, ..self.row(name) })
    }

    fn row(&self, name: &str) -> AgentFile {
        AgentFile {
            name: name.to_owned(),
            path: self.path.join(name).display().to_string(),
            missing: false,
            size: None,
            content: None,
            problem: None,
        }
    }

    /// A file without its content; why it cannot be read, where that is so.
    fn listed(&self, name: &str) -> AgentFile {
        match self.bytes(name).and_then(|content| self.shown(name, content)) {
            Ok(file) => AgentFile { content: None, ..file },
            Err(failure) => AgentFile { problem: Some(failure.shape().message.clone()), ..self.row(name) },
        }
    }

    fn answer(
        self,
        gateway: &Gateway,
        name: &str,
        content: Option<Vec<u8>>,
    ) -> Result<AgentFileAnswer, Failure> {
        let hash = Fingerprints::of(&gateway.given.home).hash(content.as_deref().unwrap_or_default())?;
        let file = self.shown(name, content)?;
        Ok(AgentFileAnswer { agent_id: self.agent, workspace: self.path.display().to_string(), hash, file })
    }
}

pub(super) fn list(gateway: &Gateway, params: AgentParams) -> Result<AgentFiles, Failure> {
    let workspace = Workspace::of(gateway, &params.agent_id)?;
    let files = NAMES.iter().map(|name| workspace.listed(name)).collect();
    Ok(AgentFiles { agent_id: workspace.agent, workspace: workspace.path.display().to_string(), files })
}

pub(super) fn get(gateway: &Gateway, params: AgentFileParams) -> Result<AgentFileAnswer, Failure> {
    let name = known(&params.name)?;
    let workspace = Workspace::of(gateway, &params.agent_id)?;
    let content = workspace.bytes(name)?;
    workspace.answer(gateway, name, content)
}

pub(super) fn set(gateway: &Gateway, params: AgentFileSetParams) -> Result<AgentFileWritten, Failure> {
    let name = known(&params.name)?;
    if params.content.len() > MOST_BYTES {
        let message = format!("{name} has at most {MOST_BYTES} bytes");
        return Err(Problem::new(ErrorCode::TooLarge, message).into());
    }
    let workspace = Workspace::of(gateway, &params.agent_id)?;
    // Held from the look to the writing: of two who have seen the same, one writes.
    let _lock = Lock::take(&gateway.given.home.agent_files_lock_path())?;
    if let Some(base) = &params.base_hash {
        let now = workspace.bytes(name)?.unwrap_or_default();
        if !Fingerprints::of(&gateway.given.home).matches(base, &now)? {
            let message = format!("{name} changed since last load; re-run agents.files.get and retry");
            return Err(Problem::new(ErrorCode::Stale, message).into());
        }
    }
    files::make_private_dir(&workspace.path)?;
    let content = params.content.into_bytes();
    Confined::open(&workspace.path)?.write(Path::new(name), &content, Durability::PowerSafe)?;
    // Of what was written here, whatever an editor makes of it meanwhile: a way back names this version.
    Ok(AgentFileWritten { ok: true, answer: workspace.answer(gateway, name, Some(content))? })
}

fn known(name: &str) -> Result<&'static str, Failure> {
    NAMES.iter().copied().find(|known| *known == name).ok_or_else(|| {
        let name = echoed(name);
        Problem::new(ErrorCode::Usage, format!("unsupported file \"{name}\""))
            .hint(format!("one of {}", NAMES.join(", ")))
            .into()
    })
}
