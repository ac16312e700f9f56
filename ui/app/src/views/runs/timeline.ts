// The rows and the scale of a timeline: rounds of a loop and items of a list are groups, and
// long waits are folded.
import type { Step } from "./steps.svelte";

/** How deep a step is in the run: items and nested steps are below what they are part of. */
export function depthOf(s: Step): number {
  return s.key ? (s.key.match(/[/[]/g)?.length ?? 0) : 0;
}

/** The name of a step in a list, with the number of the item, and of the execution if it is not the first. */
export function labelOf(s: Pick<Step, "key" | "node">): string {
  const part = s.key?.split("/").at(-1) ?? "";
  const [, node, times, item] = /^(.+)#(\d+)(?:\[(\d+)\])?$/.exec(part) ?? [];
  if (node === undefined) return part || s.node;
  const name = times === "0" ? node : `${node}, execution ${Number(times) + 1}`;
  return item === undefined ? name : `${name}, item ${Number(item) + 1}`;
}

/** Steps that follow one another and belong together. */
export interface Group {
  id: string;
  title: string;
  /** The first step, and the one after the last. */
  from: number;
  to: number;
  failed: boolean;
}

export type Row = { step: number } | { group: Group; open: boolean };

const fewest = 40; // steps of a run whose steps are grouped
const rounds = 3; // of a loop that is a group, at least
const longestRound = 12; // nodes

/** The groups of steps: items and nested steps below the step that they are part of, and rounds of a loop. */
export function groupsOf(steps: readonly Step[]): Group[] {
  if (steps.length < fewest) return [];
  const groups: Group[] = [];
  const add = (title: string, from: number, to: number): void => void groups.push({ id: `${from}`, title, from, to, failed: steps.slice(from, to).some((s) => s.error && !s.caught) });
  const tops: number[] = []; // of what is not part of another step
  steps.forEach((s, i) => depthOf(s) === 0 && tops.push(i));
  const end = (at: number): number => tops[at] ?? steps.length;
  const name = (at: number): string => steps[tops[at]!]!.node;
  const same = (a: number, b: number, size: number): boolean => {
    for (let i = 0; i < size; i++) if (b + i >= tops.length || name(a + i) !== name(b + i)) return false;
    return true;
  };
  for (let at = 0; at < tops.length; ) {
    let size = 1;
    let times = 1;
    for (let n = 1; n <= longestRound; n++) {
      let t = 1;
      while (same(at, at + t * n, n)) t++;
      if (t >= rounds && t * n > times * size) [size, times] = [n, t];
    }
    if (times >= rounds) {
      add(`${Array.from({ length: size }, (_, i) => name(at + i)).join(" → ")} ×${times.toLocaleString("en")}`, tops[at]!, end(at + size * times));
      at += size * times;
      continue;
    }
    const inside = end(at + 1) - tops[at]! - 1;
    const items = steps.slice(tops[at]! + 1, end(at + 1)).filter((s) => depthOf(s) === 1 && s.key?.endsWith("]")).length;
    if (inside >= rounds) add(items > 0 ? `${items.toLocaleString("en")} items of ${name(at)}` : `${inside.toLocaleString("en")} steps in ${name(at)}`, tops[at]! + 1, end(at + 1));
    at++;
  }
  return groups;
}

/** The rows that are shown: of a group that is not open, only itself. */
export function rowsOf(count: number, groups: readonly Group[], open: (id: string) => boolean): Row[] {
  const rows: Row[] = [];
  let next = 0;
  for (let i = 0; i < count; ) {
    const group = groups[next];
    if (group?.from !== i) {
      rows.push({ step: i++ });
      continue;
    }
    next++;
    const opened = open(group.id);
    rows.push({ group, open: opened });
    if (opened) for (; i < group.to; i++) rows.push({ step: i });
    i = group.to;
  }
  return rows;
}

/** A stretch of time in which nothing but waiting was done. */
export interface Fold {
  left: number; // percent
  width: number;
  ms: number;
}

const longWait = 5000; // ms of a wait that is folded, at least
const foldWidth = 7; // percent

/** Where moments of a run are, in percent: a wait that is longer than all the work is folded. */
export function scaleOf(steps: readonly Step[], whole: number, waits: (s: Step) => boolean): { at: (ms: number) => number; folds: Fold[] } {
  const parents = new Set<string>();
  for (const s of steps) for (const m of (s.key ?? "").matchAll(/[/[]/g)) parents.add(s.key!.slice(0, m.index));
  const busy = steps
    .filter((s) => !waits(s) && !parents.has(s.key ?? `${s.node}#0`))
    .map((s): [number, number] => [s.start_ms ?? 0, (s.start_ms ?? 0) + s.ms])
    .sort((a, b) => a[0] - b[0]);
  const gaps: [number, number][] = [];
  let to = 0;
  let work = 0;
  for (const [from, end] of [...busy, [whole, whole]] as [number, number][]) {
    if (from > to) gaps.push([to, from]);
    work += Math.max(0, end - Math.max(from, to));
    to = Math.max(to, end);
  }
  const long = gaps.filter(([a, b]) => b - a >= longWait && b - a > work);
  const wide = Math.min(foldWidth, 40 / Math.max(1, long.length));
  const rest = Math.max(1, whole - long.reduce((n, [a, b]) => n + b - a, 0));
  const at = (ms: number): number => {
    let time = ms;
    let folded = 0;
    for (const [a, b] of long) {
      if (ms <= a) break;
      const part = Math.min(1, (ms - a) / (b - a));
      time -= Math.min(ms, b) - a;
      folded += part * wide;
    }
    return folded + (time / rest) * (100 - wide * long.length);
  };
  return { at, folds: long.map(([a, b]) => ({ left: at(a), width: wide, ms: b - a })) };
}
