// What the page shows: a graph, what the checker says of it, and a run that it follows.
import type { Diagnostic, EditResult, Json, RunDetails, RunResult, TraceStep, ValidateResult } from "../api/types";
import { groupBy } from "../lib/group";
import { edgesOf } from "../editor/model/edges";
import { readSource, type SourceTool } from "../editor/model/source";
import type { Host, HostContext, HostEvents, ToolResult } from "./host";
import { merge, progressOf, unread } from "./progress";

const pollEvery = 1000; // ms, while the run is executed
const mostPages = 20; // of steps, read at once

type GraphReply = { name: string; graph?: string; revision: string };

export class Shown implements HostEvents {
  host!: Host;
  context = $state.raw<HostContext>({});
  tools = $state.raw<SourceTool[]>([]);
  tool = $state("");
  report = $state.raw<ValidateResult | undefined>(undefined);
  run = $state.raw<Partial<RunDetails> | undefined>(undefined);
  problem = $state("");
  busy = $state(false);
  /** The call is still being made, or its result has been shown. */
  waiting = $state(true);

  steps = $state.raw<TraceStep[]>([]);
  /** The step whose values are shown, if one is. */
  step = $state<number | undefined>(undefined);
  /** What tools of the server take for the graph: its text or a draft handle. */
  private graph: string | undefined;
  private polling: ReturnType<typeof setTimeout> | undefined;
  private ended = false;
  /** The run could not be read the last time. */
  private lost = false;

  readonly drawn = $derived<SourceTool | undefined>(this.tools.find((t) => t.name === this.tool) ?? this.tools[0]);
  readonly edges = $derived(this.drawn ? edgesOf(this.drawn.nodes) : []);
  readonly diagnostics = $derived<Diagnostic[]>([...(this.report?.errors ?? []), ...(this.report?.warnings ?? []), ...(this.report?.notes ?? [])]);
  readonly byNode = $derived(groupBy(this.diagnostics.filter((d) => d.node !== undefined), (d) => d.node!));
  readonly nodes = $derived(progressOf(this.steps, this.run?.status ?? "running", this.run?.asks ?? [], (id) => this.drawn?.nodes.find((n) => n.id === id)?.type));

  /** Shows the values of a node: of its latest step. */
  pick(id: string): void {
    const index = this.steps.findLastIndex((s) => s?.node === id && !s.key?.includes("/"));
    if (index >= 0 && this.host.callsTools) this.step = index;
  }

  changed(c: HostContext): void {
    this.context = c;
  }

  input(args: Record<string, unknown>): void {
    if (typeof args.tool === "string") this.tool = args.tool;
    const graph = args.graph;
    if (typeof graph === "string" && graph.startsWith("draft:")) this.openLater(graph);
    else if (typeof graph === "string") this.draw(graph, graph);
    else if (graph !== null && typeof graph === "object") this.draw(JSON.stringify(Array.isArray(graph) ? { nodes: graph } : graph));
    else if (typeof args.name === "string") this.openLater(args.name);
  }

  result(r: ToolResult): void {
    this.waiting = false;
    const reply = r.structuredContent ?? {};
    if (typeof reply.run_id === "string") this.follow(reply as unknown as RunResult);
    else if (typeof reply.valid === "boolean") this.checked(reply as unknown as ValidateResult);
    else if (typeof reply.graph === "string") this.draw(reply.graph);
    else if (r.isError) this.problem = textOf(r);
  }

  cancelled(reason: string | undefined): void {
    this.waiting = false;
    this.problem = reason ? `The call was cancelled: ${reason}` : "The call was cancelled.";
  }

  teardown(): void {
    this.ended = true;
    clearTimeout(this.polling);
  }

  /** Applies one fix of a diagnostic, or those of all. */
  async fix(d: Diagnostic | undefined, index = 0): Promise<void> {
    await this.doing(async () => {
      const tool = this.tools.length > 1 ? { tool: this.drawn?.name } : {};
      const patch = d?.fixes?.[index]?.patch;
      const ops = patch && settable(patch) ? patch.map((p) => ({ op: "set", path: p.path, value: p.op === "remove" ? null : (p.value ?? null) })) : undefined;
      const r = ops
        ? await this.host.call<EditResult>("edit_graph", { graph: this.graph, ops, ...tool })
        : await this.host.call<ValidateResult>("validate_graph", { graph: this.graph, apply_fixes: true, ...tool });
      if (r.draft === undefined) throw new Error("The fix left no draft.");
      await this.open(r.draft);
      this.checked(r);
      this.host.tell(`A person has applied ${d ? `the fix "${d.fixes?.[index]?.title}"` : "all fixes"} on the page of the graph. The graph is now ${r.draft}, ${r.valid ? "and valid" : "and not valid yet"}; continue with that draft.`);
    });
  }

