// Events of the gateway, by name.
// A handler that throws does not stop the others.
import type { Events } from "../generated/protocol";

export type { Events };

export type EventName = keyof Events;

type Handler = (payload: unknown) => void;

const handlers = new Map<string, Set<Handler>>();

/** Subscribes; the returned function unsubscribes. */
export function on<E extends EventName>(event: E, handler: (payload: Events[E]) => void): () => void {
  const of = handlers.get(event) ?? new Set<Handler>();
  handlers.set(event, of);
  // One function may subscribe twice: each subscription is separate.
  const own: Handler = (payload) => handler(payload as Events[E]);
  of.add(own);
  return () => of.delete(own);
}

/** Calls every handler of the event. */
export function emit(event: string, payload: unknown): void {
  for (const handler of [...(handlers.get(event) ?? [])]) {
    try {
      handler(payload);
    } catch (error) {
      console.error(`a handler of ${event} failed`, error);
    }
  }
}
