// What the catalog shows: the nodes that a search finds, or all of them.
import { listServers, nodeTypes, searchNodes } from "../../api/operations";
import type { CatalogState, FoundChain, FoundNode, Json } from "../../api/types";
import { forPeople } from "../../lib/hint";
import { Loaded } from "../../stores/load.svelte";
import { session } from "../../stores/session.svelte";

export interface Found {
  nodes: FoundNode[];
  chains?: FoundChain[];
  total: number;
  corrected?: Record<string, string>;
  hint?: string;
  catalog?: CatalogState;
  next?: string;
}

const page = 40;
const whilePending = 1000; // ms until the next search while servers are starting

export interface Filters {
  query: string;
  type: string;
  server: string;
  has: string;
  wants: string;
}

/** Data as a search takes it; undefined while it is not JSON. */
export function dataOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

const listsAll = (f: Filters): boolean => f.query.trim() === "" && dataOf(f.has) === undefined && dataOf(f.wants) === undefined;

export class CatalogStore {
  found = new Loaded<Found>();
  counts = $state.raw<Record<string, number>>({});
  servers = $state.raw<string[]>([]);
  more = $state(false);
  private again: ReturnType<typeof setTimeout> | undefined;

  async loadFilters(): Promise<void> {
    const [types, list] = await Promise.allSettled([nodeTypes({}), session.has("mcp-list") ? listServers() : Promise.reject(new Error("not offered"))]);
    if (types.status === "fulfilled") this.counts = types.value.counts;
    if (list.status === "fulfilled") this.servers = list.value.servers.map((s) => s.name);
  }

  async search(f: Filters): Promise<void> {
    clearTimeout(this.again);
    const found = await this.found.load((signal) => (listsAll(f) ? listed(f, undefined, signal) : searched(f, undefined, signal)));
    if (found?.catalog?.pending?.length) this.again = setTimeout(() => void this.search(f), whilePending);
  }

  dispose(): void {
    clearTimeout(this.again);
    this.found.clear();
  }

  /** Adds the next page. */
  async loadMore(f: Filters): Promise<void> {
    const now = this.found.value;
    if (!now?.next || this.more) return;
    this.more = true;
    try {
      const next = listsAll(f) ? await listed(f, now.next) : await searched(f, now.next);
      if (this.found.value === now) this.found.value = { ...next, nodes: [...now.nodes, ...next.nodes] };
    } finally {
      this.more = false;
    }
  }
}

async function searched(f: Filters, cursor?: string, signal?: AbortSignal): Promise<Found> {
  const r = await searchNodes({ query: f.query, max_results: page, type_filter: f.type || undefined, server: f.server || undefined, has: dataOf(f.has), wants: dataOf(f.wants), cursor }, signal);
  return { nodes: r.results ?? [], chains: r.chains, total: r.total, corrected: r.corrected, hint: forPeople(r.hint), catalog: r.catalog, next: r.next_cursor };
}

/** Tools and graphs come first, idioms last: they are read, and are no nodes. */
function rank(n: FoundNode): number {
  const at = ["mcp", "graph"].indexOf(n.node_type);
  return n.node_type === "idiom" ? 3 : at < 0 ? 2 : at;
}

async function listed(f: Filters, cursor?: string, signal?: AbortSignal): Promise<Found> {
  const r = await nodeTypes({ type_filter: f.type || undefined, server: f.server || undefined, cursor }, signal);
  const nodes = Object.entries(r.types).flatMap(([node_type, subtypes]) =>
    (subtypes ?? []).length > 0 ? subtypes.map((subtype) => ({ node_type, subtype })) : r.counts[node_type] === 0 ? [] : [{ node_type, subtype: "" }],
  );
  nodes.sort((a, b) => rank(a) - rank(b));
  const total = Object.values(r.counts).reduce((a, b) => a + b, 0);
  return { nodes, total: Math.max(total, nodes.length), catalog: r.catalog, next: r.next_cursor };
}
