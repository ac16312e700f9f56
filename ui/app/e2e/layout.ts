// What is drawn over something else, and which texts are cut.
import type { Page } from "@playwright/test";

/** Pairs of nodes, labels and controls of a drawing that overlap. */
export async function overlaps(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const frame of page.frames()) found.push(...(await frame.evaluate(pairs)));
  return found;
}

/** Texts of which a part cannot be seen, not even by scrolling, and that have no title. */
export async function cut(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const frame of page.frames()) found.push(...(await frame.evaluate(cutTexts)));
  return found;
}

/** Buttons, links and badges whose text is wider than they are. */
export async function spilled(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const frame of page.frames()) found.push(...(await frame.evaluate(spilledTexts)));
  return found;
}

function spilledTexts(): string[] {
  const range = document.createRange();
  return [...document.querySelectorAll<HTMLElement>("button, a, .badge, [role=tab], h1, h2, h3, label, summary")].flatMap((e) => {
    if (!e.checkVisibility({ visibilityProperty: true }) || e.closest(".svelte-flow__node, .skip, .visually-hidden") || e.textContent.trim() === "" || e.querySelector(":scope > .visually-hidden:only-child")) return [];
    range.selectNodeContents(e);
    const text = range.getBoundingClientRect();
    const box = e.getBoundingClientRect();
    const wide = text.right > box.right + 1.5 || text.left < box.left - 1.5;
    const high = text.bottom > box.bottom + 1.5 || text.top < box.top - 1.5;
    return (wide || high) && getComputedStyle(e).display !== "inline" ? [`${e.className || e.tagName}: ${e.textContent.trim().slice(0, 60)}`] : [];
  });
}

/** Makes the words of the page 40 % longer, as those of other languages are. What the graph, its
 * data and its author say stays. */
export async function lengthen(page: Page): Promise<void> {
  for (const frame of page.frames()) await frame.evaluate(longer);
}

function longer(): void {
  const theirs = "pre, code, .mono, .cm-editor, svg, script, style, textarea, .svelte-flow__node, .node[data-id], .svelte-flow__edge-label, .labels";
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walk.nextNode()) texts.push(walk.currentNode as Text);
  for (const t of texts) {
    if (!t.parentElement?.closest(theirs)) t.data = t.data.replace(/\p{L}{2,}/gu, (word) => word + word.slice(0, Math.ceil(word.length * 0.4)));
  }
}

function pairs(): string[] {
  interface Box {
    what: string;
    box: DOMRect;
    node: boolean;
  }
  const boxes: Box[] = [];
  const add = (selector: string, node: boolean): void => {
    for (const e of document.querySelectorAll<HTMLElement>(selector)) {
      const box = e.getBoundingClientRect();
      if (box.width > 0) boxes.push({ what: `${selector} ${e.dataset.id ?? e.textContent.trim()}`, box, node });
    }
  };
  add(".svelte-flow__node-step, .node[data-id]", true);
  add(".svelte-flow__edge-label, .labels > *", false);
  add(".svelte-flow__panel, .panel", false);
  const out: string[] = [];
  const inside = (a: Box, b: Box): boolean => a.node && b.node && (a.what.startsWith(b.what + "/") || b.what.startsWith(a.what + "/"));
  boxes.forEach((a, i) => {
    for (const b of boxes.slice(i + 1)) {
      const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (wide > 1 && high > 1 && !inside(a, b)) out.push(`${a.what} and ${b.what}: ${Math.round(wide)}×${Math.round(high)}`);
    }
  });
  return out;
}

function cutTexts(): string[] {
  const out: string[] = [];
  const range = document.createRange();
  for (const e of document.querySelectorAll<HTMLElement>("body *")) {
    const text = [...e.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE && n.textContent!.trim() !== "");
    if (text.length === 0 || e.closest(".visually-hidden, .cm-editor, .skip, script, style, option, svg") || !e.checkVisibility({ visibilityProperty: true })) continue;
    for (const n of text) {
      range.selectNodeContents(n);
      const box = range.getBoundingClientRect();
      for (let up: HTMLElement | null = e; up && up !== document.body; up = up.parentElement) {
        const style = getComputedStyle(up);
        if (style.position === "fixed" || up.classList.contains("svelte-flow")) break; // a drawing is moved
        const clip = up.getBoundingClientRect();
        const wide = box.right > clip.right + 1.5 || box.left < clip.left - 1.5;
        const high = box.bottom > clip.bottom + 1.5 || box.top < clip.top - 1.5;
        if (/auto|scroll/.test(style.overflowX + style.overflowY) && (up.scrollHeight > up.clientHeight || up.scrollWidth > up.clientWidth)) break;
        if (style.overflowX === "visible" || !(wide || high)) continue;
        const told = style.textOverflow === "ellipsis" && (up.closest("[title]") || up.querySelector("[title]"));
        if (!told) out.push(`${up.className || up.tagName}: ${n.textContent!.trim().slice(0, 60)}`);
        break;
      }
    }
  }
  return [...new Set(out)];
}
