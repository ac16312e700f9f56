// Conditions of a switch as rows: what is compared, how, with what, and where that leads.
import type { Json } from "../../api/types";
import { isExact, jsonString } from "../../lib/exact";
import { toYaml } from "./fields";

/** How a row compares, with the operator of JSON Logic. */
export const comparisons: { op: string; text: string }[] = [
  { op: "==", text: "=" },
  { op: "!=", text: "≠" },
  { op: ">", text: ">" },
  { op: ">=", text: "≥" },
  { op: "<", text: "<" },
  { op: "<=", text: "≤" },
  { op: "in", text: "in" },
  { op: "!!", text: "is there" },
  { op: "!", text: "is empty" },
];

const single = new Set(["!!", "!"]);

export interface Row {
  left: string;
  op: string;
  /** undefined of an operator that takes none. */
  right?: Json;
}

/** The row that says the same as a rule; undefined if none does. */
export function rowOf(rule: Json | undefined): Row | undefined {
  const [op, args] = only(rule) ?? [];
  if (op === undefined || !comparisons.some((c) => c.op === op)) return undefined;
  const list = Array.isArray(args) ? args : [args as Json];
  const left = only(list[0]);
  if (left?.[0] !== "var" || typeof left[1] !== "string") return undefined;
  if (single.has(op)) return list.length === 1 ? { left: left[1], op } : undefined;
  const right = list[1];
  if (list.length !== 2 || right === undefined || (only(right) && !isExact(right))) return undefined;
  return { left: left[1], op, right };
}

/** A value as YAML of one line. */
export function lineOf(v: Json | undefined): string {
  const text = toYaml(v);
  return text.includes("\n") ? jsonString(v) : text;
}

export function ruleOf(row: Row): Json {
  const left = { var: row.left };
  return { [row.op]: single.has(row.op) ? [left] : [left, row.right ?? null] };
}

/** The key and the value of an object that has one. */
function only(v: Json | undefined): [string, Json] | undefined {
  if (v === null || typeof v !== "object" || Array.isArray(v) || isExact(v)) return undefined;
  const entries = Object.entries(v);
  return entries.length === 1 ? entries[0] : undefined;
}
