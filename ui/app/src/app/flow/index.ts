// What the nodes and edges of the canvas take from @xyflow/svelte, for a drawing that is
// only looked at. The page for clients of MCP is built with it in place of the library,
// which would be a third of the page.
export { default as EdgeLabel } from "./EdgeLabel.svelte";
export { default as Handle } from "./Handle.svelte";
export { default as Panel } from "./Panel.svelte";
export { viewOf as useSvelteFlow } from "./view.svelte";

export const Position = { Left: "left", Top: "top", Right: "right", Bottom: "bottom" } as const;

type Side = (typeof Position)[keyof typeof Position];
interface Ends {
  sourceX: number;
  sourceY: number;
  sourcePosition?: Side;
  targetX: number;
  targetY: number;
}

/** A curve from a source to a target, and the middle of it. */
export function getBezierPath({ sourceX: ax, sourceY: ay, sourcePosition, targetX: bx, targetY: by }: Ends): [path: string, x: number, y: number] {
  const across = sourcePosition === Position.Left || sourcePosition === Position.Right;
  const x = (ax + bx) / 2;
  const y = (ay + by) / 2;
  const bends = across ? `${x},${ay} ${x},${by}` : `${ax},${y} ${bx},${y}`;
  return [`M${ax},${ay} C${bends} ${bx},${by}`, x, y];
}
