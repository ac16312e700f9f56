import { afterEach, expect, it, vi } from "vitest";

import type { RunEvent } from "../api/types";

const server = vi.hoisted(() => ({ status: "running", asks: [] as { step: string; message: string }[], handlers: undefined as undefined | { onOpen(): void; onLost(): void; onEvent(e: { event: string; data: string }): void }, started: [] as unknown[] }));
vi.mock("../api/operations", () => ({
  runGraph: async (_: unknown, options: unknown) => (server.started.push(options), { run_id: "run_1", status: "running" }),
  getRun: async () => ({ run_id: "run_1", status: server.status, started: "", asks: server.asks }),
  cancelRun: async () => ({}),
  debugRun: async () => ({ run_id: "", run: { run_id: "", status: "rejected" } }),
  debugList: async () => ({ runs: [] }),
  debugContinue: async () => ({}),
  debugEvaluate: async () => ({}),
}));
vi.mock("../api/events", () => ({ openEvents: (_: string, handlers: typeof server.handlers) => ((server.handlers = handlers), () => undefined) }));
vi.mock("../stores/session.svelte", () => ({ session: { has: () => false }, asApiError: (e: unknown) => e }));
vi.mock("../lib/batch", () => ({ batched: <T>(take: (items: T[]) => void) => take }));

const { LiveRun, nodeOfKey } = await import("./live.svelte");

const types: Record<string, string> = { entry: "entry", each: "mcp", fork: "parallel", call: "graph" };
let live: InstanceType<typeof LiveRun>;
afterEach(() => live.dispose());

async function start(): Promise<void> {
  live = new LiveRun((id) => types[id], () => Object.keys(types));
  await live.start({ graph: "" }, {});
  server.handlers!.onOpen();
}

function send(...events: Partial<RunEvent>[]): void {
  server.handlers!.onEvent({ event: "node", data: JSON.stringify(events.map((e) => ({ run_id: "run_1", ...e }))) });
}

it("counts executions, and the items of a loop", async () => {
  await start();
  send({ type: "nodeStarted", node: "entry", index: 0 }, { type: "nodeCompleted", node: "entry", index: 0, ms: 2 });
  expect(live.nodes.get("entry")).toMatchObject({ state: "done", count: 1, ms: 2 });
  send({ type: "nodeStarted", node: "each", key: "each#0", at: "2026-01-01T00:00:00Z" });
  for (let i = 0; i < 2; i++) send({ type: "nodeStarted", node: "each", key: `each#0[${i}]`, index: i + 1, items: 3 }, { type: "nodeCompleted", node: "each", key: `each#0[${i}]`, index: i + 1, ms: 5 });
  expect(live.nodes.get("each")).toMatchObject({ state: "running", count: 2, items: 3, since: Date.parse("2026-01-01T00:00:00Z") });
  send({ type: "nodeCompleted", node: "each", key: "each#0", index: 4, ms: 12, attempts: 2 });
  expect(live.nodes.get("each")).toMatchObject({ state: "done", count: 2, ms: 12, attempts: 2 });
});

it("marks what failed, and what a graph that a node calls is doing", async () => {
  await start();
  send({ type: "nodeStarted", node: "inner", key: "call#0/inner" });
  expect(live.nodes.get("call")).toMatchObject({ state: "running" });
  send({ type: "nodeFailed", node: "entry", index: 0, error: { code: "x", message: "no file" } });
  expect(live.nodes.get("entry")).toMatchObject({ state: "failed", error: "no file" });
  send({ type: "nodeFailed", node: "fork", index: 1, caught: true });
  expect(live.nodes.get("fork")).toMatchObject({ state: "done" });
  send({ type: "nodeStarted", node: "each", run_id: "another" });
  expect(live.nodes.has("each")).toBe(false);
});

it("asks how a run ended, and shows what waits", async () => {
  await start();
  expect(live.active).toBe(true);
  Object.assign(server, { status: "interrupted", asks: [{ step: "each#0", message: "Go on?" }] });
  send({ type: "paused" });
  await vi.waitFor(() => expect(live.nodes.get("each")?.state).toBe("waiting"));
  expect(live.status).toBe("interrupted");
  server.handlers!.onOpen();
  expect(live.nodes.size).toBe(0); // a stream begins with all that has happened
  Object.assign(server, { status: "running", asks: [] });
  send({ type: "resumed" });
  expect(live.active).toBe(true);
});

it("runs with pinned outputs, and forgets a run for another", async () => {
  await start();
  live.pins.set("each", [1]);
  await live.start({ graph: "" }, { mode: "run" });
  expect(server.started.at(-1)).toMatchObject({ pins: { each: [1] }, background: true });
  await live.start({ graph: "" }, {}, true);
  expect([live.status, live.runID]).toEqual(["rejected", ""]);
  await live.attach("run_1");
  expect(live.runID).toBe("run_1");
  live.clear();
  expect([live.status, live.runID, live.nodes.size]).toEqual(["", "", 0]);
  expect(nodeOfKey("fetch#0[3]")).toBe("fetch");
});