  async resume(decision: "retry" | "skip" | "pin", step: string | undefined, pin?: Json): Promise<void> {
    const id = this.run?.run_id;
    if (id === undefined) return;
    await this.doing(async () => {
      const call = this.host.call<RunResult>("resume_run", { run_id: id, decision, ...(step ? { step } : {}), ...(pin === undefined ? {} : { pin }) });
      this.run = { run_id: id, graph: this.run?.graph, status: "running" };
      this.steps = [];
      this.step = undefined;
      this.poll(id, 0);
      const r = await call;
      this.host.tell(`A person has resumed ${id} with the decision ${decision} on the page of the run. Its status is now ${r.status}; get_run {"run_id": "${id}"} returns it.`);
    });
    await this.read(id);
  }

  async stop(): Promise<void> {
    const id = this.run?.run_id;
    if (id === undefined) return;
    await this.doing(async () => {
      await this.host.call("cancel_run", { run_id: id });
      this.host.tell(`A person has cancelled ${id} on the page of the run.`);
    });
    await this.read(id);
  }

  private async doing(what: () => Promise<void>): Promise<void> {
    this.busy = true;
    this.problem = "";
    try {
      await what();
    } catch (e) {
      this.problem = (e as Error).message;
    }
    this.busy = false;
  }

  private draw(text: string, graph = text): void {
    this.graph = graph;
    this.tools = readSource(text) ?? this.tools;
  }

  /** Reads and draws a saved graph, a draft, or the graph of a run. */
  private async open(name: string): Promise<void> {
    if (!this.host.callsTools) return;
    const r = await this.host.call<GraphReply>("get_graph", { name });
    if (r.graph !== undefined) this.draw(r.graph, name.startsWith("draft:") ? name : r.graph);
  }

  private openLater(name: string): void {
    this.open(name).catch((e: Error) => (this.problem = e.message));
  }

  private checked(r: ValidateResult): void {
    this.report = r;
    if (r.draft !== undefined) this.graph = r.draft;
    const fixed = r.fixed_graph;
    if (fixed !== undefined && fixed !== null) this.draw(typeof fixed === "string" ? fixed : JSON.stringify(fixed), r.draft);
  }

  private follow(r: RunResult): void {
    this.run = { ...this.run, ...r };
    if (r.diagnostics) this.report = { valid: false, errors: r.diagnostics };
    if (r.trace) this.steps = merge(this.steps, r.trace);
    if (r.status === "rejected" || r.run_id === undefined || !this.host.callsTools) return;
    if (this.tools.length === 0) this.openLater(r.run_id);
    this.poll(r.run_id, 0);
  }

  private poll(id: string, after: number): void {
    clearTimeout(this.polling);
    if (!this.ended) this.polling = setTimeout(() => void this.read(id), after);
  }

  /** Reads how far a run is, and reads again while it is executed. */
  private async read(id: string): Promise<void> {
    try {
      let r: RunDetails | undefined;
      for (let page = 0; page < mostPages; page++) {
        const from = unread(this.steps);
        r = await this.host.call<RunDetails>("get_run", { run_id: id, from });
        this.steps = merge(this.steps, r.steps ?? []);
        if (from + (r.steps?.length ?? 0) >= (r.step_count ?? 0)) break;
      }
      this.run = r?.status === "running" ? { ...this.run, ...r } : await this.host.call<RunDetails>("get_run", { run_id: id });
      if (this.lost) this.problem = "";
      this.lost = false;
      if (this.run.status === "running") this.poll(id, pollEvery);
    } catch (e) {
      this.problem = (e as Error).message;
      this.lost = true;
      if (this.run?.status === "running") this.poll(id, 5 * pollEvery);
    }
  }
}

/** Operations of a fix that the operation set says too, except in lists. */
function settable(patch: { op: string; path: string }[]): boolean {
  return patch.length > 0 && patch.every((p) => ["add", "replace", "remove"].includes(p.op) && p.path !== "" && !/\/(-|\d+)$/.test(p.path));
}

function textOf(r: ToolResult): string {
  const error = r.structuredContent?.error as { message?: string } | undefined;
  return error?.message ?? r.content?.find((c) => c.text)?.text ?? "The call failed.";
}
