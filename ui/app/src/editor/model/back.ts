// Edges that lead back. They are not part of the layout, which would make room for them
// between the nodes: they go around the graph.
import { groupBy } from "../../lib/group";
import type { SourceEdge } from "./edges";
import type { Direction, Point, Size } from "./layout";
import type { SourceNode } from "./source";

/** The edges by which a walk along the edges comes to a node that it is already in. */
export function backEdges(nodes: SourceNode[], edges: SourceEdge[]): Set<string> {
  const out = groupBy(edges, (e) => e.from);
  const state = new Map<string, "open" | "done">();
  const back = new Set<string>();
  for (const start of nodes) {
    if (state.has(start.id)) continue;
    const walk: { id: string; next: number }[] = [{ id: start.id, next: 0 }];
    state.set(start.id, "open");
    while (walk.length > 0) {
      const at = walk[walk.length - 1]!;
      const e = out.get(at.id)?.[at.next++];
      if (!e) {
        state.set(at.id, "done");
        walk.pop();
      } else if (state.get(e.to) === "open") {
        back.add(e.id);
      } else if (!state.has(e.to)) {
        state.set(e.to, "open");
        walk.push({ id: e.to, next: 0 });
      }
    }
  }
  return back;
}

const clear = 15; // between a node and the line along it
const lane = 22; // between the lines beside the graph

type Box = Point & Size;

/** The way of a back edge: out behind its source, along the graph, and in before its target. */
export function wayBack(from: Box, to: Box, edge: Point, n: number, direction: Direction): { points: Point[]; label: Point } {
  if (direction === "LR") {
    const turned = wayBack(turn(from), turn(to), turnPoint(edge), n, "TB");
    return { points: turned.points.map(turnPoint), label: turnPoint(turned.label) };
  }
  const x = edge.x - lane * (n + 1);
  const start = { x: from.x + from.width / 2, y: from.y + from.height };
  const end = { x: to.x + to.width / 2, y: to.y };
  const below = start.y + clear;
  const above = end.y - clear;
  const points = [start, { x: start.x, y: below }, { x, y: below }, { x, y: above }, { x: end.x, y: above }, end];
  return { points, label: { x, y: (below + above) / 2 } };
}

const turnPoint = (p: Point): Point => ({ x: p.y, y: p.x });
const turn = (b: Box): Box => ({ x: b.y, y: b.x, width: b.height, height: b.width });
