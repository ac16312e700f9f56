// A reload of the page in the middle of what somebody does, and a tab that is opened again.
import { expect, test, type Page } from "@playwright/test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { complaints } from "./checks";
import { asks, counts, readNotes } from "./graphs";
import { Program, serversReady } from "./program";

const start = `name: shout
description: Reads a file aloud
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: exit} # stays
  - {id: exit, type: exit}
`;

/** A loop of 50 that takes seconds. */
const slow = `version: "1.0"
executionLimits: {maxNodeExecutions: 1000}
tools:
  - name: many
    description: Waits often
    inputSchema: {type: object, properties: {n: {type: integer, default: 50}}}
    outputSchema: {type: object}
    nodes:
      - {id: entry, type: entry, next: each}
      - {id: each, type: graph, graph: once, foreach: {items: {expr: "[1..$.entry.n]"}}, next: sum}
      - {id: sum, type: transform, transform: {expr: '{"n": $count($.each)}'}, next: exit}
      - {id: exit, type: exit}
  - name: once
    description: Waits a little
    inputSchema: {type: object}
    outputSchema: {type: object}
    nodes:
      - {id: entry, type: entry, next: little}
      - {id: little, type: wait, ms: 100, next: exit}
      - {id: exit, type: exit, result: {done: true}}
`;

const wrong = readNotes.replace("$.entry.path}}", "$.entri.path}}");

let program: Program;
let notes: string;
test.beforeEach(() => {
  program = new Program({ "start.yaml": start, "wrong.yaml": wrong, "asks.yaml": asks, "slow.yaml": slow, "notes.yaml": readNotes, "counts.yaml": counts });
  notes = join(program.dir, "data", "notes.txt");
});
test.afterEach(() => program.close());

const node = (page: Page, id: string) => page.locator(`.svelte-flow__node[data-id="${id}"]`);
const panel = (page: Page) => page.getByRole("region", { name: "The run" });
const valid = (page: Page) => expect(page.getByText("valid", { exact: true }).first()).toBeVisible();

async function signIn(page: Page, file: string): Promise<void> {
  await page.goto(await program.open(file));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(file);
  await expect(node(page, "entry")).toBeVisible();
  await serversReady(page);
}

async function run(page: Page, label = "", value = ""): Promise<void> {
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  if (label) await page.getByLabel(label).fill(value);
  await page.getByRole("button", { name: "Run", exact: true }).last().click();
}

test("a graph that is being made stays, with the selected node and what can be undone", async ({ page }) => {
  const complained = complaints(page);
  await signIn(page, "start.yaml");
  await node(page, "entry").click();
  await page.getByRole("button", { name: "Add a node" }).click();
  await page.getByRole("textbox", { name: "Search nodes to add" }).fill("read a text file");
  await page.getByRole("dialog", { name: "Add a node" }).getByRole("button", { name: /^read_text_file/ }).first().click();
  await expect(page.getByRole("textbox", { name: "Name of the node" })).toHaveValue("read_text_file");

  await page.reload();
  await expect(page.getByRole("textbox", { name: "Name of the node" })).toHaveValue("read_text_file");
  await expect(node(page, "read_text_file").locator("article")).toHaveClass(/selected/);
  await page.getByRole("button", { name: "expression" }).first().click();
  const path = page.getByRole("textbox", { name: /^path/ });
  await path.fill("$.entry.path");
  await path.press("Tab");
  await valid(page);

  await page.reload();
  await page.getByRole("button", { name: "Add a node" }).click();
  await page.getByRole("textbox", { name: "Search nodes to add" }).fill("reshape JSON");
  await page.getByRole("dialog", { name: "Add a node" }).getByRole("button", { name: /^transform/ }).first().click();
  await expect(node(page, "transform")).toBeVisible();

  await page.reload();
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect(node(page, "transform")).toHaveCount(0);
  await page.getByRole("button", { name: "Redo", exact: true }).click();
  await expect(node(page, "transform")).toBeVisible();
  expect(readFileSync(join(program.dir, "start.yaml"), "utf8")).toBe(start);
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => readFileSync(join(program.dir, "start.yaml"), "utf8")).toContain("type: transform");
  expect(complained).toEqual([]);
});

