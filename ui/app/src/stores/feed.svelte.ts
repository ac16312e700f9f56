// The events of the program: one stream for the page, shared by its views. Events of runs
// come in hundreds a second; subscribers get them once a frame.
import { openEvents } from "../api/events";
import type { RunEvent } from "../api/types";

type Batch = { runs: RunEvent[]; nodes: RunEvent[]; catalog: boolean; file: unknown };
type Subscriber = (batch: Batch) => void;

const nothing = (): Batch => ({ runs: [], nodes: [], catalog: false, file: undefined });

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
        this.pending.runs.push(...list(value));
        break;
      case "node":
        this.pending.nodes.push(...list(value));
        break;
      case "catalog":
        this.pending.catalog = true;
        break;
      case "file":
        this.pending.file = value;
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

function list(value: unknown): RunEvent[] {
  return Array.isArray(value) ? value : [value as RunEvent];
}

function schedule(f: () => void): void {
  if (document.hidden) setTimeout(f, 200);
  else requestAnimationFrame(f);
}

export const feed = new Feed();
