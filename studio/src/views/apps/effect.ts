// The effect of saving an entry, in plain sentences.
import { listed, t } from "../../words";
import { type CurrentFields, type FieldName, type EntryFieldValues, changes } from "./proposal";

/** `current` is undefined for a new app. */
export function effectOf(name: string, current: CurrentFields | undefined, proposed: EntryFieldValues): string {
  const differs = changes(current, proposed);
  if (differs.size === 0) return t("apps.effectNone");
  const sentences = [...policySentences(name, current, proposed, differs), ...launchSentences(current, proposed, differs)];
  if (canStop(proposed)) return sentences.join(" ");
  // Shown for a new entry, and when the last way to recognise the process is removed.
  if (!current || canStop(current)) sentences.push(t("apps.effectNoStop"));
  return sentences.join(" ");
}

const canStop = (fields: CurrentFields): boolean => Boolean(fields.runtime_exe || fields.process_name);

function policySentences(name: string, current: CurrentFields | undefined, proposed: EntryFieldValues, differs: ReadonlySet<FieldName>): string[] {
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
  return [now, previousPolicyText(current), ...(cleared ? [t("apps.effectCleared")] : [])];
}

function previousPolicyText({ mode, allowed_agents }: CurrentFields): string {
  if (mode === "full") return t("apps.effectWasFull");
  if (mode === "allowlist" && allowed_agents.length > 0) return t("apps.effectWasAllowlist", { agents: listed(allowed_agents) });
  return t("apps.effectWasOff");
}

function launchSentences(current: CurrentFields | undefined, proposed: EntryFieldValues, differs: ReadonlySet<FieldName>): string[] {
  const sentences: string[] = [];
  if (current && differs.has("launch_path")) sentences.push(t("apps.effectPath", { path: proposed.launch_path }));
  if ((differs.has("process_name") || differs.has("runtime_exe")) && canStop(proposed)) {
    sentences.push(t("apps.effectSeenBy", { by: listed([proposed.process_name, proposed.runtime_exe].filter(Boolean)) }));
  }
  return sentences;
}
