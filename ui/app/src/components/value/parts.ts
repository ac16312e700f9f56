// What a value is made of, as the viewer of values shows it.
import type { Json } from "../../api/types";
import { isExact, jsonString } from "../../lib/exact";

/** Where a part of a value is: keys of objects and indexes of lists, from the outside. */
export type Path = (string | number)[];

export type Kind = "object" | "list" | "text" | "number" | "boolean" | "null" | "unread";

/** A part of a large value that is read when it is opened. */
export class Unread {}

/** A large object or list whose parts have not been read. */
export class Outline {
  /** keys of an object, or how many items a list has. */
  constructor(readonly parts: string[] | number) {}
}

export type Shown = Json | Unread | Outline;

/** Reads the part of a large value at a path. */
export type Read = (path: Path) => Promise<Shown>;

export function kindOf(v: Shown): Kind {
  if (v instanceof Unread) return "unread";
  if (v instanceof Outline) return typeof v.parts === "number" ? "list" : "object";
  if (v === null) return "null";
  if (Array.isArray(v)) return "list";
  if (isExact(v) || typeof v === "number") return "number";
  if (typeof v === "string") return "text";
  return typeof v === "boolean" ? "boolean" : "object";
}

/** How many parts a value has; 0 of what has none. */
export function partCount(v: Shown): number {
  if (v instanceof Outline) return typeof v.parts === "number" ? v.parts : v.parts.length;
  switch (kindOf(v)) {
    case "object":
      return Object.keys(v as object).length;
    case "list":
      return (v as Json[]).length;
  }
  return 0;
}

/** The first parts of a value, with the key or index of each. */
export function partsOf(v: Shown, most: number): { key: string | number; value: Shown }[] {
  if (v instanceof Outline) {
    const keys = typeof v.parts === "number" ? Array.from({ length: Math.min(v.parts, most) }, (_, i) => i) : v.parts.slice(0, most);
    return keys.map((key) => ({ key, value: new Unread() }));
  }
  if (Array.isArray(v)) return v.slice(0, most).map((value, key) => ({ key, value }));
  if (kindOf(v) !== "object") return [];
  return Object.entries(v as Record<string, Json>).slice(0, most).map(([key, value]) => ({ key, value }));
}

/** A JSONata path: base, and the parts of a path below it. */
export function pathText(base: string, path: Path): string {
  return path.reduce<string>((text, part) => text + (typeof part === "number" ? `[${part}]` : plain.test(part) ? `.${part}` : `.\`${part.replaceAll("`", "")}\``), base);
}
const plain = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Whether a text in a value has several lines. */
export function hasLines(v: Shown): boolean {
  return typeof v === "string" ? v.includes("\n") : partsOf(v, Infinity).some((part) => hasLines(part.value));
}

/** The columns of a table, if a value is a list of at least two objects that have few keys. */
export function columnsOf(v: Shown): string[] | undefined {
  if (!Array.isArray(v) || v.length < 2 || !v.every((item) => kindOf(item) === "object")) return undefined;
  const names = new Set<string>();
  for (const item of v.slice(0, 200)) for (const key of Object.keys(item as object)) names.add(key);
  return names.size > 0 && names.size <= 30 ? [...names] : undefined;
}

/** The data URL of an image: a content block of a tool, or a text that is such a URL. */
export function imageOf(v: Shown): string | undefined {
  if (typeof v === "string") return /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+$/.test(v) ? v : undefined;
  if (kindOf(v) !== "object") return undefined;
  const { mimeType, data } = v as Record<string, Json>;
  if (typeof mimeType !== "string" || typeof data !== "string") return undefined;
  return imageOf(`data:${mimeType};base64,${data}`);
}

/** The places whose key or text has the words in it, at most so many. */
export function found(v: Json, words: string, most: number): { path: Path; value: Json }[] {
  const wanted = words.toLowerCase();
  const list: { path: Path; value: Json }[] = [];
  const walk = (value: Json, path: Path): void => {
    if (list.length >= most) return;
    const key = path.at(-1);
    const parts = partsOf(value, Infinity) as { key: string | number; value: Json }[];
    const here = typeof key === "string" && key.toLowerCase().includes(wanted);
    if (here || (parts.length === 0 && preview(value).toLowerCase().includes(wanted))) list.push({ path, value });
    for (const part of parts) walk(part.value, [...path, part.key]);
  };
  walk(v, []);
  return list;
}

/** How many characters of a text are shown at first. */
export const longest = 200;

/** A value in few words: what it has inside is counted, and of a long text its beginning is shown. */
export function preview(v: Shown, most = longest): string {
  const n = partCount(v);
  switch (kindOf(v)) {
    case "unread":
      return "…";
    case "object":
      return n === 0 ? "{}" : `{${n}}`;
    case "list":
      return n === 0 ? "[]" : `[${n}]`;
  }
  if (typeof v !== "string") return jsonString(v);
  return v.length > most ? `"${v.slice(0, most)}…` : `"${v}"`;
}
