// The document as the canvas reads it: its tools and their nodes, with the places of the
// nodes in the text. What is wrong in it is the checker's concern, so that anything which
// is not a node is left out without a word.
import { isMap, isScalar, isSeq, parseDocument, type Document, type Node as YamlNode, type YAMLMap } from "yaml";

import type { Json, JsonSchema } from "../../api/types";
import { numberOf } from "../../lib/exact";
import { readPlain, type Plain } from "./plain";

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
  outputSchema?: JsonSchema;
  nodes: SourceNode[];
  workflow: boolean;
  /** JSON Pointer of the tool in the document, "" of one that is the document. */
  path: string;
  /** All tools of its document: a graph node calls those first. */
  document: SourceTool[];
}

/** A text with numbers that JavaScript may not hold; reading those takes longer. */
const long = /\d{16}/;

/** Reads a text; undefined if it has no graph that can be drawn. */
export function readSource(text: string): SourceTool[] | undefined {
  const plain = readPlain(text);
  return plain ? toolsOf(plain) : readAny(text);
}

const mapOf = (v: Json | undefined): Record<string, Json> | undefined => (v !== null && typeof v === "object" && !Array.isArray(v) ? v : undefined);

function toolsOf({ value, ranges }: Plain): SourceTool[] | undefined {
  const root = mapOf(value);
  if (!root) return undefined;
  const tool = (t: Record<string, Json>, path: string): SourceTool => ({
    name: textOf(t.name),
    path,
    description: textOf(t.description) || undefined,
    inputSchema: (t.inputSchema ?? undefined) as JsonSchema | undefined,
    outputSchema: (t.outputSchema ?? undefined) as JsonSchema | undefined,
    workflow: "workflow" in t,
    document: [],
    nodes: (Array.isArray(t.nodes) ? t.nodes : []).flatMap((n, i): SourceNode[] => {
      const fields = mapOf(n);
      const id = textOf(fields?.id);
      if (!fields || id === "") return [];
      const [from, to] = ranges.get(fields)!;
      return [{ id, type: textOf(fields.type), fields, from, to, path: `${path}/nodes/${i}` }];
    }),
  });
  if (Array.isArray(root.tools)) return together(root.tools.flatMap((t, i) => (mapOf(t) ? [tool(mapOf(t)!, `/tools/${i}`)] : [])));
  return "nodes" in root ? together([tool(root, "")]) : undefined;
}

/** Reads a text of any YAML. */
export function readAny(text: string): SourceTool[] | undefined {
  let doc: Document;
  try {
    doc = parseDocument(text, { strict: false, uniqueKeys: false, keepSourceTokens: false, logLevel: "silent", schema: "core", merge: false, intAsBigInt: long.test(text) });
  } catch {
    return undefined;
  }
  const root: unknown = doc.contents;
  if (!isMap(root)) return undefined;
  const tools = root.get("tools", true);
  if (isSeq(tools)) {
    return together(tools.items.flatMap((item, i) => (isMap(item) ? [readTool(doc, item, `/tools/${i}`)] : [])));
  }
  return root.has("nodes") ? together([readTool(doc, root, "")]) : undefined;
}

function together(tools: SourceTool[]): SourceTool[] {
  for (const t of tools) t.document = tools;
  return tools;
}

function readTool(doc: Document, map: YAMLMap, path: string): SourceTool {
  const nodes = map.get("nodes", true);
  return {
    name: textOf(map.get("name")),
    path,
    description: textOf(map.get("description")) || undefined,
    inputSchema: plain(doc, map.get("inputSchema", true)) as JsonSchema | undefined,
    outputSchema: plain(doc, map.get("outputSchema", true)) as JsonSchema | undefined,
    workflow: map.has("workflow"),
    document: [],
    nodes: isSeq(nodes) ? nodes.items.flatMap((n, i) => readNode(doc, n, `${path}/nodes/${i}`)) : [],
  };
}

function readNode(doc: Document, n: unknown, path: string): SourceNode[] {
  if (!isMap(n)) return [];
  const id = textOf(n.get("id"));
  if (id === "") return [];
  const fields = (plain(doc, n) ?? {}) as Record<string, Json>;
  const range = n.range ?? [0, 0, 0];
  return [{ id, type: textOf(n.get("type")), fields, from: range[0], to: range[1], path }];
}

function textOf(v: unknown): string {
  return typeof v === "string" ? v : typeof v === "number" || typeof v === "boolean" ? String(v) : "";
}

function plain(doc: Document, n: unknown): Json | undefined {
  if (n === undefined || n === null) return undefined;
  if (!isScalar(n) && !isMap(n) && !isSeq(n)) return undefined;
  try {
    return exactly((n as YamlNode).toJS(doc));
  } catch {
    return undefined; // an alias without its anchor
  }
}

/** A value of the YAML reader, in which whole numbers may be BigInts. */
export function exactly(v: unknown): Json {
  if (typeof v === "bigint") return numberOf(String(v));
  if (Array.isArray(v)) return v.map(exactly);
  if (v !== null && typeof v === "object") return Object.fromEntries(Object.entries(v).map(([key, m]) => [key, exactly(m)]));
  return v as Json;
}
