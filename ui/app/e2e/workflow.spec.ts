import { expect, test } from "@playwright/test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { accessible, apart, complaints, fits } from "./checks";
import { counts, workflow, workflowTests } from "./graphs";
import { Program } from "./program";

let program: Program;
test.afterEach(() => program.close());

test("a workflow is drawn with its ports, its JavaScript edited in place, and tested", async ({ page }) => {
  const complained = complaints(page);
  program = new Program({ "workflows/block.yaml": workflow, "workflows/block.test.yaml": workflowTests });
  await page.goto(await program.open("workflows/block.yaml"));
  const node = (id: string) => page.locator(`.svelte-flow__node[data-id="${id}"]`);
  await expect(node("end")).toContainText("in: 1 edge");
  await expect(node("start")).toContainText("out: any edges");
  await apart(page);

  await page.getByRole("button", { name: "Test", exact: true }).click();
  await page.getByRole("button", { name: "Run the tests" }).click();
  await expect(page.getByText("1 passed, 1 failed")).toBeVisible();
  await accessible(page);

  await node("check").click();
  const script = page.getByRole("textbox", { name: "JavaScript of the hook" });
  await expect(script).toContainText("write");
  await script.press("ControlOrMeta+A");
  await script.press("Delete");
  await page.keyboard.insertText('async (context) => {\n  if (context.request.params.name === "delete") return { continue: false, error: { code: "NO", message: "no" } };\n}\n');
  await accessible(page);
  await script.press("ControlOrMeta+S");
  await page.getByRole("tab", { name: "Run" }).click();
  await page.getByRole("button", { name: "Run the tests" }).click();
  await expect(page.getByText("2 passed, 0 failed")).toBeVisible();

  await page.getByRole("button", { name: "Save" }).click();
  const text = (): string => readFileSync(join(program.dir, "workflows", "block.yaml"), "utf8");
  await expect.poll(text).toContain('=== "delete"');
  expect(text()).toContain("name: block # stays");
  expect(text()).toContain("script: |");
  await fits(page);
  expect(complained).toEqual([]);
});

test("a workflow of the server and a saved graph are opened from the list, by keyboard", async ({ page }) => {
  const complained = complaints(page);
  program = new Program({ "workflows/block.yaml": workflow, "workflows/block.test.yaml": workflowTests, "counts.yaml": counts });
  program.command("graphs", "save", "counts.yaml");
  await page.goto(await program.open("counts.yaml"));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("counts.yaml");
  const open = page.getByRole("button", { name: "Open", exact: true });
  await open.press("Enter");
  const list = page.getByRole("dialog", { name: "Open a graph" });
  await expect(list.getByRole("link", { name: /^counts Doubles/ })).toBeVisible();
  await accessible(page);
  await page.keyboard.press("Escape");
  await expect(open).toBeFocused();
  await open.press("Enter");
  await list.getByRole("link", { name: /^block/ }).press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("block");
  await expect(page.locator('.svelte-flow__node[data-id="check"]')).toBeVisible();
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await page.reload();
  await page.getByRole("button", { name: "Run the tests" }).click();
  await expect(page.getByText("1 passed, 1 failed")).toBeVisible();
  await page.getByRole("tab", { name: "Text" }).click();
  const text = page.getByRole("textbox", { name: "Text of the graph" });
  await text.click();
  await text.press("ControlOrMeta+Home");
  await page.keyboard.type("# mine\n");
  await expect(page.getByRole("status").filter({ hasText: join("workflows", "block.yaml") })).toBeVisible();
  await expect(page.getByRole("button", { name: "Save" })).toBeDisabled();
  await fits(page);
  await open.press("Enter");
  await list.getByRole("link", { name: /^counts Doubles/ }).press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("counts");
  await expect(page.locator('.svelte-flow__node[data-id="double"]')).toBeVisible();
  expect(complained).toEqual([]);
});

test("what is wrong in a script is said where it is edited", async ({ page }) => {
  program = new Program({ "workflows/block.yaml": workflow.replace("return {", "retrun {") });
  await page.goto(await program.open("workflows/block.yaml"));
  await page.locator('.svelte-flow__node[data-id="check"]').click();
  await expect(page.getByRole("region", { name: "Node check" }).locator(".note.bad")).toBeVisible();
});
