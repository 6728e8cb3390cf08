//! The good case of every method that changes something, and its reply to a change of an outdated version, for a gateway
//! that may be changed.
//!
//! In the end the gateway is as before, except for a backup, the folder of a deleted agent, and decisions about one
//! community skill, which are gone.

use serde_json::{Value, json};
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::rpc::{
    CallError, FieldChange, Method, NoParams, agents, apps, backup, chat, config, devices, sessions, skills,
    tools,
};
use tarsus_protocol::{apps as registry, skills as report};

use crate::client::{Client, Received};
use crate::device::{Device, command_line, page};
use crate::suite::{Row, connected, now_ms, outcome, own_origin};

const APP: &str = "Conformance case";
/// Id of the installer that is tried; no other one is, because it would change the machine.
pub const INSTALLER: &str = "conformance-case";
/// Id of an installer that writes something and does not end by itself.
pub const WAITING_INSTALLER: &str = "conformance-wait";
const SESSION: &str = "agent:main:conformance";

/// Runs every case.
pub async fn run(url: &str, token: &str) -> Vec<Row> {
    let (client, other) = (owner(url, token).await, owner(url, token).await);
    let mut cases = Cases { client, other, rows: Vec::new() };
    // A family ends at its first refused request, which is in the table.
    cases.configuration().await;
    cases.agents().await;
    cases.skills().await;
    cases.apps().await;
    cases.sessions().await;
    cases.devices(url, token).await;
    cases.rows
}

async fn owner(url: &str, token: &str) -> Client {
    let all = ["operator.read", "operator.write", "operator.admin"];
    connected(url, &command_line(token, 4, &all)).await.0
}

struct Cases {
    client: Client,
    /// Waits for the installation that the first client stops.
    other: Client,
    rows: Vec<Row>,
}

impl Cases {
    /// A request that has to succeed, and its result.
    async fn good<M: Method>(&mut self, params: M::Params) -> Option<M::Result> {
        let called = self.client.call::<M>(&params).await;
        self.row(format!("{}: good", M::NAME), "ok ", outcome(&called));
        called.ok()
    }

    /// A request with the hash of another version.
    async fn stale<M: Method>(&mut self, params: M::Params) {
        let actual = match self.client.call::<M>(&params).await {
            Err(CallError::Refused(error)) if error.details.is_some() => {
                error.details.unwrap_or_default()["code"].as_str().unwrap_or_default().to_owned()
            }
            other => outcome(&other),
        };
        self.row(format!("{}: stale", M::NAME), "stale", actual);
    }

    fn row(&mut self, case: String, expected: &str, actual: impl Into<String>) {
        self.rows.push(Row { case, expected: expected.to_owned(), actual: actual.into() });
    }

    async fn configuration(&mut self) -> Option<()> {
        let read = self.good::<config::Get>(NoParams {}).await?;
        let raw = read.raw.unwrap_or_else(|| "{}".to_owned());
        self.good::<config::Set>(config::ConfigWriteParams { raw, base_hash: Some(read.hash) }).await?;
        let read = self.good::<config::Get>(NoParams {}).await?;
        let empty_patch = config::ConfigWriteParams { raw: "{}".to_owned(), base_hash: Some(read.hash) };
        self.good::<config::Patch>(empty_patch).await?;
        let approvals = self.good::<tools::ApprovalsGet>(NoParams {}).await?;
        let same = tools::ApprovalsParams { file: approvals.file, base_hash: Some(approvals.hash) };
        self.good::<tools::ApprovalsSet>(same).await?;
        Some(())
    }

    async fn agents(&mut self) -> Option<()> {
        let create = |dry_run| agents::AgentCreateParams {
            name: "Conformance Case".to_owned(),
            workspace: None,
            model: None,
            dry_run,
        };
        let would = self.good::<agents::Create>(create(Some(true))).await?;
        let created = self.good::<agents::Create>(create(None)).await?;
        self.row(
            "agents.create: as announced".to_owned(),
            &json!(would).to_string(),
            json!(created).to_string(),
        );
        let agent_id = created.agent_id;
        let agent = || agents::AgentParams { agent_id: agent_id.clone() };
        let name = Some("Another Name".to_owned());
        let update =
            agents::AgentUpdateParams { agent_id: agent_id.clone(), name, workspace: None, model: None };
        self.good::<agents::Update>(update).await?;
        self.good::<agents::FilesList>(agent()).await?;
        let soul = |content: &str, base_hash| agents::AgentFileSetParams {
            agent_id: agent_id.clone(),
            name: "SOUL.md".to_owned(),
            content: content.to_owned(),
            base_hash,
        };
        self.good::<agents::FilesSet>(soul("Patient.\n", None)).await?;
        let file = agents::AgentFileParams { agent_id: agent_id.clone(), name: "SOUL.md".to_owned() };
        let read = self.good::<agents::FilesGet>(file).await?;
        let content = read.file.content.unwrap_or_default();
        self.row("agents.files.get: the content that was set".to_owned(), "Patient.\n", content);
        self.good::<agents::FilesSet>(soul("Kind.\n", Some(read.hash))).await?;
        self.stale::<agents::FilesSet>(soul("Kind.\n", Some("stale".to_owned()))).await;
        self.good::<agents::Delete>(agent()).await?;
        Some(())
    }

