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

const radius = 9;

/** A line of straight parts with round corners. */
export function roundedLine(points: Point[]): string {
  const first = points[0];
  if (!first) return "";
  let path = `M${at(first)}`;
  for (let i = 1; i < points.length; i++) {
    const p = points[i]!;
    const next = points[i + 1];
    if (!next) {
      path += ` L${at(p)}`;
      continue;
    }
    const before = towards(p, points[i - 1]!);
    path += ` L${at(before)} Q${at(p)} ${at(towards(p, next))}`;
  }
  return path;
}

/** The point at the radius from a corner towards another point, at most half way. */
function towards(corner: Point, to: Point): Point {
  const length = Math.hypot(to.x - corner.x, to.y - corner.y);
  const share = length === 0 ? 0 : Math.min(radius / length, 0.5);
  return { x: corner.x + (to.x - corner.x) * share, y: corner.y + (to.y - corner.y) * share };
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
