// The stream of events. It is read with fetch and not with EventSource, which can send no
// header and hides why a connection failed.
import { apiURL, requestHeaders } from "./client";
import { EventParser, type ServerEvent } from "./eventparser";

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
