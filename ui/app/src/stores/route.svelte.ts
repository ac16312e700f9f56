// The place in the page, in the fragment of its address: #/view/part?key=value.

export const views = ["editor", "catalog", "runs", "servers"] as const;
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

class Route {
  place = $state.raw<Place>(parsePlace(location.hash));

  constructor() {
    addEventListener("hashchange", () => (this.place = parsePlace(location.hash)));
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
    history.replaceState(history.state, "", hrefOf(this.place.view, part, query));
    this.place = parsePlace(location.hash);
  }
}

export const route = new Route();
