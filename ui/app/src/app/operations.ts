// The operations that the nodes of the canvas use, as tool calls through the client. They
// take the place of those in api/operations, which ask the program that serves the page.
import type { RunDetails } from "../api/types";
import type { Host } from "./host";

let host: Host | undefined;

export function setHost(h: Host): void {
  host = h;
}

export function getGraph(name: string): Promise<{ name: string; graph: string; revision: string }> {
  if (!host?.callsTools) return Promise.reject(new Error("This client calls no tools for pages."));
  return host.call("get_graph", { name });
}

export function getRun(args: { run_id: string; index?: number; expr?: string }): Promise<RunDetails> {
  if (!host?.callsTools) return Promise.reject(new Error("This client calls no tools for pages."));
  return host.call("get_run", args);
}
