// The fields of a node as a form shows them: what it has, and what it could have.
import { parse, stringify } from "yaml";

import type { Json, JsonSchema, NodeDetails, Parameter } from "../../api/types";
import { isExact } from "../../lib/exact";
import { propertiesOf } from "../../lib/nodes";
import { escape } from "../../lib/schema";
import { exactly, type SourceNode } from "../model/source";
import { aboutField } from "./about";

/** How a value is written: by choosing, as a number, as an expression, as rows, as fields of its own, as a table, or as YAML. */
export type Control = "node" | "choice" | "boolean" | "number" | "expression" | "script" | "line" | "yaml" | "conditions" | "nodes" | "group" | "pairs" | "table";

export interface NodeField {
  /** Path of update_node, with dots. */
  path: string;
  title: string;
  control: Control;
  value: Json | undefined;
  required: boolean;
  description?: string;
  choices?: string[];
  /** What the choice of no value is called. */
  none?: string;
  /** Its value may be an expression or a literal. */
  computable?: boolean;
  /** Of a group and of pairs. */
  fields?: NodeField[];
  /** Of a group that has one of several forms: each with what it starts as. */
  forms?: Record<string, Json>;
  /** Which of them it has. */
  form?: string;
}

const own = new Set(["id", "type", "ui", "server", "tool", "node_type"]);

/** The id of what the catalog says about a node. */
export function catalogID(n: SourceNode): string {
  if (n.type === "mcp" && typeof n.fields.server === "string" && typeof n.fields.tool === "string") return `mcp:${n.fields.server}/${n.fields.tool}`;
  if (n.type === "graph" && typeof n.fields.graph === "string") return `graph:${n.fields.graph}`;
  return n.type;
}

/** An argument that a tool or a graph takes. */
export interface Argument {
  name: string;
  type: string;
  required: boolean;
  description?: string;
  choices?: Json[];
}

/** The arguments that the catalog says a tool or a graph takes. */
export function argumentsOf(details: NodeDetails | undefined): Argument[] | undefined {
  return details?.input_ports?.map((p) => ({ name: p.name, type: p.type ?? "any", required: p.required ?? false, description: p.description, choices: (p.validation_schema ?? p.data_format?.schema)?.enum }));
}

/** The arguments that a graph of the same document takes. */
export function inputsOf(schema: JsonSchema | undefined): Argument[] {
  return propertiesOf(schema).map(({ enum_values, ...p }) => ({ ...p, choices: enum_values }));
}

/** The fields that a node has, in the order of the catalog, and the names of those it could have.
 * Known arguments are fields of their own; graphs are those that a node can call. */
export function fieldsOf(n: SourceNode, kind: NodeDetails | undefined, args: Argument[] | undefined, nodes: string[], graphs: string[] = []): { fields: NodeField[]; more: Parameter[] } {
  const parameters = (kind?.parameters ?? []).filter((p) => !own.has(p.name)).map((p) => ({ ...p, description: aboutField(n.type, p.name) ?? p.description }));
  const known = new Set(parameters.map((p) => p.name));
  const fields: NodeField[] = [];
  const more: Parameter[] = [];
  for (const p of parameters) {
    if (p.name === "args" && args) fields.push(...argumentFields(n, args));
    else if (p.name === "graph" && n.type === "graph" && typeof n.fields.graph !== "object") fields.push({ ...field("graph", "graph", n.fields.graph, p, nodes), control: "choice", choices: withValue(graphs, n.fields.graph), computable: false });
    else if (p.name === "hook" && typeof object(n.fields.hook)?.script === "string") fields.push({ ...field("hook.script", "script", object(n.fields.hook)!.script, undefined, nodes), control: "script" });
    else if (p.name in n.fields || p.required) fields.push(field(p.name, p.name, n.fields[p.name], p, nodes));
    else more.push(p);
  }
  for (const [name, value] of Object.entries(n.fields)) {
    if (!known.has(name) && !own.has(name)) fields.push(field(name, name, value, undefined, nodes));
  }
  return { fields, more };
}

function argumentFields(n: SourceNode, known: Argument[]): NodeField[] {
  const args = object(n.fields.args) ?? {};
  const names = [...new Set([...known.map((a) => a.name), ...Object.keys(args)])];
  return names.map((name) => {
    const a = known.find((k) => k.name === name);
    const p: Parameter = { name, type: a?.type ?? "any", required: a?.required ?? false, description: a?.description, enum_values: a?.choices };
    return { ...field(pathTo("args", name), name, args[name], p, []), computable: true };
  });
}

/** The path of a member of a field; of a name with dots a JSON Pointer. */
export function pathTo(field: string, name: string): string {
  return /[./~]/.test(name) ? `/${field.replaceAll(".", "/")}/${escape(name)}` : `${field}.${name}`;
}

