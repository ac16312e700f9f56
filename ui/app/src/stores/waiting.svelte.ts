// What waits for a person: runs with a question or a decision, and servers that failed or whose
// tools have changed. The navigation counts it, and the first view shows it.
import { listRuns, listServers } from "../api/operations";
import type { RunSummary, ServerStatus } from "../api/types";
import { feed } from "./feed.svelte";
import { session } from "./session.svelte";

const mostRuns = 20;
const again = 1000; // ms between two looks, at most

class Waiting {
  runs = $state.raw<RunSummary[]>([]);
  servers = $state.raw<ServerStatus[]>([]);
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Follows what happens; returns how to stop. */
  follow(): () => void {
    void this.load();
    const stop = feed.subscribe((batch) => {
      if (batch.runs.length > 0 || batch.catalog || batch.missed) this.timer ??= setTimeout(() => ((this.timer = undefined), void this.load()), again);
    });
    return () => {
      clearTimeout(this.timer);
      this.timer = undefined;
      stop();
    };
  }

  async load(): Promise<void> {
    const [runs, servers] = await Promise.all([
      session.has("runs-list") ? listRuns({ status: "interrupted", limit: mostRuns }).catch(() => undefined) : undefined,
      session.has("mcp-list") ? listServers().catch(() => undefined) : undefined,
    ]);
    if (runs) this.runs = (runs.runs ?? []).filter((r) => !r.unverified);
    if (servers) this.servers = servers.servers.filter((s) => s.state === "failed" || (s.changed ?? 0) > 0);
  }
}

export const waiting = new Waiting();
