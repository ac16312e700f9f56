import { expect, test, type Page } from "@playwright/test";

import { accessible, apart, complaints, fits, steady } from "./checks";
import { nested } from "./graphs";
import { Program } from "./program";

let program: Program;
test.afterEach(() => program.close());

const node = (page: Page, id: string) => page.locator(`.svelte-flow__node[data-id="${id}"]`);

async function open(page: Page, graph: string): Promise<void> {
  program = new Program({ "graph.yaml": graph });
  await page.goto(await program.open("graph.yaml"));
  await expect(node(page, "entry")).toBeVisible();
}

test("graphs inside of nodes and members of branches are shown and hidden", async ({ page }) => {
  const complained = complaints(page);
  await open(page, nested);
  await expect(page.getByText("members of fork")).toBeVisible();
  await apart(page);
  for (const id of ["entry", "exit"]) await expect(node(page, id)).toBeInViewport({ ratio: 1 });
  for (const turned of [false, true]) {
    if (turned) await page.getByRole("button", { name: /^Draw from/ }).click();
    await page.getByRole("button", { name: "Show the nodes inside of call" }).click();
    await expect(node(page, "call/twice")).toBeVisible();
    await page.getByRole("button", { name: "Show the nodes inside of again" }).click();
    await expect(node(page, "call/again/one")).toBeVisible();
    await apart(page);
    if (!turned) await accessible(page);
    await page.getByRole("button", { name: "Hide the nodes inside of call" }).click();
    await expect(node(page, "call/twice")).toHaveCount(0);
    await page.getByRole("button", { name: "Hide the nodes inside of fork" }).click();
    await expect(node(page, "left")).toHaveCount(0);
    await expect(page.getByText("2 nodes inside")).toBeVisible();
    await apart(page);
    await page.getByRole("button", { name: "Show the nodes inside of fork" }).click();
    await expect(node(page, "left")).toBeVisible();
    await page.getByRole("button", { name: "Show the nodes inside of call" }).click();
    await page.getByRole("button", { name: "Hide the nodes inside of again" }).click();
    await page.getByRole("button", { name: "Hide the nodes inside of call" }).click();
  }
  await fits(page);
  expect(complained).toEqual([]);
});

test("nodes are opened and closed by keyboard, and the nodes of a called graph are not changed", async ({ page }) => {
  await open(page, nested);
  await node(page, "call").focus();
  await page.keyboard.press("+");
  await expect(node(page, "call/twice")).toBeVisible();
  await expect(page.getByRole("button", { name: "Hide the nodes inside of call" })).toBeFocused();
  await node(page, "call/twice").focus();
  await page.keyboard.press("Delete");
  await expect(node(page, "call/twice")).toBeVisible();
  await node(page, "call").focus();
  await page.keyboard.press("-");
  await expect(node(page, "call/twice")).toHaveCount(0);
  await node(page, "fork").focus();
  await page.keyboard.press("-");
  await expect(node(page, "left")).toHaveCount(0);
  await page.keyboard.press("Enter");
  await expect(node(page, "left")).toBeVisible();
});

test("whole numbers beyond 2^53 keep their digits", async ({ page }) => {
  const id = "12345678901234567890";
  await open(
    page,
    `name: ids
description: Returns an id
inputSchema: {type: object, properties: {id: {type: integer}, more: {type: object}}, required: [id]}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: exit}
  - {id: exit, type: exit, result: {id: {expr: $.entry.id}, more: {expr: $.entry.more}, own: 98765432109876543210}}
`,
  );
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByLabel("id*").fill(id);
  await page.getByLabel("more, as JSON").fill(`{"list": [${id}]}`);
  await page.getByLabel("id*").press("Enter");
  const result = page.getByRole("region", { name: "Result" });
  await result.getByRole("button", { name: "Text" }).click();
  await expect(result).toContainText(`"id": ${id}`);
  await expect(result).toContainText(new RegExp(`"list": \\[\\s*${id}`));
  await expect(result).toContainText('"own": 98765432109876543210');
  await page.getByRole("link", { name: "All of its steps" }).click();
  await expect(page.getByRole("region", { name: "Arguments" })).toContainText(id);
  await page.getByLabel("An expression on the context at the end").fill("$.entry.id");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: "Value" })).toContainText(id);
});

test("edges end at their nodes after the drawing was turned and turned back", async ({ page }) => {
  await open(page, nested);
  const ways = () => page.evaluate(() => [...document.querySelectorAll(".svelte-flow__edges .way")].map((e) => `${e.id}: ${e.getAttribute("d")}`));
  const turn = page.getByRole("button", { name: /^Draw from/ });
  await expect.poll(async () => (await ways()).length).toBeGreaterThan(5);
  const before = await steady(page, ways);
  const name = await turn.getAttribute("aria-label");
  await turn.click();
  await expect(turn).not.toHaveAttribute("aria-label", name!);
  await expect(turn).toBeFocused();
  await apart(page);
  await turn.click();
  await expect(turn).toHaveAttribute("aria-label", name!);
  await apart(page);
  await expect.poll(ways).toEqual(before);
});
