// What people come to the page for, from the beginning to the end, by mouse and keyboard.
import { expect, test, type Locator, type Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { accessible, complaints, fits, sizes } from "./checks";
import { Program, serversReady } from "./program";

const prices = `name: prices
description: Adds prices
inputSchema: {type: object}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: list}
  - {id: list, type: transform, transform: {expr: '$eval("{\\"names\\": [\\"a\\", \\"b\\"], \\"prices\\": [1, 2]}")'}, next: sum}
  - {id: sum, type: transform, transform: {expr: $sum($.list.names)}, next: exit}
  - {id: exit, type: exit, result: {sum: {expr: $.sum}}}
`;

let program: Program;
let link: string;
let complained: string[];
test.describe.configure({ mode: "serial" }); // one program for all
let page: Page;
test.beforeAll(async ({ browser }) => {
  program = new Program({ "prices.yaml": prices });
  link = await program.open("prices.yaml");
  page = await (await browser.newContext({ viewport: sizes[0], reducedMotion: "reduce" })).newPage();
  complained = complaints(page);
  await page.goto(link);
  await serversReady(page);
});
test.afterAll(() => program.close());
test.afterEach(() => expect(complained).toEqual([]));

const node = (id: string): Locator => page.locator(`.svelte-flow__node[data-id="${id}"]`);
const go = (place: string): Promise<unknown> => page.goto(new URL(place, link).href.replace(/\?token=[^#]*/, ""));

test("a graph of five nodes with a switch and a foreach is made without YAML, in at most 40 actions", async () => {
  let actions = 0;
  const click = (at: Locator): Promise<void> => (actions++, at.click());
  const type = async (at: Locator, text: string): Promise<void> => {
    actions++;
    await at.fill(text);
    await at.press("Tab");
  };
  const choose = (at: Locator, option: string): Promise<unknown> => (actions++, at.selectOption(option));
  const add = async (after: string, kind: string, name: string): Promise<void> => {
    await click(node(after).locator(".svelte-flow__handle.source").last());
    await click(page.getByRole("dialog", { name: "Add a node" }).getByRole("button", { name: new RegExp(`^${kind}`) }));
    const field = page.getByRole("textbox", { name: "Name of the node" });
    await expect(field).toHaveValue(kind);
    await type(field, name);
    await expect(node(name)).toBeVisible();
  };
  await go("#/home");
  await click(page.getByRole("link", { name: "New graph" }));
  await click(page.getByRole("button", { name: "Start a graph" }));
  await expect(node("exit")).toBeVisible();
  await click(page.getByRole("tab", { name: "Node" }));
  await type(page.getByRole("textbox", { name: "Name", exact: true }).first(), "bill");
  await type(page.getByRole("textbox", { name: "What it does" }), "Adds the tax to prices");
  const inputs = page.getByRole("group", { name: "Inputs" });
  await click(inputs.getByRole("button", { name: "Add a field" }));
  await type(inputs.getByRole("textbox", { name: "Name", exact: true }), "prices");
  await choose(inputs.getByRole("combobox", { name: "Type of prices" }), "numbers");
  await add("entry", "switch", "any");
  await add("any", "transform", "taxed");
  await type(page.getByRole("textbox", { name: /^transform/ }), "$item * 1.5");
  await choose(page.getByLabel("Add a field"), "foreach");
  await type(page.getByRole("group", { name: "foreach" }).getByRole("textbox", { name: /^items/ }), "$.entry.prices");
  await add("taxed", "transform", "total");
  await type(page.getByRole("textbox", { name: /^transform/ }), "$sum($.taxed)");
  await click(node("any"));
  const condition = page.getByRole("group", { name: "Condition 1" });
  await type(condition.getByRole("textbox", { name: "What is compared" }), "$.entry.prices");
  await choose(condition.getByRole("combobox", { name: "How" }), "!!");
  await choose(page.getByRole("combobox", { name: /^next/ }), "exit");
  await expect(page.getByText("valid", { exact: true })).toBeVisible();
  await click(page.getByRole("button", { name: "Save" }));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("bill");
  await accessible(page);
  const ran = JSON.parse(program.command("run", "bill", "prices=[10, 20]", "-o", "json")) as { result: unknown };
  expect(ran.result).toBe(45);
  expect(actions).toBeLessThanOrEqual(40);
});

test("a run fails, is fixed from what the node can read, resumed, and saved as a test", async () => {
  await go("#/editor");
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  const side = page.getByRole("complementary", { name: "Side pane" });
  await side.getByRole("button", { name: "Run", exact: true }).click();
  await expect(node("sum").locator("article")).toHaveClass(/failed/);
  await node("sum").click();
  await page.getByRole("button", { name: "Input", exact: true }).click();
  const input = page.getByRole("region", { name: "What it can read" });
  await input.getByRole("button", { name: /^list/ }).click();
  await input.getByRole("button", { name: /^prices/ }).dragTo(page.getByRole("textbox", { name: /^transform/ }));
  await expect(page.getByText("valid", { exact: true })).toBeVisible();
  await page.getByRole("tab", { name: "Run" }).click();
  await page.getByRole("button", { name: "Resume with the changed graph" }).click();
  await expect(node("sum").locator("article")).toHaveClass(/done/);
  await page.getByRole("link", { name: "All of its steps" }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as test" }).click()]);
  const test = readFileSync(await download.path(), "utf8");
  expect(test).toMatch(/path: \[entry#0, list#0, sum#0, exit#0\]\n  result: {sum: \[1, 2\]}/);
});

test("a server is added: what it starts is shown first", async () => {
  const server = JSON.parse(/\{.*\}\}/.exec(readFileSync(join(program.dir, "patchbay.yaml"), "utf8"))![0].replace("mcpServers: ", "")) as { filesystem: { command: string; args: string[] } };
  const { command, args } = server.filesystem;
  await go("#/servers");
  await page.getByRole("link", { name: "Add a server" }).click();
  await page.getByLabel("Command, URL or JSON").fill([command, ...args].map((w) => `"${w}"`).join(" "));
  await page.getByLabel("Name").fill("second");
  for (const size of sizes) {
    await page.setViewportSize(size);
    await page.getByRole("button", { name: "Show what it starts" }).click();
    const starts = page.getByRole("region", { name: "What it starts" });
    await expect(starts).toContainText(`mcpServers.second.command: "${command}"`);
    await accessible(page);
    await fits(page);
    await page.getByRole("button", { name: "Not yet" }).click();
  }
  await page.setViewportSize(sizes[0]!);
  const before = readFileSync(join(program.dir, "patchbay.yaml"), "utf8");
  await page.getByRole("button", { name: "Show what it starts" }).click();
  expect(readFileSync(join(program.dir, "patchbay.yaml"), "utf8")).toBe(before);
  await page.getByRole("button", { name: "Trust and add it" }).click();
  await expect(page.getByRole("heading", { name: "second" })).toBeVisible();
  await expect(page.getByRole("link", { name: "read_text_file" })).toBeVisible();
  await page.getByText("What it has written to stderr").click();
  await expect(page.locator("details pre")).toContainText("started");
  await accessible(page);
});
