import { expect, test } from "vitest";

import type { Step } from "./steps.svelte";
import { groupsOf, labelOf, rowsOf, scaleOf } from "./timeline";

const step = (key: string, start_ms = 0, ms = 1, more: Partial<Step> = {}): Step => ({ node: key.split("/").at(-1)!.split(/[#[]/)[0]!, key, index: 0, start_ms, ms, ...more });

test.each([
  ["fetch#0", "fetch"],
  ["fetch#2", "fetch, execution 3"],
  ["fetch#0[3]", "fetch, item 4"],
  ["call#0[1]/in#1[0]", "in, execution 2, item 1"],
  ["fetch", "fetch"],
  [undefined, "fetch"],
])("a person reads %j as %s", (key, want) => expect(labelOf({ key, node: "fetch" })).toBe(want));

test("rounds of a loop and items of a list are groups", () => {
  const loop = Array.from({ length: 20 }, (_, i) => [step(`add#${i}`), step(`more#${i}`, 0, 1, i === 7 ? { error: "no" } : {})]).flat();
  const items = Array.from({ length: 5 }, (_, i) => [step(`each#0[${i}]`), step(`each#0[${i}]/in#0`)]).flat();
  const steps = [step("entry#0"), ...loop, step("each#0"), ...items, step("exit#0")];
  const groups = groupsOf(steps);
  expect(groups.map((g) => [g.title, g.from, g.to, g.failed])).toEqual([
    ["add → more ×20", 1, 41, true],
    ["5 items of each", 42, 52, false],
  ]);
  const rows = rowsOf(steps.length, groups, (id) => id === "42");
  expect(rows).toHaveLength(1 + 1 + 1 + 1 + 10 + 1);
  expect(rows.at(-1)).toEqual({ step: 52 });
  expect(groupsOf(steps.slice(0, 30))).toEqual([]);
});

test("a wait that is longer than all the work is folded", () => {
  const steps = [step("a#0", 0, 1000), step("ask#0", 1000, 1_080_000), step("g#0", 1_081_000, 1000), step("g#0/b#0", 1_081_000, 1000)];
  const { at, folds } = scaleOf(steps, 1_082_000, (s) => s.node === "ask");
  expect(folds).toEqual([{ left: 46.5, width: 7, ms: 1_080_000 }]);
  expect([0, 1000, 541_000, 1_081_000, 1_082_000].map(at)).toEqual([0, 46.5, 50, 53.5, 100]);
  expect(scaleOf(steps, 1_082_000, () => false).folds).toEqual([]);
  expect(scaleOf([], 0, () => false).at(0)).toBe(0);
});
