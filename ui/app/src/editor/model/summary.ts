// The second line of a node: what it does, in as few words as the document has.
import type { Json } from "../../api/types";
import { jsonString } from "../../lib/exact";
import type { PortRule } from "./ports";
import type { SourceNode } from "./source";

export function summaryOf(n: SourceNode): string {
  const f = n.fields;
  switch (n.type) {
    case "mcp":
      return `${text(f.server)}/${text(f.tool)}`;
    case "transform":
      return expression(f.transform) || expression(f);
    case "graph":
      return text(f.graph);
    case "http":
      return `${text(f.method) || "GET"} ${value(f.url)}`;
    case "wait":
      return f.until !== undefined ? `until ${value(f.until)}` : typeof f.ms === "number" ? `${f.ms} ms` : value(f.ms);
    case "ask":
      return value(f.message);
    case "switch":
      return plural(Array.isArray(f.conditions) ? f.conditions.length : 0, "condition");
    case "parallel":
      return plural(Array.isArray(f.branches) ? f.branches.length : 0, "branch", "branches");
    case "state":
      return ["get", "set", "add"].filter((k) => k in f).map((k) => `${k} ${value(f.key)}`).join(", ");
    case "hook":
      return hook(f.hook);
    case "exit":
      return f.result !== undefined ? value(f.result) : "";
    default:
      return "";
  }
}

/** What changes how a node is executed, in words. */
export function modifiersOf(n: SourceNode, hidden = 0, ports: PortRule[] = []): string[] {
  const out = ports.map((p) => p.text);
  if (hidden > 0) out.push(`${plural(hidden, "node")} inside`);
  const f = n.fields;
  const each = f.foreach;
  if (each && typeof each === "object" && !Array.isArray(each)) {
    const at = typeof each.concurrency === "number" && each.concurrency > 1 ? `, ${each.concurrency} at a time` : "";
    out.push(`for each${at}`);
  }
  const retry = f.retry;
  if (retry && typeof retry === "object" && !Array.isArray(retry)) out.push(`up to ${text(retry.maxAttempts) || "3"} attempts`);
  if (typeof f.timeoutMs === "number") out.push(`at most ${f.timeoutMs} ms`);
  if (f.blocking === false) out.push("beside the call");
  return out;
}

function hook(v: Json | undefined): string {
  if (!v || typeof v !== "object" || Array.isArray(v)) return "";
  if (typeof v.script === "string") return "JavaScript";
  if (typeof v.module === "string") return `module ${v.module}`;
  return expression(v);
}

function expression(v: Json | undefined): string {
  return v && typeof v === "object" && !Array.isArray(v) && typeof v.expr === "string" ? short(v.expr) : "";
}

function value(v: Json | undefined): string {
  return expression(v) || (v === undefined ? "" : short(members(v)));
}

/** An object by its members, as in {sum: $.sum}. */
function members(v: Json): string {
  if (typeof v === "string") return v;
  if (v === null || typeof v !== "object" || Array.isArray(v) || v.constructor !== Object) return jsonString(v);
  return `{${Object.entries(v).map(([key, m]) => `${key}: ${expression(m) || (typeof m === "string" ? jsonString(m) : members(m))}`).join(", ")}}`;
}

const longest = 48;

function short(s: string): string {
  const line = s.replace(/\s+/g, " ").trim();
  return line.length > longest ? line.slice(0, longest - 1) + "…" : line;
}

function text(v: Json | undefined): string {
  return typeof v === "string" ? v : typeof v === "number" ? String(v) : "";
}

function plural(n: number, one: string, many = one + "s"): string {
  return `${n} ${n === 1 ? one : many}`;
}
