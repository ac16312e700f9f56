// Who is asked: the session with the program, and whether it can be reached.
import { ApiError, getSession, onReply, openSession } from "../api/client";
import type { Session } from "../api/types";

type State = { step: "loading" } | { step: "token"; problem?: string } | { step: "ready"; session: Session } | { step: "failed"; error: ApiError };

const againAfter = 2000; // ms, of a page that could not be opened

class SessionStore {
  state = $state.raw<State>({ step: "loading" });
  offline = $state(false);
  private renewing = false;
  private waiting = new Set<() => void>();

  constructor() {
    onReply((failure) => {
      this.reached(!failure?.offline);
      if (failure?.unauthorized) this.ended();
    });
  }

  /** Calls back when the program answers again. */
  onReturn(listener: () => void): () => void {
    this.waiting.add(listener);
    return () => this.waiting.delete(listener);
  }

  /** Notes whether the program answers. */
  reached(answers: boolean): void {
    if (this.offline === !answers) return;
    this.offline = !answers;
    if (answers) for (const listener of this.waiting) listener();
  }

  /** Loads the page again, of which a part did not come, when the program answers. */
  async reopen(): Promise<void> {
    if (await this.load()) location.reload();
  }

  /** Notes that the program does not know the session. */
  ended(): void {
    if (this.state.step === "ready" && !this.renewing) void this.renew();
  }

  /** Opens another session where the page of the program needs no token for that. */
  private async renew(): Promise<void> {
    this.renewing = true;
    const known = await this.load(true);
    this.renewing = false;
    if (known) for (const listener of this.waiting) listener();
    else if (this.state.step === "token") this.state = { step: "token", problem: "The session has ended. What you have not saved is shown again when you have signed in." };
  }

  get current(): Session | undefined {
    return this.state.step === "ready" ? this.state.session : undefined;
  }

  has(operation: string): boolean {
    return this.current?.operations.some((o) => o.name === operation) ?? false;
  }

  /** Opens the page: exchanges the token of its address for a session, if it has one. */
  async start(): Promise<void> {
    const address = new URL(location.href);
    const token = address.searchParams.get("token");
    if (token) {
      address.searchParams.delete("token");
      history.replaceState(history.state, "", address);
      await this.enter(token);
      return;
    }
    await this.load(true);
  }

  async enter(token: string): Promise<void> {
    try {
      await openSession(token);
    } catch (e) {
      const error = asApiError(e);
      if (error.offline && this.state.step === "token") {
        this.state = { step: "token", problem: "Patchbay does not answer. Start it again, and then try again." };
        return;
      }
      if (!error.offline) {
        const known = await this.load();
        if (!known) this.state = { step: "token", problem: error.message };
        return;
      }
    }
    await this.load();
  }

  /** Reads the session again, or opens one if the program needs no token for that; true if
   * there is one. */
  async load(open = false): Promise<boolean> {
    try {
      this.state = { step: "ready", session: await getSession() };
      return true;
    } catch (e) {
      const error = asApiError(e);
      if (open && error.unauthorized && (await openSession("").then(() => true).catch(() => false))) return this.load();
      if (this.state.step !== "ready" || !error.offline) this.state = error.unauthorized ? { step: "token" } : { step: "failed", error };
      if (this.state.step === "failed") setTimeout(() => void (this.state.step === "failed" && this.load()), againAfter);
      return false;
    }
  }
}

export function asApiError(e: unknown): ApiError {
  return e instanceof ApiError ? e : new ApiError({ code: "page", message: e instanceof Error ? e.message : String(e) }, -1);
}

export const session = new SessionStore();
