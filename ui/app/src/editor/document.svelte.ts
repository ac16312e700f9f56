// The document in the editor: its text, where it comes from, and what the checker says.
import { ApiError, getFile, saveFile } from "../api/client";
import { getGraph, saveGraph, validateGraph, workflowText } from "../api/operations";
import type { Diagnostic, SaveResult, ValidateResult } from "../api/types";
import { groupBy } from "../lib/group";
import { asApiError, session } from "../stores/session.svelte";
import { keepDraft, keptDraft } from "./drafts";
import { edgesOf, type SourceEdge } from "./model/edges";
import { readSource, type SourceTool } from "./model/source";
import { documentKey } from "./place.svelte";

/** Where a document comes from: the file of the command line, a saved graph, a workflow around
 * calls, or nowhere yet. */
export type Origin = { kind: "file" } | { kind: "saved" | "workflow"; name: string } | { kind: "new"; from?: string /* a draft of the program */ };

const whileStarting = 1000; // ms until the next check while a server that the graph needs is starting

export class GraphDocument {
  text = $state("");
  origin = $state.raw<Origin>({ kind: "new" });
  title = $state("");
  loading = $state(true);
  error = $state.raw<ApiError | undefined>(undefined);
  /** Of the text as it is stored; "" if it is not. */
  stored = $state("");
  /** Where the file of a workflow is. */
  path = $state("");
  /** The text has changed at its origin since it was read. */
  stale = $state(false);
  report = $state.raw<ValidateResult | undefined>(undefined);
  /** The text that the report is about. */
  checked = $state.raw<string | undefined>(undefined);
  checkError = $state.raw<ApiError | undefined>(undefined);
  tool = $state("");

  /** The last text that could be read: a canvas does not vanish while somebody types. */
  private readable = $state.raw<SourceTool[]>([]);
  private revision = "";
  private checking: AbortController | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;

  readonly tools = $derived(this.readable);
  readonly graph = $derived<SourceTool | undefined>(this.readable.find((t) => t.name === this.tool) ?? this.readable[0]);
  readonly edges = $derived<SourceEdge[]>(this.graph ? edgesOf(this.graph.nodes) : []);
  readonly dirty = $derived(this.text !== this.stored);
  readonly diagnostics = $derived<Diagnostic[]>([...(this.report?.errors ?? []), ...(this.report?.warnings ?? []), ...(this.report?.notes ?? [])]);
  readonly valid = $derived(this.report?.valid);

  /** Diagnostics by the node that they are about. */
  readonly byNode = $derived(groupBy(this.diagnostics.filter((d) => d.node !== undefined), (d) => d.node!));

  async open(origin: Origin): Promise<void> {
    this.origin = origin;
    this.loading = true;
    this.error = undefined;
    this.report = undefined;
    this.stale = false;
    await this.show(origin);
  }

  /** Reads what a document has now, and shows it with the changes that are kept. */
  private async show(origin: Origin): Promise<void> {
    try {
      const read = await this.read(origin);
      if (this.origin !== origin) return;
      this.error = undefined;
      this.title = read.title;
      this.stored = read.text;
      const draft = keptDraft(this.key);
      const changed = draft && draft.text !== read.text ? draft : undefined;
      this.revision = changed?.revision ?? read.revision;
      this.stale = this.revision !== read.revision;
      this.setText(changed?.text ?? read.text);
    } catch (e) {
      if (this.origin === origin && this.loading) this.error = asApiError(e);
    } finally {
      if (this.origin === origin) this.loading = false;
    }
  }

  private async read(origin: Origin): Promise<{ title: string; text: string; revision: string }> {
    switch (origin.kind) {
      case "file": {
        const f = await getFile();
        return { title: session.current?.file?.name ?? f.path, text: f.text, revision: f.hash };
      }
      case "saved": {
        const g = await getGraph(origin.name);
        return { title: g.name, text: g.graph, revision: g.revision };
      }
      case "workflow": {
        const w = await workflowText(origin.name);
        this.path = w.path ?? "patchbay.yaml";
        return { title: w.name, text: w.workflow, revision: "" };
      }
      case "new":
        return { title: "New graph", text: origin.from ? (await getGraph(origin.from)).graph : "", revision: "" };
    }
  }

  private get key(): string {
    return documentKey(this.origin);
  }

  /** Changes the text, and has it checked: while the program does that, the page draws it. */
  setText(text: string): void {
    this.text = text;
    void this.check();
    const tools = text.trim() === "" ? [] : readSource(text);
    if (tools) this.readable = tools;
    this.keep();
  }

  async check(): Promise<void> {
    this.checking?.abort();
    clearTimeout(this.again);
    const mine = (this.checking = new AbortController());
    const text = this.text;
    if (text.trim() === "") {
      this.report = undefined;
      this.checked = text;
      return;
    }
    try {
      const report = await validateGraph({ graph: text }, mine.signal);
      if (mine !== this.checking) return;
      this.report = report;
      this.checked = text;
      this.checkError = undefined;
      if (this.diagnostics.some((d) => d.code === "server-starting")) this.again = setTimeout(() => void this.check(), whileStarting);
    } catch (e) {
      if (mine === this.checking && !mine.signal.aborted) this.checkError = asApiError(e);
    }
  }

  /** No operation writes the file of a workflow. */
  readonly writable = $derived(this.origin.kind !== "workflow");

  /** Stores the text where it comes from; a new graph is saved under its name. */
  async save(): Promise<void> {
    const text = this.text;
    if (this.origin.kind === "file") {
      const f = await saveFile(text, this.revision);
      this.revision = f.hash;
    } else {
      const saved = this.origin.kind === "saved";
      const r = await saveGraph({ graph: text, overwrite: saved, revision: saved ? this.revision : undefined });
      if (r.status !== "saved") throw notSaved(r);
      this.revision = r.revision;
      this.title = r.name;
    }
    this.stored = text;
    this.stale = false;
    this.keep();
  }

  private keep(): void {
    keepDraft(this.key, this.dirty ? { text: this.text, revision: this.revision } : undefined);
  }

  /** Called when the file may have changed: follows it, or says so if there are changes here. */
  async changedOutside(hash?: string): Promise<void> {
    const origin = this.origin;
    if (origin.kind !== "file" || this.loading || hash === this.revision) return;
    if (!this.dirty) return this.show(origin);
    try {
      const now = hash ?? (await this.read(origin)).revision;
      if (this.origin === origin && this.dirty) this.stale = now !== this.revision;
    } catch {
      // It is asked again when the program answers.
    }
  }

  /** Drops the changes made here. */
  async reload(): Promise<void> {
    keepDraft(this.key, undefined);
    await this.open(this.origin);
  }

  dispose(): void {
    this.checking?.abort();
    clearTimeout(this.again);
  }
}

function notSaved(r: SaveResult): ApiError {
  const why = r.error?.message ?? (r.missing?.length ? `it lacks ${r.missing.join(", ")}` : "it has errors");
  return new ApiError({ code: "not-saved", message: `The graph was not saved: ${why}` }, 200);
}
