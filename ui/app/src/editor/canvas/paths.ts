// The drawn ways of edges.
import type { Direction, Point } from "../model/layout";

/** A smooth line through points, which leaves and enters nodes in the direction of the graph. */
export function throughPoints(points: Point[], direction: Direction): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let path = `M${at(first)}`;
  let from = first;
  for (const to of rest) {
    path += " C" + (direction === "LR" ? across(from, to) : down(from, to));
    from = to;
  }
  return path;
}

function across(a: Point, b: Point): string {
  const half = (b.x - a.x) / 2;
  return `${at({ x: a.x + half, y: a.y })} ${at({ x: b.x - half, y: b.y })} ${at(b)}`;
}

function down(a: Point, b: Point): string {
  const half = (b.y - a.y) / 2;
  return `${at({ x: a.x, y: a.y + half })} ${at({ x: b.x, y: b.y - half })} ${at(b)}`;
}

function at(p: Point): string {
  return `${p.x.toFixed(1)},${p.y.toFixed(1)}`;
}
