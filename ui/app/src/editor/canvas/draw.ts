// The nodes and edges of a graph in the form of the canvas library, with the graphs that are
// unfolded inside of their nodes.
import { Position, type Edge, type Node, type NodeHandle } from "@xyflow/svelte";

import { edgesOf, type EdgeKind, type SourceEdge } from "../model/edges";
import { roughSize } from "../model/direction";
import { around, place, type Direction, type Point, type Route, type Size } from "../model/layout";
import { labelSize, nodeWidth, sizeOf } from "../model/measure";
import { fold } from "../model/members";
import type { PortRule } from "../model/ports";
import type { SourceNode, SourceTool } from "../model/source";
import type { Folds } from "./folds.svelte";

export interface StepData extends Record<string, unknown> {
  node: SourceNode;
  /** The graph that it is in. */
  graph: SourceTool;
  /** It has members or a graph of its own, which are shown or not. */
  open?: boolean;
  /** How many nodes are drawn as this one. */
  hidden: number;
  /** It is a node of a graph that a node of this one calls. */
  nested: boolean;
  ports: PortRule[];
}

export type CanvasNode = Node<StepData, "step"> | Node<{ label: string; node?: undefined }, "frame">;
export type CanvasEdge = Edge<{ kind: EdgeKind; label: string; route?: Route; back: boolean }, "way">;

export interface Drawing {
  /** Changes when the view should be fitted again: another graph or another direction. */
  id: string;
  nodes: CanvasNode[];
  edges: CanvasEdge[];
  width: number;
  height: number;
}

/** Around a drawing that is shown whole: buttons lie over its top and bottom. */
export const margins = { x: "4%", y: "54px" } as const;

/** The same where no buttons are. */
export const lookedAt = { x: "4%", y: "16px" } as const;

/** How large a drawing is shown at most that is shown whole. */
export const mostZoom = 1.1;

/** Nodes; of larger graphs only what is in sight is in the page. */
export const mostDrawn = 150;

/** Below this scale no name can be read. */
export const readable = 0.25;

/** Below this scale nodes are blocks with their name. */
export const texts = 0.4;

/** The view that shows where a graph begins, at a scale at which it can be read. */
export function beginning(drawing: Drawing, direction: Direction, room: Size): { x: number; y: number; zoom: number } | undefined {
  const start = drawing.nodes.find((n) => n.data.node?.type === "entry" || n.data.node?.type === "start") ?? drawing.nodes[0];
  if (!start) return undefined;
  const zoom = 0.8;
  const { position: p, width = nodeWidth, height = 60 } = start;
  return direction === "LR"
    ? { x: 40 - p.x * zoom, y: room.height / 2 - (p.y + height / 2) * zoom, zoom }
    : { x: room.width / 2 - (p.x + width / 2) * zoom, y: 70 - p.y * zoom, zoom };
}

const nothing: Drawing = { id: "", nodes: [], edges: [], width: 1, height: 1 };

/** Between a node that holds a graph and that graph. */
const inset = 18;

export function drawn(graph: SourceTool | undefined, edges: SourceEdge[], direction: Direction, folds: Folds, rulesOf: (n: SourceNode) => PortRule[] = () => []): Drawing {
  if (!graph) return nothing;
  const sheet = draw(graph, edges, direction, folds, rulesOf, "");
  const box = around(sheet.boxes);
  const shown = { nodes: sheet.nodes({ x: 0, y: 0 }), edges: sheet.edges({ x: 0, y: 0 }) };
  return { ...shown, width: box.width, height: box.height, id: `${direction} ${graph.name} ${shown.nodes.map((n) => n.id).join(" ")}` };
}

/** The direction in which the whole of a graph is shown larger, as far as that is known before
 * it is laid out: a layout takes longer than all else that a drawing needs. */
export function largerDirection(graph: SourceTool | undefined, edges: SourceEdge[], room: Size, folds: Folds, rulesOf: (n: SourceNode) => PortRule[] = () => []): Direction {
  if (!graph) return "LR";
  const scale = (direction: Direction): number => {
    const size = rough(graph, edges, direction, folds, rulesOf, "");
    return Math.min(1, room.width / size.width, room.height / size.height);
  };
  return scale("LR") >= scale("TB") ? "LR" : "TB";
}

function rough(graph: SourceTool, edges: SourceEdge[], direction: Direction, folds: Folds, rulesOf: (n: SourceNode) => PortRule[], path: string): Size {
  const shown = fold(graph.nodes, edges, folds.collapsed(path));
  const sizes = new Map(
    shown.nodes.map((n) => {
      const head = sizeOf(n, shown.hidden.get(n.id), rulesOf(n));
      const called = folds.graphIn(path + n.id, n, graph);
      if (!called || called.nodes.length === 0) return [n.id, head];
      return [n.id, holding(head, rough(called, edgesOf(called.nodes), direction, folds, rulesOf, `${path}${n.id}/`))];
    }),
  );
  return roughSize(shown.nodes, shown.edges, (n) => sizes.get(n.id)!, labelSize, direction, shown.frames);
}

/** The size of a node that shows the graph which it calls below its own texts. */
function holding(head: Size, inner: Size): Size {
  return { width: Math.max(head.width, inner.width + 2 * inset), height: head.height + inner.height + 2 * inset };
}

/** A graph that is laid out, and can be drawn at a point. */
interface Sheet {
  boxes: (Point & Size)[];
  nodes(at: Point): CanvasNode[];
  edges(at: Point): CanvasEdge[];
}

