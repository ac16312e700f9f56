import { describe, expect, it } from "vitest";

import { backEdges } from "./back";
import { edgesOf } from "./edges";
import { place, type Direction, type Placed } from "./layout";
import { membersOf } from "./members";
import type { SourceNode } from "./source";

const size = (n: SourceNode) => ({ width: 200, height: n.id.length % 2 ? 50 : 84 });
const labelSize = (text: string) => (text ? { width: 40, height: 20 } : { width: 2, height: 2 });
const node = (id: string, fields: SourceNode["fields"]): SourceNode => ({ id, type: String(fields.type ?? "transform"), fields, from: 0, to: 0, path: "" });

function laid(nodes: SourceNode[], direction: Direction): Placed {
  const edges = edgesOf(nodes);
  const placed = place(nodes, edges, size, labelSize, direction, membersOf(nodes, edges));
  expect(placed.nodes.size).toBe(nodes.length);
  expect(placed.edges.size).toBe(edges.length);
  return placed;
}

function overlapping(nodes: SourceNode[], placed: Placed): string[] {
  const boxes = nodes.map((n) => ({ id: n.id, ...placed.nodes.get(n.id)!, ...size(n) })).sort((a, b) => a.x - b.x);
  return boxes.flatMap((a, i) => {
    const found: string[] = [];
    for (const b of boxes.slice(i + 1)) {
      if (b.x >= a.x + a.width) break;
      if (a.y < b.y + b.height && b.y < a.y + a.height) found.push(`${a.id} ${b.id}`);
    }
    return found;
  });
}

/** A chain with ways that skip nodes and ways back, the same for each seed. */
function random(count: number, seed: number): SourceNode[] {
  const next = (below: number): number => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
  return Array.from({ length: count }, (_, i) => {
    const to = (most: number): string => `n${Math.min(count - 1, i + 1 + next(most))}`;
    if (i === count - 1) return node(`n${i}`, { type: "exit" });
    if (next(4) > 0) return node(`n${i}`, { next: to(3), ...(next(5) === 0 ? { onError: `n${count - 1}` } : {}) });
    return node(`n${i}`, { type: "switch", conditions: [{ rule: { var: "a" }, next: to(30) }, { rule: { var: "b" }, next: `n${next(count)}` }], next: to(4) });
  });
}

describe("a large graph", () => {
  it("has no node over another, and its edges lead forth", () => {
    for (const direction of ["LR", "TB"] as const) {
      for (let seed = 1; seed <= 3; seed++) {
        const nodes = random(400, seed);
        const edges = edgesOf(nodes);
        const placed = laid(nodes, direction);
        expect(overlapping(nodes, placed)).toEqual([]);
        const back = backEdges(nodes, edges);
        const along = (id: string): number => (direction === "LR" ? placed.nodes.get(id)!.x : placed.nodes.get(id)!.y);
        expect(edges.filter((e) => !back.has(e.id) && along(e.from) >= along(e.to))).toEqual([]);
      }
    }
  });

  it("has a chain in one line, branches in the order of the text, and frames around what is in them alone", () => {
    const chain = Array.from({ length: 200 }, (_, i) => node(`c${i}`, { next: i < 199 ? `c${i + 1}` : "fork" }));
    const fork = node("fork", { type: "parallel", branches: ["a", "bb", "d"], join: "end" });
    const nodes = [...chain, fork, ...["a", "bb", "d"].flatMap((id) => [node(id, { next: `${id}2` }), node(`${id}2`, { next: "end" })]), node("end", { type: "exit" })];
    const placed = laid(nodes, "LR");
    const middle = (id: string): number => placed.nodes.get(id)!.y + size(nodes.find((n) => n.id === id)!).height / 2;
    expect(new Set(chain.map((n) => Math.round(middle(n.id)))).size).toBeLessThanOrEqual(2); // rounded to pixels
    expect(middle("a")).toBeLessThan(middle("bb"));
    expect(middle("bb")).toBeLessThan(middle("d"));
    const frame = placed.frames.get("fork")!;
    const inFrame = nodes.filter((n) => ((p) => p.x >= frame.x && p.x <= frame.x + frame.width && p.y >= frame.y && p.y <= frame.y + frame.height)(placed.nodes.get(n.id)!));
    expect(inFrame.map((n) => n.id)).toEqual(["a", "a2", "bb", "bb2", "d", "d2"]);
    expect(overlapping(nodes, placed)).toEqual([]);
  });

  it("may have an edge from every node to the last, or to every node from the first", () => {
    const errors = Array.from({ length: 1500 }, (_, i) => node(`n${i}`, i === 1499 ? { type: "exit" } : { next: `n${i + 1}`, onError: "n1499" }));
    const placed = laid(errors, "TB");
    expect(placed.back.size).toBeGreaterThan(1000);
    const points = [...placed.edges.values()].reduce((sum, e) => sum + e.points.length, 0);
    expect(points).toBeLessThan(30 * errors.length);
    const fan = [node("n", { type: "switch", conditions: Array.from({ length: 1500 }, (_, i) => ({ rule: { var: "a" }, next: `m${i}` })) }), ...Array.from({ length: 1500 }, (_, i) => node(`m${i}`, {}))];
    expect(overlapping(fan, laid(fan, "LR"))).toEqual([]);
  });
});
