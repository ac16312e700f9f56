// The rules of the ports of a graph's nodes, as the catalog has them. They are drawn on the
// nodes of workflows, and on those whose edges name ports.
import { SvelteMap } from "svelte/reactivity";

import { nodeDetails } from "../../api/operations";
import { portRules, type PortRule } from "../model/ports";
import type { SourceNode, SourceTool } from "../model/source";

const ofWorkflows = new Set(["start", "mcp-call", "hook", "end"]);
const none: PortRule[] = [];

export class Ports {
  private readonly rules = new SvelteMap<string, PortRule[]>();
  private readonly asked = new Set<string>();

  /** The rules of a node; none where they are the usual ones. */
  readonly of = (n: SourceNode): PortRule[] => (this.ruled(n) ? (this.rules.get(n.type) ?? none) : none);

  /** Asks for the rules that a graph needs. */
  read(graph: SourceTool): void {
    for (const n of graph.nodes) {
      if (!this.ruled(n) || this.asked.has(n.type)) continue;
      this.asked.add(n.type);
      nodeDetails(n.type).then(
        (d) => d && !d.error && this.rules.set(n.type, portRules(d)),
        () => this.asked.delete(n.type),
      );
    }
  }

  private ruled(n: SourceNode): boolean {
    return ofWorkflows.has(n.type) || (n.fields.next !== null && typeof n.fields.next === "object");
  }
}
