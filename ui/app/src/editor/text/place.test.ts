import { expect, it } from "vitest";

import { placeAt } from "./place";

/** The place of the bar in a text. */
function at(text: string): string {
  const p = placeAt(text.replace("|", ""), text.indexOf("|"));
  if (!p) return "nothing";
  const more = p.kind === "tool" ? ` of ${p.server}` : "node" in p ? ` of ${p.node.type} ${p.node.server}/${p.node.tool}` : "";
  return `${p.kind} ${p.word}${more}`;
}

const flow = (line: string): string => `name: g\nnodes:\n  - {id: entry, type: entry, next: a}\n${line}\n  - {id: exit, type: exit}\n`;

it("knows what is written in a node on one line", () => {
  expect(at(flow("  - {id: a, type: tr|}"))).toBe("type tr");
  expect(at(flow("  - {id: a, type: mcp, server: fi|}"))).toBe("server fi");
  expect(at(flow("  - {id: a, type: mcp, server: fs, tool: re|, next: exit}"))).toBe("tool re of fs");
  expect(at(flow("  - {id: a, type: mcp, server: fs, tool: read, |next: exit}"))).toBe("field  of mcp fs/read");
  expect(at(flow("  - {id: a, type: mcp, server: fs, tool: read, args: {pa|}, next: exit}"))).toBe("argument pa of mcp fs/read");
  expect(at(flow("  - {id: a, type: transform, transform: {expr: $.en|}, next: exit}"))).toBe("node en");
  expect(at(flow("  - {id: a, type: transform, transform: {expr: '$upp|"))).toBe("function $upp");
  expect(at(flow("  - {id: a, type: transform, next: ex|}"))).toBe("node ex");
  expect(at(flow("  - {id: a, type: parallel, branches: [b, c|], join: exit}"))).toBe("node c");
  expect(at(flow("  - {id: a, type: transform, transform: {expr: 'a, b|'}}"))).toBe("nothing");
});

it("knows what is written in a node on several lines", () => {
  const node = (line: string): string => `name: g\nnodes:\n  - id: a\n    type: mcp\n    server: fs\n${line}\n    tool: read\n    next: b\n  - {id: b, type: exit, server: no}\n`;
  expect(at(node("    ar|"))).toBe("field ar of mcp fs/read");
  expect(at(node("    args:\n      pa|"))).toBe("argument pa of mcp fs/read");
  expect(at(node("    args: {pa|}"))).toBe("argument pa of mcp fs/read");
  expect(at(node("    retry:\n      ma|"))).toBe("nothing");
  expect(at("name: g\nnodes:\n  - |")).toBe("field  of  /");
  expect(at("name: g # see ty|")).toBe("nothing");
  expect(at("inputSchema: {type: ob|}")).toBe("nothing");
});
