import { describe, expect, it } from "vitest";

import { backEdges } from "./back";
import { edgesOf } from "./edges";
import { place } from "./layout";
import { ruleText } from "./rule";
import { readSource } from "./source";

const text = `name: g
nodes:
  - {id: entry, type: entry, next: look}
  - {id: look, type: parallel, branches: [a, b], join: sum}
  - {id: a, type: mcp, server: s, tool: t, next: sum, onError: sum}
  - {id: b, type: transform, transform: {expr: "1"}, next: sum}
  - id: sum
    type: switch
    conditions: [{rule: {">": [{var: $.n}, 3]}, next: look}, {rule: {"==": [1, 1]}, next: nowhere}]
    next: exit
  - {id: exit, type: exit}
`;

describe("a graph", () => {
  const graph = readSource(text)![0]!;
  const edges = edgesOf(graph.nodes);

  it("has its nodes, with their places in the text", () => {
    expect(graph.nodes.map((n) => n.id)).toEqual(["entry", "look", "a", "b", "sum", "exit"]);
    const b = graph.nodes[3]!;
    expect(text.slice(b.from, b.to)).toContain("id: b,");
    expect(b.path).toBe("/nodes/3");
  });

  it("has edges with what they are", () => {
    expect(edges.map((e) => `${e.from} ${e.kind} ${e.to} ${e.label}`.trim())).toEqual([
      "entry next look",
      "look branch a branch",
      "look branch b branch",
      "a join sum join",
      "a onError sum onError",
      "b join sum join",
      "sum case look n > 3",
      "sum default exit default",
    ]);
  });

  it("is laid out without overlaps, and its back edges go around it", () => {
    const size = () => ({ width: 200, height: 50 });
    expect([...backEdges(graph.nodes, edges)]).toEqual([edges[6]!.id]);
    for (const direction of ["LR", "TB"] as const) {
      const placed = place(graph.nodes, edges, size, () => ({ width: 40, height: 20 }), direction);
      const at = [...placed.nodes.values()];
      for (const [i, p] of at.entries()) for (const q of at.slice(i + 1)) expect(Math.abs(p.x - q.x) >= 200 || Math.abs(p.y - q.y) >= 50).toBe(true);
      const back = placed.edges.get(edges[6]!.id)!;
      const beside = direction === "TB" ? Math.min(...at.map((p) => p.x)) - back.label.x : Math.min(...at.map((p) => p.y)) - back.label.y;
      expect(beside).toBeGreaterThan(0);
    }
  });

  it("has the ways out of a node in the order of the text", () => {
    const nodes = readSource(`nodes:
  - {id: s, type: switch, conditions: [{rule: {var: a}, next: a}, {rule: {var: b}, next: b}, {rule: {var: c}, next: c}], next: d}
${["a", "b", "c", "d"].map((id) => `  - {id: ${id}, type: transform, next: end}`).join("\n")}
  - {id: end, type: exit}`)![0]!.nodes;
    for (const direction of ["LR", "TB"] as const) {
      const placed = place(nodes, edgesOf(nodes), () => ({ width: 200, height: 50 }), () => ({ width: 40, height: 20 }), direction);
      const beside = ["a", "b", "c", "d"].map((id) => placed.nodes.get(id)![direction === "LR" ? "y" : "x"]);
      expect(beside).toEqual([...beside].sort((a, b) => a - b));
    }
  });

  it("is kept while its text cannot be read", () => {
    expect(readSource("nodes: [")).toEqual([expect.objectContaining({ nodes: [] })]);
    expect(readSource("just words")).toBeUndefined();
  });
});

describe("a rule", () => {
  it("reads as people write it", () => {
    expect(ruleText({ and: [{ in: [{ var: "$.a" }, ["x", "y"]] }, { "!": { var: "b" } }] })).toBe('a in ["x", "y"] and not b');
    expect(ruleText({ some: [{ var: "$.l" }, { ">": [{ var: "" }, 1] }] })).toBe('some(l,  > 1)');
  });
});
