// How much room texts take, so that a layout knows the size of a node before it is drawn.
import { modifiersOf, summaryOf } from "./summary";
import type { Size } from "./layout";
import type { PortRule } from "./ports";
import type { SourceNode } from "./source";

export const nodeWidth = 232;
const textWidth = nodeWidth - 58;

let context: CanvasRenderingContext2D | null | undefined;
const widths = new Map<string, Map<string, number>>(); // of characters, by font

/** About the width of a text: that of its characters, which are measured once. */
function widthOf(text: string, font: string, perCharacter: number): number {
  if (context === undefined) context = typeof document === "undefined" ? null : document.createElement("canvas").getContext("2d");
  if (!context) return text.length * perCharacter;
  let known = widths.get(font);
  if (!known) widths.set(font, (known = new Map()));
  let sum = 0;
  for (const c of text) {
    let width = known.get(c);
    if (width === undefined) {
      context.font = font;
      known.set(c, (width = context.measureText(c).width));
    }
    sum += width;
  }
  return sum;
}

const sans = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
const mono = 'ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';

/** Lines may end early where a word does not fit: a little more than the width says. */
function lines(width: number, room: number): number {
  return width === 0 ? 0 : Math.ceil((width * (width > room ? 1.12 : 1)) / room);
}

/** Lines of a text of equal characters that is broken anywhere. */
function brokenLines(text: string): number {
  const perLine = Math.floor(textWidth / widthOf("m", `11px ${mono}`, 6.7));
  return Math.ceil([...text].length / perLine);
}

/** The size of a node; hidden is how many others are drawn as it. */
export function sizeOf(n: SourceNode, hidden = 0, ports: PortRule[] = []): Size {
  const title = Math.max(1, lines(widthOf(n.id, `600 13px ${sans}`, 7.4), textWidth));
  const summary = brokenLines(summaryOf(n));
  const badges = lines(
    modifiersOf(n, hidden, ports).reduce((sum, m) => sum + widthOf(m, `550 11px ${sans}`, 6.2) + 20, 0),
    textWidth,
  );
  return { width: nodeWidth, height: Math.max(46, 20 + title * 18 + summary * 16 + (badges > 0 ? 4 + badges * 22 : 0)) };
}

export const maxLabel = 26;

export function labelText(text: string): string {
  return text.length > maxLabel ? text.slice(0, maxLabel - 1) + "…" : text;
}

export function labelSize(text: string): Size {
  if (text === "") return { width: 2, height: 2 };
  return { width: Math.ceil(widthOf(labelText(text), `550 11px ${sans}`, 6.4)) + 18, height: 20 };
}
