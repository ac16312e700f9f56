import { beforeEach, expect, it, vi } from "vitest";

import type { Diagnostic } from "../../api/types";
import type { GraphDocument } from "../document.svelte";

const calls = vi.hoisted(() => ({ ops: [] as unknown[], fails: false, tool: undefined as unknown }));
const stored = vi.hoisted(() => new Map<string, unknown>());
vi.mock("../../api/operations", () => ({
  editGraph: async ({ graph, ops, tool }: { graph: string; ops: unknown[]; tool?: string }) => {
    if (calls.fails) throw new Error("refused");
    calls.ops.push(...ops);
    calls.tool = tool;
    return { graph: `${graph}+` };
  },
}));
vi.mock("../../stores/toasts.svelte", () => ({ toasts: { fail: () => undefined } }));
vi.mock("../../stores/kept", () => ({ keep: (k: string, v: unknown) => stored.set(k, v), kept: (k: string) => stored.get(k) }));
vi.mock("../place.svelte", () => ({ documentKey: (o: { kind: string }) => o.kind }));

const { GraphEdits } = await import("./edits.svelte");

function document(): GraphDocument {
  return { text: "a", tools: [1], graph: { name: "g", path: "/tools/0" }, setText(this: { text: string }, t: string) { this.text = t; } } as unknown as GraphDocument;
}

beforeEach(() => {
  Object.assign(calls, { ops: [], fails: false });
  stored.clear();
});

it("makes changes one after the other, and undoes them", async () => {
  const doc = document();
  const edits = new GraphEdits(doc);
  edits.open({ kind: "new" });
  expect(await Promise.all([edits.apply([{ op: "remove_node", id: "x" }]), edits.apply([{ op: "remove_node", id: "y" }])])).toEqual([true, true]);
  await edits.rewrite((t) => `${t}!`);
  await edits.settled();
  expect(doc.text).toBe("a++!");
  edits.undo();
  edits.undo();
  expect([doc.text, edits.canUndo, edits.canRedo]).toEqual(["a+", true, true]);
  edits.redo();
  expect(doc.text).toBe("a++");
  edits.replace("b");
  expect(edits.canRedo).toBe(false);
  const again = new GraphEdits(doc); // after a reload
  again.open({ kind: "new" });
  again.undo();
  expect(doc.text).toBe("a++");
});

it("keeps the text if a change is refused", async () => {
  const doc = document();
  const edits = new GraphEdits(doc);
  calls.fails = true;
  expect(await edits.apply([{ op: "remove_node", id: "x" }])).toBe(false);
  expect([doc.text, edits.failures, edits.canUndo]).toEqual(["a", 1, false]);
  edits.undo();
  edits.redo();
  expect(doc.text).toBe("a");
});

it("applies the one fix that is chosen, where operations can say it", async () => {
  const edits = new GraphEdits(document());
  const fixes = (patch: unknown[]): Diagnostic => ({ fixes: [{ title: "f", patch }] }) as unknown as Diagnostic;
  expect(await edits.fix(fixes([{ op: "replace", path: "/tools/0/name", value: "h" }, { op: "remove", path: "/tools/0/old" }]), 0)).toBe(true);
  expect(calls.ops).toEqual([
    { op: "set", path: "/name", value: "h" },
    { op: "set", path: "/old", value: null },
  ]);
  for (const patch of [[], [{ op: "add", path: "/tools/0/nodes/1", value: {} }], [{ op: "replace", path: "/other", value: 1 }]]) expect(await edits.fix(fixes(patch), 0)).toBe(false);
});
