// How far each node of a drawing is, from the steps of a run.
import type { Ask, RunStatus, TraceStep } from "../api/types";
import type { NodeLive } from "../editor/live.svelte";

/** Adds a page of steps to those known before, by index. */
export function merge(known: TraceStep[], page: TraceStep[]): TraceStep[] {
  const all = known.slice();
  for (const s of page) all[s.index] = s;
  return all;
}

/** The index from which steps have to be read again: that of the first which has not ended. */
export function unread(steps: TraceStep[]): number {
  for (let i = 0; i < steps.length; i++) if (!steps[i] || !ended(steps[i]!)) return i;
  return steps.length;
}

/** A step that is being executed has taken no time and has no outcome. */
function ended(s: TraceStep): boolean {
  return s.ms > 0 || s.error !== undefined || s.output !== undefined || s.simulated !== undefined;
}

/** What the nodes of a drawing did: typeOf is the type of a node in it. */
export function progressOf(steps: TraceStep[], status: RunStatus, asks: Ask[], typeOf: (id: string) => string | undefined): Map<string, NodeLive> {
  const nodes = new Map<string, NodeLive>();
  const repeated = new Set(steps.filter((s) => isItem(s)).map((s) => s.node));
  for (const s of steps) {
    const outer = s && nodeOf(s.key ?? s.node);
    const shown = s && (outer === s.node || typeOf(outer) === "parallel") && typeOf(s.node) !== undefined;
    if (!shown) continue;
    const n = nodes.get(s.node) ?? { state: "done", running: 0, count: 0, ms: 0, attempts: 1 };
    nodes.set(s.node, n);
    if (!ended(s)) {
      if (status === "running") n.running++;
      continue;
    }
    if (isItem(s) || !repeated.has(s.node)) n.count++;
    if (!isItem(s)) n.ms += s.ms;
    n.attempts = Math.max(n.attempts, s.attempts ?? 1);
    n.error = s.error !== undefined && !s.caught ? s.error : undefined;
  }
  for (const n of nodes.values()) {
    n.state = n.running > 0 ? "running" : n.error !== undefined ? "failed" : "done";
  }
  for (const a of asks) nodes.set(nodeOf(a.step), { state: "waiting", running: 0, count: 0, ms: 0, attempts: 1 });
  return nodes;
}

/** Whether a step is one item of a foreach. */
function isItem(s: TraceStep | undefined): boolean {
  return /\[\d+\]$/.test(s?.key ?? "");
}

/** The node of a step, from its key: fetch#0[3] is of fetch. */
function nodeOf(key: string): string {
  return key.split(/[/[#]/)[0] ?? key;
}
