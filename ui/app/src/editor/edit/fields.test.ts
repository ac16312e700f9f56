import { expect, it } from "vitest";

import { jsonString } from "../../lib/exact";
import { readSource } from "../model/source";
import { fieldsOf, fromYaml, inputsOf, isTable, pathTo, toYaml } from "./fields";
import { kindOf, kinds, ofKind } from "./schemas";
import type { Json, NodeDetails } from "../../api/types";

it("keeps whole numbers of any length", () => {
  const graph = readSource("name: g\nnodes:\n  - {id: a, type: mcp, args: {ids: [12345678901234567890, 2], at: 3}}\n")![0]!;
  const args = graph.nodes[0]!.fields.args!;
  expect(jsonString(args)).toBe('{"ids":[12345678901234567890,2],"at":3}');
  expect(toYaml(args)).toContain("12345678901234567890");
  expect(jsonString(fromYaml(toYaml(args)))).toBe(jsonString(args));
});

const http = {
  parameters: [
    { name: "method", type: "string", required: false },
    { name: "url", type: "string", required: true },
    { name: "headers", type: "object", required: false },
    { name: "foreach", type: "object", required: false },
    { name: "retry", type: "object", required: false },
    { name: "next", type: "node-id", required: true },
  ],
} as unknown as NodeDetails;

it("makes fields of what an object of a node has, and offers the rest", () => {
  const n = readSource(`nodes:
  - {id: a, type: http, url: {expr: $.entry.url}, headers: {Accept: text/plain, X.Y: {expr: $.entry.key}}, foreach: {items: [1], as: row, old: 1}, next: b}
`)![0]!.nodes[0]!;
  const { fields, more } = fieldsOf(n, http, undefined, ["b"]);
  expect(fields.map((f) => [f.path, f.control])).toEqual([
    ["url", "expression"],
    ["headers", "pairs"],
    ["foreach", "group"],
    ["next", "node"],
  ]);
  expect(fields[1]!.fields!.map((f) => [f.path, f.control, f.computable])).toEqual([
    ["headers.Accept", "line", true],
    ["/headers/X.Y", "expression", true],
  ]);
  expect(fields[2]!.fields!.map((f) => [f.title, f.control, f.computable])).toEqual([
    ["items", "yaml", true],
    ["as", "line", false],
    ["concurrency", "number", false],
    ["onItemError", "choice", false],
    ["old", "yaml", false],
  ]);
  expect(more.map((p) => p.name)).toEqual(["method", "retry"]);
  expect(pathTo("a.b", "c/d")).toBe("/a/b/c~1d");
});

it("makes fields of each way to say who makes a request, and a table of a response", () => {
  const kind = { parameters: ["auth", "responseSchema"].map((name) => ({ name, type: "object", required: false })) } as unknown as NodeDetails;
  const of = (auth: string): unknown => {
    const n = readSource(`nodes:\n  - {id: a, type: http, auth: ${auth}, responseSchema: {type: object, properties: {id: {type: string}}}, next: b}\n`)![0]!.nodes[0]!;
    const [a, r] = fieldsOf(n, kind, undefined, ["b"]).fields;
    expect(r!.control).toBe("table");
    return [a!.control, a!.form, a!.fields?.map((f) => [f.path, f.control])];
  };
  expect(of('{bearer: "${T}"}')).toEqual(["group", "bearer", [["auth.bearer", "line"]]]);
  expect(of("{basic: {username: u}}")).toEqual(["group", "basic", [["auth.basic.username", "line"], ["auth.basic.password", "line"]]]);
  expect(of("{header: {expr: $.entry.h}}")).toEqual(["group", "header", [["auth.header", "expression"]]]);
  expect(of("{bearer: a, basic: b}")).toEqual(["yaml", undefined, undefined]);
});

it("takes the arguments of a graph of the same document", () => {
  const n = readSource("nodes:\n  - {id: a, type: graph, graph: inner, args: {n: 1, extra: 2}, next: b}\n")![0]!.nodes[0]!;
  const args = inputsOf({ type: "object", properties: { n: { type: "number", description: "How many" }, way: { enum: ["up", "down"] } }, required: ["n"] });
  const details = { parameters: [{ name: "graph", type: "string", required: true }, { name: "args", type: "object", required: false }] } as unknown as NodeDetails;
  const { fields } = fieldsOf(n, details, args, ["b"], ["other"]);
  expect(fields.map((f) => [f.title, f.control, f.required])).toEqual([
    ["graph", "choice", true],
    ["n", "number", true],
    ["way", "choice", false],
    ["extra", "yaml", false],
    ["next", "line", false],
  ]);
  expect(fields[0]!.choices).toEqual(["inner", "other"]);
});

it("shows schemas as tables that a table can say", () => {
  for (const s of [{}, { type: "object", properties: { a: { type: "string" } }, required: ["a"] }] as Json[]) expect(isTable(s)).toBe(true);
  for (const s of [{ type: "array" }, { $ref: "#/a" }, { type: "object", properties: { a: true } }, "text", undefined] as (Json | undefined)[]) expect(isTable(s)).toBe(false);
  for (const k of kinds) expect(kindOf(ofKind({ description: "d", minimum: 1 }, k.name) as object)).toBe(k.name);
  for (const s of [{ $ref: "#/a" }, { type: ["string", "null"] }, { enum: [1, 2] }, { minimum: 1 }]) expect(kindOf(s)).toBe("");
});
