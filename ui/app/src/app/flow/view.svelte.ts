// Which part of a drawing is in sight, and how large.
import { getContext, setContext } from "svelte";

import type { Size } from "../../editor/model/layout";

const step = 1.25;
const least = 0.08;
const most = 2;

/** What is drawn: the corner of all of it, and its size. */
export type Bounds = { x: number; y: number } & Size;

export class View {
  x = $state(0);
  y = $state(0);
  scale = $state(1);
  /** Labels are put here. */
  labels: HTMLElement | undefined;

  constructor(
    private readonly room: () => Size,
    private readonly bounds: () => Bounds,
  ) {}

  /** Shows the whole drawing, at most at its own size. */
  fitView = (): void => {
    const room = this.room();
    const b = this.bounds();
    const padding = 28;
    this.scale = Math.max(least, Math.min(1, (room.width - padding) / b.width, (room.height - padding) / b.height));
    this.x = room.width / 2 - (b.x + b.width / 2) * this.scale;
    this.y = room.height / 2 - (b.y + b.height / 2) * this.scale;
  };

  zoomIn = (): void => this.zoom(step);
  zoomOut = (): void => this.zoom(1 / step);

  /** Shows a part at a scale. */
  show({ x, y, zoom }: { x: number; y: number; zoom: number }): void {
    [this.x, this.y, this.scale] = [x, y, zoom];
  }

  /** Whether a box of the drawing is in sight, or nearly. */
  sees(b: Bounds): boolean {
    const near = 120 / this.scale;
    const room = this.room();
    const [left, top] = [-this.x / this.scale - near, -this.y / this.scale - near];
    return b.x < left + room.width / this.scale + 2 * near && b.x + b.width > left && b.y < top + room.height / this.scale + 2 * near && b.y + b.height > top;
  }

  /** Scales around a point, by default the middle. */
  zoom(by: number, at = { x: this.room().width / 2, y: this.room().height / 2 }): void {
    const scale = Math.max(least, Math.min(most, this.scale * by));
    this.x = at.x - ((at.x - this.x) * scale) / this.scale;
    this.y = at.y - ((at.y - this.y) * scale) / this.scale;
    this.scale = scale;
  }
}

const key = Symbol("view");
export const setView = (v: View): View => setContext(key, v);
export const viewOf = (): View => getContext<View>(key);
