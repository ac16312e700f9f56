// How fast the page is at sixty nodes. The measurements need a machine that does nothing
// else, so they are made with PATCHBAY_UI_SPEED=1 only.
import { expect, test, type Page } from "@playwright/test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { Program } from "./program";
import { busy, sixty, stations } from "./sixty";
import { firstView, keyToBadge, longest, median, record, processorTime } from "./speed";

const nodes = 60;
const loads = 9;
const keys = 20;

let program: Program;
test.beforeEach(() => {
  program = new Program({ "stations.yaml": sixty });
});
test.afterEach(() => program.close());

const ms = (list: number[]): string => `minimum ${Math.round(Math.min(...list))} ms, median ${Math.round(median(list))} ms, maximum ${Math.round(Math.max(...list))} ms`;

test("before its first view, the page asks for what that needs", async ({ page }) => {
  await record(page);
  await page.goto(await program.open("stations.yaml"));
  const { begun } = await firstView(page, nodes);
  const text = page.getByRole("textbox", { name: "Text of the graph" });
  await expect(text).toBeVisible();
  const asked = await page.evaluate(() => performance.getEntriesByType("resource").map((e) => ({ name: new URL(e.name).pathname.replace(/-[\w-]{8}\./, "."), at: e.startTime })));
  const before = asked.filter((r) => r.at < begun).map((r) => r.name);
  for (const path of before.filter((name) => name.startsWith("/ui/api/"))) expect(["/ui/api/session", "/ui/api/file", "/ui/api/op/validate_graph"]).toContain(path);
  for (const later of ["/ui/assets/editor.js", "/ui/assets/complete.js"]) {
    expect(before).not.toContain(later);
    expect(asked.map((r) => r.name)).toContain(later);
  }
});

test.describe("on a machine that does nothing else", () => {
  test.skip(process.env.PATCHBAY_UI_SPEED !== "1", "set PATCHBAY_UI_SPEED=1 to measure");

  test("the first view of 60 nodes", async ({ browser }) => {
    const afterLoad: number[] = [];
    const inAll: number[] = [];
    const busy: number[] = [];
    for (let i = 0; i < loads; i++) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const page = await context.newPage();
      await record(page);
      const link = await program.open("stations.yaml");
      const taken = await processorTime(page);
      await page.goto(link);
      const { loaded, shown } = await firstView(page, nodes);
      afterLoad.push(Math.max(0, shown - loaded));
      inAll.push(shown);
      busy.push(await taken());
      await context.close();
    }
    console.log(`first view after the load event: ${ms(afterLoad)}`);
    console.log(`first view after the page was asked for: ${ms(inAll)}`);
    console.log(`main thread until half a second later: ${ms(busy)} of processor time`);
    expect(median(afterLoad)).toBeLessThan(300);
  });

  test("the diagnostics after a key", async ({ page }) => {
    await record(page);
    await page.goto(await program.open("stations.yaml"));
    await firstView(page, nodes);
    await expect(page.getByText("valid", { exact: true })).toBeVisible();
    const text = page.getByRole("textbox", { name: "Text of the graph" });
    await text.click();
    await text.press("ControlOrMeta+End");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("End");
    for (let i = 0; i < "$.merge}}".length; i++) await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const took: number[] = [];
    const taken = await processorTime(page);
    const before = await taken();
    for (let i = 0; i < keys; i++) {
      took.push(await keyToBadge(page, "x", /error.*1 marks/));
      took.push(await keyToBadge(page, "Backspace", /^valid.*0 marks/));
    }
    console.log(`diagnostics after a key: ${ms(took)}; main thread ${Math.round(((await taken()) - before) / took.length)} ms of processor time a key`);
    expect(median(took)).toBeLessThan(100);
  });

  test("1,000 events a second", async ({ page }) => {
    writeFileSync(join(program.dir, "busy.yaml"), busy);
    const data = join(program.dir, "data");
    for (const s of stations) writeFileSync(join(data, `${s}.txt`), "a\nbb\nccc");
    await record(page);
    await page.goto(await program.open("busy.yaml"));
    await firstView(page, nodes);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByLabel("folder").fill(data);
    const pause = page.locator('.svelte-flow__node[data-id="pause_osaka"]');
    await page.getByLabel("folder").press("Enter");
    await expect(pause).toContainText("running");
    const taken = await processorTime(page);
    const began = await page.evaluate(() => performance.now());
    const clicks: number[] = [];
    for (const tab of ["Text", "Problems", "Node", "Run", "Text", "Run"]) {
      await page.waitForTimeout(300);
      clicks.push(await click(page, tab));
    }
    await expect(page.getByRole("region", { name: "The run" })).toContainText(/succeeded/i);
    const took = (await page.evaluate(() => performance.now())) - began;
    const { gap, task, frames } = await longest(page, began);
    const steps = await page.evaluate(async () => {
      const run_id = document.querySelector<HTMLAnchorElement>("a.all")!.href.split("/").at(-1);
      const reply = await fetch("api/op/get_run", { method: "POST", headers: { "X-Patchbay-UI": localStorage.getItem("patchbay-ui-key")!, "Content-Type": "application/json" }, body: JSON.stringify({ run_id, from: 0 }) });
      return ((await reply.json()) as { result: { step_count: number } }).result.step_count;
    });
    const rate = (2 * steps) / (took / 1000);
    console.log(`${Math.round(rate)} events a second for ${(took / 1000).toFixed(1)} s: longest gap between frames ${Math.round(gap)} ms of ${frames} frames, longest task ${Math.round(task)} ms, clicks ${ms(clicks)}; main thread ${Math.round((await taken()) / (took / 1000))} ms of processor time a second`);
    expect(rate).toBeGreaterThan(1000);
    expect(gap).toBeLessThan(100);
    expect(Math.max(...clicks)).toBeLessThan(200);
  });
});

/** Clicks a tab of the side pane, and returns how long it took until a frame showed it. */
async function click(page: Page, name: string): Promise<number> {
  const tab = page.getByRole("tablist", { name: "Side pane" }).getByRole("tab", { name });
  await tab.evaluate((e) => {
    const w = window as unknown as { clicked: number };
    w.clicked = 0;
    addEventListener(
      "click",
      (c) => {
        const at = c.timeStamp;
        const look = (): void => {
          if (e.getAttribute("aria-selected") === "true") {
            const rendered = new MessageChannel();
            rendered.port1.onmessage = () => (w.clicked = performance.now() - at);
            rendered.port2.postMessage(0);
          } else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      },
      { once: true, capture: true },
    );
  });
  await tab.click();
  const took = await page.waitForFunction(() => (window as unknown as { clicked: number }).clicked || undefined);
  return (await took.jsonValue()) as number;
}