const groups: Record<string, Parameter[]> = {
  foreach: [
    { name: "items", type: "array", required: true, description: "the list; the node is executed for each of its items" },
    { name: "as", type: "string", required: false, description: "what the item is called in expressions: item is $item" },
    { name: "concurrency", type: "number", required: false, description: "how many items at the same time" },
    { name: "onItemError", type: "string", required: false, enum_values: ["fail", "continue"], description: "whether the node fails when an item does" },
  ],
  retry: [
    { name: "maxAttempts", type: "number", required: true, description: "how often it is tried at most" },
    { name: "initialMs", type: "number", required: false, description: "milliseconds before the second attempt" },
    { name: "factor", type: "number", required: false, description: "how much longer each later wait is" },
    { name: "maxMs", type: "number", required: false, description: "the longest wait in milliseconds" },
    { name: "unsafe", type: "boolean", required: false, description: "a call is repeated even if it may change something twice" },
  ],
};
/** How a request says who makes it. */
export const authForms: Record<string, Json> = { bearer: { bearer: "${TOKEN}" }, basic: { basic: { username: "", password: "${PASSWORD}" } }, header: { header: { name: "X-API-Key", value: "${KEY}" } } };
const text = (name: string): Parameter => ({ name, type: "string", required: true });
const authParts: Record<string, Parameter[]> = { basic: [text("username"), text("password")], header: [text("name"), text("value")] };
const pairs = new Set(["headers", "query", "args"]);
const lists = new Set(["branches", "detach"]);
const computed = new Set(["body", "foreach.items"]);

/** Fields of a field that is an object. */
function inner(path: string, value: Record<string, Json>, known: Parameter[]): NodeField[] {
  const more = Object.keys(value).filter((k) => !known.some((p) => p.name === k));
  return [...known.map((p) => field(`${path}.${p.name}`, p.name, value[p.name], p, [])), ...more.map((k) => field(pathTo(path, k), k, value[k], undefined, []))];
}

function withValue(choices: string[], value: Json | undefined): string[] {
  return typeof value === "string" && value !== "" && !choices.includes(value) ? [value, ...choices] : choices;
}

/** An object with the one key expr is an expression. */
export function expressionOf(v: Json | undefined): string | undefined {
  const o = object(v);
  return o && Object.keys(o).length === 1 && typeof o.expr === "string" ? o.expr : undefined;
}

function field(path: string, title: string, value: Json | undefined, p: Parameter | undefined, nodes: string[]): NodeField {
  const f = shape(path, title, value, p, nodes);
  const plain = f.control === "line" || f.control === "number" || f.control === "choice" || f.control === "boolean";
  return { ...f, computable: plain ? !fixed.test(path) : computed.has(path) && (f.control === "yaml" || f.control === "expression") };
}

/** What no expression gives. */
const fixed = /^(foreach|retry)\.(?!items$)|^(method|onError|next|join|server|tool)$/;

function shape(path: string, title: string, value: Json | undefined, p: Parameter | undefined, nodes: string[]): NodeField {
  const base = { path, title, value, required: p?.required ?? false, description: p?.description };
  const o = object(value);
  if (path === "conditions" && (value === undefined || isConditions(value))) return { ...base, control: "conditions", choices: nodes };
  if (expressionOf(value) !== undefined) return { ...base, control: "expression" };
  const form = path === "auth" ? Object.keys(o ?? {}).find((k) => k in authForms) : undefined;
  if (form && Object.keys(o!).length === 1) {
    const of = object(o![form]);
    const members = of && expressionOf(of) === undefined ? inner(`auth.${form}`, of, authParts[form] ?? []) : [field(`auth.${form}`, form, o![form], undefined, [])];
    return { ...base, control: "group", forms: authForms, form, fields: members.map((f) => ({ ...f, computable: true })) };
  }
  if (groups[path] && o) return { ...base, control: "group", fields: inner(path, o, groups[path]) };
  if (pairs.has(path) && o) return { ...base, control: "pairs", fields: inner(path, o, []).map((f) => ({ ...f, computable: true })) };
  if (lists.has(path) && Array.isArray(value) && value.every((v) => typeof v === "string")) return { ...base, control: "nodes", choices: nodes };
  if ((path === "schema" || path === "responseSchema") && isTable(value)) return { ...base, control: "table" };
  if (path === "method" && (value === undefined || (typeof value === "string" && methods.includes(value)))) return { ...base, control: "choice", choices: methods, none: "GET, the default" };
  if (p?.type === "node-id" && (value === undefined || typeof value === "string")) return { ...base, control: "node", choices: nodes };
  if (p?.enum_values?.length && p.enum_values.every((v) => typeof v === "string") && (value === undefined || typeof value === "string")) {
    return { ...base, control: "choice", choices: p.enum_values as string[] };
  }
  if (p?.type === "boolean" && (value === undefined || typeof value === "boolean")) return { ...base, control: "boolean" };
  if ((p?.type === "number" || p?.type === "integer") && (value === undefined || typeof value === "number" || isExact(value))) return { ...base, control: "number" };
  if ((p?.type === "string" && value === undefined) || (typeof value === "string" && !value.includes("\n"))) return { ...base, control: "line" };
  return { ...base, control: "yaml" };
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** A schema whose properties are rows of a table: of an object, without anything that refers to another schema. */
export function isTable(v: Json | undefined): boolean {
  const s = object(v);
  if (!s) return false;
  return (s.type === "object" || s.type === undefined) && Object.keys(s).every((k) => tableKeys.has(k)) && Object.values(object(s.properties) ?? {}).every((p) => object(p) !== undefined);
}

const tableKeys = new Set(["type", "properties", "required", "description", "title", "additionalProperties"]);

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
