// The fields of a node as a form shows them: what it has, and what it could have.
import { parse, stringify } from "yaml";

import type { Json, NodeDetails, Parameter } from "../../api/types";
import { isExact } from "../../lib/exact";
import { exactly, type SourceNode } from "../model/source";

/** How a value is written: by choosing, as a number, as an expression, as rows, or as YAML. */
export type Control = "node" | "choice" | "boolean" | "number" | "expression" | "script" | "line" | "yaml" | "conditions";

export interface NodeField {
  /** Path of update_node, with dots. */
  path: string;
  title: string;
  control: Control;
  value: Json | undefined;
  required: boolean;
  description?: string;
  choices?: string[];
  /** Values that a line often has. */
  suggestions?: string[];
}

const own = new Set(["id", "type", "ui", "server", "tool", "node_type"]);

/** The id of what the catalog says about a node. */
export function catalogID(n: SourceNode): string {
  if (n.type === "mcp" && typeof n.fields.server === "string" && typeof n.fields.tool === "string") return `mcp:${n.fields.server}/${n.fields.tool}`;
  if (n.type === "graph" && typeof n.fields.graph === "string") return `graph:${n.fields.graph}`;
  return n.type;
}

/** The fields that a node has, in the order of the catalog, and the names of those it could have. */
export function fieldsOf(n: SourceNode, kind: NodeDetails | undefined, tool: NodeDetails | undefined, nodes: string[]): { fields: NodeField[]; more: Parameter[] } {
  const parameters = (kind?.parameters ?? []).filter((p) => !own.has(p.name));
  const known = new Set(parameters.map((p) => p.name));
  const fields: NodeField[] = [];
  const more: Parameter[] = [];
  for (const p of parameters) {
    if (p.name === "args" && tool) fields.push(...argumentFields(n, tool));
    else if (p.name === "hook" && typeof object(n.fields.hook)?.script === "string") fields.push({ ...field("hook.script", "script", object(n.fields.hook)!.script, undefined, nodes), control: "script" });
    else if (p.name in n.fields || p.required) fields.push(field(p.name, p.name, n.fields[p.name], p, nodes));
    else more.push(p);
  }
  for (const [name, value] of Object.entries(n.fields)) {
    if (!known.has(name) && !own.has(name)) fields.push(field(name, name, value, undefined, nodes));
  }
  return { fields, more };
}

function argumentFields(n: SourceNode, tool: NodeDetails): NodeField[] {
  const args = object(n.fields.args) ?? {};
  const ports = tool.input_ports ?? [];
  const names = [...new Set([...ports.map((p) => p.name), ...Object.keys(args)])];
  return names.map((name) => {
    const port = ports.find((p) => p.name === name);
    const schema = port?.validation_schema ?? port?.data_format?.schema;
    const p: Parameter = { name, type: port?.type ?? "any", required: port?.required ?? false, description: port?.description, enum_values: schema?.enum };
    return field(`args.${name}`, name, args[name], p, []);
  });
}

/** An object with the one key expr is an expression. */
export function expressionOf(v: Json | undefined): string | undefined {
  const o = object(v);
  return o && Object.keys(o).length === 1 && typeof o.expr === "string" ? o.expr : undefined;
}

function field(path: string, title: string, value: Json | undefined, p: Parameter | undefined, nodes: string[]): NodeField {
  const base = { path, title, value, required: p?.required ?? false, description: p?.description };
  if (path === "conditions" && (value === undefined || isConditions(value))) return { ...base, control: "conditions", choices: nodes };
  if (expressionOf(value) !== undefined) return { ...base, control: "expression" };
  if (p?.type === "node-id" && (value === undefined || typeof value === "string")) return { ...base, control: "node", choices: nodes };
  if (p?.enum_values?.length && p.enum_values.every((v) => typeof v === "string") && (value === undefined || typeof value === "string")) {
    return { ...base, control: "choice", choices: p.enum_values as string[] };
  }
  if (p?.type === "boolean" && (value === undefined || typeof value === "boolean")) return { ...base, control: "boolean" };
  if ((p?.type === "number" || p?.type === "integer") && (value === undefined || typeof value === "number" || isExact(value))) return { ...base, control: "number" };
  if ((p?.type === "string" && value === undefined) || (typeof value === "string" && !value.includes("\n"))) return { ...base, control: "line", suggestions: path === "method" ? methods : undefined };
  return { ...base, control: "yaml" };
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

const isConditions = (v: Json): boolean => Array.isArray(v) && v.every((c) => object(c) !== undefined && "rule" in object(c)!);

function object(v: Json | undefined): Record<string, Json> | undefined {
  return v && typeof v === "object" && !Array.isArray(v) ? v : undefined;
}

export function toYaml(v: Json | undefined): string {
  return v === undefined ? "" : stringify(v, (_, m: unknown) => (isExact(m) && isWhole(String(m)) ? BigInt(String(m)) : m), { lineWidth: 0, flowCollectionPadding: false }).trimEnd();
}

/** Reads what was written; undefined for nothing. It throws where the text is not YAML. */
export function fromYaml(text: string): Json | undefined {
  return text.trim() === "" ? undefined : exactly(parse(text, { schema: "core", intAsBigInt: true }));
}

const isWhole = (text: string): boolean => /^-?\d+$/.test(text);
