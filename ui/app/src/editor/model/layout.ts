// Where nodes and edges are drawn: laid out by dagre, large graphs in ranks of our own, except
// what a person has moved.
import { Graph, layout } from "@dagrejs/dagre";

import { backEdges, wayBack } from "./back";
import type { SourceEdge } from "./edges";
import { groupBy } from "../../lib/group";
import { layered, type Item, type Laid, type Way } from "./layered";
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
  back: Set<string>; // ids of the edges that go around the graph: they lead back, or far
  frames: Map<string, Point & Size>; // around the members of a parallel node, by its id
}

/** The room that a frame leaves around its members, and above them for its title. */
export const margin = { side: 14, top: 30 };

/** The way of an edge: points from node to node, and the middle of its label. */
export interface Route {
  points: Point[];
  label: Point;
}

export const gap = { LR: { nodesep: 34, ranksep: 44 }, TB: { nodesep: 30, ranksep: 34 } };

/** The latest layouts, by what they were made of. */
const known = new Map<string, Placed>();
const mostKnown = 16;

/** Places nodes and edges. A graph of the same shape as one before, as after most keys in its
 * text, has the layout of that one. */
export function place(nodes: SourceNode[], edges: SourceEdge[], size: (n: SourceNode) => Size, labelSize: (text: string) => Size, direction: Direction, frames: Map<string, Set<string>> = new Map()): Readonly<Placed> {
  const shape = JSON.stringify([direction, nodes.map((n) => [n.id, size(n), movedTo(n)]), edges.map((e) => [e.id, e.from, e.to, e.kind, labelSize(e.label)]), [...frames].map(([id, members]) => [id, ...members])]);
  const placed = known.get(shape) ?? layOut(nodes, edges, size, labelSize, direction, frames);
  known.delete(shape);
  known.set(shape, placed);
  if (known.size > mostKnown) known.delete(known.keys().next().value!);
  return placed;
}

/** The most nodes that dagre lays out: the time that it takes grows with their square. */
const mostForDagre = 150;

function layOut(nodes: SourceNode[], edges: SourceEdge[], size: (n: SourceNode) => Size, labelSize: (text: string) => Size, direction: Direction, frames: Map<string, Set<string>>): Placed {
  const outer = framesOf(frames, nodes);
  const back = backEdges(nodes, edges);
  const items = nodes.map((n) => ({ id: n.id, ...size(n) }));
  const ways = edges.filter((e) => !back.has(e.id)).map((e) => ({ id: e.id, from: e.from, to: e.to, label: labelSize(e.label), weight: weight(e) }));
  const laid = nodes.length > mostForDagre ? layered(items, ways, direction, outer) : byDagre(items, ways, direction, outer);
  const far = new Set(ways.filter((w) => !laid.edges.has(w.id)).map((w) => w.id));

  const placed: Placed = { nodes: new Map(), edges: new Map(), back: new Set([...back, ...far]), frames: new Map() };
  const moved = new Set<string>();
  for (const n of nodes) {
    const own = movedTo(n);
    if (own) moved.add(n.id);
    placed.nodes.set(n.id, own ?? laid.nodes.get(n.id)!);
  }
  if (moved.size > 0) giveWay(nodes, placed.nodes, moved, size, direction);
  const sized = new Map(nodes.map((n) => [n.id, { ...placed.nodes.get(n.id)!, ...size(n) }]));
  placed.frames = framed(frames, outer, sized);
  const corners = [...placed.nodes.values(), ...placed.frames.values()];
  const corner = { x: Math.min(...corners.map((p) => p.x)), y: Math.min(...corners.map((p) => p.y)) };
  const boxOf = (id: string): Point & Size => sized.get(id)!;
  const lanes = new Map<string, number>();
  for (const e of edges) {
    if (!placed.back.has(e.id)) continue;
    const shared = far.has(e.id) ? `to ${e.to}` : e.id;
    const lane = lanes.get(shared) ?? lanes.size;
    lanes.set(shared, lane);
    const way = wayBack(boxOf(e.from), boxOf(e.to), corner, lane, direction);
    if (direction === "TB") way.label.x = Math.min(way.label.x, corner.x - 6 - labelSize(e.label).width / 2); // beside the nodes
    placed.edges.set(e.id, way);
  }
  for (const e of edges) {
    if (moved.has(e.from) || moved.has(e.to) || placed.back.has(e.id)) continue;
    placed.edges.set(e.id, laid.edges.get(e.id)!);
  }
  return placed;
}

