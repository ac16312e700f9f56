// Nodes as text of the clipboard: a list of nodes in YAML, as graphs have them.
import type { Json } from "../../api/types";
import type { SourceTool } from "../model/source";
import type { EditOp } from "./edits.svelte";
import { fromYaml, toYaml } from "./fields";
import { ends, freeId } from "./names";

export function copied(graph: SourceTool, ids: string[]): string {
  const nodes = graph.nodes.filter((n) => ids.includes(n.id)).map((n) => Object.fromEntries(Object.entries(n.fields).filter(([k]) => k !== "ui")));
  return nodes.length > 0 ? `${toYaml(nodes)}\n` : "";
}

/** Adds the nodes of a text under free names; undefined if it has none. What they say of each
 * other follows the names; what they lead to beyond them is the end, unless the graph has it. */
export function pasted(graph: SourceTool, text: string): { ids: string[]; ops: EditOp[] } | undefined {
  const nodes = nodesOf(text);
  if (!nodes || nodes.length === 0) return undefined;
  const taken = graph.nodes.map((n) => n.id);
  const names = new Map<string, string>();
  for (const n of nodes) names.set(n.id, freeId([...taken, ...names.values()], n.id));
  const end = graph.nodes.find((n) => ends.has(n.type))?.id;
  const known = new Set(taken);
  const reads = [...names].filter(([from, to]) => from !== to).map(([from, to]) => [new RegExp(`\\$\\.${from.replace(/[^\w]/g, "\\$&")}(?![\\w-])`, "g"), `$.${to}`] as const);

  const target = (v: Json): Json => (typeof v !== "string" ? v : (names.get(v) ?? (known.has(v) ? v : (end ?? v))));
  function follow(v: Json, key: string): Json {
    if (typeof v === "string") return edges.has(key) ? target(v) : reads.reduce((s, [from, to]) => s.replace(from, to), v);
    if (Array.isArray(v)) return v.map((item) => follow(item, key));
    if (v !== null && typeof v === "object" && v.constructor === Object) return Object.fromEntries(Object.entries(v).map(([k, m]) => [k, follow(m, k)]));
    return v;
  }
  const ops = nodes.map((n): EditOp => ({ op: "add_node", node: { ...(follow(n, "") as Record<string, Json>), id: names.get(n.id)! } }));
  return { ids: [...names.values()], ops };
}

const edges = new Set(["next", "onError", "join", "branches", "detach", "target"]);
const once = new Set(["entry", "start"]);

function nodesOf(text: string): ({ id: string } & Record<string, Json>)[] | undefined {
  let v: Json | undefined;
  try {
    v = fromYaml(text);
  } catch {
    return undefined;
  }
  const list = Array.isArray(v) ? v : v !== null && typeof v === "object" && Array.isArray(v.nodes) ? v.nodes : [v as Json];
  const nodes = list.filter((n): n is { id: string; type: string } => n !== null && typeof n === "object" && !Array.isArray(n) && typeof n.id === "string" && typeof n.type === "string");
  return nodes.length === list.length ? nodes.filter((n) => !once.has(n.type)) : undefined;
}
