// What can be written at a place of a graph's text, as far as the text before it tells. It
// reads lines and not the tree: a text is seldom YAML while somebody writes it.

export interface NodeText {
  /** Values of the keys id, type, server and tool, as they are written. */
  type: string;
  server: string;
  tool: string;
  /** The keys that it has. */
  keys: Set<string>;
}

export type Place =
  | { kind: "type" | "node" | "server" | "graph" | "function"; word: string }
  | { kind: "tool"; word: string; server: string }
  | { kind: "field" | "argument"; word: string; node: NodeText };

const word = /[\w.-]*$/;
const item = /^(\s*)-\s+/;

/** What is written at an offset, undefined where nothing is known of it. */
export function placeAt(text: string, at: number): Place | undefined {
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  const line = text.slice(lineStart, at);
  if (/(^|\s)#/.test(line)) return undefined;
  const path = /\$\.([\w-]*)$/.exec(line);
  if (path) return { kind: "node", word: path[1]! };
  const name = /\$([a-zA-Z]*)$/.exec(line);
  if (name) return { kind: "function", word: name[0] };
  const node = nodeAround(text, at);
  const value = /(?:^|[\s{,])(type|next|onError|join|target|after|server|tool|graph):\s+([\w./-]*)$/.exec(line);
  if (value) {
    const [, key, given] = value as unknown as [string, string, string];
    if (key === "type") return node && node.depth === 0 ? { kind: "type", word: given } : undefined;
    if (key === "tool") return node ? { kind: "tool", word: given, server: node.about.server } : undefined;
    if (key === "server" || key === "graph") return { kind: key, word: given };
    return { kind: "node", word: given };
  }
  const listed = /(?:branches|detach):\s*\[(?:[^\][]*,)?\s*([\w-]*)$/.exec(line);
  if (listed) return { kind: "node", word: listed[1]! };
  const own = word.exec(line)![0];
  if (!node || !/(^\s*|[{,]\s*|-\s+)[\w.-]*$/.test(line)) return undefined;
  if (node.depth === 0) return { kind: "field", word: own, node: node.about };
  if (node.depth === 1 && node.inside === "args") return { kind: "argument", word: own, node: node.about };
  return undefined;
}

/** The item of a list that an offset is in: what it says, and where in it the offset is. */
function nodeAround(text: string, at: number): { about: NodeText; depth: number; inside: string } | undefined {
  const lines = text.slice(0, at).split("\n");
  let first = lines.length - 1;
  const indentAt = indentOf(lines[first]!);
  while (first >= 0 && !(item.test(lines[first]!) && (first === lines.length - 1 || indentOf(lines[first]!) < Math.max(indentAt, 1)))) first--;
  if (first < 0) return undefined;
  const dash = indentOf(lines[first]!);
  const rest = text.slice(at).split("\n");
  const after = [rest[0] ?? ""];
  for (const l of rest.slice(1)) {
    if (l.trim() !== "" && indentOf(l) <= dash) break;
    after.push(l);
  }
  const before = lines.slice(first).join("\n");
  const whole = before + after.join("\n");
  const valueOf = (key: string): string => new RegExp(`(?:^\\s*-\\s+|[{,]\\s*|^\\s+)${key}:\\s*['"]?([\\w./@-]*)`, "m").exec(whole)?.[1] ?? "";
  const keys = new Set([...whole.matchAll(/(?:^\s*-\s+\{?|[{,]\s*|^\s+)([\w-]+):/gm)].map((m) => m[1]!));
  const about = { type: valueOf("type"), server: valueOf("server"), tool: valueOf("tool"), keys };
  return { about, ...(before.trimStart().startsWith("- {") ? inFlow(before) : inBlock(lines, first)) };
}

/** How deep an offset is in the brackets of a node, and under which key. */
function inFlow(before: string): { depth: number; inside: string } {
  const keys: string[] = [];
  let quote = "";
  for (let i = before.indexOf("{"); i < before.length; i++) {
    const c = before[i]!;
    if (quote) {
      if (c === quote) quote = "";
    } else if (c === '"' || c === "'") quote = c;
    else if (c === "{" || c === "[") keys.push(/([\w-]+):\s*$/.exec(before.slice(0, i))?.[1] ?? "");
    else if (c === "}" || c === "]") keys.pop();
  }
  return { depth: quote ? -1 : keys.length - 1, inside: keys.at(-1) ?? "" };
}

function inBlock(lines: string[], first: number): { depth: number; inside: string } {
  const last = lines.length - 1;
  const column = indentOf(lines[last]!);
  const own = item.exec(lines[first]!)![0].length;
  const flow = lines[last]!.indexOf("{");
  if (flow >= 0) {
    const deeper = inFlow(lines[last]!);
    return { depth: deeper.depth + 1, inside: deeper.inside };
  }
  if (last === first || column === own) return { depth: 0, inside: "" };
  for (let i = last - 1; i >= first; i--) {
    if (indentOf(lines[i]!) < column && lines[i]!.trim() !== "") {
      const parent = i === first ? own : indentOf(lines[i]!);
      return { depth: parent === own ? 1 : 2, inside: /([\w-]+):\s*$/.exec(lines[i]!)?.[1] ?? "" };
    }
  }
  return { depth: -1, inside: "" };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
