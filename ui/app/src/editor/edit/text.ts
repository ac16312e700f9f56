// Edits of the text that no operation of edit_graph makes: a name of a schema, the order of a list.
import { isMap, isScalar, isSeq, parseDocument, type Document, type Pair, type YAMLMap } from "yaml";

import { escape } from "../../lib/schema";

export interface TextEdits {
  /** Changes the text; at is the JSON Pointer of the tool or the node that paths begin at. */
  (edit: (text: string, at: string) => string): void;
}

/** The text with another name of a member, and of what a list `required` beside its parent says of it. */
export function renamedKey(text: string, parent: string, from: string, to: string): string {
  const doc = read(text);
  const map = at(doc, parent);
  const key = isMap(map) ? pairOf(map, from)?.key : undefined;
  if (!isMap(map) || map.has(to) || !isScalar(key) || !key.range) return text;
  const places = [key.range];
  const required = at(doc, parent.replace(/\/[^/]*$/, "/required"));
  if (isSeq(required)) for (const item of required.items) if (isScalar(item) && item.value === from && item.range) places.push(item.range);
  return places.sort((a, b) => b[0] - a[0]).reduce((out, [start, end]) => out.slice(0, start) + written(to) + out.slice(end), text);
}

/** The text with an item of a list in another place of it, and its comments with it. */
export function movedItem(text: string, list: string, from: number, to: number): string {
  const seq = at(read(text), list);
  if (!isSeq(seq) || from === to || !seq.items[from] || !seq.items[to]) return text;
  const parts = seq.flow ? seq.items.map((n) => (n as { range: [number, number, number] }).range) : blocks(text, seq.items as { range: [number, number, number] }[]);
  const texts = parts.map(([start, end]) => text.slice(start, end));
  const closed = seq.flow ? texts : texts.map((t) => (t.endsWith("\n") ? t : `${t}\n`));
  closed.splice(to, 0, ...closed.splice(from, 1));
  return parts.reduceRight((out, [start, end], i) => out.slice(0, start) + closed[i] + out.slice(end), text);
}

/** The lines of the items of a list that is written in lines, with the comments above each. */
function blocks(text: string, items: { range: [number, number, number] }[]): [number, number][] {
  const starts = items.map(({ range }, i) => {
    let start = text.lastIndexOf("\n", text.lastIndexOf("-", range[0] - 1)) + 1;
    for (let above = lineBefore(text, start); above < start && /^\s*#/.test(text.slice(above, start)); above = lineBefore(text, start)) start = above;
    return start;
  });
  const last = items.at(-1)!.range[1];
  const line = text.indexOf("\n", last);
  const ends = text[last - 1] === "\n" ? last : line < 0 ? text.length : line + 1;
  return starts.map((start, i) => [start, starts[i + 1] ?? ends]);
}

const lineBefore = (text: string, start: number): number => (start === 0 ? 0 : text.lastIndexOf("\n", start - 2) + 1);

const written = (name: string): string => (/^[A-Za-z_][\w-]*$/.test(name) && !/^(true|false|null|yes|no|on|off)$/i.test(name) ? name : JSON.stringify(name));

const read = (text: string): Document => parseDocument(text, { strict: false, uniqueKeys: false, logLevel: "silent", schema: "core" });

function at(doc: Document, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((n, step) => {
      const name = step.replace(/~1/g, "/").replace(/~0/g, "~");
      return isMap(n) ? pairOf(n, name)?.value : isSeq(n) ? n.items[Number(name)] : undefined;
    }, doc.contents);
}

function pairOf(map: YAMLMap, name: string): Pair | undefined {
  return map.items.find((p) => isScalar(p.key) && String(p.key.value) === name);
}

/** The JSON Pointer of a path of update_node. */
export function pointerOf(path: string): string {
  return path.startsWith("/") ? path : `/${path.split(".").map(escape).join("/")}`;
}
