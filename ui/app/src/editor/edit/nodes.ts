// The operations that a gesture on the canvas stands for.
import { nodeDetails } from "../../api/operations";
import type { Json } from "../../api/types";
import type { SourceEdge } from "../model/edges";
import type { Point } from "../model/layout";
import type { SourceTool } from "../model/source";
import { ends, freeId } from "./names";
import type { EditOp } from "./edits.svelte";

/** What the drag of a node out of the catalog carries. */
export const dragType = "application/x-patchbay-node";

/** A graph that does nothing yet. */
export const emptyGraph = `name: new_graph
description: What it does
inputSchema: {type: object, properties: {}}
outputSchema: {}
nodes:
  - {id: entry, type: entry, next: exit}
  - {id: exit, type: exit}
`;

/** Where a node is added: after a node, in an edge, or at a point, where it may follow a node. */
export interface Place {
  after?: string;
  edge?: SourceEdge;
  at?: Point;
}

/** Adds the node of a catalog entry; without a place it goes before the end. */
export async function addition(graph: SourceTool, edges: SourceEdge[], id: string, { after, edge, at }: Place): Promise<{ id: string; ops: EditOp[] }> {
  const details = await nodeDetails(id);
  const skeleton = details?.skeleton;
  if (!skeleton || typeof skeleton !== "object" || Array.isArray(skeleton)) throw new Error(details?.error ?? `${id} is not a node of a graph.`);
  const node: Record<string, Json> = { ...skeleton, id: freeId(graph.nodes.map((n) => n.id), String(skeleton.id ?? "node")) };
  if (at) node.ui = { x: Math.round(at.x), y: Math.round(at.y) };
  const name = String(node.id);
  const last = graph.nodes.find((n) => ends.has(n.type))?.id;
  const leads = (e: SourceEdge): boolean => e.kind === "next" || e.kind === "default";
  if (!after && !at) after = edges.find((e) => e.to === last && leads(e))?.from;
  const way = edge ?? (at ? undefined : edges.find((e) => e.from === after && leads(e)));
  if ("next" in node) node.next = way?.to ?? last ?? graph.nodes.at(-1)?.id ?? name;
  const leadsOn = "next" in node && !ends.has(String(node.type));
  if (way && leadsOn) return { id: name, ops: [{ op: "insert_between", from: way.from, to: way.to, node }] };
  const follows = edge?.from ?? after;
  const ops: EditOp[] = [{ op: "add_node", node, ...(follows ? { after: follows } : {}) }];
  if (follows && (at || !way)) ops.push(...connection(graph, follows, name));
  return { id: name, ops };
}

/** Leads from one node to another; a switch that leads somewhere already gets a further case. */
export function connection(graph: SourceTool, from: string, to: string): EditOp[] {
  const n = graph.nodes.find((node) => node.id === from);
  if (n?.type === "switch" && typeof n.fields.next === "string") {
    const conditions = Array.isArray(n.fields.conditions) ? n.fields.conditions : [];
    return [{ op: "update_node", id: from, set: { conditions: [...conditions, { rule: { "==": [{ var: "$.entry" }, null] }, next: to }] } }];
  }
  if (n?.type === "parallel") {
    const branches = Array.isArray(n.fields.branches) ? n.fields.branches : [];
    return [{ op: "update_node", id: from, set: { branches: [...branches, to] } }];
  }
  return [{ op: "connect", from, to }];
}

/** Takes an edge away; undefined if a node cannot be without it. */
export function disconnection(graph: SourceTool, edge: SourceEdge): EditOp[] | undefined {
  const n = graph.nodes.find((node) => node.id === edge.from);
  const without = (field: string): EditOp[] => {
    const list = Array.isArray(n?.fields[field]) ? n.fields[field] : [];
    return [{ op: "update_node", id: edge.from, set: { [field]: list.filter((_, i) => i !== edge.index) } }];
  };
  switch (edge.kind) {
    case "onError":
      return [{ op: "update_node", id: edge.from, set: { onError: null } }];
    case "case":
      return without("conditions");
    case "branch":
      return without("branches");
    case "detach":
      return without("detach");
    case "next":
    case "join":
      return [{ op: "update_node", id: edge.from, set: { next: null } }];
    case "default":
      return edge.index === undefined ? [{ op: "update_node", id: edge.from, set: { next: null } }] : without("conditions");
  }
}

/** Keeps where nodes were moved to. */
export function moves(at: { id: string; position: Point }[]): EditOp[] {
  return at.map(({ id, position }) => ({ op: "update_node", id, set: { ui: { x: Math.round(position.x), y: Math.round(position.y) } } }));
}
