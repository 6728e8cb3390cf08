// Changes what an agent is offered, in the configuration, with a way back.
import { changeEntry } from "../../state/agent-entry";
import { showToast } from "../../state/toast";
import { type Offer, offerOf, withOffer } from "./offer";

/** Writes what `change` makes of the offer as it is now; `text` says what was done. */
export async function changeOffer(agentId: string, change: (offer: Offer) => Offer, text: string, failed: (thrown: unknown) => void): Promise<void> {
  try {
    let before: Offer | undefined;
    const { wrote } = await write(agentId, (offer) => change((before = offer)));
    if (!wrote || !before) return;
    const back = before;
    showToast({ text, undo: () => write(agentId, () => back).catch(failed) });
  } catch (thrown) {
    failed(thrown);
  }
}

const write = (agentId: string, change: (offer: Offer) => Offer) =>
  changeEntry(agentId, ({ tools }) => ({ tools: withOffer(tools, change(offerOf(tools))) }));
