import { expect, test } from "vitest";

import type { TraceStep } from "../api/types";
import { merge, progressOf, unread } from "./progress";

const types: Record<string, string> = { entry: "entry", each: "graph", both: "parallel", left: "transform", wait: "wait" };
const typeOf = (id: string): string | undefined => types[id];

test("items are counted, and steps of nested graphs are not drawn", () => {
  const steps: TraceStep[] = [
    { node: "entry", index: 0, ms: 0.1 },
    { node: "each", index: 1, ms: 30 },
    { node: "each", key: "each#0[0]", index: 2, ms: 10 },
    { node: "wait", key: "each#0[0]/wait#0", index: 3, ms: 10 },
    { node: "each", key: "each#0[1]", index: 4, ms: 20, attempts: 2 },
    { node: "left", key: "both#0/left#0", index: 5, ms: 1, error: "no", caught: true },
    { node: "wait", index: 6, ms: 0 },
  ];
  const running = progressOf(steps, "running", [], typeOf);
  expect(Object.fromEntries([...running].map(([id, n]) => [id, [n.state, n.count, n.ms, n.attempts]]))).toEqual({
    entry: ["done", 1, 0.1, 1],
    each: ["done", 2, 30, 2],
    left: ["done", 1, 1, 1],
    wait: ["running", 0, 0, 1],
  });
  expect(unread(steps)).toBe(6);
  expect(unread(merge(steps, [{ node: "wait", index: 6, ms: 5 }]))).toBe(7);
});

test("a failed step and a question are shown at their node", () => {
  const steps: TraceStep[] = [
    { node: "left", index: 0, ms: 1, error: "it broke" },
  ];
  const nodes = progressOf(steps, "failed", [{ step: "wait#0", message: "?" }], typeOf);
  expect(nodes.get("left")).toMatchObject({ state: "failed", error: "it broke" });
  expect(nodes.get("wait")?.state).toBe("waiting");
});
