// Watching and debugging runs.
import { expect, test, type Page } from "@playwright/test";
import { join } from "node:path";

import { accessible, complaints, fits } from "./checks";
import { counts, loops, readNotes, waits } from "./graphs";
import { Program, serversReady } from "./program";

let program: Program;
let notes: string;

test.beforeEach(() => {
  program = new Program({ "graph.yaml": readNotes, "loops.yaml": loops, "waits.yaml": waits, "counts.yaml": counts });
  notes = join(program.dir, "data", "notes.txt");
});
test.afterEach(() => program.close());

async function signIn(page: Page, file: string): Promise<void> {
  await page.goto(await program.open(file));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(file);
  await serversReady(page);
}

const node = (page: Page, id: string) => page.locator(`.svelte-flow__node[data-id="${id}"]`);

test("a loop of 50 is watched: how often, and the result", async ({ page }) => {
  await signIn(page, "loops.yaml");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByLabel("path").fill(notes);
  await page.getByLabel("path").press("Enter");
  await expect(node(page, "each")).toContainText("×50");
  await expect(page.getByRole("region", { name: "Result" })).toContainText('"n":50');
});

test("time travel: an expression on the context after each step", async ({ page }) => {
  program.command("run", "graph.yaml", `path=${notes}`);
  await signIn(page, "graph.yaml");
  await page.getByRole("link", { name: "Runs" }).click();
  await page.getByRole("link", { name: "count_lines" }).click();
  const steps = page.getByRole("listbox", { name: /Steps/ });
  for (const [step, seen] of [["entry", "false"], ["count", "true"]] as const) {
    await steps.getByRole("option", { name: step }).click();
    await page.getByLabel("An expression on the context after this step").fill("$exists($.count.lines)");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("region", { name: "Value" })).toContainText(seen);
  }
});

test("a run is stopped", async ({ page }) => {
  await signIn(page, "waits.yaml");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Run", exact: true }).last().click();
  await expect(node(page, "pause").getByText("running")).toBeAttached();
  await page.getByRole("button", { name: "Stop" }).first().click();
  await expect(page.getByRole("region", { name: "The run" })).toContainText(/cancelled/i);
});

test("a run pauses at a breakpoint, is looked into, steps and continues", async ({ page }) => {
  const complained = complaints(page);
  await signIn(page, "counts.yaml");
  await node(page, "double").click();
  await page.getByRole("region", { name: "Node double" }).getByRole("button", { name: "Pause before the node" }).click();
  await expect(node(page, "double").getByRole("button", { name: "Pause before double" })).toHaveAttribute("aria-pressed", "true");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByLabel("amount").fill("4");
  await page.getByLabel("amount").press("Enter");

  const paused = page.getByRole("region", { name: "Paused before double" });
  await expect(paused.getByRole("region", { name: "Context" })).toContainText('"amount":4');
  await expect(node(page, "double").getByText("paused")).toBeAttached();
  await paused.getByLabel("An expression on it").fill("entry.amount + 1");
  await page.keyboard.press("Enter");
  await expect(paused.getByRole("region", { name: "Value" })).toContainText("5");
  await fits(page);
  await accessible(page);

  await paused.getByRole("button", { name: "Step" }).press("Enter");
  await expect(page.getByRole("region", { name: "Paused before more" })).toBeVisible();
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("region", { name: "Result" })).toContainText('"n":9');
  expect(complained).toEqual([]);
});

test("every node pauses with Step, and a breakpoint is set by key", async ({ page }) => {
  await signIn(page, "counts.yaml");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByLabel("amount").fill("4");
  await page.getByRole("button", { name: "Step", exact: true }).click();
  await expect(page.getByRole("region", { name: "Paused before entry" })).toBeVisible();
  await node(page, "more").focus();
  await page.keyboard.press("b");
  await expect(node(page, "more").getByRole("button", { name: "Pause before more" })).toHaveAttribute("aria-pressed", "true");
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("region", { name: "Paused before more" })).toBeVisible();
  await page.getByRole("button", { name: "Abort" }).click();
  await expect(page.getByRole("region", { name: "The run" })).toContainText(/cancelled/i);
});
