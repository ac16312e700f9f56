// Changes of the graph that are not made in its text. Each is an edit_graph operation on
// the text, so that comments and the order of keys stay; undo goes back to the text before.
import { editGraph } from "../../api/operations";
import type { Diagnostic, Json } from "../../api/types";
import { toasts } from "../../stores/toasts.svelte";
import { keep, kept } from "../../stores/kept";
import type { GraphDocument, Origin } from "../document.svelte";
import { documentKey } from "../place.svelte";

/** An operation of edit_graph. */
export type EditOp =
  | { op: "add_node"; node: Json; after?: string }
  | { op: "update_node"; id: string; set: Record<string, Json> }
  | { op: "remove_node"; id: string }
  | { op: "connect"; from: string; to: string; branch?: string }
  | { op: "insert_between"; from: string; to: string; node: Json }
  | { op: "rename_node"; id: string; new_id: string }
  | { op: "set"; path: string; value: Json };

const mostUndos = 200;
const mostKept = 500_000; // characters of texts that a tab keeps

/** Whether an operation of a fix is one of set too: that does not insert within a list. */
function settable(p: { op: string; path: string }): boolean {
  return p.op === "replace" || p.op === "remove" || (p.op === "add" && !/\/\d+$/.test(p.path));
}

export class GraphEdits {
  private undos = $state.raw<string[]>([]);
  private redos = $state.raw<string[]>([]);
  private name = "";
  private last: Promise<unknown> = Promise.resolve();
  /** Counts the operations that failed: the canvas then shows the graph as it is again. */
  failures = $state(0);

  constructor(private readonly doc: GraphDocument) {}

  get canUndo(): boolean {
    return this.undos.length > 0;
  }
  get canRedo(): boolean {
    return this.redos.length > 0;
  }

  /** Makes a change after those before it; false if it could not be made. */
  apply(ops: EditOp[]): Promise<boolean> {
    const mine = this.last.then(() => this.edit(ops));
    this.last = mine;
    return mine;
  }

  /** Changes the text after the changes before it. */
  rewrite(edit: (text: string) => string): Promise<void> {
    const mine = this.last.then(() => this.replace(edit(this.doc.text)));
    this.last = mine;
    return mine;
  }

  /** Returns when the changes that were asked for are made. */
  async settled(): Promise<void> {
    await this.last;
  }

  private async edit(ops: EditOp[]): Promise<boolean> {
    const before = this.doc.text;
    try {
      const r = await editGraph({ graph: before, ...(this.doc.tools.length > 1 ? { tool: this.doc.graph?.name } : {}), ops: ops as unknown as Json[] });
      if (r.graph === undefined) throw new Error("The edit did not return a text.");
      if (this.doc.text !== before) throw new Error("The text was changed meanwhile: do it again.");
      this.replace(r.graph);
      return true;
    } catch (e) {
      this.failures++;
      toasts.fail(e);
      return false;
    }
  }

  /** Replaces the text, so that undo brings the present one back. */
  replace(text: string): void {
    if (text === this.doc.text) return;
    this.undos = [...this.undos, this.doc.text].slice(-mostUndos);
    this.redos = [];
    this.set(text);
  }

  undo(): void {
    const text = this.undos.at(-1);
    if (text === undefined) return;
    this.undos = this.undos.slice(0, -1);
    this.redos = [...this.redos, this.doc.text];
    this.set(text);
  }

  redo(): void {
    const text = this.redos.at(-1);
    if (text === undefined) return;
    this.redos = this.redos.slice(0, -1);
    this.undos = [...this.undos, this.doc.text];
    this.set(text);
  }

  private set(text: string): void {
    this.doc.setText(text);
    keep(this.name, { undos: latest(this.undos, mostKept), redos: latest(this.redos, mostKept) });
  }

  /** Begins with a document, with the changes that the tab has kept of it. */
  open(origin: Origin): void {
    this.name = `patchbay.undo.${documentKey(origin)}`;
    const before = kept<{ undos: string[]; redos: string[] }>(this.name);
    this.undos = before?.undos ?? [];
    this.redos = before?.redos ?? [];
  }

  /** Applies one fix of a diagnostic; false if operations cannot say it. */
  async fix(d: Diagnostic, index: number): Promise<boolean> {
    const patch = d.fixes?.[index]?.patch;
    const tool = this.doc.graph?.path ?? "";
    if (!patch?.length || patch.some((p) => !settable(p) || !p.path.startsWith(`${tool}/`))) return false;
    return this.apply(patch.map((p) => ({ op: "set", path: p.path.slice(tool.length), value: p.op === "remove" ? null : (p.value ?? null) })));
  }
}

/** The last texts that have no more characters than a limit. */
function latest(texts: string[], limit: number): string[] {
  let length = 0;
  const first = texts.findLastIndex((t) => (length += t.length) > limit);
  return texts.slice(first + 1);
}
