// Completion in the text of a graph, from the catalog and the graph itself.
import { autocompletion, completionKeymap, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { keymap } from "@codemirror/view";

import { nodeDetails, nodeTypes } from "../../api/operations";
import type { NodeDetails } from "../../api/types";
import { placeAt, type NodeText, type Place } from "./place";

/** Variables that expressions have in a node with foreach, or in a workflow. */
const variables = ["$item", "$index", "$context"];

/** The names of the catalog, by type of node, and what it says about one. */
export class CatalogNames {
  private names: Promise<Record<string, string[]>> | undefined;
  private calls: Promise<string[]> | undefined;
  private readonly details = new Map<string, Promise<NodeDetails | undefined>>();

  /** Forgets what was read: the catalog has changed. */
  clear(): void {
    this.names = undefined;
    this.details.clear();
  }

  types(): Promise<Record<string, string[]>> {
    this.names ??= this.read().catch(() => ((this.names = undefined), {}));
    return this.names;
  }

  private async read(): Promise<Record<string, string[]>> {
    const all: Record<string, string[]> = {};
    let cursor: string | undefined;
    do {
      const page = await nodeTypes(cursor ? { cursor } : {});
      for (const [type, names] of Object.entries(page.types)) all[type] = [...(all[type] ?? []), ...names];
      cursor = page.next_cursor;
    } while (cursor);
    return all;
  }

  /** The functions of expressions with their arguments: $length(text). */
  functions(): Promise<string[]> {
    this.calls ??= nodeTypes({ type_filter: "functions" }).then(
      (page) => page.types.functions ?? [],
      () => ((this.calls = undefined), []),
    );
    return this.calls;
  }

  about(id: string): Promise<NodeDetails | undefined> {
    let d = this.details.get(id);
    if (!d) {
      d = nodeDetails(id).then(
        (n) => (n?.error ? undefined : n),
        () => (this.details.delete(id), undefined),
      );
      this.details.set(id, d);
    }
    return d;
  }
}

/** Completes with the names of the catalog, and of the nodes that ids returns. */
export function completion(catalog: CatalogNames, ids: () => string[]): Extension {
  const source = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const place = placeAt(context.state.doc.toString(), context.pos);
    if (!place || (place.kind === "field" && place.word === "" && !context.explicit)) return null;
    const options = await choices(place, catalog, ids);
    return options.length > 0 ? { from: context.pos - place.word.length, options, validFor: place.kind === "function" ? /^\$\w*$/ : /^[\w./-]*$/ } : null;
  };
  return [autocompletion({ override: [source], icons: false, maxRenderedOptions: 60 }), keymap.of(completionKeymap)];
}

async function choices(place: Place, catalog: CatalogNames, ids: () => string[]): Promise<Completion[]> {
  switch (place.kind) {
    case "node":
      return ids().map((label) => ({ label, type: "variable" }));
    case "function":
      return [...(await catalog.functions()).map((call) => functionChoice(call, catalog)), ...variables.map((label) => ({ label, type: "variable" }))];
    case "type":
      return Object.keys(await catalog.types())
        .filter((t) => t !== "idiom")
        .map((label) => ({ label, type: "type" }));
    case "graph":
      return ((await catalog.types()).graph ?? []).map((label) => ({ label, type: "class" }));
    case "server":
      return [...new Set(((await catalog.types()).mcp ?? []).map(serverOf))].map((label) => ({ label, type: "namespace" }));
    case "tool":
      return ((await catalog.types()).mcp ?? []).filter((t) => place.server === "" || serverOf(t) === place.server).map((t) => ({ label: t.slice(serverOf(t).length + 1), type: "method", info: async () => described((await catalog.about(`mcp:${t}`))?.description) }));
    case "field":
      return fields(place.node, catalog);
    case "argument": {
      const tool = await catalog.about(`mcp:${place.node.server}/${place.node.tool}`);
      return (tool?.input_ports ?? []).map((p) => ({ label: p.name, detail: p.type, apply: p.name + ": ", boost: p.required ? 1 : 0, type: "property", info: p.description }));
    }
  }
}

async function fields(node: NodeText, catalog: CatalogNames): Promise<Completion[]> {
  const common = ["id", "type"].map((name) => ({ name, type: "", required: true, description: undefined as string | undefined }));
  const type = node.type === "" ? undefined : await catalog.about(node.type);
  return [...common, ...(type?.parameters ?? [])]
    .filter((p) => !node.keys.has(p.name))
    .map((p) => ({ label: p.name, detail: p.type, apply: p.name + ": ", boost: p.required ? 1 : 0, type: "property", info: p.description }));
}

function functionChoice(call: string, catalog: CatalogNames): Completion {
  const name = call.slice(0, call.indexOf("("));
  return { label: name, detail: call.slice(name.length), apply: name + "(", type: "function", info: async () => described((await catalog.about(name))?.description) };
}

const serverOf = (t: string): string => t.slice(0, Math.max(0, t.indexOf("/")));

function described(text: string | undefined): Node | null {
  return text ? document.createTextNode(text) : null;
}
