// The nodes and edges of a graph in the form of the canvas library.
import { Position, type Edge, type Node } from "@xyflow/svelte";

import type { EdgeKind, SourceEdge } from "../model/edges";
import { place, type Direction, type Route } from "../model/layout";
import { labelSize, sizeOf } from "../model/measure";
import type { SourceNode, SourceTool } from "../model/source";

export type CanvasNode = Node<{ node: SourceNode }, "step">;
export type CanvasEdge = Edge<{ kind: EdgeKind; label: string; route?: Route; back: boolean }, "way">;

export interface Drawing {
  /** Changes when the view should be fitted again: another graph or another direction. */
  id: string;
  nodes: CanvasNode[];
  edges: CanvasEdge[];
  width: number;
  height: number;
}

export function drawn(graph: SourceTool | undefined, edges: SourceEdge[], direction: Direction): Drawing {
  if (!graph) return { id: "", nodes: [], edges: [], width: 1, height: 1 };
  const placed = place(graph.nodes, edges, sizeOf, labelSize, direction);
  const across = direction === "LR";
  const nodes = graph.nodes.map((node): CanvasNode => {
    const size = sizeOf(node);
    return {
      id: node.id,
      type: "step",
      position: placed.nodes.get(node.id) ?? { x: 0, y: 0 },
      width: size.width,
      height: size.height,
      sourcePosition: across ? Position.Right : Position.Bottom,
      targetPosition: across ? Position.Left : Position.Top,
      ariaLabel: `${node.type} ${node.id}`,
      data: { node },
    };
  });
  const ways = edges.map((e): CanvasEdge => {
    return {
      id: e.id,
      type: "way",
      source: e.from,
      target: e.to,
      ariaLabel: `from ${e.from} to ${e.to}${e.label ? ", " + e.label : ""}`,
      data: { kind: e.kind, label: e.label, route: placed.edges.get(e.id), back: placed.back.has(e.id) },
    };
  });
  const width = Math.max(...nodes.map((n) => n.position.x + n.width!)) - Math.min(...nodes.map((n) => n.position.x));
  const height = Math.max(...nodes.map((n) => n.position.y + n.height!)) - Math.min(...nodes.map((n) => n.position.y));
  return { width, height, id: `${direction} ${graph.name} ${graph.nodes.map((n) => n.id).join(" ")}`, nodes, edges: ways };
}
