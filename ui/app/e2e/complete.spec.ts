import { expect, test } from "@playwright/test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { accessible, complaints } from "./checks";
import { Program, serversReady } from "./program";

let program: Program;
test.afterEach(() => program.close());

test("a node is written by keyboard with completion from the catalog", async ({ page }) => {
  const complained = complaints(page);
  program = new Program({
    "graph.yaml": `name: shout
description: Reads a file aloud
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: read}
  - {id: loud, type: transform, transform: {expr: '{"text": $uppercase($.read.content)}'}, next: exit}
  - {id: exit, type: exit}
`,
  });
  await page.goto(await program.open("graph.yaml"));
  await serversReady(page);
  const text = page.getByRole("textbox", { name: "Text of the graph" });
  await text.click();
  await text.press("ControlOrMeta+End");
  const pick = async (written: string, option: string): Promise<void> => {
    await page.keyboard.type(written);
    const list = page.locator(".cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled)"); // that of an earlier text takes no key
    await expect(list.getByRole("option", { name: option, selected: true })).toBeVisible();
    await page.waitForTimeout(100); // a list takes no key in its first 75 ms, however fast the machine is
    await page.keyboard.press("Enter");
    await expect(page.getByRole("listbox")).toHaveCount(0);
  };
  await page.keyboard.type("  - {id: read, type: mc");
  await pick("", "mcp");
  await pick(", server: fi", "filesystem");
  await pick(", tool: read_text", "read_text_file");
  await pick(", args: {pa", "path");
  await pick("{expr: $tri", "$trim");
  await pick("$.en", "entry");
  await accessible(page);
  await page.keyboard.type(".path)}}, next: lo");
  await pick("", "loud");
  await page.keyboard.type("}");
  await expect(page.getByText("valid", { exact: true }).first()).toBeVisible();
  await text.press("ControlOrMeta+s");
  await expect.poll(() => readFileSync(join(program.dir, "graph.yaml"), "utf8")).toContain("- {id: read, type: mcp, server: filesystem, tool: read_text_file, args: {path: {expr: $trim($.entry.path)}}, next: loud}");
  expect(complained).toEqual([]);
});
