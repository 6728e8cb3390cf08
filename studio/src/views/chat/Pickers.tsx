// The session's model and thinking level. The gateway decides; its values are shown.
import { useSignal } from "@preact/signals";
import type { ThinkingLevel } from "../../generated/protocol";
import { type CallError, asCallError } from "../../gateway/failure";
import { link } from "../../gateway/link";
import { Icon, Select } from "../../components";
import type { Conversation } from "../../state/chat/conversation";
import { t } from "../../words";
import { callErrorText } from "../../words/gateway-text";
import type { Models } from "./models";

const LEVELS: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high"];
const DEFAULT = "";

type ModelRef = { modelProvider?: string; model?: string };
const nameOf = ({ modelProvider, model }: ModelRef): string | undefined => (model ? (modelProvider ? `${modelProvider}/${model}` : model) : undefined);

/** The model of this session, as `provider/model`. */
export function modelOf(conversation: Conversation): string | undefined {
  const about = conversation.info.value;
  return (about?.entry && nameOf(about.entry)) ?? (about && nameOf(about.defaults));
}

/** True also while it is unknown. */
export function hasModel(models: Models, conversation: Conversation): boolean {
  const known = models.value.value?.models;
  return known === undefined || !conversation.info.value || known.length > 0 || modelOf(conversation) !== undefined;
}

export function Pickers({ conversation, models }: { conversation: Conversation; models: Models }) {
  const problem = useSignal<CallError | undefined>(undefined);
  const about = conversation.info.value;
  const known = models.value.value?.models ?? [];
  const own = about?.entry && nameOf(about.entry);
  const usual = about && nameOf(about.defaults);
  const names = [...new Set([...known.map((model) => `${model.provider}/${model.id}`), ...(own ? [own] : [])])];
  const isAway = link.value.state !== "ready";
  const set = (change: Parameters<Conversation["set"]>[0]) => {
    problem.value = undefined;
    conversation.set(change).catch((thrown: unknown) => (problem.value = asCallError(thrown)));
  };
  return (
    <>
      <span class="pick model">
        <Select
          label={t("chat.model")}
          value={own ?? DEFAULT}
          disabled={isAway || names.length === 0}
          choices={[
            { value: DEFAULT, text: usual ? t("chat.modelDefault", { model: usual }) : t("chat.noModelYet") },
            ...names.map((name) => ({ value: name, text: name })),
          ]}
          onChange={(model) => set({ model: model === DEFAULT ? null : model })}
        />
      </span>
      <span class="pick thinks">
        <Select
          label={t("chat.thinking")}
          value={about?.entry?.thinkingLevel ?? DEFAULT}
          disabled={isAway || names.length === 0}
          choices={[
            { value: DEFAULT, text: t("chat.thinkingDefault") },
            ...LEVELS.map((level) => ({ value: level, text: t("chat.thinkingLevel", { level: t(`chat.level_${level}`) }) })),
          ]}
          onChange={(level) => set({ thinkingLevel: level === DEFAULT ? null : (level as ThinkingLevel) })}
        />
      </span>
      {problem.value && (
        <span class="meta bad" role="alert">
          <Icon name="warn" size="s" /> {t("chat.notSet")} {callErrorText(problem.value)}
        </span>
      )}
    </>
  );
}
