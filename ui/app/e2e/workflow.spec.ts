import { expect, test } from "@playwright/test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { accessible, apart, complaints, fits } from "./checks";
import { workflow, workflowTests } from "./graphs";
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

test("what is wrong in a script is said where it is edited", async ({ page }) => {
  program = new Program({ "workflows/block.yaml": workflow.replace("return {", "retrun {") });
  await page.goto(await program.open("workflows/block.yaml"));
  await page.locator('.svelte-flow__node[data-id="check"]').click();
  await expect(page.getByRole("region", { name: "Node check" }).locator(".note.bad")).toBeVisible();
});
