// Where somebody is in the editor: the document, its tool, the node that is selected, the part
// beside the canvas, and the run that is watched. The address has it, so that a reload and a
// link show the same; a tab has it for each document.
import { keep, kept } from "../stores/kept";
import { route } from "../stores/route.svelte";
import { session } from "../stores/session.svelte";
import type { Origin } from "./document.svelte";

export const sides = ["graph", "node", "text", "run", "problems"] as const;
export type Side = (typeof sides)[number];

interface Parts {
  tool?: string;
  node?: string;
  side?: string;
  run?: string;
}

export class EditorPlace {
  /** There is room for one part only. */
  narrow = $state(false);

  private readonly query = $derived(route.in("editor").query);
  /** The saved graph or the workflow whose name the address has. */
  private readonly saved = $derived(this.query.graph);
  private readonly workflow = $derived(this.query.workflow);
  readonly origin = $derived<Origin>(this.query.new ? { kind: "new", from: this.query.from } : this.saved ? { kind: "saved", name: this.saved } : this.workflow ? { kind: "workflow", name: this.workflow } : session.current?.file ? { kind: "file" } : { kind: "new" });
  readonly tool = $derived(this.query.tool ?? "");
  readonly node = $derived(this.query.node || undefined);
  readonly run = $derived(this.query.run ?? "");
  readonly side = $derived.by<Side>(() => {
    const side = this.query.side as Side;
    return sides.includes(side) && (this.narrow || side !== "graph") ? side : this.narrow ? "graph" : "text";
  });

  set(parts: Parts): void {
    route.set("editor", { ...parts });
    keep(this.name, this.parts);
  }

  /** Shows a node, or none; where there is room, with its fields. */
  select(node: string | undefined): void {
    this.set(node !== undefined && !this.narrow ? { node, side: "node" } : { node });
  }

  /** Goes to where the tab was in this document, if the address says nothing about that. */
  restore(): void {
    if (Object.values(this.parts).some((v) => v !== undefined)) return;
    const parts = kept<Parts>(this.name);
    if (parts) route.set("editor", { tool: parts.tool, node: parts.node, side: parts.side, run: parts.run });
  }

  private get parts(): Parts {
    const { tool, node, side, run } = this.query;
    return { tool, node, side, run };
  }

  private get name(): string {
    return `patchbay.place.${documentKey(this.origin)}`;
  }
}

/** Names a document among all that a browser may know. */
export function documentKey(origin: Origin): string {
  const s = session.current;
  const place = origin.kind === "saved" || origin.kind === "workflow" ? origin.name : origin.kind === "file" ? (s?.file?.path ?? "") : origin.kind === "new" ? (origin.from ?? "") : "";
  return [s?.project ?? "", s?.principal ?? "", origin.kind, place].join("\n");
}
