import { expect, test } from "@playwright/test";

import { accessible, complaints, fits, sizes } from "./checks";
import { asks, readNotes } from "./graphs";
import { Program, serversReady } from "./program";

let program: Program;
test.afterEach(() => program.close());

test("the first view has the saved graphs and answers what waits", async ({ page }) => {
  const complained = complaints(page);
  program = new Program({ "graph.yaml": readNotes, "asks.yaml": asks });
  program.command("graphs", "save", "graph.yaml");
  program.command("graphs", "save", "asks.yaml");
  await page.goto(await program.open("graph.yaml"));
  await serversReady(page);
  program.command("run", "approve", "amount=5");
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: /^Home ?1$/ }).click();
  const card = page.getByRole("article", { name: "count_lines", exact: true });
  await expect(page.getByRole("link", { name: "1 run waits for you" })).toBeVisible();
  await expect(card.locator("rect")).toHaveCount(4);
  for (const size of sizes) {
    await page.setViewportSize(size);
    await fits(page);
    await accessible(page);
  }
  await page.setViewportSize(sizes[0]!);

  const waits = page.getByRole("region", { name: "What waits for you" });
  await waits.getByLabel("Reason*").fill("lunch");
  await waits.getByRole("button", { name: "Accept" }).click();
  await expect(waits).toHaveCount(0);
  await expect(page.getByRole("link", { name: "Home", exact: true })).toBeVisible();
  await expect(page.getByRole("article", { name: "approve" }).getByRole("link", { name: "a run, succeeded" })).toBeVisible();

  await card.getByRole("button", { name: "Duplicate" }).click();
  const copy = page.getByRole("article", { name: "count_lines_copy" });
  await copy.getByRole("button", { name: "Delete" }).click();
  await copy.getByRole("button", { name: "Keep it" }).click();
  await copy.getByRole("button", { name: "Delete" }).click();
  await copy.getByRole("button", { name: "Delete it" }).click();
  await expect(copy).toHaveCount(0);

  await card.getByRole("button", { name: "Rename" }).click();
  await page.getByLabel("New name of count_lines").fill("lines_of_file");
  await accessible(page);
  await page.keyboard.press("Enter");
  const renamed = page.getByRole("article", { name: "lines_of_file" });
  await expect(renamed).toBeVisible();
  await expect(card).toHaveCount(0);

  program.write("graph.yaml", readNotes.replace("Counts the lines of a file\ninput", "Counts lines\ninput").replace("name: count_lines", "name: lines_of_file"));
  program.command("graphs", "save", "graph.yaml", "--overwrite");
  await expect(renamed).toContainText("Counts lines");
  await renamed.getByRole("button", { name: "History" }).click();
  await renamed.getByRole("button", { name: "Changes since" }).click();
  await expect(renamed.getByRole("list", { name: "History of lines_of_file" })).toContainText("-description: Counts the lines of a file");
  await accessible(page);
  await renamed.getByRole("button", { name: "Restore this text" }).click();
  await expect(renamed).toContainText("Counts the lines of a file");

  program.command("run", "lines_of_file", `path=${program.dir}/data/notes.txt`);
  await page.reload();
  await expect(renamed).toContainText("tokens saved in 1 run");

  await page.getByRole("article", { name: "approve" }).getByRole("link", { name: "a run, succeeded" }).click();
  await expect(page.getByRole("link", { name: "Edit graph" })).toBeVisible();
  const before = page.url();
  await page.getByRole("button", { name: "Run again" }).click();
  await expect.poll(() => page.url()).not.toBe(before);
  await expect(page.getByRole("form", { name: "Question" })).toBeVisible();
  expect(complained).toEqual([]);
});
