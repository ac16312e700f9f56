import { expect, it } from "vitest";

import { readSource } from "../model/source";
import { copied, pasted } from "./clipboard";

const graph = readSource(`name: g
nodes:
  - {id: entry, type: entry, next: a}
  - {id: a, type: transform, transform: {expr: $.entry.n + 1}, ui: {x: 1, y: 2}, next: b}
  - {id: b, type: transform, transform: {expr: $.a + $.ab}, next: exit}
  - {id: exit, type: exit}
`)![0]!;

it("pastes copies that refer to each other", () => {
  const r = pasted(graph, copied(graph, ["a", "b"]))!;
  expect(r.ids).toEqual(["a2", "b2"]);
  expect(r.ops).toEqual([
    { op: "add_node", node: { id: "a2", type: "transform", transform: { expr: "$.entry.n + 1" }, next: "b2" } },
    { op: "add_node", node: { id: "b2", type: "transform", transform: { expr: "$.a2 + $.ab" }, next: "exit" } },
  ]);
});

it("leads to the end what led to a node that is not here", () => {
  expect(pasted(graph, "id: c\ntype: switch\nconditions: [{rule: true, next: far}]\nnext: b")!.ops).toEqual([{ op: "add_node", node: { id: "c", type: "switch", conditions: [{ rule: true, next: "exit" }], next: "b" } }]);
  expect(pasted(graph, "nodes: [{id: entry, type: entry, next: z}, {id: z, type: wait, ms: 1}]")!.ids).toEqual(["z"]);
});

it("takes no text that has no nodes", () => {
  for (const text of ["", "hello", "a: 1", "[1, 2]", "{", "- {id: a, type: wait}\n- 1"]) expect(pasted(graph, text)).toBeUndefined();
  expect(copied(graph, [])).toBe("");
});
