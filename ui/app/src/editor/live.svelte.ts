// What the nodes of the canvas are doing in the run that is watched.
import { SvelteMap } from "svelte/reactivity";

import { cancelRun, debugRun, getRun, runGraph, type GraphRef, type RunOptions } from "../api/operations";
import type { Json, RunDetails, RunEvent, RunStatus } from "../api/types";
import { asApiError, session } from "../stores/session.svelte";
import type { ApiError } from "../api/client";
import { openEvents } from "../api/events";
import { batched } from "../lib/batch";
import { Debugging } from "./run/debug.svelte";

export interface NodeLive {
  state: "running" | "done" | "failed" | "waiting" | "paused";
  running: number;
  /** How often it has ended; of a foreach, how many of its items. */
  count: number;
  /** Of a foreach: how many items it has, as far as that is known. */
  items?: number;
  ms: number;
  attempts: number;
  /** When the execution that is running began, in ms. */
  since?: number;
  error?: string;
}

const pollEvery = 1000; // ms, while the stream of events is lost

export class LiveRun {
  runID = $state("");
  status = $state<RunStatus | "">("");
  details = $state.raw<RunDetails | undefined>(undefined);
  error = $state.raw<ApiError | undefined>(undefined);
  nodes = new SvelteMap<string, NodeLive>();
  /** Outputs that the next runs use instead of executing a node. */
  readonly pins = new SvelteMap<string, Json>();
  readonly debug: Debugging;

  /** The text that the run was started with, if it was started here. */
  ran: string | undefined;

  private connected = false;
  private queue = batched<RunEvent>((events) => this.take(events));
  /** Steps that have ended, by index: a run that is resumed repeats some. */
  private ended = new Set<number>();
  private stopStream: (() => void) | undefined;
  private poll: ReturnType<typeof setInterval>;

  /** typeOf is the type of a node of the graph, undefined of what is not in it; ids are those
   * of its nodes. watched is told of the run that is started here, "" until it has an id. */
  constructor(
    private readonly typeOf: (id: string) => string | undefined,
    ids: () => string[],
    private readonly watched: (runID: string) => void = () => undefined,
  ) {
    this.debug = new Debugging(ids);
    this.poll = setInterval(() => {
      const unknown = this.status === "" && (!this.error || this.error.offline);
      if ((this.active || unknown) && this.runID && !this.connected) void this.refresh();
    }, pollEvery);
  }

  get active(): boolean {
    return this.status === "running";
  }

  /** Runs a graph. It pauses at breakpoints, and with step before every node. */
  async start(graph: GraphRef, options: RunOptions, step = false): Promise<void> {
    if (this.pins.size > 0) options = { ...options, pins: Object.fromEntries(this.pins) };
    this.clear();
    this.watched("");
    this.ran = "graph" in graph ? graph.graph : undefined;
    this.status = "running";
    try {
      const breakpoints = this.debug.set;
      if (step || breakpoints.length > 0) return await this.startPaused(graph, options, breakpoints, step);
      const r = await runGraph(graph, { ...options, background: true, trace: "summary" });
      this.runID = r.run_id;
      this.watched(r.run_id);
      this.status = r.status;
      if (r.status === "rejected") this.details = { ...r, started: "" };
      else this.follow();
    } catch (e) {
      this.status = "";
      this.error = asApiError(e);
    }
  }

  private async startPaused(graph: GraphRef, options: RunOptions, breakpoints: string[], step: boolean): Promise<void> {
    const r = await debugRun(graph, { ...options, breakpoints, step, wait_ms: 1 });
    if (!r.run_id) {
      this.status = "rejected";
      if (r.run) this.details = { ...r.run, started: "" };
      return;
    }
    this.runID = r.run_id;
    this.watched(r.run_id);
    this.status = "running";
    this.debug.begin(r.run_id);
    this.follow();
  }

  /** Watches a run that was started before. */
  async attach(runID: string): Promise<void> {
    this.clear();
    this.runID = runID;
    if (session.has("debug_list")) await this.debug.join(runID).catch(() => undefined); // the run is then shown without its pauses
    if (this.runID === runID) this.follow();
  }

  async stop(): Promise<void> {
    if (this.runID) await cancelRun(this.runID);
  }