test("the list of problems stays open, and a fix that was made stays made", async ({ page }) => {
  await signIn(page, "wrong.yaml");
  await page.getByRole("tab", { name: /Problems/ }).click();
  const fixes = page.getByRole("list", { name: "Problems" }).locator(".fixes button");
  await expect(fixes.first()).toBeVisible();
  await page.reload();
  await fixes.first().click();
  await valid(page);
  await page.reload();
  await valid(page);
  await page.getByRole("tab", { name: "Text" }).click();
  await expect(page.locator(".cm-content")).toContainText("$.entry.path");
  await expect(page.getByRole("button", { name: "Save" })).toBeEnabled();
});

test("a run over a server is watched on, and its result shown", async ({ page }) => {
  const { path, give } = program.pipe("slow.txt");
  await signIn(page, "notes.yaml");
  await run(page, "path", path);
  await expect(node(page, "read").locator("article")).toHaveClass(/running/);
  await page.reload();
  await expect(node(page, "read").locator("article")).toHaveClass(/running/);
  await give("a\nb");
  await expect(page.getByRole("region", { name: "Result" })).toContainText('"lines":2');
  await expect(node(page, "read").locator("article")).toHaveClass(/done/);
  await page.reload();
  await expect(page.getByRole("region", { name: "Result" })).toContainText('"lines":2');
  await expect(node(page, "count").locator("article")).toHaveClass(/done/);
});

test("a question is still asked, and answered", async ({ page }) => {
  await signIn(page, "asks.yaml");
  await run(page, "amount", "12");
  await expect(page.getByText("Pay 12?")).toBeVisible();
  await page.reload();
  await expect(page.getByText("Pay 12?")).toBeVisible();
  await expect(node(page, "approve").locator("article")).toHaveClass(/waiting/);
  await page.getByLabel("Reason").fill("lunch");
  await page.getByRole("button", { name: "Accept" }).click();
  await expect(page.getByRole("region", { name: "Result" })).toContainText('"reason":"lunch"');
});

test("a loop of 50 is counted on", async ({ page }) => {
  await signIn(page, "slow.yaml");
  await run(page);
  await expect(node(page, "each")).toContainText("×");
  await page.reload();
  await expect(node(page, "each")).toContainText("×");
  await expect(node(page, "each")).toContainText("×50");
  await expect(page.getByRole("region", { name: "Result" })).toContainText('"n":50');
});

test("time travel: the step and the expression stay", async ({ page }) => {
  program.command("run", "notes.yaml", `path=${notes}`);
  await signIn(page, "notes.yaml");
  await page.getByRole("link", { name: "Runs" }).click();
  await page.getByRole("link", { name: "count_lines" }).click();
  const steps = page.getByRole("listbox", { name: /Steps/ });
  await steps.getByRole("option", { name: "read" }).click();
  await page.getByLabel("An expression on the context after this step").fill("$exists($.count.lines)");
  await page.keyboard.press("Enter");
  const value = page.getByRole("region", { name: "Value" });
  await expect(value).toContainText("false");
  await page.reload();
  await expect(value).toContainText("false");
  await expect(steps.getByRole("option", { name: "read" })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("region", { name: "Output" })).toContainText("buy milk");
  await page.getByRole("button", { name: "One step forward" }).click();
  await expect(value).toContainText("true");
});

test("a failed run is still there, and resumed in the editor and in the list", async ({ page }) => {
  const late = join(program.dir, "data", "late.txt");
  await signIn(page, "notes.yaml");
  await run(page, "path", late);
  await expect(panel(page)).toContainText("failed");
  await page.reload();
  await expect(node(page, "read").locator("article")).toHaveClass(/failed/);
  await page.getByRole("link", { name: "All of its steps" }).click();
  await expect(page.getByRole("button", { name: "Skip it" })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("button", { name: "Skip it" })).toBeVisible();
  await page.getByRole("link", { name: "Editor", exact: true }).click();
  await expect(panel(page)).toContainText("failed");
  expect(existsSync(late)).toBe(false);
  const { give } = program.pipe("late.txt");
  await page.getByRole("button", { name: "Try the step again" }).click();
  await expect(node(page, "read").locator("article")).toHaveClass(/running/);
  await page.reload();
  await expect(node(page, "read").locator("article")).toHaveClass(/running/);
  await give("one\ntwo\nthree");
  await expect(page.getByRole("region", { name: "Result" })).toContainText('"lines":3');
});

