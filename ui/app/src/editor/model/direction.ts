// How large the drawing of a graph becomes, without laying it out: nodes are counted in the
// ranks in which the layout puts them.
import { backEdges } from "./back";
import type { SourceEdge } from "./edges";
import { gap, margin, type Direction, type Size } from "./layout";
import type { SourceNode } from "./source";

/** About the size of a drawing. */
export function roughSize(nodes: SourceNode[], edges: SourceEdge[], size: (n: SourceNode) => Size, labelSize: (text: string) => Size, direction: Direction, frames: Map<string, Set<string>>): Size {
  const across = direction === "LR";
  const along = (s: Size): number => (across ? s.width : s.height);
  const beside = (s: Size): number => (across ? s.height : s.width);
  const back = backEdges(nodes, edges);
  const forth = edges.filter((e) => !back.has(e.id));
  const rank = ranks(nodes, forth);
  const count = Math.max(0, ...rank.values()) + 1;
  const { nodesep, ranksep } = gap[direction];

  const longest = new Array<number>(count).fill(0);
  const widest = new Array<number>(count).fill(-nodesep);
  for (const n of nodes) {
    const r = rank.get(n.id)!;
    longest[r] = Math.max(longest[r]!, along(size(n)));
    widest[r] = widest[r]! + beside(size(n)) + nodesep;
  }
  const labels = new Array<number>(count).fill(0); // before each rank
  for (const e of forth) {
    const to = rank.get(e.to)!;
    labels[to] = Math.max(labels[to]!, along(labelSize(e.label)));
    for (let r = rank.get(e.from)! + 1; r < to; r++) widest[r] = widest[r]! + nodesep / 2;
  }
  const sum = (list: number[]): number => list.reduce((a, b) => a + b, 0);
  const framed = frames.size > 0 ? margin.top + margin.side : 0;
  const length = sum(longest) + sum(labels) + (count - 1) * ranksep;
  const width = Math.max(1, ...widest) + framed;
  return across ? { width: Math.max(1, length), height: width } : { width, height: Math.max(1, length) };
}

/** How many edges lead to each node at most, from where nothing leads to; an edge counts as long
 * as it is. */
export function ranks<E extends { from: string; to: string }>(nodes: { id: string }[], forth: E[], long: (e: E) => number = () => 1): Map<string, number> {
  const out = new Map<string, E[]>(nodes.map((n) => [n.id, []]));
  const before = new Map<string, number>(nodes.map((n) => [n.id, 0]));
  for (const e of forth) {
    out.get(e.from)?.push(e);
    before.set(e.to, before.get(e.to)! + 1);
  }
  const rank = new Map(nodes.map((n) => [n.id, 0]));
  const ready = nodes.filter((n) => before.get(n.id) === 0).map((n) => n.id);
  for (const id of ready) {
    for (const e of out.get(id)!) {
      const { to } = e;
      rank.set(to, Math.max(rank.get(to)!, rank.get(id)! + long(e)));
      before.set(to, before.get(to)! - 1);
      if (before.get(to) === 0) ready.push(to);
    }
  }
  return rank;
}
