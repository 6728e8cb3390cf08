// Data loaded from the gateway: loading, the value, or an error.
// The last value stays while the connection is lost or a load fails. It reloads after a reconnect, after missed events,
// and on the given events; of two loads the later one wins.
import { type ReadonlySignal, computed, effect, signal, untracked } from "@preact/signals";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { type EventName, type Events, on } from "../gateway/events";
import { type CallError, asCallError } from "../gateway/failure";
import { epoch, link } from "../gateway/link";

export type Loaded<T> =
  | { state: "loading" }
  | { state: "ready"; value: T; at: number }
  | { state: "failed"; error: CallError; last?: { value: T; at: number } };

export type Resource<T> = {
  readonly state: ReadonlySignal<Loaded<T>>;
  /** The newest known value, also while a later load fails. */
  readonly value: ReadonlySignal<T | undefined>;
  /** Loading, for the first time or again. */
  readonly busy: ReadonlySignal<boolean>;
  reload(): Promise<void>;
  /** Sets a value that is known without loading, such as the answer to a change. */
  set(value: T): void;
  /** Stops updating. */
  close(): void;
};

type ReloadEvents = { [E in EventName]?: true | ((payload: Events[E]) => boolean) };

/** Loads with `load`, and again on each event in `on` (`true`, or if the function returns true). */
export function resource<T>(load: () => Promise<T>, options: { on?: ReloadEvents } = {}): Resource<T> {
  const state = signal<Loaded<T>>({ state: "loading" });
  const busy = signal(false);
  const value = computed(() => lastValue(state.value)?.value);
  let requestedLoads = 0;
  let running: Promise<void> | undefined;
  let closed = false;

  const read = async () => {
    // A reload that is requested while one runs follows it.
    for (let done = -1; done !== requestedLoads && !closed; ) {
      done = requestedLoads;
      try {
        const fresh = await load();
        if (!closed) state.value = { state: "ready", value: fresh, at: Date.now() };
      } catch (thrown) {
        const error = asCallError(thrown);
        // The frame shows a lost connection; the next connection loads again.
        if (closed || (error.code === "DISCONNECTED" && (!isReady() || done !== requestedLoads))) continue;
        const last = lastValue(state.peek());
        state.value = last ? { state: "failed", error, last } : { state: "failed", error };
      }
    }
  };

  const reload = (): Promise<void> => {
    if (closed || !isReady()) return Promise.resolve();
    requestedLoads += 1;
    if (!running) {
      busy.value = true;
      running = read().finally(() => {
        running = undefined;
        busy.value = false;
      });
    }
    return running;
  };

  const endings = [
    effect(() => {
      // On the first connection, and whenever data may be out of date.
      if (link.value.state === "ready" && epoch.value >= 0) untracked(() => void reload());
    }),
    ...Object.entries(options.on ?? {}).map(([event, when]) =>
      on(event as EventName, (payload) => {
        if (when === true || (when as (payload: unknown) => boolean)(payload)) void reload();
      }),
    ),
  ];

  return {
    state,
    value,
    busy,
    reload,
    set: (fresh) => (state.value = { state: "ready", value: fresh, at: Date.now() }),
    close: () => {
      closed = true;
      for (const end of endings) end();
    },
  };
}

/** A resource for the life of a component; replaced when something in `of` changes. */
export function useResource<T>(load: () => Promise<T>, options: { on?: ReloadEvents }, of: readonly unknown[]): Resource<T> {
  const created = useMemo(() => untracked(() => resource(load, options)), of);
  // An effect after the paint may never run for an unmounted component, and loading would go on.
  useLayoutEffect(() => created.close, [created]);
  return created;
}

const shared = new Map<string, { resource: Resource<unknown>; users: number }>();

/** One shared resource per name while anyone uses it, so that large data is loaded once. */
export function shareResource<T>(name: string, make: () => Resource<T>): { resource: Resource<T>; leave: () => void } {
  const entry = shared.get(name) ?? { resource: make() as Resource<unknown>, users: 0 };
  entry.users += 1;
  shared.set(name, entry);
  const leave = () => {
    entry.users -= 1;
    if (entry.users > 0) return;
    shared.delete(name);
    entry.resource.close();
  };
  return { resource: entry.resource as Resource<T>, leave };
}

/** The value to show in a state, with its time. */
export function lastValue<T>(loaded: Loaded<T>): { value: T; at: number } | undefined {
  if (loaded.state === "ready") return loaded;
  return loaded.state === "failed" ? loaded.last : undefined;
}

const isReady = () => link.peek().state === "ready";
