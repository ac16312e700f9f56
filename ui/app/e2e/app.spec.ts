import { expect, test } from "@playwright/test";
import { join } from "node:path";

import { accessible, complaints } from "./checks";
import { readNotes } from "./graphs";
import { TestHost } from "./host";
import { Program } from "./program";

let program: Program;
let host: TestHost;
test.beforeEach(async () => {
  program = new Program({ "graph.yaml": readNotes });
  host = new TestHost(program);
  await host.serve();
});
test.afterEach(async () => {
  await host.close();
  await program.close();
});

const waits = `name: slow
description: Waits for its file
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: rest}
  - {id: rest, type: wait, ms: 600000, next: read}
  - {id: read, type: mcp, server: filesystem, tool: read_text_file, args: {path: {expr: $.entry.path}}, next: exit}
  - {id: exit, type: exit}
`;

for (const theme of ["light", "dark"]) {
  test(`a checked graph is drawn in the client, and a fix applied through it, ${theme}`, async ({ page }) => {
    const complained = complaints(page);
    const app = await host.show(page, "validate_graph", { graph: readNotes.replace("read_text_file", "read_text_fil") }, { theme });
    await expect(app.locator('[data-id="count"]')).toBeVisible();
    await expect(app.getByText("1 error")).toBeVisible();
    await expect(app.locator("html")).toHaveAttribute("data-theme", theme);
    await accessible(page);
    await app.getByRole("button", { name: 'change to "read_text_file"' }).click();
    await expect(app.getByText("valid", { exact: true })).toBeVisible();
    await expect(app.locator('[data-id="read"]')).toContainText("filesystem/read_text_file");
    expect(host.calls).toEqual(["edit_graph", "get_graph"]);
    await expect.poll(() => page.evaluate(() => (window as unknown as { told: string[] }).told[0])).toMatch(/has applied the fix .* now draft:\w+, and valid/);
    await expect.poll(() => page.evaluate(() => (window as unknown as { sizes: { height: number }[] }).sizes.at(-1)?.height)).toBeGreaterThan(150);
    expect(complained).toEqual([]);
  });
}

test("a run is watched, stopped, and resumed", async ({ page }) => {
  const app = await host.show(page, "run_graph", { graph: waits, arguments: { path: "missing" }, background: true });
  await expect(app.locator('[data-id="rest"] article')).toHaveClass(/running/);
  await app.getByRole("button", { name: "Stop" }).click();
  await expect(app.locator("header").getByRole("status")).toHaveText("cancelled");
  await app.getByRole("button", { name: "Skip it" }).click();
  await expect(app.locator('[data-id="read"] article')).toHaveClass(/failed/);
  await app.getByRole("button", { name: "Give its output" }).click();
  await app.getByLabel("Output of the step, as JSON").fill('{"content": "given"}');
  await app.getByRole("button", { name: "Resume with this output" }).click();
  await expect(app.getByRole("region", { name: "Result" })).toContainText('"given"');
  await expect(app.locator('[data-id="exit"] article')).toHaveClass(/done/);
  await expect.poll(() => page.evaluate(() => (window as unknown as { told: string[] }).told.at(-1))).toContain("status is now succeeded");
  await page.evaluate(() => (window as unknown as { send: (m: object) => void }).send({ id: "end", method: "ui/resource-teardown", params: {} }));
  await expect.poll(() => page.evaluate(() => (window as unknown as { answers: { id: string }[] }).answers.map((a) => a.id))).toEqual(["end"]);
});

test("a run is followed on after the client could not reach the server", async ({ page }) => {
  const app = await host.show(page, "run_graph", { graph: waits, arguments: { path: "missing" }, background: true });
  await expect(app.locator('[data-id="rest"] article')).toHaveClass(/running/);
  host.lost = true;
  await expect(app.getByRole("alert")).toHaveText("the server is lost");
  await expect(app.locator('[data-id="rest"] article')).toHaveClass(/running/);
  host.lost = false;
  await expect(app.getByRole("alert")).toHaveCount(0);
  await app.getByRole("button", { name: "Stop" }).click();
  await expect(app.locator("header").getByRole("status")).toHaveText("cancelled");
});

test("a run of before is drawn with the graph that it executed", async ({ page }) => {
  const ran = (await host.call("run_graph", { graph: readNotes, arguments: { path: join(program.dir, "data", "notes.txt") } })) as { structuredContent: { run_id: string } };
  const app = await host.show(page, "get_run", { run_id: ran.structuredContent.run_id });
  await expect(app.locator('[data-id="count"] article')).toHaveClass(/done/);
  await expect(app.getByRole("region", { name: "Result" })).toContainText('"lines":2');
});

test("a client that calls no tools for pages shows what the result has", async ({ page }) => {
  const app = await host.show(page, "run_graph", { graph: readNotes, arguments: { path: "missing" } }, { plain: true });
  await expect(app.locator('[data-id="read"] article')).toHaveClass(/failed/);
  await expect(app.getByRole("alert")).toContainText("ENOENT");
  await expect(app.getByRole("button", { name: /again/ })).toHaveCount(0);
  expect(host.calls).toEqual([]);
});

test("a click on a node shows what it got and gave, and keys go through the steps", async ({ page }) => {
  const ran = (await host.call("run_graph", { graph: readNotes, arguments: { path: join(program.dir, "data", "notes.txt") } })) as { structuredContent: { run_id: string } };
  const app = await host.show(page, "get_run", { run_id: ran.structuredContent.run_id });
  await app.locator('[data-id="read"]').click();
  const values = app.getByRole("region", { name: "Values of a step" });
  await expect(values.getByRole("region", { name: "Output" })).toContainText("buy milk");
  await accessible(page);
  await values.getByRole("button", { name: "One step forward" }).press("Enter");
  await expect(values.getByRole("heading", { name: "count" })).toBeVisible();
  await expect(values.getByRole("region", { name: "Output" })).toContainText('"lines":2');
  await values.getByRole("button", { name: "Hide the values" }).click();
  await values.getByRole("button", { name: "Show what the nodes got and gave" }).click();
  await expect(values).toContainText("step 4 of 4");
});

test("a large graph begins where it can be read, and only what is in sight is in the page", async ({ page }) => {
  const nodes = Array.from({ length: 500 }, (_, i) => `  - {id: n${i}, type: transform, transform: {expr: "${i}"}, next: ${i < 499 ? `n${i + 1}` : "exit"}}`);
  const graph = `name: large\ndescription: Has 500 nodes\ninputSchema: {}\noutputSchema: {}\nnodes:\n  - {id: entry, type: entry, next: n0}\n${nodes.join("\n")}\n  - {id: exit, type: exit}\n`;
  const app = await host.show(page, "validate_graph", { graph });
  await expect(app.locator('[data-id="entry"]')).toBeVisible();
  expect((await app.locator('[data-id="entry"]').boundingBox())!.width).toBeGreaterThan(150);
  expect(await app.locator(".node").count()).toBeLessThan(30);
  await app.getByRole("button", { name: "Show the whole graph" }).click();
  await expect(app.locator('[data-id="exit"], [data-id="n250"]').first()).toBeAttached();
});