  clear(): void {
    this.stopStream?.();
    this.stopStream = undefined;
    this.connected = false;
    this.nodes.clear();
    this.ended.clear();
    this.parts.clear();
    this.debug.begin("");
    this.runID = "";
    this.ran = undefined;
    this.status = "";
    this.details = undefined;
    this.error = undefined;
  }

  /** Follows the run's events, which begin with all that has happened. */
  private follow(): void {
    void this.refresh();
    this.stopStream = openEvents(this.runID, {
      onOpen: () => {
        this.connected = true;
        this.nodes.clear();
        this.ended.clear();
        this.parts.clear();
      },
      onLost: () => (this.connected = false),
      onEvent: (e) => {
        if (e.event === "node") this.queue(JSON.parse(e.data) as RunEvent[]);
      },
    });
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
      this.error = undefined;
      for (const a of details.asks ?? []) this.nodes.set(nodeOfKey(a.step), { state: "waiting", running: 0, count: 0, ms: 0, attempts: 1 });
    } catch (e) {
      if (id === this.runID) this.error = asApiError(e);
    }
  }

  private take(events: RunEvent[]): void {
    const changed = new Map<string, NodeLive>();
    let ended = false;
    let paused = false;
    for (const e of events) {
      if (e.run_id !== this.runID) continue;
      if (e.why) paused = this.pause(changed, e);
      else if (e.type === "ended" || e.type === "paused") ended = true;
      else if (e.type === "resumed") this.status = "running";
      else if (e.node) this.step(changed, e);
    }
    for (const [id, n] of changed) this.nodes.set(id, n);
    if (ended) this.debug.begin("");
    if (ended) void this.refresh();
    else if (paused) void this.debug.refresh().catch(() => undefined); // the next event asks again
  }

  /** A node before which the run is paused, or that starts after that. */
  private pause(changed: Map<string, NodeLive>, e: RunEvent): boolean {
    const id = e.node ?? "";
    const n = { ...(changed.get(id) ?? this.nodes.get(id) ?? { running: 0, count: 0, ms: 0, attempts: 1 }) };
    changed.set(id, { ...n, state: e.type === "paused" ? "paused" : "running" });
    return true;
  }

  private step(changed: Map<string, NodeLive>, e: RunEvent): void {
    const { id, part, inner } = this.placeOf(e);
    const n = changed.get(id) ?? { ...(this.nodes.get(id) ?? { state: "running" as const, running: 0, count: 0, ms: 0, attempts: 1 }) };
    changed.set(id, n);
    if (part && e.items) n.items = e.items;
    const again = e.index !== undefined && this.ended.has(e.index);
    if (e.type === "nodeStarted") {
      if (n.running++ === 0) n.since = e.at ? Date.parse(e.at) : Date.now();
      n.state = "running";
      return;
    }
    if (e.index !== undefined) this.ended.add(e.index);
    n.running = Math.max(0, n.running - 1);
    if (inner) return;
    n.attempts = Math.max(n.attempts, e.attempts ?? 1);
    if (!again && (part || n.count === 0 || !this.parts.has(id))) n.count++;
    if (!part) n.ms += e.ms ?? 0;
    if (part) this.parts.add(id);
    const failed = e.type === "nodeFailed" && !e.caught;
    n.error = failed ? (typeof e.error === "string" ? e.error : e.error?.message) : undefined;
    n.state = n.running > 0 ? "running" : failed ? "failed" : "done";
  }

  /** Nodes that execute once for each item. */
  private parts = new Set<string>();

  /** The node of the canvas that a step belongs to, and whether it is one of its items, or a
   * step of the graph that it calls. */
  private placeOf(e: RunEvent): { id: string; part: boolean; inner: boolean } {
    const node = e.node ?? "";
    const outer = nodeOfKey(e.key ?? node);
    const own = outer === node || this.typeOf(outer) === "parallel";
    return own && this.typeOf(node) !== undefined ? { id: node, part: /\[\d+\]$/.test(e.key ?? ""), inner: false } : { id: outer, part: false, inner: true };
  }

  dispose(): void {
    this.stopStream?.();
    clearInterval(this.poll);
  }
}

/** The node of a step, from its key: fetch#0[3] is of fetch. */
export function nodeOfKey(key: string): string {
  return key.split(/[/[#]/)[0] ?? key;
}
