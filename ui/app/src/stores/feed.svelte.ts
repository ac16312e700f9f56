// The events of the program: one stream for the page, shared by its views. Subscribers get
// what has come together once a frame.
import { openEvents } from "../api/events";
import type { RunSummary } from "../api/types";
import { nextFrame } from "../lib/frame";
import { session } from "./session.svelte";

/** missed says that there was no connection: what is shown may be out of date. */
type Batch = { runs: RunSummary[]; catalog: boolean; file: { hash: string } | undefined; missed: boolean };
type Subscriber = (batch: Batch) => void;

const nothing = (): Batch => ({ runs: [], catalog: false, file: undefined, missed: false });

class Feed {
  connected = $state(false);
  private subscribers = new Set<Subscriber>();
  private pending = nothing();
  private scheduled = false;
  private lost = false;
  private stop: (() => void) | undefined;

  start(): void {
    if (this.stop) return;
    this.stop = openEvents(undefined, {
      onOpen: () => this.open(),
      onLost: (status) => this.lose(status),
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

  private open(): void {
    session.reached(true);
    this.connected = true;
    if (!this.lost) return;
    this.lost = false;
    this.pending.missed = true;
    this.pending.catalog = true;
    this.plan();
  }

  private lose(status: number): void {
    this.connected = false;
    this.lost = true;
    if (status === 0) session.reached(false);
    else if (status === 401) session.ended();
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
    this.plan();
  }

  private plan(): void {
    if (!this.scheduled) {
      this.scheduled = true;
      nextFrame(() => this.flush());
    }
  }

  private flush(): void {
    const batch = this.pending;
    this.pending = nothing();
    this.scheduled = false;
    for (const s of this.subscribers) s(batch);
  }
}

export const feed = new Feed();
