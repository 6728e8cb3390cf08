//! The text that `up` prints when it is ready.

use std::time::Duration;

use serde::Serialize;
use tarsus_gateway::listen::LoopbackListener;
use tarsus_home::Home;
use tarsus_home::config::view::{Bind, Config};
use tarsus_home::credentials;
use tarsus_protocol::Problem;
use tarsus_protocol::report::SkillsStatus;

use super::Greeting;
use super::prepare::Created;
use crate::context::Context;
use crate::output::Output;
use crate::text::{columns, number};

/// The facts about a start, also printed as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Welcome {
    version: &'static str,
    pid: u32,
    pub port: u16,
    url: String,
    addresses: Vec<String>,
    created: Vec<Created>,
    notes: Vec<String>,
    agent: String,
    model: Option<String>,
    skills: Option<SkillsStatus>,
    ready_ms: u64,
    #[serde(skip)]
    rows: Vec<[String; 3]>,
}

impl Welcome {
    /// Collects the facts. The token is part of the link only once: if it was just created and standard output is a
    /// terminal.
    pub fn new(
        context: &Context,
        config: &Config,
        listening: &LoopbackListener,
        created: Vec<Created>,
        config_note: Option<String>,
        skills: Option<SkillsStatus>,
    ) -> Result<Self, Problem> {
        let home = &context.home;
        let url = format!("http://127.0.0.1:{}/", listening.port);
        let new_token = created.iter().any(|thing| thing.path == home.token_path());
        let link = match credentials::stored_token(home)? {
            _ if !credentials::uses_token_file(&config.gateway) => {
                ["Studio".to_owned(), url.clone(), String::new()]
            }
            Some(token) if new_token && context.environment.stdout_is_terminal => [
                "Studio".to_owned(),
                format!("{url}#token={}", token.expose()),
                "open this once; it is not shown again".to_owned(),
            ],
            Some(_) => {
                ["Studio".to_owned(), url.clone(), format!("token in {}", home.display(&home.token_path()))]
            }
            None => ["Studio".to_owned(), url.clone(), String::new()],
        };
        let agent = context.agent(config)?;
        let model = config.agents.model_of(agent).map(str::to_owned);
        let agent = agent.id.to_string();
        let about_model = model.clone().unwrap_or_else(|| {
            "no model yet: apps and commands work; `tarsus models set` selects one".to_owned()
        });
        let mut rows = vec![
            link,
            [
                "Gateway".to_owned(),
                format!("http://127.0.0.1:{}", listening.port),
                "loopback only".to_owned(),
            ],
            ["Agent".to_owned(), agent.clone(), about_model],
        ];
        rows.extend(skills.as_ref().map(skills_row));
        Ok(Self {
            version: env!("CARGO_PKG_VERSION"),
            pid: std::process::id(),
            port: listening.port,
            url,
            addresses: listening.addresses().iter().map(ToString::to_string).collect(),
            notes: config_note.into_iter().chain(notes(config, listening)).collect(),
            rows: created_rows(&created, home).into_iter().chain(rows).collect(),
            created,
            agent,
            model,
            skills,
            ready_ms: 0,
        })
    }

    pub fn show(mut self, greeting: Greeting, output: &mut Output, took: Duration) -> Result<(), Problem> {
        self.ready_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        output.show(&self, |welcome| match greeting {
            Greeting::Welcome => welcome.text(),
            Greeting::Line => welcome.line(),
        })
    }

    fn line(&self) -> String {
        let notes: String = self.notes.iter().map(|note| format!("note: {note}\n")).collect();
        format!("{notes}ready on {}, pid {}\n", self.addresses.join(" and "), self.pid)
    }

    fn text(&self) -> String {
        let indented: String = columns(&self.rows).lines().map(|line| format!("  {line}\n")).collect();
        let notes: String = self.notes.iter().map(|note| format!("  note: {note}\n")).collect();
        format!(
            "Tarsus {}\n\n{indented}{notes}\nready in {} ms. Ctrl-C stops it; `tarsus gateway start` runs it in the background.\n",
            self.version, self.ready_ms
        )
    }
}

fn skills_row(skills: &SkillsStatus) -> [String; 3] {
    let verb = if skills.need_setup == 1 { "needs" } else { "need" };
    let mut value = format!(
        "{} ready, {} {verb} setup, {} unavailable, {} blocked",
        number(skills.ready),
        number(skills.need_setup),
        number(skills.unavailable),
        number(skills.blocked)
    );
    if skills.accepted > 0 {
        value.push_str(&format!(", {} with critical findings accepted by you", number(skills.accepted)));
    }
    ["Skills".to_owned(), value, String::new()]
}

fn created_rows(created: &[Created], home: &Home) -> Vec<[String; 3]> {
    created
        .iter()
        .map(|thing| ["created".to_owned(), home.display(&thing.path), thing.purpose.to_owned()])
        .collect()
}

fn notes(config: &Config, listening: &LoopbackListener) -> impl Iterator<Item = String> {
    let ipv6 = listening.without_ipv6.as_ref().map(|why| format!("[::1] is not served: {why}"));
    let bind = (!matches!(config.gateway.bind, Bind::Loopback | Bind::Auto))
        .then(|| "gateway.bind is not loopback; this version listens on loopback only".to_owned());
    let access = credentials::auth_warning(&config.gateway).map(str::to_owned);
    let remote = credentials::unused_remote_setting(&config.gateway).map(|(key, why)| format!("{key} {why}"));
    ipv6.into_iter().chain(bind).chain(access).chain(remote)
}
