//! Shared by the tests of eligibility and reports: skills, a machine and a configuration.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::sync::{Arc, Mutex};

use tarsus_guard::{ToolId, ToolPolicy};
use tarsus_home::Secret;
use tarsus_home::config::check;
use tarsus_home::config::json5::{Document, JsonDialect};
use tarsus_home::config::view::{Config, SecretInput};
use tarsus_home::settings::SkillRecords;
use tarsus_host::path::SearchPath;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_skills::eligibility::{AgentTools, EligibilityRules, MachineState};
use tarsus_skills::filter::AgentFilter;
use tarsus_skills::{Frontmatter, Invocation, Metadata, Requires, Skill};

/// A skill without requirements.
pub fn skill(name: &str) -> Skill {
    Skill {
        name: name.to_owned(),
        name_from_dir: false,
        description: format!("What {name} is for"),
        display_name: name.to_owned(),
        slash_base: name.to_owned(),
        frontmatter: Frontmatter::default(),
        metadata: None,
        vendor_metadata: None,
        invocation: Invocation { user_invocable: true, disable_model_invocation: false, dispatch: None },
        content_hash: [7; 32],
        diagnostics: Vec::new(),
    }
}

/// A skill with this metadata.
pub fn declaring(name: &str, metadata: Metadata) -> Skill {
    Skill { metadata: Some(Box::new(metadata)), ..skill(name) }
}

/// Metadata with these requirements.
pub fn needing(requires: Requires) -> Metadata {
    Metadata { requires: Some(requires), ..Metadata::default() }
}

pub fn list(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// A machine and a configuration.
pub struct Scene {
    pub machine: MachineState,
    variables: Arc<Mutex<BTreeMap<&'static str, &'static str>>>,
    pub document: Document,
    pub view: Config,
    pub filter: AgentFilter,
    pub built_tools: BTreeSet<ToolId>,
    pub lenient: bool,
    pub records: SkillRecords,
}

impl Scene {
    /// Creates a machine without programs and variables, and parses the configuration.
    pub fn new(config: &str) -> Self {
        let document = Document::parse_object(config.as_bytes(), JsonDialect::Json5).unwrap();
        let view = check(&document, Some(&|_| None)).view;
        let filter = AgentFilter::for_agent(&view.agents, &view.agents.list[0]);
        let variables: Arc<Mutex<BTreeMap<&str, &str>>> = Arc::default();
        let known = Arc::clone(&variables);
        let machine = MachineState {
            platform: "linux",
            programs: SearchPath::new(OsStr::new(""), None),
            variables: Box::new(move |name| known.lock().unwrap().get(name).map(|&value| value.to_owned())),
        };
        Self {
            machine,
            variables,
            document,
            view,
            filter,
            built_tools: ToolId::ALL.iter().copied().collect(),
            lenient: false,
            records: SkillRecords::default(),
        }
    }

    pub fn set_variable(&self, name: &'static str, value: &'static str) {
        self.variables.lock().unwrap().insert(name, value);
    }

    pub fn rules(&self) -> EligibilityRules<'_> {
        EligibilityRules {
            records: &self.records,
            machine: &self.machine,
            skills: &self.view.skills,
            config: self.document.root(),
            filter: self.filter.clone(),
            tools: AgentTools {
                built: &self.built_tools,
                policy: ToolPolicy::from_config(&self.view, &self.view.agents.list[0]),
            },
            lenient: self.lenient,
            secrets: Box::new(secret),
        }
    }
}

/// Resolves secrets in the configuration itself, but no references.
pub fn secret(input: &SecretInput) -> Result<Secret, Problem> {
    match input {
        SecretInput::Plain(secret) => Ok(secret.clone()),
        SecretInput::Reference(reference) => {
            Err(Problem::new(ErrorCode::NotFound, format!("the secret {:?} is not there", reference.id)))
        }
    }
}
