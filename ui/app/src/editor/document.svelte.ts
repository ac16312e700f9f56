// The document in the editor: its text, where it comes from, and what the checker says.
import { ApiError, getFile, saveFile } from "../api/client";
import { getGraph, saveGraph, validateGraph } from "../api/operations";
import type { Diagnostic, ValidateResult } from "../api/types";
import { groupBy } from "../lib/group";
import { asApiError, session } from "../stores/session.svelte";
import { edgesOf, type SourceEdge } from "./model/edges";
import { readSource, type SourceTool } from "./model/source";

/** Where a document comes from: the file of the command line, a saved graph, or nowhere yet. */
export type Origin = { kind: "file" } | { kind: "saved"; name: string } | { kind: "new" };

const checkAfter = 25; // ms without a change

export class GraphDocument {
  text = $state("");
  origin = $state.raw<Origin>({ kind: "new" });
  title = $state("");
  loading = $state(true);
  error = $state.raw<ApiError | undefined>(undefined);
  /** Of the text as it is stored; "" if it is not. */
  stored = $state("");
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
  private timer: ReturnType<typeof setTimeout> | undefined;
  private checking: AbortController | undefined;

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
    try {
      const read = await this.read(origin);
      if (this.origin !== origin) return;
      this.title = read.title;
      this.stored = read.text;
      this.revision = read.revision;
      this.setText(keptText(this.key, read.revision) ?? read.text);
    } catch (e) {
      if (this.origin === origin) this.error = asApiError(e);
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
      case "new":
        return { title: "New graph", text: "", revision: "" };
    }
  }

  private get key(): string {
    return `patchbay.text.${this.origin.kind === "saved" ? "saved:" + this.origin.name : this.origin.kind}`;
  }

  /** Changes the text, and has it checked. */
  setText(text: string): void {
    this.text = text;
    const tools = text.trim() === "" ? [] : readSource(text);
    if (tools) this.readable = tools;
    keep(this.key, this.revision, text === this.stored ? undefined : text);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.check(), checkAfter);
  }

  async check(): Promise<void> {
    this.checking?.abort();
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
    } catch (e) {
      if (mine === this.checking && !mine.signal.aborted) this.checkError = asApiError(e);
    }
  }

  /** Stores the text where it comes from; a new graph is saved under its name. */
  async save(): Promise<void> {
    const text = this.text;
    if (this.origin.kind === "file") {
      const f = await saveFile(text, this.revision);
      this.revision = f.hash;
    } else {
      const saved = this.origin.kind === "saved";
      const r = await saveGraph({ graph: text, overwrite: saved, revision: saved ? this.revision : undefined });
      this.revision = r.revision;
      this.title = r.name;
    }
    this.stored = text;
    this.stale = false;
    keep(this.key, this.revision, this.text === text ? undefined : this.text);
  }

  /** Called when the file has changed: follows it, or says so if there are changes here. */
  async changedOutside(hash?: string): Promise<void> {
    if (this.origin.kind !== "file" || hash === this.revision) return;
    if (this.dirty) this.stale = true;
    else await this.open(this.origin);
  }

  /** Drops the changes made here. */
  async reload(): Promise<void> {
    keep(this.key, this.revision, undefined);
    await this.open(this.origin);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.checking?.abort();
  }
}

function keep(key: string, revision: string, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify({ revision, text }));
  } catch {
    // Without storage, a reload loses what was not saved.
  }
}

function keptText(key: string, revision: string): string | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? "null") as { revision: string; text: string } | null;
    return kept && kept.revision === revision ? kept.text : undefined;
  } catch {
    return undefined;
  }
}
