// Breakpoints, and where the run that is watched is paused.
import { SvelteSet } from "svelte/reactivity";

import { debugContinue, debugEvaluate, debugList } from "../../api/operations";
import type { Evaluation, PausedStep } from "../../api/types";

export class Debugging {
  /** The ids of the nodes before which a run pauses. */
  breakpoints = new SvelteSet<string>();
  paused = $state.raw<PausedStep[]>([]);
  private runID = "";

  /** nodes are the ids of the nodes that the graph has now. */
  constructor(private readonly nodes: () => string[]) {}

  /** The breakpoints on nodes that there are, sorted. */
  get set(): string[] {
    const there = new Set(this.nodes());
    return [...this.breakpoints].filter((id) => there.has(id)).sort();
  }

  async toggle(id: string): Promise<void> {
    if (!this.breakpoints.delete(id)) this.breakpoints.add(id);
    if (this.runID) await debugContinue({ run_id: this.runID, action: "none", breakpoints: this.set, wait_ms: 1 });
  }

  /** Begins with a run that was started before, if it is debugged. */
  async join(runID: string): Promise<void> {
    const found = (await debugList({ run_id: runID })).runs[0];
    if (!found) return;
    this.runID = runID;
    this.paused = found.paused ?? [];
    this.restore(found.breakpoints ?? []);
  }

  /** Sets the breakpoints, and no others. */
  restore(ids: string[]): void {
    this.breakpoints.clear();
    for (const id of ids) this.breakpoints.add(id);
  }

  /** Begins with a run, or none. */
  begin(runID: string): void {
    this.runID = runID;
    this.paused = [];
  }

  /** Asks where the run is paused, which also keeps it from being cancelled. */
  async refresh(): Promise<void> {
    const id = this.runID;
    if (!id) return;
    const r = await debugList({ run_id: id });
    if (id === this.runID) this.paused = r.runs[0]?.paused ?? [];
  }

  async resume(step: string, action: "continue" | "step"): Promise<void> {
    this.paused = this.paused.filter((p) => p.step !== step);
    await debugContinue({ run_id: this.runID, step, action, wait_ms: 1 });
    await this.refresh();
  }

  evaluate(step: string, expression: string): Promise<Evaluation> {
    return debugEvaluate({ run_id: this.runID, step, expression });
  }
}
