// How fast a graph of a thousand nodes is shown and moved, with the page as it is and with
// another build of it (PATCHBAY_UI_OLD, a folder like ui/dist), in turn in one run.
import { expect, test, type Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";

import { Program } from "./program";
import { firstView, longest, median, processorTime, record } from "./speed";

const old = process.env.PATCHBAY_UI_OLD;
const times = Number(process.env.PATCHBAY_UI_TIMES ?? 3);
const nodes = 1000;
const graph = `name: thousand\ndescription: Has a thousand nodes\ninputSchema: {type: object, properties: {n: {type: number}}}\noutputSchema: {}\nnodes:\n  - {id: entry, type: entry, next: n0}\n${Array.from({ length: nodes - 2 }, (_, i) => {
  const next = i === nodes - 3 ? "exit" : `n${i + 1}`;
  return i % 10 === 5 && i < nodes - 12 ? `  - {id: n${i}, type: switch, conditions: [{rule: {">": [{var: $.entry.n}, ${i}]}, next: n${i + 4}}], next: ${next}}` : `  - {id: n${i}, type: transform, transform: {expr: "${i}"}, next: ${next}}`;
}).join("\n")}\n  - {id: exit, type: exit}\n`;

const types: Record<string, string> = { ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html" };

/** Serves a build in place of that of the program; its API stays. */
async function serve(page: Page, dist: string): Promise<void> {
  await page.route(/\/ui\/(assets\/.*|icon\.svg|)(\?.*)?$/, (route) => {
    const path = new URL(route.request().url()).pathname.replace("/ui/", "") || "index.html";
    return route.fulfill({ body: readFileSync(join(dist, path)), contentType: types[extname(path)] });
  });
}

/** The time between frames while the canvas is dragged, of which 95 % are shorter. */
async function pan(page: Page): Promise<number> {
  const pane = (await page.locator(".svelte-flow").boundingBox())!;
  const at = { x: pane.x + pane.width / 2, y: pane.y + pane.height * 0.8 };
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  const since = await page.evaluate(() => performance.now());
  for (let i = 1; i <= 60; i++) await page.mouse.move(at.x - 6 * i, at.y - 3 * i);
  await page.mouse.up();
  const gaps = await page.evaluate((from) => {
    const frames = window.recorded.frames.filter((t) => t >= from);
    return frames.slice(1).map((t, i) => t - frames[i]!);
  }, since);
  return gaps.sort((a, b) => a - b)[Math.floor(gaps.length * 0.95)] ?? 0;
}

test("a thousand nodes, beside another build", async ({ browser }) => {
  test.skip(!old, "set PATCHBAY_UI_OLD to measure");
  test.setTimeout(1_800_000);
  const program = new Program({ "thousand.yaml": graph });
  const took = { first: [[], []] as number[][], busy: [[], []] as number[][], task: [[], []] as number[][], pan: [[], []] as number[][] };
  try {
    for (let i = 0; i < times; i++) {
      for (const [b, dist] of [old!, resolve(import.meta.dirname, "../../dist")].entries()) {
        const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
        const page = await context.newPage();
        await record(page);
        await serve(page, dist);
        const link = await program.open("thousand.yaml");
        const taken = await processorTime(page);
        await page.goto(link);
        const { shown } = await firstView(page, b === 0 ? nodes : 3);
        took.first[b]!.push(shown);
        took.busy[b]!.push(await taken());
        took.task[b]!.push((await longest(page, 0)).task);
        took.pan[b]!.push(await pan(page));
        console.log(`${b === 0 ? "before" : "now"}: ${Object.entries(took).map(([what, of]) => `${what} ${Math.round(of[b]!.at(-1)!)} ms`).join(", ")}`);
        await context.close();
      }
    }
  } finally {
    await program.close();
  }
  for (const [what, [before, now]] of Object.entries(took)) {
    const [a, b] = [median(before!), median(now!)];
    console.log(`${what}: ${Math.round(a)} ms, now ${Math.round(b)} ms, 1/${(a / b).toFixed(1)} (${before!.map(Math.round).join(", ")}; ${now!.map(Math.round).join(", ")})`);
  }
  expect(median(took.first[1]!)).toBeLessThan(median(took.first[0]!));
});
