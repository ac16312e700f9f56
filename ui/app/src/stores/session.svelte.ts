// Who is asked: the session with the program, and whether it can be reached.
import { ApiError, getSession, onReply, openSession } from "../api/client";
import type { Session } from "../api/types";

type State = { step: "loading" } | { step: "token"; problem?: string } | { step: "ready"; session: Session } | { step: "failed"; error: ApiError };

class SessionStore {
  state = $state.raw<State>({ step: "loading" });
  offline = $state(false);

  constructor() {
    onReply((failure) => {
      this.offline = failure?.offline ?? false;
      if (failure?.unauthorized && this.state.step === "ready") this.state = { step: "token", problem: "The session has ended." };
    });
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
    await this.load();
  }

  async enter(token: string): Promise<void> {
    try {
      await openSession(token);
    } catch (e) {
      const error = asApiError(e);
      if (!error.offline) {
        const known = await this.load();
        if (!known) this.state = { step: "token", problem: error.message };
        return;
      }
    }
    await this.load();
  }

  /** Reads the session again; true if there is one. */
  async load(): Promise<boolean> {
    try {
      this.state = { step: "ready", session: await getSession() };
      return true;
    } catch (e) {
      const error = asApiError(e);
      this.state = error.unauthorized ? { step: "token" } : { step: "failed", error };
      return false;
    }
  }
}

export function asApiError(e: unknown): ApiError {
  return e instanceof ApiError ? e : new ApiError({ code: "page", message: e instanceof Error ? e.message : String(e) }, -1);
}

export const session = new SessionStore();
