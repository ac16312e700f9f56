// The events of the program: one stream for the page, shared by its views. Subscribers get
// what has come together once a frame.
import { openEvents } from "../api/events";
import type { RunSummary } from "../api/types";

type Batch = { runs: RunSummary[]; catalog: boolean; file: { hash: string } | undefined };
type Subscriber = (batch: Batch) => void;

const nothing = (): Batch => ({ runs: [], catalog: false, file: undefined });

class Feed {
  connected = $state(false);
  private subscribers = new Set<Subscriber>();
  private pending = nothing();
  private scheduled = false;
  private stop: (() => void) | undefined;

  start(): void {
    if (this.stop) return;
    this.stop = openEvents(undefined, {
      onOpen: () => (this.connected = true),
      onLost: () => (this.connected = false),
      onEvent: (e) => this.take(e.event, e.data),
    });
  }

  end(): void {
    this.stop?.();
    this.stop = undefined;
    this.connected = false;
  }

  /** Calls back with what happened since the last frame; returns how to stop. */
  subscribe(s: Subscriber): () => void {
    this.subscribers.add(s);
    return () => this.subscribers.delete(s);
  }

  private take(event: string, data: string): void {
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      return;
    }
    switch (event) {
      case "run":
        this.pending.runs.push(value as RunSummary);
        break;
      case "catalog":
        this.pending.catalog = true;
        break;
      case "file":
        this.pending.file = value as { hash: string };
        break;
      default:
        return;
    }
    if (!this.scheduled) {
      this.scheduled = true;
      schedule(() => this.flush());
    }
  }

  private flush(): void {
    const batch = this.pending;
    this.pending = nothing();
    this.scheduled = false;
    for (const s of this.subscribers) s(batch);
  }
}

function schedule(f: () => void): void {
  if (document.hidden) setTimeout(f, 200);
  else requestAnimationFrame(f);
}

export const feed = new Feed();
