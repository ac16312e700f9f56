import { layout } from "@dagrejs/dagre";
import { beforeEach, expect, it, vi } from "vitest";

import { sixty } from "../../../e2e/sixty";
import { edgesOf } from "../model/edges";
import { readSource, type SourceTool } from "../model/source";
import { drawn, largerDirection, type Drawing } from "./draw";
import { Folds } from "./folds.svelte";
import { keepEdges, keepNodes } from "./unchanged";

vi.mock("@dagrejs/dagre", async (original) => {
  const dagre = await original<typeof import("@dagrejs/dagre")>();
  return { ...dagre, layout: vi.fn(dagre.layout) };
});

vi.mock("../../api/operations", () => ({})); // nothing is asked: no graph is unfolded

const layouts = vi.mocked(layout);
const folds = new Folds();
const read = (text: string): SourceTool => readSource(text)![0]!;

function draw(text: string, room = { width: 800, height: 700 }): Drawing {
  const graph = read(text);
  const edges = edgesOf(graph.nodes);
  return drawn(graph, edges, largerDirection(graph, edges, room, folds), folds);
}

beforeEach(() => {
  layouts.mockClear();
});

it("lays out a graph of sixty nodes once, and not for keys that leave its shape", () => {
  draw(sixty);
  expect(layouts).toHaveBeenCalledTimes(1);
  draw(sixty.replace("$count($.sorted_berlin)", "$count($.sorted_osaka )"));
  draw(sixty);
  expect(layouts).toHaveBeenCalledTimes(1);
  draw(sixty.replace("next: merge}", "next: total}"));
  expect(layouts).toHaveBeenCalledTimes(2);
});

it("leaves nodes and edges alone that are drawn as before", () => {
  const before = draw(sixty);
  const after = draw(sixty.replace("$count($.sorted_berlin)", "$count($.sorted_osaka )"));
  const nodes = keepNodes(before.nodes, after.nodes);
  expect(nodes.filter((n) => !before.nodes.includes(n)).map((n) => n.id)).toEqual(["count_berlin"]);
  expect(keepEdges(before.edges, after.edges).every((e) => before.edges.includes(e))).toBe(true);
  const moved = before.nodes.map((n) => (n.id === "merge" ? { ...n, position: { x: 1, y: 1 } } : n));
  expect(keepNodes(moved, before.nodes).map((n) => n.position)).toEqual(before.nodes.map((n) => n.position));
});

const chain = (n: number): string => `name: chain\nnodes:\n${Array.from({ length: n }, (_, i) => `  - {id: n${i}, type: transform, next: n${i + 1}}`).join("\n")}\n  - {id: n${n}, type: exit}\n`;
const fan = (n: number): string => `name: fan\nnodes:\n  - {id: fork, type: parallel, branches: [${Array.from({ length: n }, (_, i) => `b${i}`).join(", ")}], join: end}\n${Array.from({ length: n }, (_, i) => `  - {id: b${i}, type: transform, next: end}`).join("\n")}\n  - {id: end, type: exit}\n`;

it("chooses the direction in which the layout is shown larger", () => {
  for (const text of [sixty, chain(3), chain(12), fan(4), fan(12)]) {
    const graph = read(text);
    const edges = edgesOf(graph.nodes);
    for (const room of [{ width: 800, height: 700 }, { width: 390, height: 600 }, { width: 1200, height: 400 }]) {
      const scale = (direction: "LR" | "TB"): number => {
        const d = drawn(graph, edges, direction, folds);
        return Math.min(1, room.width / d.width, room.height / d.height);
      };
      const best = Math.max(scale("LR"), scale("TB"));
      expect(scale(largerDirection(graph, edges, room, folds)) / best, `${graph.name} in ${room.width}×${room.height}`).toBeGreaterThan(0.85);
    }
  }
});
