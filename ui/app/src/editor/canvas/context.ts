// What the nodes of a canvas read beside their own data.
import { getContext, setContext } from "svelte";

import type { Diagnostic } from "../../api/types";
import type { NodeLive } from "../live.svelte";
import type { Direction } from "../model/layout";

export interface CanvasContext {
  live(id: string): NodeLive | undefined;
  diagnostics(id: string): Diagnostic[];
  /** Opens or closes a node that has nodes inside. */
  toggle(id: string): void;
  /** Adds a node in an edge, where edges can be changed. */
  insert?(edge: string): void;
  /** The nodes before which a run pauses, where runs can. */
  breakpoints?: { has(id: string): boolean; toggle(id: string): void };
  readonly direction: Direction;
}

const key = Symbol("canvas");

export const setCanvasContext = (c: CanvasContext): CanvasContext => setContext(key, c);
export const canvasContext = (): CanvasContext => getContext<CanvasContext>(key);
