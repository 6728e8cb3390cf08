// Something that is read from the gateway and shown: how far the reading is, the value, or why there is none.
// Promises: the last value stays while the connection is lost or a reading fails; it is read again after a reconnect,
// after missed events, and when an event says so; of two readings the later one counts.
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
  /** The newest value that is known, also while a later reading fails. */
  readonly value: ReadonlySignal<T | undefined>;
  /** Whether it is being read, for the first time or again. */
  readonly busy: ReadonlySignal<boolean>;
  reload(): Promise<void>;
  /** Puts in place what is known without a reading, such as the answer to a change. */
  set(value: T): void;
  /** Ends what keeps it up to date. */
  close(): void;
};

type Wakes = { [E in EventName]?: true | ((payload: Events[E]) => boolean) };

/** Reads with `load`; again for each event in `on` (`true`, or when the function says so). */
export function resource<T>(load: () => Promise<T>, options: { on?: Wakes } = {}): Resource<T> {
  const state = signal<Loaded<T>>({ state: "loading" });
  const busy = signal(false);
  const value = computed(() => lastOf(state.value)?.value);
  let wanted = 0;
  let running: Promise<void> | undefined;
  let closed = false;

  const read = async () => {
    // What is wanted while a reading goes on is read once more after it.
    for (let done = -1; done !== wanted && !closed; ) {
      done = wanted;
      try {
        const fresh = await load();
        if (!closed) state.value = { state: "ready", value: fresh, at: Date.now() };
      } catch (thrown) {
        const error = asCallError(thrown);
        // A lost connection is shown by the frame; the next one reads again.
        if (closed || (error.code === "DISCONNECTED" && (!isReady() || done !== wanted))) continue;
        const last = lastOf(state.peek());
        state.value = last ? { state: "failed", error, last } : { state: "failed", error };
      }
    }
  };

  const reload = (): Promise<void> => {
    if (closed || !isReady()) return Promise.resolve();
    wanted += 1;
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
      // The first one, and each time that what is known may be out of date.
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

/** The same for the life of a component; a new one when something in `of` changes. */
export function useResource<T>(load: () => Promise<T>, options: { on?: Wakes }, of: readonly unknown[]): Resource<T> {
  const made = useMemo(() => untracked(() => resource(load, options)), of);
  // An effect after the paint may never come for what is gone by then, and the reading would go on.
  useLayoutEffect(() => made.close, [made]);
  return made;
}

const shared = new Map<string, { made: Resource<unknown>; users: number }>();

/** The same one under the same name for all who use it at a time, so that what is large is read once. */
export function shareResource<T>(name: string, make: () => Resource<T>): { made: Resource<T>; leave: () => void } {
  const entry = shared.get(name) ?? { made: make() as Resource<unknown>, users: 0 };
  entry.users += 1;
  shared.set(name, entry);
  const leave = () => {
    entry.users -= 1;
    if (entry.users > 0) return;
    shared.delete(name);
    entry.made.close();
  };
  return { made: entry.made as Resource<T>, leave };
}

/** The value that is shown for a state, with the time that it is of. */
export function lastOf<T>(loaded: Loaded<T>): { value: T; at: number } | undefined {
  if (loaded.state === "ready") return loaded;
  return loaded.state === "failed" ? loaded.last : undefined;
}

const isReady = () => link.peek().state === "ready";
