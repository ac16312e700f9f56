import { expect, it } from "vitest";

import type { Json } from "../../api/types";
import { fromYaml } from "./fields";
import { lineOf, rowOf, ruleOf } from "./switch";

it("says rules as rows, and rows as the same rules", () => {
  for (const rule of [
    { ">=": [{ var: "$.entry.total" }, 10000] },
    { "==": [{ var: "$.entry.kind" }, "gold"] },
    { in: [{ var: "$.entry.kind" }, ["a", "b"]] },
    { "!!": [{ var: "$.read.text" }] },
  ] as Json[]) {
    expect(ruleOf(rowOf(rule)!)).toEqual(rule);
  }
  expect(rowOf({ "!": { var: "$.a" } })).toEqual({ left: "$.a", op: "!" });
});

it("leaves what no row says as it is", () => {
  for (const rule of [{ and: [true] }, { ">": [1, { var: "a" }] }, { ">": [{ var: "a" }, { var: "b" }] }, { "<": [1, { var: "a" }, 3] }, { "==": [{ var: ["a", 1] }, 2] }, null, "text", undefined] as (Json | undefined)[]) {
    expect(rowOf(rule)).toBeUndefined();
  }
});

it("writes what is compared in one line, which reads as the same", () => {
  for (const value of [["US", "CA"], [1, [2]], "a b", "7", 7, null, true] as Json[]) {
    expect(lineOf(value)).not.toContain("\n");
    expect(fromYaml(lineOf(value))).toEqual(value);
  }
});
