// Where nodes and edges are drawn: laid out by dagre, except what a person has moved.
import { Graph, layout } from "@dagrejs/dagre";

import type { SourceEdge } from "./edges";
import type { SourceNode } from "./source";

export type Direction = "LR" | "TB";

export interface Point {
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

export interface Placed {
  nodes: Map<string, Point>; // top left corners
  edges: Map<string, Route>;
}

/** The way of an edge: points from node to node, and the middle of its label. */
export interface Route {
  points: Point[];
  label: Point;
}

const gap = { LR: { nodesep: 34, ranksep: 44 }, TB: { nodesep: 30, ranksep: 34 } };

export function place(nodes: SourceNode[], edges: SourceEdge[], size: (n: SourceNode) => Size, labelSize: (text: string) => Size, direction: Direction): Placed {
  const g = new Graph({ multigraph: true });
  g.setGraph({ rankdir: direction, ...gap[direction], edgesep: 18, marginx: 0, marginy: 0 });
  g.setDefaultEdgeLabel(() => ({}));
  for (const n of nodes) g.setNode(n.id, { ...size(n) });
  for (const e of edges) g.setEdge(e.from, e.to, { ...labelSize(e.label), labelpos: "c", weight: weight(e) }, e.id);
  layout(g);

  const placed: Placed = { nodes: new Map(), edges: new Map() };
  const moved = new Set<string>();
  for (const n of nodes) {
    const at = g.node(n.id) as Point & Size;
    const own = movedTo(n);
    if (own) moved.add(n.id);
    placed.nodes.set(n.id, own ?? { x: Math.round(at.x - at.width / 2), y: Math.round(at.y - at.height / 2) });
  }
  for (const e of edges) {
    if (moved.has(e.from) || moved.has(e.to)) continue;
    const way = g.edge(e.from, e.to, e.id) as { points: Point[]; x?: number; y?: number };
    const middle = way.points[Math.floor(way.points.length / 2)] ?? { x: 0, y: 0 };
    placed.edges.set(e.id, { points: way.points, label: { x: way.x ?? middle.x, y: way.y ?? middle.y } });
  }
  return placed;
}

/** The usual way is drawn straight, and the others around it. */
function weight(e: SourceEdge): number {
  return e.kind === "onError" || e.kind === "detach" ? 1 : e.kind === "next" || e.kind === "join" ? 4 : 2;
}

/** Where a person has moved a node: its field ui. */
export function movedTo(n: SourceNode): Point | undefined {
  const ui = n.fields.ui;
  if (!ui || typeof ui !== "object" || Array.isArray(ui)) return undefined;
  return typeof ui.x === "number" && typeof ui.y === "number" ? { x: ui.x, y: ui.y } : undefined;
}
