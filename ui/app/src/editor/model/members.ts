// The nodes of the branches of a parallel node: those that are reached from its branches
// before its join, and from nowhere else. They can be drawn as one.
import { groupBy } from "../../lib/group";
import type { SourceEdge } from "./edges";
import type { SourceNode } from "./source";

/** The members of each parallel node that has some, by its id. */
export function membersOf(nodes: SourceNode[], edges: SourceEdge[]): Map<string, Set<string>> {
  const out = new Map<string, Set<string>>();
  const from = groupBy(edges, (e) => e.from);
  const reach = (heads: Iterable<string>, stop: (id: string) => boolean): Set<string> => {
    const seen = new Set([...heads].filter((id) => !stop(id)));
    for (const id of seen) for (const e of from.get(id) ?? []) if (!stop(e.to)) seen.add(e.to);
    return seen;
  };
  const led = new Set(edges.map((e) => e.to));
  for (const p of nodes) {
    if (p.type !== "parallel") continue;
    const heads = (from.get(p.id) ?? []).filter((e) => e.kind === "branch" || e.kind === "detach").map((e) => e.to);
    const inside = reach(heads, (id) => id === p.fields.join || id === p.id);
    if (inside.size === 0) continue;
    const starts = nodes.filter((n) => n.type === "entry" || n.type === "start" || !led.has(n.id)).map((n) => n.id);
    const past = typeof p.fields.join === "string" ? [p.fields.join] : [];
    const elsewhere = reach([...starts, ...past], (id) => id === p.id);
    const members = new Set([...inside].filter((id) => !elsewhere.has(id)));
    if (members.size > 0) out.set(p.id, members);
  }
  return out;
}

export interface Folded {
  nodes: SourceNode[];
  edges: SourceEdge[];
  /** How many nodes are not drawn, by the node that is drawn for them. */
  hidden: Map<string, number>;
  /** The members of the parallel nodes that are drawn with theirs. */
  frames: Map<string, Set<string>>;
}

/** Draws the parallel nodes of a set in the place of their members. */
export function fold(nodes: SourceNode[], edges: SourceEdge[], collapsed: ReadonlySet<string>): Folded {
  const members = membersOf(nodes, edges);
  const drawnAs = new Map<string, string>();
  for (const [id, inside] of members) {
    if (!collapsed.has(id)) continue;
    for (const m of inside) {
      const outer = drawnAs.get(m);
      if (outer === undefined || inside.has(outer)) drawnAs.set(m, id);
    }
  }
  const shown = (id: string): string => {
    let at = id;
    for (let next = drawnAs.get(at); next !== undefined && next !== at; next = drawnAs.get(at)) at = next;
    return at;
  };
  const kept = new Map<string, SourceEdge>();
  for (const e of edges) {
    const way = { ...e, from: shown(e.from), to: shown(e.to) };
    if (way.from === way.to) continue;
    if (way.from !== e.from || way.to !== e.to) way.id = `${way.from} ${way.kind} ${way.to}`;
    if (!kept.has(way.id)) kept.set(way.id, way);
  }
  const hidden = new Map<string, number>();
  for (const id of drawnAs.keys()) hidden.set(shown(id), (hidden.get(shown(id)) ?? 0) + 1);
  const frames = new Map([...members].filter(([id]) => !collapsed.has(id) && !drawnAs.has(id)).map(([id, inside]) => [id, new Set([...inside].filter((m) => !drawnAs.has(m)))]));
  return { nodes: nodes.filter((n) => !drawnAs.has(n.id)), edges: [...kept.values()], hidden, frames };
}
