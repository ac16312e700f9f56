import { expect, it } from "vitest";

import { jsonString } from "../../lib/exact";
import { readSource } from "../model/source";
import { fromYaml, toYaml } from "./fields";

it("keeps whole numbers of any length", () => {
  const graph = readSource("name: g\nnodes:\n  - {id: a, type: mcp, args: {ids: [12345678901234567890, 2], at: 3}}\n")![0]!;
  const args = graph.nodes[0]!.fields.args!;
  expect(jsonString(args)).toBe('{"ids":[12345678901234567890,2],"at":3}');
  expect(toYaml(args)).toContain("12345678901234567890");
  expect(jsonString(fromYaml(toYaml(args)))).toBe(jsonString(args));
});
