import { expect, it } from "vitest";

import { edgesOf } from "./edges";
import { around, place, type Point, type Size } from "./layout";
import { fold, membersOf } from "./members";
import { readSource, type SourceNode } from "./source";

const graph = readSource(`name: g
nodes:
  - {id: entry, type: entry, next: all}
  - {id: all, type: parallel, branches: [a, inner], join: sum}
  - {id: a, type: mcp, next: b, onError: rescue}
  - {id: b, type: transform, next: sum}
  - {id: inner, type: parallel, branches: [c, d], join: e}
  - {id: c, type: transform, next: e}
  - {id: d, type: transform, next: e}
  - {id: e, type: transform, next: sum}
  - {id: sum, type: transform, next: exit, onError: rescue}
  - {id: rescue, type: transform, next: exit}
  - {id: exit, type: exit}
`)![0]!;
const edges = edgesOf(graph.nodes);

it("finds the members of parallel nodes", () => {
  const members = membersOf(graph.nodes, edges);
  expect([...members.get("all")!].sort()).toEqual(["a", "b", "c", "d", "e", "inner"]);
  expect([...members.get("inner")!].sort()).toEqual(["c", "d"]);
});

it("draws a collapsed node in the place of its members", () => {
  const all = fold(graph.nodes, edges, new Set(["all", "inner"]));
  expect(all.nodes.map((n) => n.id)).toEqual(["entry", "all", "sum", "rescue", "exit"]);
  expect(all.hidden.get("all")).toBe(6);
  expect(all.edges.filter((e) => e.from === "all").map((e) => `${e.kind} ${e.to}`)).toEqual(["onError rescue", "join sum"]);
  const inner = fold(graph.nodes, edges, new Set(["inner"]));
  expect(inner.edges.filter((e) => e.from === "inner").map((e) => e.to)).toEqual(["e"]);
  expect([...inner.frames.keys()]).toEqual(["all"]);
});

it("leads a parallel node that waits for nothing to its join", () => {
  const nodes = readSource("name: g\nnodes:\n  - {id: f, type: parallel, detach: [w], join: x}\n  - {id: w, type: wait, next: x}\n  - {id: x, type: exit}\n")![0]!.nodes;
  expect(edgesOf(nodes).map((e) => `${e.from} ${e.kind} ${e.to}`)).toContain("f join x");
});

const apart = (a: Point & Size, b: Point & Size): boolean => a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;

/** Numbers that are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let n = seed;
  return (below) => (n = (n * 48271) % 2147483647) % below;
}

/** A graph of parallel nodes in parallel nodes. */
function grown(next: (below: number) => number): SourceNode[] {
  const nodes: SourceNode[] = [];
  const add = (type: string, fields: SourceNode["fields"]): string => {
    const id = `n${nodes.length}`;
    nodes.push({ id, type, fields: { id, type, ...fields }, from: 0, to: 0, path: "" });
    return id;
  };
  const chain = (to: string, depth: number): string => {
    let at = to;
    for (let i = next(2); i >= 0; i--) {
      if (depth === 0 || next(2) === 0) at = add(next(4) === 0 ? "switch" : "transform", { next: at, ...(next(4) === 0 ? { onError: to } : {}) });
      else {
        const join = at;
        at = add("parallel", { branches: Array.from({ length: 1 + next(3) }, () => chain(join, depth - 1)), join });
      }
    }
    return at;
  };
  add("entry", { next: chain(add("exit", {}), 2) });
  return nodes;
}

it("lays out frames without overlaps", { timeout: 600_000 }, () => {
  const size = (n: SourceNode): Size => ({ width: 232, height: 46 + (n.id.length % 3) * 30 });
  for (let seed = 1; seed <= 12; seed++) {
    const nodes = grown(numbers(seed));
    const ways = edgesOf(nodes);
    for (const collapsed of [new Set<string>(), new Set([[...membersOf(nodes, ways).keys()][0] ?? ""])]) {
      const shown = fold(nodes, ways, collapsed);
      for (const direction of ["LR", "TB"] as const) {
        const placed = place(shown.nodes, shown.edges, size, () => ({ width: 40, height: 20 }), direction, shown.frames);
        const boxes = shown.nodes.map((n) => ({ id: n.id, ...placed.nodes.get(n.id)!, ...size(n) }));
        for (const [i, a] of boxes.entries()) for (const b of boxes.slice(i + 1)) expect(apart(a, b), `${seed} ${direction} ${a.id} ${b.id}`).toBe(true);
        for (const [frame, box] of placed.frames) {
          for (const n of boxes) if (!shown.frames.get(frame)!.has(n.id)) expect(apart(box, n), `${seed} ${direction} frame ${frame} ${n.id}`).toBe(true);
          expect(around([box, ...boxes.filter((b) => shown.frames.get(frame)!.has(b.id))])).toEqual({ x: box.x, y: box.y, width: box.width, height: box.height });
        }
      }
    }
  }
});
