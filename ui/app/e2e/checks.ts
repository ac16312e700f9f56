// What holds for every state of the page.
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { isDeepStrictEqual } from "node:util";

export const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

/** Waits until the page loads nothing, and nothing of it moves or fades. */
export async function settled(page: Page): Promise<void> {
  await expect.poll(async () => (await Promise.all(page.frames().map((f) => f.evaluate(unsettled)))).flat()).toEqual([]);
}

function unsettled(): string[] {
  const moving = document.getAnimations().filter((a) => a.playState === "running" && a.effect?.getComputedTiming().endTime !== Infinity);
  return [...[...document.querySelectorAll(".loading, .opening")].map((e) => e.textContent.trim() || e.className), ...moving.map((a) => `animation of ${(a.effect as KeyframeEffect | null)?.target?.className}`)];
}

/** What is read of the page when it is the same some frames later. */
export async function steady<T>(page: Page, read: () => Promise<T>): Promise<T> {
  let last = await read();
  const again = async (): Promise<boolean> => {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const before = last;
    last = await read();
    return isDeepStrictEqual(last, before);
  };
  await expect.poll(again).toBe(true);
  return last;
}

/** Nothing in the way of people who use a screen reader, the keyboard, or see little contrast. */
export async function accessible(page: Page): Promise<void> {
  await settled(page);
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).join(", ")}`)).toEqual([]);
}

/** The page itself does not scroll, and nothing is wider than what it is in. */
export async function fits(page: Page): Promise<void> {
  const wide = await page.evaluate(() => {
    const e = document.documentElement;
    const out = e.scrollWidth > innerWidth || e.scrollHeight > innerHeight ? [`page ${e.scrollWidth}×${e.scrollHeight}`] : [];
    for (const pane of document.querySelectorAll<HTMLElement>(".pane")) {
      if (pane.scrollWidth > pane.clientWidth + 1) out.push(`${pane.className} ${pane.scrollWidth} > ${pane.clientWidth}`);
    }
    return out;
  });
  expect(wide).toEqual([]);
}

/** Collects what the console and the policy of the page complain about. */
export function complaints(page: Page): string[] {
  const list: string[] = [];
  page.on("console", (m) => {
    if (m.type() === "error") list.push(`${m.text()} ${m.location().url}`);
  });
  page.on("response", (r) => {
    if (r.status() >= 400) list.push(`${r.status()} for ${r.request().postData() ?? ""}`);
  });
  page.on("pageerror", (e) => list.push(e.message));
  page.on("request", (r) => {
    if (!["127.0.0.1", "localhost", "host.test"].includes(new URL(r.url()).hostname) && !r.url().startsWith("data:") && !r.url().startsWith("blob:")) list.push(`request to ${r.url()}`);
  });
  return list;
}

/** The nodes of the canvas overlap only where one is inside of the other, once it is drawn. */
export async function apart(page: Page): Promise<void> {
  await expect.poll(() => overlaps(page)).toEqual([]);
}

function overlaps(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const nodes = [...document.querySelectorAll<HTMLElement>(".svelte-flow__node")].map((e) => ({ id: e.dataset.id!, frame: e.classList.contains("svelte-flow__node-frame"), box: e.getBoundingClientRect() }));
    const inside = (a: DOMRect, b: DOMRect): boolean => a.left >= b.left - 1 && a.top >= b.top - 1 && a.right <= b.right + 1 && a.bottom <= b.bottom + 1;
    return nodes.flatMap((a, i) =>
      nodes.slice(i + 1).flatMap((b) => {
        const meet = a.box.left < b.box.right - 1 && b.box.left < a.box.right - 1 && a.box.top < b.box.bottom - 1 && b.box.top < a.box.bottom - 1;
        const holds = (outer: typeof a, inner: typeof a): boolean => (outer.frame || inner.id.startsWith(outer.id + "/")) && inside(inner.box, outer.box);
        return meet && !holds(a, b) && !holds(b, a) ? [`${a.id} and ${b.id}`] : [];
      }),
    );
  });
}
