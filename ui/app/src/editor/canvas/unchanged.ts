// Nodes and edges that are drawn as before are the same objects as before, so that the library
// leaves them alone.
import { jsonString } from "../../lib/exact";
import type { CanvasEdge, CanvasNode } from "./draw";

/** The next nodes, with those before in place of the ones that look the same. */
export function keepNodes(before: CanvasNode[], next: CanvasNode[]): CanvasNode[] {
  return keep(before, next, lookOfNode);
}

/** The next edges, with those before in place of the ones that look the same. */
export function keepEdges(before: CanvasEdge[], next: CanvasEdge[]): CanvasEdge[] {
  return keep(before, next, lookOfEdge);
}

function keep<T extends { id: string }>(before: T[], next: T[], lookOf: (item: T) => string): T[] {
  const known = new Map(before.map((item) => [item.id, item]));
  return next.map((item) => {
    const old = known.get(item.id);
    return old && lookOf(old) === lookOf(item) ? old : item;
  });
}

function lookOfNode(n: CanvasNode): string {
  const data = n.type === "step" ? { ...n.data, graph: undefined, node: { ...n.data.node, from: 0, to: 0, path: "" } } : n.data;
  return jsonString([n.type, n.position, n.width, n.height, n.measured, n.handles, n.parentId, Boolean(n.selected), data]);
}

function lookOfEdge(e: CanvasEdge): string {
  return jsonString([e.source, e.target, Boolean(e.selected), e.ariaLabel, e.data]);
}
