// Values as people read them.
import type { Json, Tokens } from "../api/types";
import { jsonString } from "./exact";

export function duration(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return "";
  if (ms < 1) return "<1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`;
}

const units: [number, Intl.RelativeTimeFormatUnit][] = [
  [60, "second"],
  [60, "minute"],
  [24, "hour"],
  [30, "day"],
  [12, "month"],
  [Infinity, "year"],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** How long ago: "2 hours ago". */
export function ago(time: string, now = Date.now()): string {
  let n = (Date.parse(time) - now) / 1000;
  if (Number.isNaN(n)) return "";
  if (Math.abs(n) < 10) return "just now";
  for (const [size, unit] of units) {
    if (Math.abs(n) < size) return relative.format(Math.round(n), unit);
    n /= size;
  }
  return "";
}

export function clock(time: string): string {
  const d = new Date(time);
  return Number.isNaN(d.getTime()) ? "" : d.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

export function bytes(n: number): string {
  if (n < 1024) return `${n} B`;
  if (n < 1024 * 1024) return `${(n / 1024).toFixed(n < 10_240 ? 1 : 0)} kB`;
  return `${(n / 1024 / 1024).toFixed(1)} MB`;
}

/** Tokens in both directions, as "about 45 tokens" where they are estimated. */
export function tokens(t: Tokens): string {
  return (t.estimated ? "about " : "") + count(t.input + t.output, "token");
}

export function count(n: number, one: string, many = one + "s"): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

/** A value as text, of one line if it is short. */
export function jsonText(v: Json | undefined): string {
  if (v === undefined) return "";
  const line = jsonString(v);
  return line.length <= 60 ? line : jsonString(v, 2);
}

export function plural(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
