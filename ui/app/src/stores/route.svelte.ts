// The place in the page, in the fragment of its address: #/view/part?key=value.

export const views = ["home", "editor", "catalog", "runs", "servers"] as const;
export type View = (typeof views)[number];

export interface Place {
  view: View;
  part: string;
  query: Record<string, string>;
}

export function parsePlace(hash: string): Place {
  const [path = "", search = ""] = hash.replace(/^#?\/?/, "").split(/\?(.*)/s);
  const [first = "", ...rest] = path.split("/");
  const view = (views as readonly string[]).includes(first) ? (first as View) : "editor";
  return { view, part: decodeURIComponent(rest.join("/")), query: Object.fromEntries(new URLSearchParams(search)) };
}

export function hrefOf(view: View, part = "", query: Record<string, string | undefined> = {}): string {
  const search = new URLSearchParams();
  for (const [k, v] of Object.entries(query)) if (v) search.set(k, v);
  const text = search.toString();
  return `#/${view}${part ? "/" + encodeURIComponent(part) : ""}${text ? "?" + text : ""}`;
}

// Browsers refuse hundreds of changes of the address in a few seconds.
const mostWrites = 50;
const writesWithin = 10_000; // ms
const writeLater = 500; // ms

class Route {
  place = $state.raw<Place>(parsePlace(location.hash));
  private later: ReturnType<typeof setTimeout> | undefined;
  private unwritten = false;
  /** When the address was changed. */
  private writes: number[] = [];

  constructor() {
    addEventListener("hashchange", () => {
      this.unwritten = false;
      this.place = parsePlace(location.hash);
    });
    addEventListener("pagehide", () => this.write());
  }

  /** The place in a view; nothing while another one is shown or about to be. */
  in(view: View): Place {
    return this.place.view === view ? this.place : { view, part: "", query: {} };
  }

  go(view: View, part = "", query: Record<string, string | undefined> = {}): void {
    location.hash = hrefOf(view, part, query);
  }

  /** Changes the query without a new entry in the history. */
  replace(part: string, query: Record<string, string | undefined>): void {
    const href = hrefOf(this.place.view, part, query);
    this.place = parsePlace(href);
    this.unwritten = true;
    this.writes = this.writes.filter((at) => at > Date.now() - writesWithin);
    if (this.writes.length < mostWrites) return this.write();
    this.later ??= setTimeout(() => {
      this.later = undefined;
      this.write();
    }, writeLater);
  }

  /** Changes a part of the query of a view that is shown, and keeps the rest. */
  set(view: View, query: Record<string, string | undefined>): void {
    if (this.place.view !== view) return;
    if (Object.entries(query).some(([k, v]) => (this.place.query[k] ?? "") !== (v ?? ""))) this.replace(this.place.part, { ...this.place.query, ...query });
  }

  private write(): void {
    if (!this.unwritten) return;
    this.unwritten = false;
    this.writes.push(Date.now());
    history.replaceState(history.state, "", hrefOf(this.place.view, this.place.part, this.place.query));
  }
}

export const route = new Route();
