import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseDocument, stringify } from "yaml";

import { readPlain } from "./plain";
import { readAny, readSource, type SourceNode, type SourceTool } from "./source";

const root = join(import.meta.dirname, "../../../../..");
const graphs = ["examples", "testdata", "docs", "internal", "engine", "jsonata"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yaml") && !name.includes("node_modules"))
    .map((name) => readFileSync(join(root, folder, name), "utf8"))
    .filter((text) => text.length < 50_000),
);

/** What the library reads, also of a text with errors. */
function library(text: string): unknown {
  return parseDocument(text, { strict: false, uniqueKeys: false, logLevel: "silent", schema: "core" }).toJS();
}

it("reads the graphs of the project as the library does, most of them without it", () => {
  expect(graphs.length).toBeGreaterThan(20);
  for (const text of graphs) {
    const node = (n: SourceNode): SourceNode => ({ ...n, to: text.slice(0, n.to).trimEnd().length });
    const shown = (tools: SourceTool[] | undefined): unknown => tools?.map((t) => ({ ...t, document: t.document.length, nodes: t.nodes.map(node) }));
    expect(shown(readSource(text))).toEqual(shown(readAny(text)));
  }
  expect(graphs.filter((text) => readPlain(text)).length).toBeGreaterThan(graphs.length / 2);
});

/** Numbers below a limit that are the same in each run. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
}

it("reads what it reads as the library does, also where a text has changed by accident", () => {
  const next = numbers(7);
  const pieces = [" ", "  ", "\n", "\n  ", ":", ": ", "- ", "-", "#", " #", "{", "}", "[", "]", ",", '"', "'", "|", "|-", ">", "&a ", "*a", "!t ", "?", "~", "null", "1", "0x1", "1e3", ".5", "true", "$.a", "a", "\\", "%", "@", "---\n"];
  const pick = <T>(list: readonly T[]): T => list[next(list.length)]!;
  const value = (depth: number): unknown => {
    const kind = next(depth > 3 ? 5 : 9);
    if (kind < 2) return pick(["a", "", "null", "yes", "1", "a: b", "a #b", "#", "- a", "$.x & 'y'", 'say "hi"', "two\nlines", "two\n\nlines\n", " x ", "{a}", "[b", "0x1F", "1.", ".5", "-1", "- ", "~", "true", "a,b", "é", "a:b", "?", "!x"]);
    if (kind < 5) return pick([0, -1, 1.5, 1e21, true, false, null, 12345678901234567000]);
    if (kind < 7) return Array.from({ length: next(4) }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length: next(4) }, (_, i) => [pick(["id", "type", "a.b", "x y", "true", "next", "$k", "1"]) + (next(2) ? "" : i), value(depth + 1)]));
  };
  let read = 0;
  for (let i = 0; i < 1500; i++) {
    let text = i % 4 === 0 ? pick(graphs.filter((g) => g.length < 3000)) : stringify({ nodes: [value(0), value(0)], v: value(0) }, { collectionStyle: pick(["any", "flow", "block"] as const), lineWidth: pick([0, 20, 80]), indentSeq: next(2) === 0, defaultStringType: pick(["PLAIN", "QUOTE_DOUBLE", "QUOTE_SINGLE", "BLOCK_LITERAL"] as const) });
    for (let changes = next(4); changes > 0; changes--) {
      const at = next(text.length + 1);
      text = text.slice(0, at) + (next(3) === 0 ? "" : pick(pieces)) + text.slice(at + (next(2) === 0 ? 1 : 0));
    }
    const plain = readPlain(text);
    if (!plain) continue;
    read++;
    expect({ text, value: JSON.stringify(plain.value) }).toEqual({ text, value: JSON.stringify(library(text)) });
  }
  expect(read).toBeGreaterThan(300);
});
