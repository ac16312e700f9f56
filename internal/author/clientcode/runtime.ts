// Written by `patchbay export --typescript`. Write it again when tools have changed.
// It needs no library: Node 22.18 or later, Bun and Deno run it as it is.
//
// The first call starts `patchbay serve`, or the program that the variable PATCHBAY
// names. A call that fails throws a PatchbayError with a code and a message.
import { spawn as _spawn } from "node:child_process";
import { env as _env } from "node:process";
import { createInterface as _lines } from "node:readline";

/** Says why a call failed: a code, such as tool-failed, and a message. */
export class PatchbayError extends Error {
  readonly code: string;
  /** The whole fault: hint, node, input and what else is known. */
  readonly fault: Record<string, unknown>;

  constructor(fault: Record<string, unknown>) {
    super(String(fault.message ?? "the call failed"));
    this.name = "PatchbayError";
    this.code = String(fault.code ?? "failed");
    this.fault = fault;
  }
}

type _Server = {
  request(method: string, params: object): Promise<any>;
  close(): void;
};

let _server: Promise<_Server> | undefined;

/** Starts the server with flags of patchbay, such as start("--config", "work.yaml"). */
export async function start(...flags: string[]): Promise<void> {
  close();
  _server = _connect(flags);
  await _server;
}

/** Stops the server. A script need not: the server stops when the script ends. */
export function close(): void {
  _server?.then((server) => server.close(), () => {});
  _server = undefined;
}

async function _connect(flags: string[]): Promise<_Server> {
  const child = _spawn(_env.PATCHBAY || "patchbay", [...flags, "serve"], { stdio: ["pipe", "pipe", "pipe"] });
  const waiting = new Map<number, { resolve(reply: any): void; reject(why: unknown): void }>();
  let last = 0;
  let said = "";
  let over: PatchbayError | undefined;
  const hold = (held: boolean) => {
    // An idle server does not keep the script from ending.
    for (const part of [child, child.stdin, child.stdout, child.stderr] as any[]) part[held ? "ref" : "unref"]?.();
  };
  const end = (message: string) => {
    over ??= new PatchbayError({ code: "server-stopped", message: (message + "\n" + said).trim() });
    for (const call of waiting.values()) call.reject(over);
    waiting.clear();
  };
  const send = (message: object) => child.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  child.on("error", (why) => end(`cannot start ${_env.PATCHBAY || "patchbay"}: ${why.message}`));
  child.on("close", () => end("patchbay has stopped"));
  child.stdin.on("error", () => {});
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said = (said + text).slice(-4000);
  });
  _lines({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method !== undefined) {
      if (message.id !== undefined) send({ id: message.id, error: { code: -32601, message: "not supported" } });
      return;
    }
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (waiting.size === 0) hold(false);
    if (message.error) call?.reject(new PatchbayError({ code: "refused", ...message.error }));
    else call?.resolve(message.result);
  });
  const request = (method: string, params: object) =>
    new Promise<any>((resolve, reject) => {
      if (over) return reject(over);
      waiting.set(++last, { resolve, reject });
      hold(true);
      send({ id: last, method, params });
    });
  const client = { name: "patchbay-typescript", version: "1" };
  await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: client });
  send({ method: "notifications/initialized" });
  return { request, close: () => child.stdin.end() };
}

/** Runs a graph, and returns its whole result. */
async function _run(what: object, args: object): Promise<any> {
  _server ??= _connect([]);
  const server = await _server;
  const reply = await server.request("tools/call", {
    name: "run_graph",
    arguments: { ...what, arguments: args, trace: "none", wait_ms: 86400000 },
  });
  const run = reply.structuredContent ?? {};
  if (run.status === "succeeded") return run.result;
  const fault = run.error ?? run.diagnostics?.[0] ?? { message: run.hint };
  throw new PatchbayError({ ...fault, code: fault.code ?? run.status, run_id: run.run_id });
}

/** Calls a tool by a graph of this call alone. */
function _tool(server: string, tool: string, args: object): Promise<any> {
  let given: object = { expr: "$.entry" };
  if ("expr" in args) {
    // An argument of this name would be taken for an expression.
    given = Object.fromEntries(Object.keys(args).map((key) => [key, { expr: `$lookup($.entry, ${JSON.stringify(key)})` }]));
  }
  const nodes = [
    { id: "entry", type: "entry", next: "call" },
    { id: "call", type: "mcp", server, tool, args: given, next: "exit" },
    { id: "exit", type: "exit" },
  ];
  return _run({ graph: { name: "run_node", nodes, executionLimits: { maxExecutionTimeMs: 86400000 } } }, args);
}

function _graph(name: string, args: object): Promise<any> {
  return _run({ name }, args);
}
