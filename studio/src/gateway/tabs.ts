// Elects the live tab of this browser: the newest. The others wait until a person picks one of them.
// Two tabs that can talk to each other are never both live for longer than a message takes.

const CHANNEL = "tarsus-studio";

/** Makes this tab the live one; `onTaken` is called when another one takes over. */
export function claimTab(onTaken: () => void): { takeOver(): void } {
  const own = crypto.randomUUID();
  const channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(CHANNEL) : undefined;
  channel?.addEventListener("message", (message: MessageEvent<unknown>) => {
    const live = (message.data as { live?: unknown } | null)?.live;
    if (typeof live === "string" && live !== own) onTaken();
  });
  return { takeOver: () => channel?.postMessage({ live: own }) };
}
