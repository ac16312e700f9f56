import { expect, test, type Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { accessible, complaints, fits } from "./checks";
import { Program, serversReady } from "./program";

const start = `# This comment stays.
name: shout
description: Reads a file aloud
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: exit} # and this one
  - {id: exit, type: exit}
`;

let program: Program;
test.afterEach(() => program.close());

const node = (page: Page, id: string) => page.locator(`.svelte-flow__node[data-id="${id}"]`);
const text = (): string => readFileSync(join(program.dir, "graph.yaml"), "utf8");

async function open(page: Page, graph: string): Promise<void> {
  program = new Program({ "graph.yaml": graph });
  await page.goto(await program.open("graph.yaml"));
  await expect(node(page, "entry")).toBeVisible();
  await serversReady(page);
}

async function add(page: Page, words: string, found: string): Promise<void> {
  await page.getByRole("button", { name: "Add a node" }).click();
  await page.getByRole("textbox", { name: "Search nodes to add" }).fill(words);
  await page.getByRole("dialog", { name: "Add a node" }).getByRole("button", { name: new RegExp(`^${found}`) }).first().click();
}

async function rename(page: Page, from: string, name: string): Promise<void> {
  const field = page.getByRole("textbox", { name: "Name of the node" });
  await expect(field).toHaveValue(from);
  await field.fill(name);
  await field.press("Enter");
  await expect(node(page, name)).toBeVisible();
}

test("a graph of four nodes is made by mouse and keyboard, and run over a server", async ({ page }) => {
  const complained = complaints(page);
  await open(page, start);
  await node(page, "entry").click();
  await add(page, "read a text file", "read_text_file");
  await rename(page, "read_text_file", "read");
  await page.getByRole("button", { name: "expression" }).first().click();
  const path = page.getByRole("textbox", { name: /^path/ });
  await path.fill("$.entry.path");
  await path.press("Tab");
  await expect(page.getByText("valid").first()).toBeVisible();

  await add(page, "reshape JSON", "transform");
  await rename(page, "transform", "loud");
  const expression = page.getByRole("textbox", { name: /^transform/ });
  await expression.fill('{"text": $uppercase($.read.content)}');
  await expression.press("Tab");
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(text).toContain("$uppercase");
  expect(text()).toContain("# This comment stays.");
  expect(text()).toContain("# and this one");
  await accessible(page);
  await fits(page);

  const ran = JSON.parse(program.command("run", "graph.yaml", `path=${join(program.dir, "data", "notes.txt")}`, "-o", "json")) as { result: unknown };
  expect(ran.result).toEqual({ text: "BUY MILK\nCALL ADA" });
  expect(complained).toEqual([]);
});

test("a typo is repaired by a click on its fix", async ({ page }) => {
  await open(page, start.replace("nodes:", "nodes:\n  - {id: t, type: transform, transform: {expr: $.entri.path}, next: exit}").replace("next: exit} # and", "next: t} # and"));
  await page.getByRole("tab", { name: /Problems/ }).click();
  await page.getByRole("list", { name: "Problems" }).locator(".fixes button").first().click();
  await page.getByRole("tab", { name: "Text" }).click();
  await expect(page.locator(".cm-content")).toContainText("$.entry.path");
});

test("nodes are moved, connected, deleted, and changes undone", async ({ page }) => {
  await open(page, start);
  await node(page, "entry").click();
  await add(page, "wait some time", "wait");
  await expect(node(page, "wait")).toBeVisible();
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect(node(page, "wait")).toHaveCount(0);
  await page.getByRole("button", { name: "Redo", exact: true }).click();
  await expect(node(page, "wait")).toBeVisible();

  await node(page, "wait").hover({ position: { x: 40, y: 12 } }); // waits until it stays where it is
  const box = (await node(page, "wait").boundingBox())!;
  await page.mouse.move(box.x + 40, box.y + 12);
  await page.mouse.down();
  await page.mouse.move(box.x + 120, box.y + 150, { steps: 8 });
  await page.mouse.up();
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(text).toMatch(/ui: \{x: -?\d+, y: -?\d+\}/);

  await node(page, "wait").focus();
  await page.keyboard.press("Delete");
  await expect(node(page, "wait")).toHaveCount(0);
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(text).toBe(start);
});

const shop = `name: shop
description: Fetches prices
inputSchema: {type: object, properties: {total: {type: number}}}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: kind}
  - id: kind # by size
    type: switch
    conditions:
      # small ones
      - {rule: {"<": [{var: $.entry.total}, 10]}, next: exit}
      # large ones
      - {rule: {">": [{var: $.entry.total}, 1000]}, next: fetch}
    next: exit
  - {id: fetch, type: http, url: "https://example.com/", next: exit} # kept
  - {id: exit, type: exit}
`;

test("conditions, headers, a loop and the graph's inputs are filled in without YAML", async ({ page }) => {
  const complained = complaints(page);
  await open(page, shop);
  await page.getByRole("tab", { name: "Node" }).click();
  const inputs = page.getByRole("group", { name: "Inputs" });
  await inputs.getByRole("textbox", { name: "Name", exact: true }).fill("amount");
  await page.keyboard.press("Enter");
  await inputs.getByRole("checkbox", { name: "amount is required" }).check();
  await page.getByRole("textbox", { name: "What it does" }).fill("Fetches the prices of a shop");
  await accessible(page);

  await node(page, "kind").click();
  await page.getByRole("button", { name: "Try condition 2 earlier" }).click();
  await expect(page.getByRole("group", { name: "Condition 1" }).getByRole("textbox", { name: "With what" })).toHaveValue("1000");

  await node(page, "fetch").click();
  await page.getByLabel("Add a field").selectOption("method");
  await page.getByRole("combobox", { name: "method" }).selectOption("POST");
  await page.getByLabel("Add a field").selectOption("headers");
  const headers = page.getByRole("group", { name: "headers" });
  await headers.getByRole("textbox", { name: "Name to add to headers" }).fill("X-Api.Key");
  await page.keyboard.press("Enter");
  await headers.getByRole("textbox", { name: "X-Api.Key" }).fill("secret");
  await page.keyboard.press("Enter");
  await page.getByLabel("Add a field").selectOption("foreach");
  const loop = page.getByRole("group", { name: "foreach" });
  await loop.getByRole("textbox", { name: /^items/ }).fill("[1..3]");
  await loop.getByLabel("onItemError").selectOption("continue");
  await page.getByLabel("Add a field").selectOption("retry");
  await page.getByRole("group", { name: "retry" }).getByLabel("unsafe").selectOption("true");
  await accessible(page);
  await fits(page);

  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(text).toContain("unsafe: true");
  expect(text()).toContain("      # large ones\n      - {rule: {\">\": [{var: $.entry.total}, 1000]}, next: fetch}\n      # small ones\n");
  expect(text()).toContain('inputSchema: {type: object, properties: {amount: {type: number}}, required: [amount]}');
  expect(text()).toContain("description: Fetches the prices of a shop");
  expect(text()).toMatch(/method: POST, headers: \{"?X-Api\.Key"?: secret\}, foreach: \{items: \{expr: .*\[1\.\.3\].*\}, as: item, onItemError: continue\}, retry: \{maxAttempts: 3, unsafe: true\}\} # kept/);
  await page.getByRole("tab", { name: "Run" }).click();
  await expect(page.getByRole("textbox", { name: "amount" })).toBeVisible();
  expect(complained).toEqual([]);
});

test("nodes are added on an edge and at the end of a node, copied, pasted and found", async ({ page, context }) => {
  const complained = complaints(page);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page, start);
  const [from, to] = [(await node(page, "entry").boundingBox())!, (await node(page, "exit").boundingBox())!];
  await page.mouse.move((from.x + from.width / 2 + to.x + to.width / 2) / 2, (from.y + from.height / 2 + to.y + to.height / 2) / 2);
  await page.getByRole("button", { name: "Add a node between entry and exit" }).click();
  const found = page.getByRole("dialog", { name: "Add a node" });
  await expect(found).toContainText("Added between entry and exit");
  await found.getByRole("button", { name: /^wait/ }).click();
  await expect(node(page, "wait")).toBeVisible();
  await node(page, "wait").locator(".svelte-flow__handle.source").click();
  await expect(found).toContainText("Added after wait");
  await found.getByRole("button", { name: /^transform/ }).click();
  await expect(node(page, "transform")).toBeVisible();
  await accessible(page);

  await node(page, "wait").click();
  await node(page, "transform").click({ modifiers: ["Control"] });
  await page.keyboard.press("Control+c");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^- id: wait\n[^]*- id: transform\n/);
  await page.keyboard.press("Control+v");
  await expect(node(page, "wait2")).toBeVisible();
  await expect(node(page, "transform2")).toBeVisible();
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(text).toMatch(/id: wait2[^]*next: transform2/);
  await page.keyboard.press("Control+z"); // from the button
  await expect(node(page, "wait2")).toHaveCount(0);

  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /^Find/ }).fill("transf");
  await accessible(page);
  await page.keyboard.press("Enter");
  await expect(node(page, "transform")).toBeFocused();
  await expect(page.getByRole("textbox", { name: "Name of the node" })).toHaveValue("transform");
  await page.keyboard.press("a");
  await expect(found).toContainText("Added after transform");
  expect(complained).toEqual([]);
});
