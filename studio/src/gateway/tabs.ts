// Which tab of this browser is the live one: the newest. The others stand by until a person picks one of them.
// Promises: no two tabs of a browser that can talk to each other are live for longer than a message takes.

const CHANNEL = "tarsus-studio";

/** Makes this tab the live one, and says when another one takes over. */
export function tab(onTaken: () => void): { takeOver(): void } {
  const own = crypto.randomUUID();
  const channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(CHANNEL) : undefined;
  channel?.addEventListener("message", (message: MessageEvent<unknown>) => {
    const live = (message.data as { live?: unknown } | null)?.live;
    if (typeof live === "string" && live !== own) onTaken();
  });
  return { takeOver: () => channel?.postMessage({ live: own }) };
}
