//! The good case of every method that changes something, and what it says to a change of something else than was read:
//! for a gateway that may be changed. In the end it is as before, but for a backup, the folder of a deleted agent, and
//! decisions about one community skill, which are gone.

use serde_json::{Value, json};

use crate::client::{Client, Received};
use crate::device::{Device, command_line, page};
use crate::suite::{Row, connected, error, now_ms, own_origin};

const APP: &str = "Conformance case";
/// The way to install something that is tried; no other one is, because it would change the machine.
pub const INSTALLER: &str = "conformance-case";
/// The way that writes something and does not end by itself.
pub const WAITING_INSTALLER: &str = "conformance-wait";
const SESSION: &str = "agent:main:conformance";

/// Runs every case.
pub async fn run(url: &str, token: &str) -> Vec<Row> {
    let (client, other) = (owner(url, token).await, owner(url, token).await);
    let mut cases = Cases { client, other, rows: Vec::new() };
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
    /// Who waits for what the first one ends.
    other: Client,
    rows: Vec<Row>,
}

impl Cases {
    /// A request that has to be carried out, and what was answered.
    async fn good(&mut self, name: &str, params: Value) -> Value {
        let mut reply = self.client.ask(name, &params).await;
        self.row(format!("{name}: good"), "ok ", error(&reply));
        reply["payload"].take()
    }

    /// A request of somebody who has not seen what is there.
    async fn stale(&mut self, name: &str, mut params: Value) {
        params["baseHash"] = json!("stale");
        let reply = self.client.ask(name, &params).await;
        let heard = reply["error"]["details"]["code"].as_str().unwrap_or("ok").to_owned();
        self.row(format!("{name}: stale"), "stale", heard);
    }

    fn row(&mut self, case: String, expected: &str, heard: String) {
        self.rows.push(Row { case, expected: expected.to_owned(), heard });
    }

    async fn configuration(&mut self) {
        let config = self.good("config.get", json!({})).await;
        let raw = config["raw"].as_str().unwrap_or("{}").to_owned();
        self.good("config.set", json!({ "raw": raw, "baseHash": config["hash"] })).await;
        let config = self.good("config.get", json!({})).await;
        self.good("config.patch", json!({ "raw": "{}", "baseHash": config["hash"] })).await;
        let approvals = self.good("exec.approvals.get", json!({})).await;
        let same = json!({ "file": approvals["file"], "baseHash": approvals["hash"] });
        self.good("exec.approvals.set", same).await;
    }

    async fn agents(&mut self) {
        let would = self.good("agents.create", json!({ "name": "Conformance Case", "dryRun": true })).await;
        let created = self.good("agents.create", json!({ "name": "Conformance Case" })).await;
        self.row("agents.create: as was said".to_owned(), &would.to_string(), created.to_string());
        let id = created["agentId"].clone();
        self.good("agents.update", json!({ "agentId": id, "name": "Another Name" })).await;
        self.good("agents.files.list", json!({ "agentId": id })).await;
        let file = json!({ "agentId": id, "name": "SOUL.md", "content": "Patient.\n" });
        self.good("agents.files.set", file).await;
        let read = self.good("agents.files.get", json!({ "agentId": id, "name": "SOUL.md" })).await;
        let content = read["file"]["content"].as_str().unwrap_or_default().to_owned();
        self.row("agents.files.get: what was set".to_owned(), "Patient.\n", content);
        let seen =
            json!({ "agentId": id, "name": "SOUL.md", "content": "Kind.\n", "baseHash": read["hash"] });
        self.good("agents.files.set", seen.clone()).await;
        self.stale("agents.files.set", seen).await;
        self.good("agents.delete", json!({ "agentId": id })).await;
    }

    async fn skills(&mut self) {
        let status = self.good("skills.status", json!({})).await;
        let Some(skill) = status["skills"].get(0) else { return };
        let is_on = skill["disabled"] != true;
        self.good("skills.update", json!({ "skillKey": skill["skillKey"], "enabled": is_on })).await;
        self.good("skills.trash", json!({})).await;
        let has_way = |skill: &&Value| {
            skill["install"].as_array().is_some_and(|ways| ways.iter().any(|way| way["id"] == INSTALLER))
        };
        if let Some(skill) = status["skills"].as_array().and_then(|all| all.iter().find(has_way)) {
            self.good("skills.install", json!({ "name": skill["name"], "installId": INSTALLER })).await;
        }
        let waits = |skill: &&Value| {
            let ways = skill["install"].as_array();
            ways.is_some_and(|ways| ways.iter().any(|way| way["id"] == WAITING_INSTALLER))
        };
        if let Some(skill) = status["skills"].as_array().and_then(|all| all.iter().find(waits)) {
            self.stopped(json!({ "name": skill["name"], "installId": WAITING_INSTALLER })).await;
        }
        let removable =
            |skill: &&Value| skill["source"] == "openclaw-managed" && skill["trust"] == "community";
        let Some(skill) = status["skills"].as_array().and_then(|all| all.iter().find(removable)) else {
            return;
        };
        self.decisions(skill).await;
        let removed = self.good("skills.remove", json!({ "skillKey": skill["skillKey"] })).await;
        self.good("skills.restore", json!({ "id": removed["id"] })).await;
    }

    /// An installation that one client waits for and another one ends.
    async fn stopped(&mut self, params: Value) {
        let request = json!({ "type": "req", "id": "wait", "method": "skills.install", "params": params });
        self.other.send(&request).await;
        self.told("skills.install.output", &params).await;
        self.good("skills.install.stop", params.clone()).await;
        let ended = self.told("skills.install.ended", &params).await;
        let outcome = ended["outcome"].as_str().unwrap_or_default().to_owned();
        self.row("skills.install.stop: how it ended".to_owned(), "stopped", outcome);
    }

