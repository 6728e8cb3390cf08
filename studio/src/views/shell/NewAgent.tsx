// A new agent: the button in the left column, and the dialog that asks for a name.
// The preview comes from the gateway; an impossible name is reported while typing, without losing what was typed.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { AgentCreated } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { type CallError, asCallError } from "../../gateway/failure";
import { Banner, Button, Dialog, ErrorState } from "../../components";
import { agents, mainSessionOf } from "../../state/agents";
import { go } from "../../state/route";
import { showToast } from "../../state/toast";
import { t } from "../../words";
import { rich } from "../../words/rich";

const LONGEST_NAME = 200;

const isOpen = signal(false);

export function NewAgentButton() {
  return <Button kind="quiet" small icon="plus" label={t("chat.newAgent")} title={t("chat.newAgent")} onClick={() => (isOpen.value = true)} />;
}

/** The dialog is outside of the column, which a narrow screen hides. */
export function NewAgent({ onCreated }: { onCreated: () => void }) {
  return isOpen.value ? <NewAgentDialog onCreated={onCreated} onClose={() => (isOpen.value = false)} /> : null;
}

function NewAgentDialog({ onCreated, onClose }: { onCreated: () => void; onClose: () => void }) {
  const id = useId();
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  // A failure belongs to the name that was sent, which may have been edited meanwhile.
  const [failed, fail] = useState<{ name: string; error: CallError }>();
  const trimmedName = name.trim();
  const { plan, error } = usePlan(trimmedName);
  const create = async (event: Event) => {
    event.preventDefault();
    if (!trimmedName || busy) return;
    setBusy(true);
    fail(undefined);
    try {
      const created = await call("agents.create", { name: trimmedName });
      await agents.reload();
      onClose();
      onCreated();
      go({ view: "chat", session: mainSessionOf(created.agentId, agents.value.peek()?.mainKey ?? "main") });
      showToast({ text: t("chat.agentCreated", { name: created.name }), detail: created.workspace });
    } catch (thrown) {
      fail({ name: trimmedName, error: asCallError(thrown) });
      setBusy(false);
    }
  };
  const why = failed?.name === trimmedName ? failed.error : error;
  return (
    <Dialog
      scope="gateway"
      narrow
      title={t("chat.newAgent")}
      lead={t("chat.newAgentLead")}
      band={rich("chat.newAgentBand")}
      label={t("chat.newAgent")}
      onClose={onClose}
      footer={
        <>
          <span class="grow" />
          <Button onClick={onClose}>{t("shared.cancel")}</Button>
          <Button kind="primary" busy={busy} disabled={!trimmedName} onClick={(event) => void create(event)}>
            {t("chat.createAgent")}
          </Button>
        </>
      }
    >
      <form class="sect" onSubmit={(event) => void create(event)}>
        <h3>
          <label for={id}>{t("chat.agentName")}</label>
        </h3>
        <div>
          <input
            id={id}
            class="input"
            value={name}
            maxLength={LONGEST_NAME}
            autocomplete="off"
            aria-invalid={why ? "true" : undefined}
            aria-describedby={`${id}p`}
            data-first
            onInput={(event) => setName(event.currentTarget.value)}
          />
          {why && <Problem error={why} />}
        </div>
      </form>
      <div class="sect" id={`${id}p`}>
        <h3>{t("chat.agentBecomes")}</h3>
        <div>
          {plan ? (
            <dl class="facts">
              <Fact name={t("chat.agentId")}>{plan.agentId}</Fact>
              <Fact name={t("chat.agentFolder")}>{plan.workspace}</Fact>
            </dl>
          ) : (
            <p class="muted">{t("chat.agentOfName")}</p>
          )}
        </div>
      </div>
    </Dialog>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <code>{children}</code>
      </dd>
    </>
  );
}

/** Why the name is not possible, and what to do about it. */
function Problem({ error }: { error: CallError }) {
  // A taken id is the one error of `agents.create` that comes without a code of its own.
  const isTaken = error.code === "INVALID_REQUEST" && error.reason === undefined;
  const words = error.reason === "usage" ? t("chat.agentNoLetter") : isTaken ? t("chat.agentTaken") : undefined;
  if (!words) return <ErrorState error={error} title={t("chat.agentNotCreated")} />;
  return (
    <Banner kind="bad" alert>
      {words}
    </Banner>
  );
}

type Plan = { plan?: AgentCreated; error?: CallError };

/** A dry run: the agent that the gateway would create. */
function usePlan(name: string): Plan {
  const [plan, setPlan] = useState<Plan>({});
  useEffect(() => {
    if (!name) return setPlan({});
    // Of several answers, the one for the newest name wins.
    let isWanted = true;
    call("agents.create", { name, dryRun: true }).then(
      (planned) => isWanted && setPlan({ plan: planned }),
      (thrown: unknown) => isWanted && setPlan({ error: asCallError(thrown) }),
    );
    return () => {
      isWanted = false;
    };
  }, [name]);
  return plan;
}
