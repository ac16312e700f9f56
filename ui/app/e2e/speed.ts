// Measures what a person waits for in the page, inside of it: what a frame shows counts from
// the moment after the frame was rendered.
import type { Page } from "@playwright/test";

/** When something was first as it stayed, in milliseconds since the page was asked for. */
export interface Shown {
  /** The page's load event. */
  loaded: number;
  shown: number;
  /** When the frame began that showed it. */
  begun: number;
}

interface Recorder {
  /** Frames as they are rendered: the time, what the drawing looks like, and when they began. */
  looks: [number, string, number][];
  keys: number[];
  badges: [number, string, number][];
  frames: number[];
  tasks: { startTime: number; duration: number }[];
}

declare global {
  interface Window {
    recorded: Recorder;
  }
}

/** Records every frame of the pages that are opened from now on. */
export async function record(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const r: Recorder = { looks: [], keys: [], badges: [], frames: [], tasks: [] };
    window.recorded = r;
    addEventListener("keydown", (e) => r.keys.push(e.timeStamp), { capture: true });
    new PerformanceObserver((list) => r.tasks.push(...list.getEntries())).observe({ type: "longtask", buffered: true });
    const look = (): string => {
      const nodes = [...document.querySelectorAll<HTMLElement>(".svelte-flow__node")].filter((n) => n.style.visibility !== "hidden");
      return `${nodes.length} ${document.querySelector<HTMLElement>(".svelte-flow__viewport")?.style.transform} ${nodes.map((n) => n.style.transform).join()}`;
    };
    const marks = (): number => document.querySelector("aside .host")?.shadowRoot?.querySelectorAll(".cm-lintRange-error").length ?? 0;
    const put = (list: [number, string, number][], value: string, begun: number): void => {
      if (list.at(-1)?.[1] !== value) list.push([performance.now(), value, begun]);
    };
    const rendered = new MessageChannel();
    rendered.port1.onmessage = ({ data }: MessageEvent<number>) => {
      r.frames.push(performance.now());
      put(r.looks, look(), data);
      put(r.badges, `${document.querySelector("header .title .badge")?.textContent.trim()}, ${marks()} marks`, data);
    };
    const frame = (): void => {
      rendered.port2.postMessage(performance.now());
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

const still = 500; // ms in which a drawing that is complete does not change

/** When the drawing had as many nodes, each at its final place. */
export async function firstView(page: Page, nodes: number): Promise<Shown> {
  const shown = await page.waitForFunction(
    ([n, wait]) => {
      const [at, look, began] = window.recorded.looks.at(-1) ?? [0, "", 0];
      return Number(look.split(" ")[0]) >= n && performance.now() - at > wait ? [at, began] : undefined;
    },
    [nodes, still] as const,
  );
  const loaded = await page.evaluate(() => (performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming).loadEventStart);
  const [at, begun] = (await shown.jsonValue()) as [number, number];
  return { loaded, shown: at, begun };
}

/** Presses a key, and returns how long it took until the badge said so. */
export async function keyToBadge(page: Page, key: string, says: RegExp): Promise<number> {
  const before = await page.evaluate(() => window.recorded.keys.length);
  await page.keyboard.press(key);
  const took = await page.waitForFunction(
    ([n, source]) => {
      const pressed = window.recorded.keys[n];
      const [at, badge] = window.recorded.badges.at(-1) ?? [0, ""];
      return pressed !== undefined && at > pressed && new RegExp(source).test(badge) ? at - pressed : undefined;
    },
    [before, says.source] as const,
  );
  return (await took.jsonValue()) as number;
}

/** The longest gap between frames and the longest task from one moment to now. */
export async function longest(page: Page, since: number): Promise<{ gap: number; task: number; frames: number }> {
  return page.evaluate((from) => {
    const frames = window.recorded.frames.filter((t) => t >= from);
    const gaps = frames.slice(1).map((t, i) => t - frames[i]!);
    const tasks = window.recorded.tasks.filter((t) => t.startTime >= from);
    return { gap: Math.max(0, ...gaps), task: Math.max(0, ...tasks.map((t) => t.duration)), frames: frames.length };
  }, since);
}

/** Returns how to ask for the milliseconds of processor time that the page's main thread has taken since. */
export async function processorTime(page: Page): Promise<() => Promise<number>> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    return 1000 * (metrics.find((m) => m.name === "TaskDuration")?.value ?? 0);
  };
}

export function median(list: number[]): number {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
