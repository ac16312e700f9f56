// The document as the canvas reads it: its tools and their nodes, with the places of the
// nodes in the text. What is wrong in it is the checker's concern, so that anything which
// is not a node is left out without a word.
import { isMap, isScalar, isSeq, parseDocument, type Node as YamlNode, type YAMLMap } from "yaml";

import type { Json, JsonSchema } from "../../api/types";

export interface SourceNode {
  id: string;
  type: string;
  fields: Record<string, Json>;
  /** Offsets of the node in the text. */
  from: number;
  to: number;
  /** JSON Pointer of the node in the document. */
  path: string;
}

export interface SourceTool {
  name: string;
  description?: string;
  inputSchema?: JsonSchema;
  nodes: SourceNode[];
  workflow: boolean;
}

/** Reads a text; undefined if it has no graph that can be drawn. */
export function readSource(text: string): SourceTool[] | undefined {
  let root: unknown;
  try {
    const doc = parseDocument(text, { strict: false, uniqueKeys: false, keepSourceTokens: false, logLevel: "silent", schema: "core", merge: false });
    root = doc.contents;
  } catch {
    return undefined;
  }
  if (!isMap(root)) return undefined;
  const tools = root.get("tools", true);
  if (isSeq(tools)) {
    return tools.items.flatMap((item, i) => (isMap(item) ? [readTool(item, `/tools/${i}`)] : []));
  }
  return root.has("nodes") ? [readTool(root, "")] : undefined;
}

function readTool(map: YAMLMap, path: string): SourceTool {
  const nodes = map.get("nodes", true);
  return {
    name: textOf(map.get("name")),
    description: textOf(map.get("description")) || undefined,
    inputSchema: plain(map.get("inputSchema", true)) as JsonSchema | undefined,
    workflow: map.has("workflow"),
    nodes: isSeq(nodes) ? nodes.items.flatMap((n, i) => readNode(n, `${path}/nodes/${i}`)) : [],
  };
}

function readNode(n: unknown, path: string): SourceNode[] {
  if (!isMap(n)) return [];
  const id = textOf(n.get("id"));
  if (id === "") return [];
  const fields = plain(n) as Record<string, Json>;
  const range = n.range ?? [0, 0, 0];
  return [{ id, type: textOf(n.get("type")), fields, from: range[0], to: range[1], path }];
}

function textOf(v: unknown): string {
  return typeof v === "string" ? v : typeof v === "number" || typeof v === "boolean" ? String(v) : "";
}

function plain(n: unknown): Json | undefined {
  if (n === undefined || n === null) return undefined;
  if (isScalar(n) || isMap(n) || isSeq(n)) return (n as YamlNode).toJSON() as Json;
  return undefined;
}