test("breakpoints, and a pause with what the node sees", async ({ page }) => {
  const complained = complaints(page);
  await signIn(page, "counts.yaml");
  await node(page, "double").click();
  await page.getByRole("region", { name: "Node double" }).getByRole("button", { name: "Pause before the node" }).click();
  const mark = node(page, "double").getByRole("button", { name: "Pause before double" });
  await expect(mark).toHaveAttribute("aria-pressed", "true");
  await page.reload();
  await expect(mark).toHaveAttribute("aria-pressed", "true");
  await run(page, "amount", "4");
  const paused = page.getByRole("region", { name: "Paused before double" });
  await expect(paused.getByRole("region", { name: "Context" })).toContainText('"amount":4');

  await page.reload();
  await expect(paused.getByRole("region", { name: "Context" })).toContainText('"amount":4');
  await expect(node(page, "double").locator("article")).toHaveClass(/paused/);
  await paused.getByLabel("An expression on it").fill("entry.amount + 1");
  await page.keyboard.press("Enter");
  await expect(paused.getByRole("region", { name: "Value" })).toContainText("5");
  await paused.getByRole("button", { name: "Step" }).click();
  await expect(page.getByRole("region", { name: "Paused before more" })).toBeVisible();
  await page.reload();
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("region", { name: "Result" })).toContainText('"n":9');
  expect(complained).toEqual([]);
});

test("a tool that asks in the catalog, and the result of one", async ({ page }) => {
  await signIn(page, "notes.yaml");
  await page.getByRole("link", { name: "Catalog" }).click();
  await page.getByRole("searchbox", { name: "Search nodes" }).fill("text of a file");
  await page.getByRole("link", { name: "read_text_file" }).first().click();
  await page.getByRole("button", { name: "Run this tool" }).click();
  await page.reload();
  await page.getByLabel("path").fill(notes);
  await page.getByLabel("path").press("Enter");
  await expect(page.getByRole("region", { name: "Output" })).toContainText("buy milk");
  await expect(page.getByRole("searchbox", { name: "Search nodes" })).toHaveValue("text of a file");
  await page.reload();
  await expect(page.getByRole("searchbox", { name: "Search nodes" })).toHaveValue("text of a file");
  await expect(page.getByRole("region", { name: "Output" })).toContainText("buy milk");
});

test("a tab that was closed shows the same when its address is opened again", async ({ page, context }) => {
  await signIn(page, "counts.yaml");
  await page.getByRole("tab", { name: "Text" }).click();
  const text = page.getByRole("textbox", { name: "Text of the graph" });
  await text.click();
  await text.press("ControlOrMeta+Home");
  await page.keyboard.type("# mine\n");
  await valid(page);
  await node(page, "double").focus();
  await page.keyboard.press("b");
  await run(page, "amount", "4");
  await expect(page.getByRole("region", { name: "Paused before double" })).toBeVisible();
  const address = page.url();
  await page.close();

  const again = await context.newPage();
  await again.goto(address);
  await again.getByRole("region", { name: "Paused before double" }).getByRole("button", { name: "Continue" }).click();
  await expect(again.getByRole("region", { name: "Result" })).toContainText('"n":9');
  await again.getByRole("tab", { name: "Text" }).click();
  await expect(again.locator(".cm-content")).toContainText("# mine");
});

test("a file that changes while the page opens is shown as it is then", async ({ page }) => {
  let begin = (): void => undefined;
  const begun = new Promise<void>((done) => (begin = done));
  await page.route("**/ui/api/events", async (route) => {
    await begun;
    await route.continue();
  });
  await signIn(page, "counts.yaml");
  await expect(page.locator(".cm-content")).toContainText("Doubles and");
  writeFileSync(join(program.dir, "counts.yaml"), counts.replace("Doubles", "Also doubles"));
  begin();
  await expect(page.locator(".cm-content")).toContainText("Also doubles");
});

test("changes are kept when the file has changed meanwhile, and the page says so", async ({ page }) => {
  await signIn(page, "counts.yaml");
  const text = page.getByRole("textbox", { name: "Text of the graph" });
  await text.click();
  await text.press("ControlOrMeta+Home");
  await page.keyboard.type("# mine\n");
  await valid(page);
  await page.goto("about:blank");
  writeFileSync(join(program.dir, "counts.yaml"), counts.replace("Doubles", "Also doubles"));
  await page.goBack();
  await expect(page.getByText("The file has changed outside.")).toBeVisible();
  await expect(page.locator(".cm-content")).toContainText("# mine");
  await page.getByRole("button", { name: "Read it again and drop the changes made here" }).click();
  await expect(page.locator(".cm-content")).toContainText("Also doubles");
  await page.reload();
  await expect(page.locator(".cm-content")).toContainText("Also doubles");
});
