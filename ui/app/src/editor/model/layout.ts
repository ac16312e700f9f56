// Where nodes and edges are drawn: laid out by dagre, except what a person has moved.
import { Graph, layout } from "@dagrejs/dagre";

import { backEdges, wayBack } from "./back";
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
  back: Set<string>; // ids of the edges that lead back
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
  const back = backEdges(nodes, edges);
  for (const e of edges) if (!back.has(e.id)) g.setEdge(e.from, e.to, { ...labelSize(e.label), labelpos: "c", weight: weight(e) }, e.id);
  layout(g);

  const placed: Placed = { nodes: new Map(), edges: new Map(), back };
  const moved = new Set<string>();
  for (const n of nodes) {
    const at = g.node(n.id) as Point & Size;
    const own = movedTo(n);
    if (own) moved.add(n.id);
    placed.nodes.set(n.id, own ?? { x: Math.round(at.x - at.width / 2), y: Math.round(at.y - at.height / 2) });
  }
  if (moved.size > 0) giveWay(nodes, placed.nodes, moved, size, direction);
  const corner = { x: Math.min(...[...placed.nodes.values()].map((p) => p.x)), y: Math.min(...[...placed.nodes.values()].map((p) => p.y)) };
  const boxOf = (id: string): Point & Size => ({ ...placed.nodes.get(id)!, ...size(nodes.find((n) => n.id === id)!) });
  [...back].forEach((id, n) => {
    const e = edges.find((way) => way.id === id)!;
    placed.edges.set(id, wayBack(boxOf(e.from), boxOf(e.to), corner, n, direction));
  });
  for (const e of edges) {
    if (moved.has(e.from) || moved.has(e.to) || back.has(e.id)) continue;
    const way = g.edge(e.from, e.to, e.id) as { points: Point[]; x?: number; y?: number };
    const middle = way.points[Math.floor(way.points.length / 2)] ?? { x: 0, y: 0 };
    placed.edges.set(e.id, { points: way.points, label: { x: way.x ?? middle.x, y: way.y ?? middle.y } });
  }
  return placed;
}

/** Moves nodes that were laid out beside those which a person has put in their place. */
function giveWay(nodes: SourceNode[], at: Map<string, Point>, moved: Set<string>, size: (n: SourceNode) => Size, direction: Direction): void {
  const room = 24;
  const fixed = nodes.filter((n) => moved.has(n.id));
  for (const n of nodes) {
    if (moved.has(n.id)) continue;
    const own = size(n);
    const p = { ...at.get(n.id)! };
    const inWay = (): SourceNode | undefined =>
      fixed.find((f) => {
        const o = at.get(f.id)!;
        const s = size(f);
        return p.x < o.x + s.width + room && o.x < p.x + own.width + room && p.y < o.y + s.height + room && o.y < p.y + own.height + room;
      });
    let left = nodes.length;
    for (let f = inWay(); f && left > 0; f = inWay(), left--) {
      if (direction === "LR") p.y = at.get(f.id)!.y + size(f).height + room;
      else p.x = at.get(f.id)!.x + size(f).width + room;
    }
    if (p.x === at.get(n.id)!.x && p.y === at.get(n.id)!.y) continue;
    at.set(n.id, p);
    moved.add(n.id);
    fixed.push(n);
  }
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
