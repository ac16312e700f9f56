// A value that is asked of the program: the latest request wins.
import type { ApiError } from "../api/client";
import { asApiError } from "./session.svelte";

export class Loaded<T> {
  value = $state.raw<T | undefined>(undefined);
  error = $state.raw<ApiError | undefined>(undefined);
  loading = $state(false);
  private controller: AbortController | undefined;

  /** Asks; an earlier request that is still open is dropped. The former value stays until the reply. */
  async load(ask: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    this.controller?.abort();
    const mine = (this.controller = new AbortController());
    this.loading = true;
    try {
      const value = await ask(mine.signal);
      if (this.controller !== mine) return undefined;
      this.value = value;
      this.error = undefined;
      return value;
    } catch (e) {
      if (this.controller === mine) this.error = asApiError(e);
      return undefined;
    } finally {
      if (this.controller === mine) this.loading = false;
    }
  }

  clear(): void {
    this.controller?.abort();
    this.controller = undefined;
    this.value = undefined;
    this.error = undefined;
    this.loading = false;
  }
}
