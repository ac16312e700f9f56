// Markdown as blocks that the page draws with elements of its own: no HTML of a text is used,
// and a link leads to the web only.

export type Span = { kind: "text" | "code" | "strong" | "em"; text: string } | { kind: "link"; text: string; href: string };
export type Block = { kind: "heading"; level: number; spans: Span[] } | { kind: "paragraph" | "quote"; spans: Span[] } | { kind: "code"; text: string } | { kind: "list"; ordered: boolean; items: { spans: Span[]; depth: number }[] } | { kind: "table"; head: Span[][]; rows: Span[][][] } | { kind: "rule" };

const heading = /^(#{1,6})\s+(.+?)\s*#*$/;
const item = /^(\s*)(?:[-*+]|(\d+)[.)])\s+(.*)$/;
const fence = /^\s*(```|~~~)/;
const rule = /^\s*([-*_])(\s*\1){2,}\s*$/;
const divider = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/** Whether a text looks as if it was written in Markdown. */
export function isMarkdown(text: string): boolean {
  if (!text.includes("\n") && !/\[[^\]]+\]\(https?:/.test(text)) return false;
  return /^#{1,6}\s+\S|^\s*[-*+]\s+\S|^\s*\d+[.)]\s+\S|^\s*```|\*\*[^*\n]+\*\*|\[[^\]\n]+\]\(https?:/m.test(text);
}

export function spans(text: string): Span[] {
  const list: Span[] = [];
  let at = 0;
  for (const m of text.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|__([^_]+)__|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)|<(https?:\/\/[^\s>]+)>|(?<![\w*])\*([^*\s][^*]*)\*(?!\w)|(?<!\w)_([^_\s][^_]*)_(?!\w)/g)) {
    if (m.index > at) list.push({ kind: "text", text: text.slice(at, m.index) });
    at = m.index + m[0].length;
    const [, code, bold, bold2, name, href, address, em, em2] = m;
    if (code !== undefined) list.push({ kind: "code", text: code });
    else if (bold ?? bold2) list.push({ kind: "strong", text: (bold ?? bold2)! });
    else if (href ?? address) list.push({ kind: "link", text: name ?? address!, href: (href ?? address)! });
    else list.push({ kind: "em", text: (em ?? em2)! });
  }
  if (at < text.length) list.push({ kind: "text", text: text.slice(at) });
  return list;
}

const cells = (line: string): Span[][] => line.trim().replace(/^\||\|$/g, "").split("|").map((c) => spans(c.trim()));

export function blocks(text: string): Block[] {
  const lines = text.replaceAll("\r", "").split("\n");
  const list: Block[] = [];
  for (let i = 0; i < lines.length; ) {
    const line = lines[i]!;
    const mark = fence.exec(line)?.[1];
    const title = heading.exec(line);
    if (line.trim() === "") i++;
    else if (mark) {
      let end = i + 1;
      while (end < lines.length && !lines[end]!.trim().startsWith(mark)) end++;
      list.push({ kind: "code", text: lines.slice(i + 1, end).join("\n") });
      i = end + 1;
    } else if (title) {
      list.push({ kind: "heading", level: title[1]!.length, spans: spans(title[2]!) });
      i++;
    } else if (rule.test(line)) {
      list.push({ kind: "rule" });
      i++;
    } else if (line.includes("|") && divider.test(lines[i + 1] ?? "") && lines[i + 1]!.includes("|")) {
      const rows: Span[][][] = [];
      const head = cells(line);
      for (i += 2; i < lines.length && lines[i]!.includes("|"); i++) rows.push(cells(lines[i]!));
      list.push({ kind: "table", head, rows });
    } else if (item.test(line)) {
      const items: { spans: Span[]; depth: number }[] = [];
      const ordered = item.exec(line)![2] !== undefined;
      for (let m; i < lines.length && (m = item.exec(lines[i]!)); i++) {
        let words = m[3]!;
        while (/^\s+\S/.test(lines[i + 1] ?? "") && !item.test(lines[i + 1]!)) words += ` ${lines[++i]!.trim()}`;
        items.push({ spans: spans(words), depth: Math.min(4, Math.floor(m[1]!.length / 2)) });
      }
      list.push({ kind: "list", ordered, items });
    } else {
      const quote = /^\s*>/.test(line);
      const part: string[] = [];
      for (; i < lines.length && lines[i]!.trim() !== "" && (part.length === 0 || (!heading.test(lines[i]!) && !fence.test(lines[i]!) && !item.test(lines[i]!))); i++) part.push(quote ? lines[i]!.replace(/^\s*>\s?/, "") : lines[i]!.trim());
      list.push({ kind: quote ? "quote" : "paragraph", spans: spans(part.join(" ")) });
    }
  }
  return list;
}
