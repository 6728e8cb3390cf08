//! The eight files that shape an agent. No other name is read or written, and no link leads out of the workspace.

use std::path::{Path, PathBuf};

use tarsus_agent::prompt::files::WORKSPACE_FILES;
use tarsus_home::files::{self, Confined, Durability, Fingerprints, Lock};
use tarsus_protocol::rpc::agents::{
    AgentFile, AgentFileAnswer, AgentFileParams, AgentFileSetParams, AgentFileWritten, AgentFiles,
    AgentParams,
};
use tarsus_protocol::{ErrorCode, Problem, SourceLocation};

use super::agents::find;
use super::failure::{Failure, echoed};
use crate::gateway::Gateway;

/// Size limit of a file, in bytes.
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// An agent's workspace; the folder may be missing.
struct Workspace {
    agent: String,
    path: PathBuf,
}

impl Workspace {
    fn open(gateway: &Gateway, id: &str) -> Result<Self, Failure> {
        let config = gateway.config();
        let agent = find(&config, id)?;
        Ok(Self { agent: agent.id.to_string(), path: gateway.context.home.workspace(&config.agents, agent) })
    }

    /// The bytes of a file; `None` if it does not exist.
    fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>, Failure> {
        if !self.path.is_dir() {
            return Ok(None);
        }
        Ok(Confined::open(&self.path)?.read(Path::new(name), MAX_BYTES as u64)?)
    }

    fn to_agent_file(&self, name: &str, content: Option<Vec<u8>>) -> Result<AgentFile, Failure> {
        let size = content.as_ref().map(Vec::len);
        // A lossy text would corrupt the file once it is saved.
        let content = content.map(String::from_utf8).transpose().map_err(|error| {
            let message = format!("{name} is no UTF-8 text (byte {})", error.utf8_error().valid_up_to());
            Problem::new(ErrorCode::Malformed, message).at(SourceLocation::file(self.path.join(name)))
        })?;
        Ok(AgentFile { missing: content.is_none(), size, content, ..self.to_row(name) })
    }

    fn to_row(&self, name: &str) -> AgentFile {
        AgentFile {
            name: name.to_owned(),
            path: self.path.join(name).display().to_string(),
            missing: false,
            size: None,
            content: None,
            problem: None,
        }
    }

    /// A file without its content, with the error if it cannot be read.
    fn to_listed(&self, name: &str) -> AgentFile {
        match self.bytes(name).and_then(|content| self.to_agent_file(name, content)) {
            Ok(file) => AgentFile { content: None, ..file },
            Err(failure) => AgentFile { problem: Some(failure.shape().message.clone()), ..self.to_row(name) },
        }
    }

    fn answer(
        self,
        gateway: &Gateway,
        name: &str,
        content: Option<Vec<u8>>,
    ) -> Result<AgentFileAnswer, Failure> {
        let hash =
            Fingerprints::for_home(&gateway.context.home).hash(content.as_deref().unwrap_or_default())?;
        let file = self.to_agent_file(name, content)?;
        Ok(AgentFileAnswer { agent_id: self.agent, workspace: self.path.display().to_string(), hash, file })
    }
}

pub(super) fn list(gateway: &Gateway, params: AgentParams) -> Result<AgentFiles, Failure> {
    let workspace = Workspace::open(gateway, &params.agent_id)?;
    let files = WORKSPACE_FILES.iter().map(|name| workspace.to_listed(name)).collect();
    Ok(AgentFiles { agent_id: workspace.agent, workspace: workspace.path.display().to_string(), files })
}

pub(super) fn get(gateway: &Gateway, params: AgentFileParams) -> Result<AgentFileAnswer, Failure> {
    let name = known_name(&params.name)?;
    let workspace = Workspace::open(gateway, &params.agent_id)?;
    let content = workspace.bytes(name)?;
    workspace.answer(gateway, name, content)
}

pub(super) fn set(gateway: &Gateway, params: AgentFileSetParams) -> Result<AgentFileWritten, Failure> {
    let name = known_name(&params.name)?;
    if params.content.len() > MAX_BYTES {
        let message = format!("{name} has at most {MAX_BYTES} bytes");
        return Err(Problem::new(ErrorCode::TooLarge, message).into());
    }
    let workspace = Workspace::open(gateway, &params.agent_id)?;
    // Held from compare to write: of two clients with the same base, one writes.
    let _lock = Lock::take(&gateway.context.home.agent_files_lock_path())?;
    if let Some(base) = &params.base_hash {
        let now = workspace.bytes(name)?.unwrap_or_default();
        if !Fingerprints::for_home(&gateway.context.home).matches(base, &now)? {
            let message = format!("{name} changed since last load; re-run agents.files.get and retry");
            return Err(Problem::new(ErrorCode::Stale, message).into());
        }
    }
    files::make_private_dir(&workspace.path)?;
    let content = params.content.into_bytes();
    Confined::open(&workspace.path)?.write(Path::new(name), &content, Durability::PowerSafe)?;
    // The hash of what was written here, even if an editor changes it meanwhile: undo names this version.
    Ok(AgentFileWritten { ok: true, answer: workspace.answer(gateway, name, Some(content))? })
}

fn known_name(name: &str) -> Result<&'static str, Failure> {
    WORKSPACE_FILES.iter().copied().find(|known| *known == name).ok_or_else(|| {
        let name = echoed(name);
        Problem::new(ErrorCode::Usage, format!("unsupported file \"{name}\""))
            .hint(format!("one of {}", WORKSPACE_FILES.join(", ")))
            .into()
    })
}
