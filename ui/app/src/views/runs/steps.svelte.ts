// The steps of one run, all of them: read in pages, and kept up to date by events.
import { getRun } from "../../api/operations";
import type { RunDetails, TraceStep } from "../../api/types";
import { feed } from "../../stores/feed.svelte";
import { Loaded } from "../../stores/load.svelte";

export interface Step extends TraceStep {
  running?: boolean;
}

const page = 1000;
const refreshAfter = 700; // ms, while a run goes on

export class RunStore {
  details = new Loaded<RunDetails>();
  steps = $state.raw<Step[]>([]);
  total = $state(0);
  /** What started the run; "" is not known. */
  by = $state("");

  private timer: ReturnType<typeof setTimeout> | undefined;
  private stopFeed: () => void;

  constructor(readonly id: string) {
    this.stopFeed = feed.subscribe((batch) => {
      if (batch.missed || batch.runs.some((r) => r.run_id === this.id)) this.later();
    });
    void this.load();
  }

  async load(): Promise<void> {
    const details = await this.details.load((signal) => getRun({ run_id: this.id }, signal));
    if (!details) return;
    await this.loadSteps(details.status === "running");
    if (details.status === "running") this.later();
  }

  /** Reads the steps; of a run that goes on, those before the last page are known. */
  private async loadSteps(running: boolean): Promise<void> {
    const all: Step[] = running ? this.steps.slice(0, Math.max(0, this.steps.length - page)) : [];
    try {
      for (;;) {
        const reply = await getRun({ run_id: this.id, from: all.length });
        const steps = reply.steps ?? [];
        all.push(...steps);
        this.by = reply.by ?? "";
        this.total = reply.step_count ?? all.length;
        if (steps.length === 0 || all.length >= this.total) break;
        if (this.steps.length < all.length) this.steps = [...all];
      }
      this.steps = all;
    } catch {
      // What the details have of the steps is shown.
      if (this.steps.length === 0) this.steps = this.details.value?.trace ?? [];
    }
  }

  private later(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.load();
    }, refreshAfter);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.timer = -1 as unknown as ReturnType<typeof setTimeout>;
    this.stopFeed();
    this.details.clear();
  }
}
