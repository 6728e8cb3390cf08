// The main thread in a browser trace: long tasks, and time by kind of work.
// Counts CPU time, not wall time, and nothing twice.

export type TraceEvent = { name: string; ph: string; ts: number; dur?: number; tdur?: number; pid: number; tid: number };

/** A task longer than this is noticeable. */
const LONG_MS = 50;

const kinds = {
  script: /^(FunctionCall|EvaluateScript|v8\.(run|evaluate)|RunMicrotasks|EventDispatch|FireAnimationFrame|TimerFire|FireIdleCallback|WebSocketReceive|HandlePostMessage)/,
  compiling: /^(v8\.(compile|produce|parse)|ParseHTML|ParseAuthorStyleSheet|V8\.(Compile|Parse|DeserializeLazy))/i,
  garbage: /GC/,
  style: /^(UpdateLayoutTree|RecalculateStyles|ScheduleStyleRecalculation|InvalidateLayout)/,
  layout: /^(Layout|HitTest|UpdateLayer)/,
  paint: /^(Paint|PrePaint|Layerize|Commit|CompositeLayers|Decode|Draw|RasterTask)/,
} as const;

export type Kind = keyof typeof kinds | "other";

/** Only the main thread: other threads block nobody. */
export function onMainThread(events: readonly TraceEvent[]): TraceEvent[] {
  const names = events.filter(({ name }) => name === "thread_name") as (TraceEvent & { args: { name: string } })[];
  const main = new Set(names.filter(({ args }) => args.name === "CrRendererMain").map(({ pid, tid }) => `${pid}:${tid}`));
  return events.filter(({ pid, tid }) => main.has(`${pid}:${tid}`));
}

/** The durations of long tasks, in milliseconds. */
export const longTasks = (events: readonly TraceEvent[]): number[] =>
  events.filter(({ name, ph }) => name === "RunTask" && ph === "X").map(ms).filter((took) => took >= LONG_MS);

/** Milliseconds by kind of work. */
export function byKind(events: readonly TraceEvent[]): Map<Kind, number> {
  const spans = events
    .filter(({ ph, dur = 0 }) => ph === "X" && dur > 0)
    .map((event) => ({ event, end: event.ts + (event.dur ?? 0), own: ms(event) }))
    .sort((one, other) => one.event.pid - other.event.pid || one.event.tid - other.event.tid || one.event.ts - other.event.ts || other.end - one.end);
  const open: typeof spans = [];
  for (const span of spans) {
    while (open.length > 0 && !isInside(span, open.at(-1)!)) open.pop();
    const around = open.at(-1);
    if (around) around.own -= ms(span.event);
    open.push(span);
  }
  const sums = new Map<Kind, number>();
  for (const { event, own } of spans) {
    const kind = kindOf(event.name);
    sums.set(kind, (sums.get(kind) ?? 0) + own);
  }
  return sums;
}

const ms = ({ dur = 0, tdur = dur }: TraceEvent): number => tdur / 1000;

type Span = { event: TraceEvent; end: number };
const isInside = ({ event, end }: Span, around: Span) =>
  end <= around.end && event.pid === around.event.pid && event.tid === around.event.tid;

function kindOf(name: string): Kind {
  const found = (Object.keys(kinds) as (keyof typeof kinds)[]).find((kind) => kinds[kind].test(name));
  return found ?? "other";
}