    /// What the other client is told next of an installation.
    async fn told(&mut self, event: &str, of: &Value) -> Value {
        loop {
            let payload = self.other.event(event).await["payload"].take();
            if payload["installId"] == of["installId"] {
                return payload;
            }
        }
    }

    /// What is decided about a skill that came from elsewhere, and taken back.
    async fn decisions(&mut self, skill: &Value) {
        let name = &skill["name"];
        self.good("skills.seen", json!({ "name": name, "hash": skill["scan"]["hash"] })).await;
        self.good("skills.grant", json!({ "name": name, "capabilities": ["browser"] })).await;
        self.good("skills.revoke", json!({ "name": name, "capabilities": ["browser"] })).await;
        self.good("skills.trust", json!({ "name": name, "tier": "local" })).await;
        self.good("skills.trust", json!({ "name": name, "tier": "community" })).await;
        if let Some(rule) = skill["scan"]["findings"].get(0).map(|finding| &finding["rule"]) {
            self.good("skills.accept", json!({ "name": name, "rule": rule, "reason": "a try" })).await;
            self.good("skills.accept", json!({ "name": name, "rule": rule })).await;
        }
    }

    async fn apps(&mut self) {
        if self.good("apps.list", json!({})).await["registry"]["exists"] == false {
            self.good("apps.create", json!({})).await;
        }
        self.good("apps.validate", json!({})).await;
        let entry = json!({ "launch_path": "/no/such/program", "mode": "full" });
        self.stale("apps.save", json!({ "name": APP, "entry": entry })).await;
        let hash = self.registry().await;
        self.good("apps.save", json!({ "name": APP, "entry": entry, "baseHash": hash })).await;
        self.good("apps.launch", json!({ "name": APP })).await;
        self.good("apps.stop", json!({ "name": APP })).await;
        let patch = json!({ "process_name": "no-such-process", "mode": "off" });
        self.stale("apps.patch", json!({ "name": APP, "patch": patch })).await;
        let hash = self.registry().await;
        let patched = self.good("apps.patch", json!({ "name": APP, "patch": patch, "baseHash": hash })).await;
        self.row("apps.patch: what stays".to_owned(), "/no/such/program", {
            patched["after"]["launch_path"].as_str().unwrap_or_default().to_owned()
        });
        let hash = self.registry().await;
        let emptied = json!({ "name": APP, "patch": { "process_name": null }, "baseHash": hash });
        let patched = self.good("apps.patch", emptied).await;
        let left = patched["after"].get("process_name").map_or("nothing".to_owned(), Value::to_string);
        self.row("apps.patch: what is null".to_owned(), "nothing", left);
        self.stale("apps.delete", json!({ "name": APP })).await;
        let hash = self.registry().await;
        let gone = json!({ "name": APP, "baseHash": hash });
        let removed = self.good("apps.delete", gone).await["removed"].take();
        let mut back = json!({ "name": APP, "written": removed["written"] });
        self.stale("apps.restore", back.clone()).await;
        back["baseHash"] = removed["hash"].clone();
        let restored = self.good("apps.restore", back).await;
        self.row("apps.restore: what was there".to_owned(), "off", {
            restored["after"]["mode"].as_str().unwrap_or_default().to_owned()
        });
        let hash = self.registry().await;
        self.good("apps.delete", json!({ "name": APP, "baseHash": hash })).await;
    }

    /// The hash of the registry as it is now.
    async fn registry(&mut self) -> Value {
        self.good("apps.list", json!({})).await["registry"]["hash"].take()
    }

    async fn sessions(&mut self) {
        self.good("sessions.patch", json!({ "key": SESSION, "label": "Conformance" })).await;
        let key = format!("conformance-{}", now_ms());
        let message = json!({ "sessionKey": SESSION, "message": "/help", "idempotencyKey": key });
        let run = self.good("chat.send", message).await["runId"].take();
        self.row(
            "chat.send: its key is the run".to_owned(),
            &key,
            run.as_str().unwrap_or_default().to_owned(),
        );
        let ended = self.good("agent.wait", json!({ "runId": run, "timeoutMs": 30_000 })).await;
        let status = ended["status"].as_str().unwrap_or_default().to_owned();
        self.row("agent.wait: how it ended".to_owned(), "ok", status);
        let message =
            json!({ "sessionKey": SESSION, "message": "/whoami", "idempotencyKey": format!("{key}-again") });
        let taken = self.good("agent", message).await;
        self.good("agent.wait", json!({ "runId": taken["runId"], "timeoutMs": 30_000 })).await;
        self.good("sessions.reset", json!({ "key": SESSION })).await;
        self.good("backup.make", json!({})).await;
        self.good("sessions.delete", json!({ "key": SESSION })).await;
    }

    async fn devices(&mut self, url: &str, token: &str) {
        let device = Device::numbered(3);
        let mut client = Client::expect(url, &[("origin", &own_origin(url))]).await;
        let nonce = client.challenge().await;
        client.connect(&device.signed(3, page(token), &nonce, now_ms())).await;
        self.good("device.token.revoke", json!({ "deviceId": device.id() })).await;
        let end = match client.receive_end().await {
            Received::Closed(code, _) => code.to_string(),
            other => format!("{other:?}"),
        };
        self.row("device.token.revoke: its socket".to_owned(), "1008", end);
    }
}