/** Lays out a graph; path is that of the node that holds it, with a slash, or empty. */
function draw(graph: SourceTool, edges: SourceEdge[], direction: Direction, folds: Folds, rulesOf: (n: SourceNode) => PortRule[], path: string): Sheet {
  const shown = fold(graph.nodes, edges, folds.collapsed(path));
  const inner = new Map<string, Sheet>();
  for (const n of shown.nodes) {
    const called = folds.graphIn(path + n.id, n, graph);
    if (called && called.nodes.length > 0) inner.set(n.id, draw(called, edgesOf(called.nodes), direction, folds, rulesOf, `${path}${n.id}/`));
  }
  const headOf = (n: SourceNode): Size => sizeOf(n, shown.hidden.get(n.id), rulesOf(n));
  const size = (n: SourceNode): Size => {
    const head = headOf(n);
    const sheet = inner.get(n.id);
    return sheet ? holding(head, around(sheet.boxes)) : head;
  };
  const sizes = new Map(shown.nodes.map((n) => [n.id, size(n)]));
  const placed = place(shown.nodes, shown.edges, (n) => sizes.get(n.id)!, labelSize, direction, shown.frames);
  const across = direction === "LR";
  const boxes = [...shown.nodes.map((n) => ({ ...placed.nodes.get(n.id)!, ...sizes.get(n.id)! })), ...placed.frames.values()];
  for (const way of placed.edges.values()) for (const p of way.points) boxes.push({ ...p, width: 0, height: 0 });

  /** Where the graph inside of a node begins, from the corner of the node. */
  const within = (n: SourceNode, sheet: Sheet): Point => {
    const box = around(sheet.boxes);
    return { x: (sizes.get(n.id)!.width - box.width) / 2 - box.x, y: headOf(n).height + inset - box.y };
  };
  const nested = path !== "";
  return {
    boxes,
    nodes: (at) => [
      ...[...placed.frames].map(([id, box]): CanvasNode => ({
        id: `${path}${id} members`,
        type: "frame",
        ...(nested ? { parentId: path.slice(0, -1) } : {}),
        position: { x: box.x + at.x, y: box.y + at.y },
        ...measured(box),
        handles: [],
        ...still,
        focusable: false,
        zIndex: nested ? undefined : -1,
        data: { label: `members of ${id}` },
      })),
      ...shown.nodes.flatMap((node): CanvasNode[] => {
        const p = placed.nodes.get(node.id)!;
        const sheet = inner.get(node.id);
        const own: CanvasNode = {
          id: path + node.id,
          type: "step",
          position: { x: p.x + at.x, y: p.y + at.y },
          ...(nested ? { parentId: path.slice(0, -1), ...still } : {}),
          ...measured(sizes.get(node.id)!),
          handles: handlesOf(sizes.get(node.id)!, across),
          sourcePosition: across ? Position.Right : Position.Bottom,
          targetPosition: across ? Position.Left : Position.Top,
          ariaLabel: `${node.type} ${node.id}${nested ? ` in ${path.slice(0, -1)}` : ""}`,
          data: { node, graph, nested, ports: rulesOf(node), hidden: shown.hidden.get(node.id) ?? 0, open: folds.stateOf(path + node.id, node, graph, shown.frames.has(node.id), shown.hidden.has(node.id)) },
        };
        return sheet ? [own, ...sheet.nodes(within(node, sheet))] : [own];
      }),
    ],
    edges: (at) => [
      ...shown.edges.map((e): CanvasEdge => ({
        id: path + e.id,
        type: "way",
        source: path + e.from,
        target: path + e.to,
        ...(nested ? { selectable: false } : {}),
        ariaLabel: `from ${e.from} to ${e.to}${e.label ? ", " + e.label : ""}`,
        data: { kind: e.kind, label: e.label, route: shifted(placed.edges.get(e.id), at), back: placed.back.has(e.id) },
      })),
      ...shown.nodes.flatMap((n) => {
        const sheet = inner.get(n.id);
        const p = placed.nodes.get(n.id)!;
        const start = sheet && within(n, sheet);
        return sheet && start ? sheet.edges({ x: at.x + p.x + start.x, y: at.y + p.y + start.y }) : [];
      }),
    ],
  };
}

/** The size of a node. The library need not measure it before it draws the edges. */
function measured({ width, height }: Size): { width: number; height: number; measured: Size } {
  return { width, height, measured: { width, height } };
}

const handle = 9; // px, the size of the points where edges begin and end
const border = 1; // px, of a node: the points are on its inner edge

function handlesOf(s: Size, across: boolean): NodeHandle[] {
  const at = (type: "source" | "target", position: Position, middle: Point): NodeHandle => ({ type, position, x: middle.x - handle / 2, y: middle.y - handle / 2, width: handle, height: handle });
  return across
    ? [at("target", Position.Left, { x: border, y: s.height / 2 }), at("source", Position.Right, { x: s.width - border, y: s.height / 2 })]
    : [at("target", Position.Top, { x: s.width / 2, y: border }), at("source", Position.Bottom, { x: s.width / 2, y: s.height - border })];
}

/** What cannot be changed here: nodes of another graph, and frames. */
const still = { draggable: false, selectable: false, connectable: false, deletable: false };

function shifted(way: Route | undefined, by: Point): Route | undefined {
  const move = (p: Point): Point => ({ x: p.x + by.x, y: p.y + by.y });
  return way && { points: way.points.map(move), label: move(way.label) };
}
