// The stream of events. It is read with fetch and not with EventSource, which can send no
// header and hides why a connection failed.
import { apiURL, requestHeaders } from "./client";
import { EventParser, type ServerEvent } from "./eventparser";

export interface StreamHandlers {
  onEvent(e: ServerEvent): void;
  onOpen?(): void;
  /** The connection is lost: with the status of the reply, 0 if there was none. */
  onLost?(status: number): void;
}

/** Reads events until stop is called, and connects again when the connection is lost. */
export function openEvents(run: string | undefined, handlers: StreamHandlers): () => void {
  const stop = new AbortController();
  void follow(run, handlers, stop.signal);
  return () => stop.abort();
}

const minWait = 500;
const maxWait = 5000;
const maxSilence = 45_000; // ms; the program sends something every 15 seconds

async function follow(run: string | undefined, handlers: StreamHandlers, signal: AbortSignal): Promise<void> {
  let wait = minWait;
  while (!signal.aborted) {
    let status = 0;
    const silent = new AbortController();
    const listen = (): ReturnType<typeof setTimeout> => setTimeout(() => silent.abort(), maxSilence);
    let timer = listen();
    try {
      const url = apiURL("events");
      if (run) url.searchParams.set("run", run);
      const response = await fetch(url, { signal: AbortSignal.any([signal, silent.signal]), credentials: "same-origin", headers: { ...requestHeaders(), Accept: "text/event-stream" } });
      status = response.status;
      if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
      handlers.onOpen?.();
      wait = minWait;
      const parser = new EventParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value, done } = await reader.read();
        clearTimeout(timer);
        timer = listen();
        if (done) break;
        parser.push(value).forEach(handlers.onEvent);
      }
    } catch {
      if (signal.aborted) return;
      if (silent.signal.aborted) status = 0;
    } finally {
      clearTimeout(timer);
    }
    handlers.onLost?.(status);
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
