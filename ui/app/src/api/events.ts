// The stream of events. It is read with fetch and not with EventSource, which can send no
// header and hides why a connection failed.
import { apiURL, requestHeaders } from "./client";

export interface ServerEvent {
  event: string;
  data: string;
}

/** Splits the text of an event stream into events. */
export class EventParser {
  private rest = "";
  private event = "message";
  private data: string[] = [];

  push(chunk: string): ServerEvent[] {
    const lines = (this.rest + chunk).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? "";
    const out: ServerEvent[] = [];
    for (const line of lines) {
      if (line === "") {
        if (this.data.length > 0) out.push({ event: this.event, data: this.data.join("\n") });
        this.event = "message";
        this.data = [];
        continue;
      }
      const colon = line.indexOf(":");
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "event") this.event = value;
      else if (field === "data") this.data.push(value);
    }
    return out;
  }
}

export interface StreamHandlers {
  onEvent(e: ServerEvent): void;
  onOpen?(): void;
  onLost?(): void;
}

/** Reads events until stop is called, and connects again when the connection is lost. */
export function openEvents(run: string | undefined, handlers: StreamHandlers): () => void {
  const stop = new AbortController();
  void follow(run, handlers, stop.signal);
  return () => stop.abort();
}

const minWait = 500;
const maxWait = 10_000;

async function follow(run: string | undefined, handlers: StreamHandlers, signal: AbortSignal): Promise<void> {
  let wait = minWait;
  while (!signal.aborted) {
    try {
      const url = apiURL("events");
      if (run) url.searchParams.set("run", run);
      const response = await fetch(url, { signal, credentials: "same-origin", headers: { ...requestHeaders, Accept: "text/event-stream" } });
      if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
      handlers.onOpen?.();
      wait = minWait;
      const parser = new EventParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        parser.push(value).forEach(handlers.onEvent);
      }
    } catch {
      if (signal.aborted) return;
    }
    handlers.onLost?.();
    await pause(wait, signal);
    wait = Math.min(wait * 2, maxWait);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), done()), { once: true });
  });
}
