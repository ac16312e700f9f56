import { expect, it } from "vitest";

import { movedItem, pointerOf, renamedKey } from "./text";

const lines = `name: g
nodes:
  - id: kind
    type: switch
    conditions:
      # gold comes first
      - rule: {"==": [{var: a}, gold]} # exactly
        next: x
      # then silver
      - {rule: {"==": [{var: a}, silver]}, next: y}
    # others
    next: z
`;

it("moves an item with its comments", () => {
  const moved = movedItem(lines, "/nodes/0/conditions", 1, 0);
  expect(moved).toBe(`name: g
nodes:
  - id: kind
    type: switch
    conditions:
      # then silver
      - {rule: {"==": [{var: a}, silver]}, next: y}
      # gold comes first
      - rule: {"==": [{var: a}, gold]} # exactly
        next: x
    # others
    next: z
`);
  expect(movedItem("l: [1, 2, 3] # all", "/l", 2, 0)).toBe("l: [3, 1, 2] # all");
  expect(movedItem("l:\n  - a\n  - b", "/l", 0, 1)).toBe("l:\n  - b\n  - a\n");
  for (const [list, from, to] of [["/l", 0, 9], ["/no", 0, 1], ["", 0, 1], ["/l", 1, 1]] as const) expect(movedItem("l: [1, 2]", list, from, to)).toBe("l: [1, 2]");
});

it("renames a property, and what requires it", () => {
  const schema = "inputSchema:\n  type: object\n  properties:\n    a/b: {type: string} # kept\n    c: {}\n  required: [c, a/b]\n";
  expect(renamedKey(schema, "/inputSchema/properties", "a/b", "path")).toBe(schema.replaceAll("a/b", "path"));
  expect(renamedKey(schema, "/inputSchema/properties", "c", "two words")).toContain('"two words": {}');
  expect(renamedKey(schema, "/inputSchema/properties", "c", "no")).toContain('"no": {}');
  expect(renamedKey(schema, "/inputSchema/properties", "c", "a/b")).toBe(schema);
  expect(renamedKey(schema, "/inputSchema/properties", "d", "e")).toBe(schema);
});

it("says paths as pointers", () => {
  expect(pointerOf("args.list")).toBe("/args/list");
  expect(pointerOf("/a/b.c")).toBe("/a/b.c");
});
