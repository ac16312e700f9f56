import { expect, test, type Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { accessible, complaints } from "./checks";
import { asks } from "./graphs";
import { Program, serversReady } from "./program";

const people = `name: people
description: Greets people
inputSchema: {type: object, properties: {n: {type: integer, default: 3}}}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: list}
  - {id: list, type: transform, transform: {expr: '{"people": [[1..$.entry.n].{"name": "person " & $string($), "age": $ * 10}]}'}, next: kind}
  - id: kind
    type: switch
    conditions:
      - rule: {">": [{var: $.entry.n}, 100]} # many
        next: exit
      - {rule: {and: [true, false]}, next: exit}
    next: each
  - {id: each, type: transform, transform: {expr: '"hello " & $item.name'}, foreach: {items: {expr: $.list.people}}, next: last}
  - {id: last, type: transform, transform: {expr: $count($.each)}, next: exit}
  - {id: exit, type: exit, result: {greetings: {expr: $.each}, people: {expr: $.list.people}}}
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

async function run(page: Page): Promise<void> {
  await page.getByRole("tab", { name: "Run" }).click();
  await page.getByRole("complementary", { name: "Side pane" }).getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("region", { name: "Result" })).toBeVisible();
}

const save = (page: Page) => page.getByRole("button", { name: "Save" }).click();

test("a value is shown as a tree, a table and text, and is searched", async ({ page, context }) => {
  const complained = complaints(page);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page, people);
  await run(page);
  await page.getByRole("link", { name: "All of its steps" }).click();
  await expect(node(page, "each")).toContainText("×3"); // the drawing of the run
  await node(page, "last").click();
  await expect(page.getByRole("heading", { name: "last" })).toBeVisible();
  await page.getByRole("searchbox", { name: "Find steps" }).fill("list");
  await page.getByRole("listbox", { name: /Steps/ }).getByRole("option").click();
  const output = page.getByRole("region", { name: "Output" });
  await output.getByRole("button", { name: /^people/ }).click();
  await output.getByRole("button", { name: /^1/ }).click();
  await expect(output).toContainText('"person 2"');
  await output.getByText('"person 2"').hover();
  await output.getByRole("button", { name: "Copy the path of name" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("$.list.people[1].name");
  await output.getByRole("searchbox").fill("PERSON 3");
  await expect(output.getByRole("listitem")).toHaveText(/\$\.list\.people\[2\]\.name.*"person 3"/);
  await accessible(page);

  await page.getByLabel("An expression on the context after this step").fill("$.list.people");
  await page.keyboard.press("Enter");
  const value = page.getByRole("region", { name: "Value" });
  await value.getByRole("button", { name: "Table" }).click();
  await expect(value.getByRole("row").nth(2)).toHaveText(/1\s*person 2\s*20/);
  await accessible(page);
  expect(complained).toEqual([]);
});

test("parts of a large value are read when they are opened", async ({ page }) => {
  await open(page, people);
  program.command("run", "graph.yaml", "n=5000");
  await page.goto(new URL("#/runs", page.url()).href);
  await page.getByRole("link", { name: "people" }).first().click();
  await page.getByRole("listbox", { name: /Steps/ }).getByRole("option").nth(1).click();
  const output = page.getByRole("region", { name: "Output" });
  await output.getByRole("button", { name: "…" }).click();
  await output.getByRole("button", { name: /^people/ }).click();
  await output.getByRole("button", { name: /^99: …/ }).click();
  await expect(output).toContainText('"person 100"');
});

test("a node shows what it got and gave, and a field is dragged from its input", async ({ page }) => {
  await open(page, people);
  await run(page);
  await node(page, "last").click();
  await page.getByRole("button", { name: "Output", exact: true }).click();
  await expect(page.getByRole("region", { name: "Output of last" })).toHaveText("3");
  await node(page, "each").click();
  await page.getByRole("button", { name: "Next item" }).click();
  await expect(page.getByRole("region", { name: "Output of each" })).toHaveText('"hello person 1"');
  await page.getByRole("button", { name: "Next item" }).click();
  await expect(page.getByRole("region", { name: "Output of each" })).toHaveText('"hello person 2"');

  await node(page, "last").click();
  await page.getByRole("button", { name: "Input", exact: true }).click();
  const input = page.getByRole("region", { name: "What it can read" });
  await input.getByRole("button", { name: /^each/ }).click();
  await expect(input).toContainText('"hello person 3"');
  await expect(input.getByRole("button", { name: /^last/ })).toHaveCount(0);
  await input.getByRole("button", { name: /^list/ }).click();
  await input.getByRole("button", { name: /^people/ }).dragTo(page.getByRole("textbox", { name: /^transform/ }));
  await save(page);
  await expect.poll(text).toContain("{id: last, type: transform, transform: {expr: $.list.people}, next: exit}");
});

test("a pinned output is used by the next run", async ({ page }) => {
  await open(page, people);
  await run(page);
  await node(page, "last").click();
  await page.getByRole("button", { name: "Output", exact: true }).click();
  await page.getByRole("button", { name: "Pin this output" }).click();
  await page.getByRole("tab", { name: "Run" }).click();
  await page.getByLabel("n", { exact: true }).fill("2");
  await page.getByRole("complementary", { name: "Side pane" }).getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("region", { name: "Result" })).not.toContainText("person 3");
  await node(page, "last").click();
  await page.getByRole("button", { name: "Output", exact: true }).click();
  await expect(page.getByRole("region", { name: "Output of last" })).toHaveText("3");
});

test("conditions are rows, and comments stay", async ({ page }) => {
  await open(page, people);
  await node(page, "kind").click();
  const first = page.getByRole("group", { name: "Condition 1" });
  await first.getByLabel("With what").fill("2");
  await first.getByLabel("With what").press("Enter");
  await first.getByLabel("How").selectOption(">=");
  await expect(page.getByRole("group", { name: "Condition 2" }).getByLabel("Rule as YAML")).toHaveValue(/and:/);
  await page.getByRole("button", { name: "Delete condition 2" }).click();
  await expect(page.getByRole("group", { name: "Condition 2" })).toHaveCount(0);
  await accessible(page);
  await save(page);
  await expect.poll(text).toContain(">=");
  expect(text()).toContain("# many");
  expect(text()).not.toContain("and:");
  program.command("run", "graph.yaml", "n=2");
});

test("a value becomes an expression and back without a loss", async ({ page }) => {
  await open(page, people.replace("result: {greetings", "result: 12, xx: {greetings").replace("  - {id: last, type: transform, transform: {expr: $count($.each)}", "  - {id: last, type: wait, ms: 5"));
  await node(page, "last").click();
  const field = page.locator(".field").filter({ hasText: /^ms/ });
  await field.getByRole("button", { name: "expression" }).click();
  await expect(field.getByRole("textbox")).toHaveValue("5");
});

test("after Delete and a click on nothing, Ctrl+Z brings the node back, and arrow keys go from node to node", async ({ page }) => {
  await open(page, people);
  await node(page, "last").click();
  await page.getByRole("button", { name: "Delete the node" }).click();
  await expect(node(page, "last")).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await expect(node(page, "last")).toBeVisible();
  await node(page, "entry").focus();
  for (const key of ["ArrowRight", "ArrowDown"]) {
    await page.keyboard.press(key);
    if (!(await node(page, "entry").evaluate((n) => n === document.activeElement))) break;
  }
  await expect(node(page, "list")).toBeFocused();
});

test("an edge ends where it is dropped on a node, and on nothing offers a node to add", async ({ page }) => {
  await open(page, people);
  await node(page, "last").hover({ position: { x: 40, y: 12 } }); // waits until it stays where it is
  const handle = (id: string) => node(page, id).locator(".svelte-flow__handle.source");
  await handle("kind").hover();
  await page.mouse.down();
  const box = (await node(page, "last").boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 6 });
  await page.mouse.up();
  await node(page, "kind").click();
  await expect(page.getByRole("group", { name: "Condition 3" }).getByLabel("Leads to")).toHaveValue("last");

  await handle("kind").hover();
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + 220, { steps: 6 });
  await page.mouse.up();
  await page.getByRole("dialog", { name: "Add a node" }).getByRole("button", { name: /^wait/ }).click();
  await expect(page.getByRole("textbox", { name: "Name of the node" })).toHaveValue("wait"); // what is added is selected
  await node(page, "kind").click();
  await expect(page.getByRole("group", { name: "Condition 4" }).getByLabel("Leads to")).toHaveValue("wait");
});

test("a graph of a thousand nodes opens where it begins, and draws what is in sight", async ({ page }) => {
  const chain = Array.from({ length: 1000 }, (_, i) => `  - {id: n${i}, type: transform, transform: {expr: "1"}, next: ${i === 999 ? "exit" : `n${i + 1}`}}`).join("\n");
  await open(page, `name: long\ndescription: Is long\ninputSchema: {type: object}\noutputSchema: {}\nnodes:\n  - {id: entry, type: entry, next: n0}\n${chain}\n  - {id: exit, type: exit}\n`);
  expect((await node(page, "entry").boundingBox())!.width).toBeGreaterThan(150);
  expect(await page.locator(".svelte-flow__node").count()).toBeLessThan(100);
});

test("a question is answered by mouse at 200 % zoom and on a phone", async ({ page }) => {
  await open(page, asks);
  for (const size of [{ width: 640, height: 400 }, { width: 390, height: 700 }]) {
    await page.setViewportSize(size);
    program.command("run", "graph.yaml", "amount=5");
    await page.goto(new URL("#/runs?status=interrupted", page.url()).href);
    await page.getByRole("link", { name: "approve" }).first().click();
    await page.getByLabel("Reason*").fill("lunch");
    await page.getByRole("button", { name: "Accept" }).click();
    await expect(page.getByRole("region", { name: "Result" })).toContainText("lunch");
  }
});