function byDagre(nodes: Item[], ways: Way[], direction: Direction, outer: Map<string, string>): Pick<Laid, "nodes" | "edges"> {
  const g = new Graph({ multigraph: true, compound: outer.size > 0 });
  g.setGraph({ rankdir: direction, ...gap[direction], edgesep: 18, marginx: 0, marginy: 0 });
  g.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of nodes) g.setNode(id, { width, height });
  for (const frame of new Set(outer.values())) g.setNode(frame, {});
  for (const [id, frame] of outer) g.setParent(id, frame);
  for (const w of ways) g.setEdge(w.from, w.to, { ...w.label, labelpos: "c", weight: w.weight }, w.id);
  layout(g);
  const place = (n: Item): [string, Point] => {
    const at = g.node(n.id) as Point;
    return [n.id, { x: Math.round(at.x - n.width / 2), y: Math.round(at.y - n.height / 2) }];
  };
  const route = (w: Way): [string, Route] => {
    const way = g.edge(w.from, w.to, w.id) as { points: Point[]; x?: number; y?: number };
    const middle = way.points[Math.floor(way.points.length / 2)] ?? { x: 0, y: 0 };
    return [w.id, { points: way.points, label: { x: way.x ?? middle.x, y: way.y ?? middle.y } }];
  };
  const laid = { nodes: new Map(nodes.map(place)), edges: new Map(ways.map(route)) };
  if (!reversed(nodes, ways, laid.nodes, direction)) return laid;
  const { width = 0, height = 0 } = g.graph();
  return mirrored(nodes, laid, direction, { width, height });
}

/** Whether most nodes that follow the same node are in the reverse of the order of the text. */
function reversed(nodes: Item[], ways: Way[], at: Map<string, Point>, direction: Direction): boolean {
  const size = new Map(nodes.map((n) => [n.id, n]));
  const middle = (id: string): number => (direction === "LR" ? at.get(id)!.y + size.get(id)!.height / 2 : at.get(id)!.x + size.get(id)!.width / 2);
  let balance = 0;
  for (const out of groupBy(ways, (w) => w.from).values()) {
    out.slice(1).forEach((w, i) => (balance += Math.sign(middle(w.to) - middle(out[i]!.to))));
  }
  return balance < 0;
}

/** The drawing as a mirror shows it, in the same place. */
function mirrored(nodes: Item[], laid: Pick<Laid, "nodes" | "edges">, direction: Direction, all: Size): Pick<Laid, "nodes" | "edges"> {
  const mirror = (p: Point, s: Size = { width: 0, height: 0 }): Point => (direction === "LR" ? { x: p.x, y: all.height - p.y - s.height } : { x: all.width - p.x - s.width, y: p.y });
  return {
    nodes: new Map(nodes.map((n) => [n.id, mirror(laid.nodes.get(n.id)!, n)])),
    edges: new Map([...laid.edges].map(([id, r]) => [id, { points: r.points.map((p) => mirror(p)), label: mirror(r.label) }])),
  };
}

/** The frame that each node and each frame is in, if one is. */
function framesOf(frames: Map<string, Set<string>>, nodes: SourceNode[]): Map<string, string> {
  const outer = new Map<string, string>();
  const innerFirst = [...frames].sort(([, a], [, b]) => a.size - b.size);
  const around = (id: string, but?: string): string | undefined => innerFirst.find(([f, members]) => f !== but && members.has(id))?.[0];
  const put = (id: string, frame: string | undefined): void => {
    if (frame !== undefined) outer.set(id, clusterOf(frame));
  };
  for (const [id] of innerFirst) put(clusterOf(id), around(id, id));
  for (const n of nodes) put(n.id, around(n.id));
  return outer;
}

const clusterOf = (id: string): string => `members of ${id}`;

/** The boxes of frames: what is in them, with room for their title. */
function framed(frames: Map<string, Set<string>>, outer: Map<string, string>, at: Map<string, Point & Size>): Map<string, Point & Size> {
  const out = new Map<string, Point & Size>();
  const boxOf = (id: string): (Point & Size) | undefined => {
    const known = out.get(id);
    if (known) return known;
    const boxes = [...at].filter(([n]) => outer.get(n) === clusterOf(id)).map(([, b]) => b);
    for (const f of frames.keys()) {
      const inner = outer.get(clusterOf(f)) === clusterOf(id) ? boxOf(f) : undefined;
      if (inner) boxes.push(inner);
    }
    if (boxes.length === 0) return undefined;
    const box = around(boxes);
    const own = { x: box.x - margin.side, y: box.y - margin.top, width: box.width + 2 * margin.side, height: box.height + margin.top + margin.side };
    out.set(id, own);
    return own;
  };
  for (const id of frames.keys()) boxOf(id);
  return out;
}

/** The smallest box around boxes. */
export function around(boxes: (Point & Size)[]): Point & Size {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const b of boxes) {
    left = Math.min(left, b.x);
    top = Math.min(top, b.y);
    right = Math.max(right, b.x + b.width);
    bottom = Math.max(bottom, b.y + b.height);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
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
