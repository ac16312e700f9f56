// JSON whose numbers keep their digits. JavaScript has whole numbers up to 2^53 and about
// 17 digits; a number that does not fit is kept as the text it was written as.
import type { Json } from "../api/types";

/** A number that a JavaScript number cannot hold. */
class ExactNumber {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text;
  }
  toJSON(): string {
    return mark + this.text;
  }
}

// A string of JSON stands for an exact number while the parser or writer of the browser has
// it. The mark is of this page alone, so that no value of a server is taken for one.
const mark = `number ${Math.random().toString(36).slice(2)} `;
const marked = new RegExp(`"${mark}([^"]+)"`, "g");
const long = /\d{16}|\d[eE][+-]?\d{2}/;
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** The digits of a number without its sign, point, exponent and zeros at the ends. */
function digits(text: string): string {
  return text.replace(/[eE].*$/, "").replace(/[-.]/g, "").replace(/^0+|0+$/g, "");
}

function fits(text: string): boolean {
  const n = Number(text);
  if (!Number.isFinite(n)) return false;
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(n);
  return digits(String(n)) === digits(text);
}

/** Reads JSON, as JSON.parse does; it throws what that throws. */
export function parseJson(text: string): unknown {
  if (!long.test(text)) return JSON.parse(text);
  JSON.parse(text); // for its errors
  const safe = text.replace(stringOrNumber, (t) => (t[0] === '"' || fits(t) ? t : JSON.stringify(mark + t)));
  return JSON.parse(safe, (_, v: unknown) => (typeof v === "string" && v.startsWith(mark) ? new ExactNumber(v.slice(mark.length)) : v));
}

/** Writes JSON, as JSON.stringify does. */
export function jsonString(v: unknown, space?: number): string {
  const text = JSON.stringify(v, null, space);
  return text?.includes(mark) ? text.replace(marked, "$1") : text;
}

/** The number that a text is: a JavaScript number if that has all of its digits. */
export function numberOf(text: string): Json {
  return fits(text) ? Number(text) : (new ExactNumber(text) as unknown as Json);
}

export function isExact(v: unknown): v is ExactNumber & Json {
  return v instanceof ExactNumber;
}

/** It is written as a JSON number, and so can be sent as one. */
export function isNumberText(text: string): boolean {
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text);
}
