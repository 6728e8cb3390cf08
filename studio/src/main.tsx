// The entry point of the page.
import { effect } from "@preact/signals";
import { render } from "preact";
import { App } from "./app";
import { start } from "./gateway/link";
import { agentInView, agentName } from "./state/agents";
import { applyPreferences } from "./state/preferences";
import { followAddress, viewName } from "./state/route";
import { t } from "./words";
import "./styles/index.css";

applyPreferences(document.documentElement);
// First: the token leaves the address.
start();
followAddress();

effect(() => {
  const { agent } = agentInView.value;
  document.title = [t(`${viewName.value}.title`), agent && agentName(agent), "Tarsus Studio"].filter(Boolean).join(" · ");
});

const root = document.getElementById("studio");
if (root) render(<App />, root);
