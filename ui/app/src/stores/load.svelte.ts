// A value that is asked of the program: the latest request wins.
import type { ApiError } from "../api/client";
import { asApiError, session } from "./session.svelte";

/** What was asked while the program did not answer: asked again when it does. */
const unanswered = new Set<{ again(): unknown }>();
session.onReturn(() => {
  for (const l of [...unanswered]) void l.again();
});

export class Loaded<T> {
  value = $state.raw<T | undefined>(undefined);
  error = $state.raw<ApiError | undefined>(undefined);
  loading = $state(false);
  private controller: AbortController | undefined;
  private ask: ((signal: AbortSignal) => Promise<T>) | undefined;

  /** Asks; an earlier request that is still open is dropped. The former value stays until the reply. */
  async load(ask: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    this.controller?.abort();
    const mine = (this.controller = new AbortController());
    this.ask = ask;
    unanswered.delete(this);
    this.loading = true;
    try {
      const value = await ask(mine.signal);
      if (this.controller !== mine) return undefined;
      this.value = value;
      this.error = undefined;
      return value;
    } catch (e) {
      if (this.controller !== mine) return undefined;
      this.error = asApiError(e);
      if (this.error.offline) unanswered.add(this);
      return undefined;
    } finally {
      if (this.controller === mine) this.loading = false;
    }
  }

  /** Asks once more what was asked last. */
  async again(): Promise<T | undefined> {
    return this.ask && this.load(this.ask);
  }

  clear(): void {
    unanswered.delete(this);
    this.controller?.abort();
    this.controller = undefined;
    this.value = undefined;
    this.error = undefined;
    this.loading = false;
  }
}