    async fn skills(&mut self) -> Option<()> {
        let status = self.good::<skills::Status>(skills::SkillsParams { agent_id: None }).await?;
        let skill = status.skills.first()?;
        self.good::<skills::Update>(skills::SkillUpdateParams {
            skill_key: skill.skill_key.clone(),
            enabled: Some(!skill.disabled),
            api_key: None,
            env: None,
        })
        .await?;
        self.good::<skills::Trash>(NoParams {}).await?;
        let with_installer = |id: &str| {
            let skill =
                status.skills.iter().find(|skill| skill.install.iter().any(|installer| installer.id == id));
            skill.map(|skill| skill.name.clone())
        };
        if let Some(name) = with_installer(INSTALLER) {
            let install_id = INSTALLER.to_owned();
            self.good::<skills::Install>(skills::SkillInstallParams { name, install_id, timeout_ms: None })
                .await?;
        }
        if let Some(name) = with_installer(WAITING_INSTALLER) {
            self.stop_installation(name).await?;
        }
        let is_removable = |skill: &&report::SkillStatus| {
            skill.source == "openclaw-managed" && skill.trust == TrustTier::Community
        };
        let skill = status.skills.iter().find(is_removable)?;
        self.decisions(skill).await?;
        let skill_key = skill.skill_key.clone();
        let removed =
            self.good::<skills::Remove>(skills::SkillRemoveParams { agent_id: None, skill_key }).await?;
        self.good::<skills::Restore>(skills::SkillRestoreParams { id: removed.id }).await?;
        Some(())
    }

    /// Stops an installation that another client waits for.
    async fn stop_installation(&mut self, name: String) -> Option<()> {
        let params = skills::SkillInstallStopParams { name, install_id: WAITING_INSTALLER.to_owned() };
        let install = skills::SkillInstallParams {
            name: params.name.clone(),
            install_id: params.install_id.clone(),
            timeout_ms: None,
        };
        self.other.send_request::<skills::Install>("wait", &install).await;
        self.installation_event("skills.install.output").await;
        self.good::<skills::InstallStop>(params).await?;
        let ended = self.installation_event("skills.install.ended").await;
        let outcome = ended["outcome"].as_str().unwrap_or_default().to_owned();
        self.row("skills.install.stop: how it ended".to_owned(), "stopped", outcome);
        Some(())
    }

    /// The next event about the waiting installation that the other client receives.
    async fn installation_event(&mut self, event: &str) -> Value {
        loop {
            let payload = self.other.event(event).await["payload"].take();
            if payload["installId"] == WAITING_INSTALLER {
                return payload;
            }
        }
    }

    /// Decisions about a community skill, and their withdrawal.
    async fn decisions(&mut self, skill: &report::SkillStatus) -> Option<()> {
        let name = || skill.name.clone();
        let hash = skill.scan.hash.as_ref()?.parse().ok()?;
        self.good::<skills::Approve>(skills::SkillApproveParams { agent_id: None, name: name(), hash })
            .await?;
        let capabilities = vec![Capability::Browser];
        let grant =
            skills::SkillGrantParams { agent_id: None, name: name(), capabilities: capabilities.clone() };
        self.good::<skills::Grant>(grant).await?;
        self.good::<skills::Revoke>(skills::SkillRevokeParams { agent_id: None, name: name(), capabilities })
            .await?;
        for tier in [TrustTier::Local, TrustTier::Community] {
            let trust = skills::SkillTrustParams { agent_id: None, name: name(), tier, confirm: None };
            self.good::<skills::Trust>(trust).await?;
        }
        if let Some(finding) = skill.scan.findings.first() {
            for reason in [Some("a try".to_owned()), None] {
                let rule = finding.rule.clone();
                self.good::<skills::Accept>(skills::SkillAcceptParams {
                    agent_id: None,
                    name: name(),
                    rule,
                    reason,
                })
                .await?;
            }
        }
        Some(())
    }

