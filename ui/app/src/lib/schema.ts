// JSON Schemas as forms: which input a schema gets, and what is wrong with a value. The
// program checks values itself; what is said here is said before they are sent.
import type { Json, JsonSchema } from "../api/types";
import { isExact } from "./exact";

export type Control = "text" | "long-text" | "number" | "boolean" | "enum" | "array" | "object" | "json";

const maxDepth = 8;

/** The schema that a reference within root means; the schema itself if it is none. */
export function resolve(schema: JsonSchema | undefined, root: JsonSchema): JsonSchema {
  let s = schema ?? {};
  for (let i = 0; s.$ref && i < maxDepth; i++) {
    const target = s.$ref
      .replace(/^#\/?/, "")
      .split("/")
      .filter(Boolean)
      .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key.replace(/~1/g, "/").replace(/~0/g, "~")], root);
    if (!target || typeof target !== "object") return {};
    s = { ...(target as JsonSchema), ...(s.description ? { description: s.description } : {}) };
  }
  if (s.allOf?.length === 1) return { ...resolve(s.allOf[0], root), ...s, allOf: undefined };
  return withoutNull(s, root);
}

/** A choice between a schema and null is that schema, which may be left out. */
function withoutNull(s: JsonSchema, root: JsonSchema): JsonSchema {
  const choices = s.anyOf ?? s.oneOf;
  if (!choices) return s;
  const rest = choices.filter((c) => c.type !== "null");
  if (rest.length === 1 && rest.length < choices.length) return { ...resolve(rest[0], root), title: s.title, description: s.description ?? rest[0]?.description, default: s.default };
  if (rest.every((c) => c.const !== undefined)) return { ...s, anyOf: undefined, oneOf: undefined, enum: rest.map((c) => c.const!), enumNames: rest.map((c) => c.title ?? String(c.const)) };
  return s;
}

export function typeOf(s: JsonSchema): string | undefined {
  if (typeof s.type === "string") return s.type;
  const types = s.type?.filter((t) => t !== "null") ?? [];
  return types.length === 1 ? types[0] : undefined;
}

export function controlOf(s: JsonSchema, depth = 0): Control {
  if (s.enum && s.enum.length > 0) return "enum";
  switch (typeOf(s)) {
    case "string":
      return isLong(s) ? "long-text" : "text";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "array":
      return s.items && s.items !== true && depth < maxDepth ? "array" : "json";
    case "object":
    case undefined:
      return s.properties && Object.keys(s.properties).length > 0 && depth < maxDepth ? "object" : "json";
    default:
      return "json";
  }
}

function isLong(s: JsonSchema): boolean {
  return (s.maxLength ?? 0) > 200 || s.format === "multiline" || s.format === "textarea";
}

/** The value that a form begins with: what the schema has as defaults. */
export function initial(schema: JsonSchema | undefined, root: JsonSchema, depth = 0): Json | undefined {
  const s = resolve(schema, root);
  if (s.default !== undefined) return s.default;
  if (s.const !== undefined) return s.const;
  if (controlOf(s, depth) !== "object") return undefined;
  const out: Record<string, Json> = {};
  for (const [name, p] of Object.entries(s.properties ?? {})) {
    const v = initial(p, root, depth + 1);
    if (v !== undefined) out[name] = v;
  }
  return depth > 0 && Object.keys(out).length === 0 ? undefined : out;
}

/** What is wrong with a value, by JSON Pointer. */
export function problems(schema: JsonSchema | undefined, value: Json | undefined, root: JsonSchema, path = "", depth = 0): Map<string, string> {
  const found = new Map<string, string>();
  if (depth > maxDepth * 2) return found;
  const s = resolve(schema, root);
  const say = (text: string): Map<string, string> => found.set(path, text);
  const nullable = Array.isArray(s.type) && s.type.includes("null");
  if (value === undefined || (value === null && nullable)) return found;
  if (s.enum && !s.enum.some((e) => JSON.stringify(e) === JSON.stringify(value))) return say("choose one of the values");
  switch (typeOf(s)) {
    case "string":
      return typeof value === "string" ? stringProblem(s, value, say, found) : say("write a text");
    case "integer":
    case "number":
      if (isExact(value)) return numberProblem(s, Number(value), say, found, /^-?\d+$/.test(String(value)));
      return typeof value === "number" ? numberProblem(s, value, say, found) : say("write a number");
    case "boolean":
      return typeof value === "boolean" ? found : say("choose yes or no");
    case "array":
      if (!Array.isArray(value)) return say("write a list");
      if (s.minItems !== undefined && value.length < s.minItems) say(`at least ${s.minItems} needed`);
      if (s.maxItems !== undefined && value.length > s.maxItems) say(`at most ${s.maxItems} allowed`);
      if (s.items && s.items !== true) value.forEach((v, i) => merge(found, problems(s.items as JsonSchema, v, root, `${path}/${i}`, depth + 1)));
      return found;
    case "object":
    case undefined: {
      if (!s.properties) return found;
      if (value === null || typeof value !== "object" || Array.isArray(value) || isExact(value)) return say("write an object");
      for (const name of s.required ?? []) if (value[name] === undefined) found.set(`${path}/${escape(name)}`, "is required");
      for (const [name, p] of Object.entries(s.properties)) merge(found, problems(p, value[name], root, `${path}/${escape(name)}`, depth + 1));
      return found;
    }
    default:
      return found;
  }
}

function stringProblem(s: JsonSchema, v: string, say: (t: string) => Map<string, string>, none: Map<string, string>): Map<string, string> {
  const length = [...v].length;
  if (s.minLength !== undefined && length < s.minLength) return say(`at least ${s.minLength} characters needed`);
  if (s.maxLength !== undefined && length > s.maxLength) return say(`at most ${s.maxLength} characters allowed`);
  if (s.pattern && !matches(s.pattern, v)) return say(`must match ${s.pattern}`);
  return none;
}

function matches(pattern: string, v: string): boolean {
  try {
    return new RegExp(pattern, "u").test(v);
  } catch {
    return true;
  }
}

function numberProblem(s: JsonSchema, v: number, say: (t: string) => Map<string, string>, none: Map<string, string>, whole = Number.isInteger(v)): Map<string, string> {
  if (typeOf(s) === "integer" && !whole) return say("write a whole number");
  if (s.minimum !== undefined && v < s.minimum) return say(`at least ${s.minimum}`);
  if (s.maximum !== undefined && v > s.maximum) return say(`at most ${s.maximum}`);
  if (s.exclusiveMinimum !== undefined && v <= s.exclusiveMinimum) return say(`more than ${s.exclusiveMinimum}`);
  if (s.exclusiveMaximum !== undefined && v >= s.exclusiveMaximum) return say(`less than ${s.exclusiveMaximum}`);
  return none;
}

export function escape(name: string): string {
  return name.replace(/~/g, "~0").replace(/\//g, "~1");
}

function merge(into: Map<string, string>, from: Map<string, string>): void {
  for (const [k, v] of from) into.set(k, v);
}
