// Which nodes of the canvas are collapsed, and which show the graph that they call. Those
// graphs are other tools of the document, or saved graphs that get_graph returns.
import { SvelteMap, SvelteSet } from "svelte/reactivity";

import { getGraph } from "../../api/operations";
import { toasts } from "../../stores/toasts.svelte";
import { readSource, type SourceNode, type SourceTool } from "../model/source";

/** A graph that runs itself is unfolded this often. */
const maxDepth = 6;

export class Folds {
  /** Paths of parallel nodes whose members are not drawn. */
  private readonly closed = new SvelteSet<string>();
  /** Paths of nodes that show the graph which they call. */
  private readonly opened = new SvelteSet<string>();
  private readonly saved = new SvelteMap<string, SourceTool>();

  /** The ids of the collapsed parallel nodes of the graph at a path. */
  collapsed(path: string): Set<string> {
    return new Set([...this.closed].filter((p) => p.startsWith(path) && !p.slice(path.length).includes("/")).map((p) => p.slice(path.length)));
  }

  /** The graph that a node shows; undefined if it shows none, or that is not read yet. */
  graphIn(path: string, n: SourceNode, graph: SourceTool): SourceTool | undefined {
    return this.opened.has(path) ? this.calledBy(n, graph) : undefined;
  }

  private calledBy(n: SourceNode, graph: SourceTool): SourceTool | undefined {
    const name = nameOf(n);
    return name === undefined ? undefined : (graph.document.find((t) => t.name === name) ?? this.saved.get(name));
  }

  /** Whether a node is open; undefined of one that cannot be opened or closed. */
  stateOf(path: string, n: SourceNode, graph: SourceTool, shown: boolean, hidden: boolean): boolean | undefined {
    if (shown || hidden) return shown;
    return nameOf(n) === undefined || path.split("/").length > maxDepth ? undefined : this.graphIn(path, n, graph) !== undefined;
  }

  /** Opens or closes a node. */
  async toggle(path: string, n: SourceNode, graph: SourceTool, open: boolean): Promise<void> {
    const name = nameOf(n);
    if (name === undefined) {
      if (open) this.closed.delete(path);
      else this.closed.add(path);
    } else if (!open) {
      this.opened.delete(path);
    } else {
      if (!this.calledBy(n, graph) && !(await this.read(name))) return;
      this.opened.add(path);
    }
  }

  private async read(name: string): Promise<boolean> {
    try {
      const tools = readSource((await getGraph(name)).graph) ?? [];
      const tool = tools.find((t) => t.name === name) ?? tools[0];
      if (!tool) throw new Error(`The graph ${name} cannot be read.`);
      this.saved.set(name, tool);
      return true;
    } catch (e) {
      toasts.fail(e);
      return false;
    }
  }

  /** Forgets the graphs that were read: they may have changed. */
  clear(): void {
    this.opened.clear();
    this.closed.clear();
    this.saved.clear();
  }
}

function nameOf(n: SourceNode): string | undefined {
  return n.type === "graph" && typeof n.fields.graph === "string" ? n.fields.graph : undefined;
}
