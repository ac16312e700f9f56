// The operations that this page uses, with their arguments and results.
import { operation } from "./client";
import type * as t from "./types";

/** A graph as the operations take it: text, a draft handle, or the name of a saved one. */
export type GraphRef = { graph: string; tool?: string } | { name: string; tool?: string };

export interface RunOptions {
  arguments?: t.Json;
  mode?: "run" | "dry_run";
  pins?: Record<string, t.Json>;
  until?: string;
  trace?: "none" | "summary" | "full";
  background?: boolean;
}

export const searchNodes = (args: { query?: string; max_results?: number; type_filter?: string; server?: string; cursor?: string; has?: t.Json; wants?: t.Json; compatible_with?: string; similar_to?: string }, signal?: AbortSignal) =>
  operation<t.SearchResult>("search_nodes", args, signal);

export const nodeTypes = (args: { type_filter?: string; server?: string; cursor?: string }, signal?: AbortSignal) =>
  operation<t.NodeTypes>("get_node_types", args, signal);

export async function nodeDetails(id: string, signal?: AbortSignal): Promise<t.NodeDetails | undefined> {
  const r = await operation<{ nodes: t.NodeDetails[] }>("get_node_details", { nodes: [{ id }], detail: "full" }, signal);
  return r.nodes[0];
}

export const validateGraph = (args: { graph: string; tool?: string; apply_fixes?: boolean }, signal?: AbortSignal) =>
  operation<t.ValidateResult>("validate_graph", args, signal);

export const editGraph = (args: GraphRef & { ops: t.Json[]; revision?: string; dry_run?: boolean }, signal?: AbortSignal) =>
  operation<t.EditResult>("edit_graph", args, signal);

export const runGraph = (graph: GraphRef, options: RunOptions, signal?: AbortSignal) =>
  operation<t.RunResult>("run_graph", { ...graph, ...options }, signal);

export const runNode = (id: string, args: t.Json, signal?: AbortSignal) =>
  operation<t.NodeRun>("run_node", { id, arguments: args }, signal);

export const evaluate = (args: { expression: string; context?: t.Json; run_id?: string; language?: string }, signal?: AbortSignal) =>
  operation<t.Evaluation>("evaluate", args, signal);

export const listRuns = (args: { graph?: string; status?: string; since?: string; limit?: number; workflows?: boolean }, signal?: AbortSignal) =>
  operation<{ runs: t.RunSummary[] | null; hint?: string }>("runs-list", args, signal);

export const getRun = (args: { run_id: string; node?: string; index?: number; expr?: string; from?: number }, signal?: AbortSignal) =>
  operation<t.RunDetails>("get_run", args, signal);

export const resumeRun = (args: { run_id: string; decision: "retry" | "skip" | "pin"; pin?: t.Json; step?: string; graph?: string }) =>
  operation<t.RunResult>("resume_run", args);

export const answerRun = (args: { run_id: string; action: "accept" | "decline" | "cancel"; content?: t.Json; step?: string }) =>
  operation<t.RunResult>("runs-answer", args);

export const cancelRun = (run_id: string) => operation<{ run_id: string; status: t.RunStatus }>("cancel_run", { run_id });

/** Starts a run that pauses before nodes, and says how it is after a moment. */
export const debugRun = (graph: GraphRef, options: Omit<RunOptions, "background" | "trace"> & { breakpoints: string[]; step: boolean; wait_ms: number }) =>
  operation<t.DebugResult>("debug_run", { ...graph, ...options });

export const debugList = (args: { run_id?: string }) => operation<{ runs: t.DebugResult[] }>("debug_list", args);

export const debugContinue = (args: { run_id: string; step?: string; action: "continue" | "step" | "none"; breakpoints?: string[]; wait_ms: number }) =>
  operation<t.DebugResult>("debug_continue", args);

export const debugEvaluate = (args: { run_id: string; step: string; expression: string }) => operation<t.Evaluation>("debug_evaluate", args);

export const saveTest = (run_id: string) => operation<{ test: string }>("runs-save-test", { run_id });

export const listServers = (signal?: AbortSignal) => operation<{ servers: t.ServerStatus[]; missed_searches?: t.MissedSearch[] }>("mcp-list", {}, signal);

export const serverDetails = (server: string, tool?: string, signal?: AbortSignal) =>
  operation<t.ServerDetails>("mcp-info", tool ? { server, tool } : { server }, signal);

/** Returns how patchbay.yaml changes if servers are added; it is changed if that is the change that a person has seen. */
export const addServers = (args: { source?: string; command?: string[]; name?: string; change?: string }) => operation<t.AddedServers>("mcp-add", args);

/** Begins a login, to which a person agrees at the address. */
export const logIn = (server: string) => operation<{ address: string }>("mcp-login", { server });

export const serverLog = (server: string) => operation<{ file: string; text: string }>("mcp-logs", { server });

export const syncServer = (server: string) => operation<{ servers: t.ServerStatus[] }>("mcp-sync", { servers: [server] });

export const approveTools = (server: string, tools?: string[]) =>
  operation<{ server: string; approved: string[] }>("mcp-approve", tools ? { server, tools } : { server });

/** Replays recorded runs of the graphs that use changed tools, and accepts nothing. */
export const tryTools = (server: string, tools: string[]) =>
  operation<{ tried?: t.TriedGraph[] }>("mcp-approve", { server, tools, try: true });

export const listGraphs = (signal?: AbortSignal) => operation<{ graphs: t.SavedGraph[] }>("graphs-list", {}, signal);

export const deleteGraph = (name: string) => operation<{ name: string }>("delete_graph", { name });

export const getGraph = (name: string) => operation<t.GraphText>("get_graph", { name });

/** What has changed in a saved graph since one of its revisions. */
export const graphSince = (name: string, revision: string) => operation<{ diff?: string }>("get_graph", { name, revision, diff: true });

export const restoreGraph = (name: string, restore: string) => operation<t.SaveResult>("save_graph", { name, restore });

export const saveGraph = (args: { graph: string; tool?: string; name?: string; overwrite?: boolean; revision?: string }) =>
  operation<t.SaveResult>("save_graph", args);

export const testWorkflows = (args: { names: string[]; text?: string }) => operation<t.WorkflowTests>("workflow-test", args);

export const listWorkflows = (signal?: AbortSignal) => operation<{ workflows: t.WorkflowInfo[] }>("workflow-list", {}, signal);

export const workflowText = (name: string) => operation<{ name: string; path?: string; workflow: string }>("workflow-show", { name });
