// What the nodes of the canvas are doing in the run that is watched.
import { SvelteMap } from "svelte/reactivity";

import { cancelRun, getRun, runGraph, type GraphRef, type RunOptions } from "../api/operations";
import type { Json, RunDetails, RunEvent, RunStatus } from "../api/types";
import { feed } from "../stores/feed.svelte";
import { asApiError } from "../stores/session.svelte";
import type { ApiError } from "../api/client";

export interface NodeLive {
  state: "running" | "done" | "failed" | "waiting";
  running: number;
  count: number;
  ms: number;
  attempts: number;
  error?: string;
}

const pollEvery = 1000; // ms, while the stream of events is lost

export class LiveRun {
  runID = $state("");
  status = $state<RunStatus | "">("");
  details = $state.raw<RunDetails | undefined>(undefined);
  error = $state.raw<ApiError | undefined>(undefined);
  nodes = new SvelteMap<string, NodeLive>();

  private early: RunEvent[] = [];
  private stopFeed: () => void;
  private poll: ReturnType<typeof setInterval>;

  constructor() {
    this.stopFeed = feed.subscribe((batch) => this.take([...batch.runs, ...batch.nodes]));
    this.poll = setInterval(() => {
      if (this.active && !feed.connected) void this.refresh();
    }, pollEvery);
  }

  get active(): boolean {
    return this.status === "running";
  }

  async start(graph: GraphRef, options: RunOptions): Promise<void> {
    this.clear();
    this.status = "running";
    try {
      const r = await runGraph(graph, { ...options, background: true, trace: "summary" });
      this.runID = r.run_id;
      if (r.status !== "running") this.status = r.status;
      this.take(this.early);
      this.early = [];
      await this.refresh();
    } catch (e) {
      this.status = "";
      this.error = asApiError(e);
    }
  }

  /** Watches a run that has been started elsewhere. */
  async watch(id: string): Promise<void> {
    this.clear();
    this.runID = id;
    await this.refresh();
  }

  async stop(): Promise<void> {
    if (this.runID) await cancelRun(this.runID);
  }

  clear(): void {
    this.nodes.clear();
    this.early = [];
    this.runID = "";
    this.status = "";
    this.details = undefined;
    this.error = undefined;
  }

  /** Reads how far the run is. */
  async refresh(): Promise<void> {
    const id = this.runID;
    if (!id) return;
    try {
      const details = await getRun({ run_id: id });
      if (id !== this.runID) return;
      this.details = details;
      this.status = details.status;
      if (this.nodes.size === 0 || details.status !== "running") this.fill(details);
    } catch (e) {
      if (id === this.runID) this.error = asApiError(e);
    }
  }

  /** The states of the nodes of a run whose events were not seen. */
  private fill(details: RunDetails): void {
    const nodes = new Map<string, NodeLive>();
    for (const s of details.trace ?? []) {
      const was = nodes.get(s.node) ?? { state: "done", running: 0, count: 0, ms: 0, attempts: 1 };
      const failed = s.error !== undefined && !s.caught;
      nodes.set(s.node, { ...was, state: failed ? "failed" : was.state, count: was.count + 1, ms: was.ms + s.ms, attempts: s.attempts ?? 1, error: s.error ?? was.error });
    }
    for (const a of details.asks ?? []) nodes.set(nodeOfKey(a.step), { state: "waiting", running: 0, count: 0, ms: 0, attempts: 1 });
    for (const [id, n] of nodes) if ((this.nodes.get(id)?.count ?? 0) <= n.count) this.nodes.set(id, n);
  }

  private take(events: RunEvent[]): void {
    let ended = false;
    const changed = new Map<string, NodeLive>();
    for (const e of events) {
      if (!this.runID) {
        if (this.active && this.early.length < 10_000) this.early.push(e);
        continue;
      }
      if (e.run_id !== this.runID) continue;
      if (e.type === "ended" || e.type === "paused") ended = true;
      else if (e.type === "resumed") this.status = "running";
      else if (e.node) this.step(changed, e);
    }
    for (const [id, n] of changed) this.nodes.set(id, n);
    if (ended) void this.refresh();
  }

  private step(changed: Map<string, NodeLive>, e: RunEvent): void {
    const id = e.node!;
    const n = changed.get(id) ?? { ...(this.nodes.get(id) ?? { state: "running" as const, running: 0, count: 0, ms: 0, attempts: 1 }) };
    changed.set(id, n);
    if (e.type === "nodeStarted") {
      n.running++;
      n.state = "running";
      return;
    }
    n.running = Math.max(0, n.running - 1);
    n.count++;
    n.ms += e.ms ?? 0;
    n.attempts = e.attempts ?? 1;
    if (e.type === "nodeFailed") {
      n.state = "failed";
      n.error = typeof e.error === "string" ? e.error : e.error?.message;
    } else if (n.state !== "failed") {
      n.state = n.running > 0 ? "running" : "done";
    }
  }

  dispose(): void {
    this.stopFeed();
    clearInterval(this.poll);
  }
}

/** The node of a step, from its key: fetch[3] is of fetch. */
function nodeOfKey(key: string): string {
  return key.split(/[/[#]/)[0] ?? key;
}

export type { Json };
