import { expect, test } from "vitest";

import { blocks, isMarkdown, spans } from "./markdown";

test("blocks of Markdown", () => {
  const text = "# A *title*\n\nOne\ntwo **b**\n> said\n\n- a\n  more\n  1. b\n\n```js\n<b>#</b>\n```\n---\n| x | y |\n|---|:-:|\n| 1 | `2` |\nend";
  expect(blocks(text)).toEqual([
    { kind: "heading", level: 1, spans: [{ kind: "text", text: "A " }, { kind: "em", text: "title" }] },
    { kind: "paragraph", spans: [{ kind: "text", text: "One two " }, { kind: "strong", text: "b" }, { kind: "text", text: " > said" }] },
    { kind: "list", ordered: false, items: [{ depth: 0, spans: [{ kind: "text", text: "a more" }] }, { depth: 1, spans: [{ kind: "text", text: "b" }] }] },
    { kind: "code", text: "<b>#</b>" },
    { kind: "rule" },
    { kind: "table", head: [[{ kind: "text", text: "x" }], [{ kind: "text", text: "y" }]], rows: [[[{ kind: "text", text: "1" }], [{ kind: "code", text: "2" }]]] },
    { kind: "paragraph", spans: [{ kind: "text", text: "end" }] },
  ]);
});

test("links lead to the web only, and names keep their underscores", () => {
  expect(spans("[a](https://x.test/y) [b](javascript:alert(1)) snake_case_name <https://z.test>")).toEqual([
    { kind: "link", text: "a", href: "https://x.test/y" },
    { kind: "text", text: " [b](javascript:alert(1)) snake_case_name " },
    { kind: "link", text: "https://z.test", href: "https://z.test" },
  ]);
});

test("a text that is not Markdown is known", () => {
  expect(["one line", "a\nb", "x - y\nz"].map(isMarkdown)).toEqual([false, false, false]);
  expect(["# a\nb", "a\n- b", "see [x](https://y.test)", "a\n**b**"].map(isMarkdown)).toEqual([true, true, true, true]);
});

test("any text ends", () => {
  for (const text of ["> ", "|", "```", "-", "#", "| a |\n|---|", "1. a\n> b\n#\n", "x\n".repeat(3000)]) expect(blocks(text)).toBeDefined();
});
