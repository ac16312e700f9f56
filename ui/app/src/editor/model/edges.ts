// The edges of a graph: which node leads to which, and what that is called.
import type { Json } from "../../api/types";
import { groupBy } from "../../lib/group";
import { ruleText } from "./rule";
import type { SourceNode } from "./source";

export type EdgeKind = "next" | "case" | "default" | "onError" | "branch" | "join" | "detach";

export interface SourceEdge {
  id: string;
  from: string;
  to: string;
  kind: EdgeKind;
  /** What is written on it; "" for the usual way. */
  label: string;
  /** Of a case: the index of its condition. */
  index?: number;
}

/** The edges between nodes that exist; an edge to an unknown node has no place to go. */
export function edgesOf(nodes: SourceNode[]): SourceEdge[] {
  const known = new Set(nodes.map((n) => n.id));
  const all = nodes.flatMap((n) => outOf(n)).filter((e) => known.has(e.to));
  return markJoins(nodes, all);
}

function outOf(n: SourceNode): SourceEdge[] {
  const out: SourceEdge[] = [];
  const add = (kind: EdgeKind, to: Json | undefined, label: string, index?: number): void => {
    if (typeof to === "string") out.push({ id: `${n.id} ${kind}${index ?? ""} ${to}`, from: n.id, to, kind, label, index });
  };
  const conditions = list(n.fields.conditions);
  conditions.forEach((c, i) => {
    if (c === null || typeof c !== "object" || Array.isArray(c)) return;
    const rule = c.rule;
    const to = c.next ?? c.target;
    if (rule === undefined) add("default", to, "default", i);
    else add("case", to, ruleText(rule), i);
  });
  list(n.fields.branches).forEach((b, i) => add("branch", b, "branch", i));
  if (typeof n.fields.next === "string") add(conditions.length > 0 || n.type === "switch" ? "default" : "next", n.fields.next, n.type === "switch" ? "default" : "");
  else ports(n.fields.next, (to, label, i) => add("next", to, label, i));
  add("onError", n.fields.onError, "onError");
  list(n.fields.detach).forEach((d, i) => add("detach", d, "detached", i));
  return out;
}

/** Reads the edges of a list, or of a map of output ports: {success: a, error: {node: b, port: c}}. */
function ports(next: Json | undefined, add: (to: Json | undefined, label: string, index: number) => void): void {
  let index = 0;
  const target = (out: string, v: Json): void => {
    const o = v !== null && typeof v === "object" && !Array.isArray(v) ? v : undefined;
    const port = typeof o?.port === "string" ? o.port : "";
    add(o ? o.node : v, out && port ? `${out} to ${port}` : out || (port ? `to ${port}` : ""), index++);
  };
  if (Array.isArray(next)) next.forEach((v) => target("", v));
  else if (next !== null && typeof next === "object") {
    if (typeof next.node === "string" && Object.keys(next).every((k) => k === "node" || k === "port")) target("", next);
    else for (const [out, to] of Object.entries(next)) list(Array.isArray(to) ? to : [to]).forEach((v) => target(out, v));
  }
}

/** Names the edges by which the branches of a parallel node come together again. */
function markJoins(nodes: SourceNode[], edges: SourceEdge[]): SourceEdge[] {
  const from = groupBy(edges, (e) => e.from);
  for (const p of nodes) {
    const join = p.fields.join;
    if (p.type !== "parallel" || typeof join !== "string") continue;
    const todo = edges.filter((e) => e.from === p.id && e.kind === "branch").map((e) => e.to);
    const seen = new Set(todo);
    for (const id of todo) {
      if (id === join) continue;
      for (const e of from.get(id) ?? []) {
        if (e.to === join && e.kind === "next") Object.assign(e, { kind: "join", label: "join" });
        else if (!seen.has(e.to)) {
          seen.add(e.to);
          todo.push(e.to);
        }
      }
    }
    const reached = edges.some((e) => e.to === join && e.kind === "join" && seen.has(e.from));
    if (!reached && nodes.some((n) => n.id === join)) edges.push({ id: `${p.id} join ${join}`, from: p.id, to: join, kind: "join", label: "join" });
  }
  return edges;
}

function list(v: Json | undefined): Json[] {
  return Array.isArray(v) ? v : [];
}