    async fn apps(&mut self) -> Option<()> {
        if !self.good::<apps::List>(NoParams {}).await?.registry.exists {
            self.good::<apps::Create>(NoParams {}).await?;
        }
        self.good::<apps::Validate>(NoParams {}).await?;
        let stale = || Some("stale".to_owned());
        let save = |base_hash| apps::AppSaveParams {
            name: APP.to_owned(),
            entry: registry::AppEntry {
                launch_path: "/no/such/program".to_owned(),
                runtime_exe: None,
                process_name: None,
                mode: registry::AppMode::Full,
                allowed_agents: None,
            },
            base_hash,
        };
        self.stale::<apps::Save>(save(stale())).await;
        let hash = self.registry_hash().await?;
        self.good::<apps::Save>(save(hash)).await?;
        let launch = apps::AppRunParams { name: APP.to_owned(), agent_id: None, session: None };
        self.good::<apps::Launch>(launch).await?;
        let stop = apps::AppStopParams { name: APP.to_owned(), agent_id: None, confirmed: None };
        self.good::<apps::Stop>(stop).await?;
        let patch = |patch: registry::AppPatch, base_hash| apps::AppPatchParams {
            name: APP.to_owned(),
            patch,
            base_hash,
        };
        let off = registry::AppPatch {
            process_name: Some(FieldChange::Set("no-such-process".to_owned())),
            mode: Some(registry::AppMode::Off),
            ..registry::AppPatch::default()
        };
        self.stale::<apps::Patch>(patch(off.clone(), stale())).await;
        let hash = self.registry_hash().await?;
        let patched = self.good::<apps::Patch>(patch(off, hash)).await?.after.unwrap_or_default();
        let launch_path = patched["launch_path"].as_str().unwrap_or_default();
        self.row("apps.patch: an absent field stays".to_owned(), "/no/such/program", launch_path);
        let hash = self.registry_hash().await?;
        let cleared =
            registry::AppPatch { process_name: Some(FieldChange::Clear), ..registry::AppPatch::default() };
        let patched = self.good::<apps::Patch>(patch(cleared, hash)).await?.after.unwrap_or_default();
        let left = patched.get("process_name").map_or("nothing".to_owned(), Value::to_string);
        self.row("apps.patch: null clears a field".to_owned(), "nothing", left);
        let delete = |base_hash| apps::AppDeleteParams { name: APP.to_owned(), base_hash };
        self.stale::<apps::Delete>(delete(stale())).await;
        let hash = self.registry_hash().await?;
        let removed = self.good::<apps::Delete>(delete(hash)).await?.removed;
        let restore = |base_hash| apps::AppRestoreParams {
            name: APP.to_owned(),
            written: removed.written.clone(),
            before: None,
            base_hash,
        };
        self.stale::<apps::Restore>(restore(stale())).await;
        let restored = self.good::<apps::Restore>(restore(Some(removed.hash.clone()))).await?.after;
        let restored = restored.unwrap_or_default();
        let mode = restored["mode"].as_str().unwrap_or_default();
        self.row("apps.restore: the entry that was deleted".to_owned(), "off", mode);
        let hash = self.registry_hash().await?;
        self.good::<apps::Delete>(delete(hash)).await?;
        Some(())
    }

    /// The hash of the registry as it is now.
    async fn registry_hash(&mut self) -> Option<Option<String>> {
        Some(self.good::<apps::List>(NoParams {}).await?.registry.hash)
    }

    async fn sessions(&mut self) -> Option<()> {
        let session = || sessions::SessionParams { key: SESSION.to_owned() };
        self.good::<sessions::Patch>(sessions::SessionPatchParams {
            key: SESSION.to_owned(),
            label: Some(FieldChange::Set("Conformance".to_owned())),
            model: None,
            thinking_level: None,
            reasoning_level: None,
            verbose_level: None,
            exec_host: None,
            exec_security: None,
            exec_ask: None,
        })
        .await?;
        let key = format!("conformance-{}", now_ms());
        let message = chat::ChatSendParams {
            session_key: SESSION.to_owned(),
            message: "/help".to_owned(),
            idempotency_key: key.clone(),
            attachments: None,
            deliver: None,
        };
        let run_id = self.good::<chat::Send>(message).await?.run_id;
        self.row("chat.send: its key is the run".to_owned(), &key, run_id.as_str());
        let wait = |run_id| chat::AgentWaitParams { run_id, timeout_ms: Some(30_000) };
        let ended = self.good::<chat::Wait>(wait(run_id)).await?;
        let status = json!(ended.status).as_str().unwrap_or_default().to_owned();
        self.row("agent.wait: how it ended".to_owned(), "ok", status);
        let message = chat::AgentRunParams {
            message: "/whoami".to_owned(),
            idempotency_key: format!("{key}-again"),
            agent_id: None,
            session_key: Some(SESSION.to_owned()),
            model: None,
            attachments: None,
            deliver: None,
        };
        let accepted = self.good::<chat::Agent>(message).await?;
        self.good::<chat::Wait>(wait(accepted.run_id)).await?;
        self.good::<sessions::Reset>(session()).await?;
        self.good::<backup::Make>(backup::BackupParams { to: None }).await?;
        self.good::<sessions::Delete>(session()).await?;
        Some(())
    }

    async fn devices(&mut self, url: &str, token: &str) -> Option<()> {
        let device = Device::numbered(3);
        let mut client = Client::expect(url, &[("origin", &own_origin(url))]).await;
        let nonce = client.challenge().await;
        client.connect(&device.signed(3, page(token), &nonce, now_ms())).await;
        let params = devices::DeviceTokenParams { device_id: Some(device.id()), role: None };
        self.good::<devices::TokenRevoke>(params).await?;
        let end = match client.receive_end().await {
            Received::Closed(code, _) => code.to_string(),
            other => format!("{other:?}"),
        };
        self.row("device.token.revoke: its socket".to_owned(), "1008", end);
        Some(())
    }
}
