// What saving an entry would do, in plain sentences.
import { listed, t } from "../../words";
import { type Current, type FieldName, type Fields, changes } from "./proposal";

/** `name`: what the app is called; `current`: undefined when it is new. */
export function effectOf(name: string, current: Current | undefined, proposed: Fields): string {
  const differs = changes(current, proposed);
  if (differs.size === 0) return t("apps.effectNone");
  const sentences = [...policy(name, current, proposed, differs), ...launching(current, proposed, differs)];
  if (canStop(proposed)) return sentences.join(" ");
  // Said of a new entry, and when the last way to recognise it goes.
  if (!current || canStop(current)) sentences.push(t("apps.effectNoStop"));
  return sentences.join(" ");
}

const canStop = (fields: Current): boolean => Boolean(fields.runtime_exe || fields.process_name);

function policy(name: string, current: Current | undefined, proposed: Fields, differs: ReadonlySet<FieldName>): string[] {
  if (!differs.has("mode") && !differs.has("allowed_agents")) return [];
  const agents = listed(proposed.allowed_agents);
  const now =
    proposed.mode === "full"
      ? t("apps.effectFull", { name })
      : proposed.mode === "off"
        ? t("apps.effectOff", { name })
        : t("apps.effectAllowlist", { name, agents });
  if (!current) return [now];
  const cleared = proposed.mode !== "allowlist" && current.allowed_agents.length > 0;
  return [now, before(current), ...(cleared ? [t("apps.effectCleared")] : [])];
}

function before({ mode, allowed_agents }: Current): string {
  if (mode === "full") return t("apps.effectWasFull");
  if (mode === "allowlist" && allowed_agents.length > 0) return t("apps.effectWasAllowlist", { agents: listed(allowed_agents) });
  return t("apps.effectWasOff");
}

function launching(current: Current | undefined, proposed: Fields, differs: ReadonlySet<FieldName>): string[] {
  const sentences: string[] = [];
  if (current && differs.has("launch_path")) sentences.push(t("apps.effectPath", { path: proposed.launch_path }));
  if ((differs.has("process_name") || differs.has("runtime_exe")) && canStop(proposed)) {
    sentences.push(t("apps.effectSeenBy", { by: listed([proposed.process_name, proposed.runtime_exe].filter(Boolean)) }));
  }
  return sentences;
}
