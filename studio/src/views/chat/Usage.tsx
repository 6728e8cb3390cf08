// Token usage: this turn, this session, the share of the model's context, and today. Only figures from the gateway.
import { useComputed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call } from "../../gateway/calls";
import type { Conversation } from "../../state/chat/conversation";
import { useResource } from "../../state/resource";
import { dollars, locale, t } from "../../words";
import type { Models } from "./models";

export function Usage({ conversation, models }: { conversation: Conversation; models: Models }) {
  const today = useResource(() => call("usage.cost", { days: 1 }), {}, []);
  const ended = conversation.finished.value;
  useEffect(() => {
    if (ended) void today.reload();
  }, [ended]);
  const spent = useComputed(() => conversation.state.value.usage).value;
  const tokens = conversation.info.value?.tokens ?? 0;
  const totals = today.value.value?.totals;
  const window = spent && models.value.value?.models.find((model) => `${model.provider}/${model.id}` === spent.model)?.contextWindow;
  return (
    <p class="usage">
      {spent && <span>{t("chat.turn", { input: spent.input, output: spent.output })}</span>}
      {tokens > 0 && <span>{t("chat.session", { n: tokens })}</span>}
      {spent && window && <span>{t("chat.context", { share: share(spent.context / window) })}</span>}
      {totals && totals.totalTokens > 0 && <span>{totals.totalCost > 0 ? t("chat.costToday", { cost: dollars(totals.totalCost) }) : t("chat.tokensToday", { n: totals.totalTokens })}</span>}
      <span class="right">{t("chat.enterSends")}</span>
    </p>
  );
}

const share = (of: number): string => new Intl.NumberFormat(locale(), { style: "percent", maximumFractionDigits: 0 }).format(Math.min(1, of));
