// Asks the gateway what is there and shows it. The token comes once, in the address's fragment (which a browser
// never sends), and then lives in this tab only.
"use strict";

const KEY = "tarsus.token";
const element = (id) => document.getElementById(id);

function takeToken() {
  const match = /^#token=(.+)$/.exec(location.hash);
  if (match) {
    sessionStorage.setItem(KEY, decodeURIComponent(match[1]));
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(KEY);
}

function showFacts(facts) {
  element("facts").replaceChildren(
    ...facts.flatMap(([name, value]) => {
      const term = document.createElement("dt");
      const detail = document.createElement("dd");
      term.textContent = name;
      detail.textContent = value;
      return [term, detail];
    }),
  );
}

function describe(text, bad = false) {
  element("state").textContent = text;
  element("state").classList.toggle("bad", bad);
}

function factsOf(status) {
  const config = status.config;
  const configState = !config.exists ? "none yet, defaults in force"
    : config.valid ? "ok" : `${config.issues.length} to fix: tarsus config validate`;
  const apps = status.apps;
  const appsState = apps.problem ? `${apps.problem}: tarsus apps validate`
    : apps.exists ? `${apps.registered} registered, ${apps.running} running, ${apps.off} off` : "no registry yet: tarsus apps create";
  return [
    ["Gateway", status.gateway.addresses.join(", ")],
    ["State folder", status.home.stateDir],
    ["Workspace", status.home.workspace],
    ["Configuration", `${config.path} (${configState})`],
    ["Apps", appsState],
    ["Audit", status.audit.verified ? `chain intact, records: ${status.audit.records}` : "does not verify: tarsus audit verify"],
  ];
}

async function refresh() {
  const token = takeToken();
  const answer = await fetch("/api/status", token ? { headers: { Authorization: `Bearer ${token}` } } : {});
  element("locked").hidden = answer.status !== 401;
  if (answer.status === 401) {
    showFacts([]);
    describe(token ? "That token is not the one." : "The gateway is running.", Boolean(token));
    return;
  }
  if (!answer.ok) throw new Error(`the gateway answered ${answer.status}`);
  const status = await answer.json();
  element("version").textContent = status.version;
  describe("Running, on this machine only. In a terminal, tarsus help lists what it can do.");
  showFacts(factsOf(status));
}

const start = () => refresh().catch((error) => describe(`No answer: ${error.message}. Is tarsus up still running?`, true));

element("unlock").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEY, element("token").value.trim());
  start();
});
window.addEventListener("hashchange", start);
start();
