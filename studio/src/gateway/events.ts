// What the gateway tells without being asked, by name.
// Promises: a handler that fails keeps no other from being told. Leaves to others: what a gap in the numbers means.
import type { Events } from "../generated/protocol";

export type { Events };

export type EventName = keyof Events;

type Handler = (payload: unknown) => void;

const handlers = new Map<string, Set<Handler>>();

/** Calls the handler each time; the answer ends it. */
export function on<E extends EventName>(event: E, handler: (payload: Events[E]) => void): () => void {
  const of = handlers.get(event) ?? new Set<Handler>();
  handlers.set(event, of);
  // One function may be given twice: each time is its own.
  const own: Handler = (payload) => handler(payload as Events[E]);
  of.add(own);
  return () => of.delete(own);
}

/** Tells everybody who asked for it. */
export function tell(event: string, payload: unknown): void {
  for (const handler of [...(handlers.get(event) ?? [])]) {
    try {
      handler(payload);
    } catch (error) {
      console.error(`a handler of ${event} failed`, error);
    }
  }
}
