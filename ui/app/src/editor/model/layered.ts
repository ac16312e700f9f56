// Places the nodes of a large graph in ranks, in about linear time: the time that dagre takes
// grows with the square of their number.
import { ranks } from "./direction";
import { gap, margin, type Direction, type Point, type Route, type Size } from "./layout";

export interface Item extends Size {
  id: string;
}

export interface Way {
  id: string;
  from: string;
  to: string;
  label: Size;
  weight: number;
}

export interface Laid extends Size {
  nodes: Map<string, Point>; // top left corners
  edges: Map<string, Route>; // those that are missing have no room between the nodes
}

/** A node, or the place in a rank that an edge passes; along is the direction of the edges. */
interface Vertex {
  along: number;
  beside: number;
  rank: number;
  from: Link[]; // to vertices of the rank before
  to: Link[]; // to vertices of the rank after
  at: number; // its middle beside, in the end
  order: number;
  passes: boolean;
}

interface Link {
  end: Vertex;
  weight: number;
}

const passGap = 18; // px between lines that pass side by side
const longest = 8; // ranks that an edge may pass however many others do

/** Places nodes, and what frames have in them together; outer is the frame that a node or a
 * frame is in. */
export function layered(nodes: Item[], ways: Way[], direction: Direction, outer: Map<string, string> = new Map()): Laid {
  const inside = new Map<string, Set<string>>();
  const put = (id: string): void => {
    const frame = outer.get(id) ?? "";
    const others = inside.get(frame);
    if (others?.has(id)) return;
    if (others) others.add(id);
    else inside.set(frame, new Set([id]));
    if (frame !== "") put(frame);
  };
  for (const n of nodes) put(n.id);
  const sizes = new Map(nodes.map((n) => [n.id, n]));

  const within = (id: string): string[] => {
    const frames = [id];
    for (let at = outer.get(id); at !== undefined; at = outer.get(at)) frames.push(at);
    return [...frames, ""];
  };
  const waysIn = new Map<string, Way[]>();
  for (const w of ways) {
    const to = within(w.to);
    const from = within(w.from);
    const shared = from.findIndex((f) => to.includes(f));
    const [a, b] = [from[shared - 1], to[to.indexOf(from[shared]!) - 1]];
    if (a === undefined || b === undefined) continue;
    const own = waysIn.get(from[shared]!) ?? [];
    if (own.push({ ...w, from: a, to: b }) === 1) waysIn.set(from[shared]!, own);
  }

  const lay = (frame: string): Laid => {
    const inner = new Map<string, Laid>();
    const items = [...(inside.get(frame) ?? [])].map((id): Item => {
      const own = sizes.get(id);
      if (own) return own;
      const laid = lay(id);
      inner.set(id, laid);
      return { id, width: laid.width + 2 * margin.side, height: laid.height + margin.top + margin.side };
    });
    const laid = inRanks(items, waysIn.get(frame) ?? [], direction);
    for (const [id, held] of inner) {
      const at = laid.nodes.get(id)!;
      const by = (p: Point): Point => ({ x: p.x + at.x + margin.side, y: p.y + at.y + margin.top });
      laid.nodes.delete(id);
      for (const [n, p] of held.nodes) laid.nodes.set(n, by(p));
      for (const [e, r] of held.edges) laid.edges.set(e, { points: r.points.map(by), label: by(r.label) });
    }
    return laid;
  };
  return lay("");
}

function inRanks(items: Item[], ways: Way[], direction: Direction): Laid {
  const across = direction === "LR";
  const { nodesep, ranksep } = gap[direction];
  const rank = ranks(items, ways, (w) => (w.label.width > 2 ? 2 : 1));
  const vertices = new Map(items.map((n) => [n.id, vertex(across ? n.width : n.height, across ? n.height : n.width, rank.get(n.id)!)]));
  const all = [...vertices.values()];
  const routes = pass(ways, vertices, all, across);
  const rows = ordered(all, [...vertices.values()]);
  const apart = (a: Vertex, b: Vertex): number => (a.beside + b.beside) / 2 + (a.passes || b.passes ? passGap : nodesep);
  straighten(rows, apart);

  const starts: number[] = [];
  const widths = rows.map((row) => row.reduce((most, v) => Math.max(most, v.along), 0));
  let end = 0;
  rows.forEach((row, r) => {
    starts.push(end);
    const passed = row.every((v) => v.passes) || (rows[r + 1]?.every((v) => v.passes) ?? false);
    end += widths[r]! + (passed ? ranksep / 2 : ranksep);
  });
  const first = Math.min(0, ...rows.map((row) => (row[0] ? row[0].at - row[0].beside / 2 : 0)));
  const last = Math.max(0, ...rows.map((row) => ((v) => (v ? v.at + v.beside / 2 : 0))(row.at(-1))));
  const point = (along: number, beside: number): Point => (across ? { x: along, y: beside - first } : { x: beside - first, y: along });
  const middle = (v: Vertex): number => starts[v.rank]! + widths[v.rank]! / 2;
  const length = rows.length > 0 ? starts.at(-1)! + widths.at(-1)! : 0;

  const laid: Laid = { nodes: new Map(), edges: new Map(), width: across ? length : last - first, height: across ? last - first : length };
  for (const n of items) {
    const v = vertices.get(n.id)!;
    const at = point(middle(v) - v.along / 2, v.at - v.beside / 2);
    laid.nodes.set(n.id, { x: Math.round(at.x), y: Math.round(at.y) });
  }
  for (const [id, route] of routes) {
    const [from, ...rest] = route;
    const to = rest.pop()!;
    const points = [point(middle(from!) + from!.along / 2, from!.at)];
    for (const v of rest) points.push(point(starts[v.rank]!, v.at), point(starts[v.rank]! + widths[v.rank]!, v.at));
    points.push(point(middle(to) - to.along / 2, to.at));
    const label = rest[0] ? point(middle(rest[0]), rest[0].at) : { x: (points[0]!.x + points[1]!.x) / 2, y: (points[0]!.y + points[1]!.y) / 2 };
    laid.edges.set(id, { points: points.filter((p, i) => i === 0 || i === points.length - 1 || bends(points, i, across)), label });
  }
  return laid;
}

const bends = (points: Point[], i: number, across: boolean): boolean => [points[i - 1]!, points[i + 1]!].some((p) => (across ? p.y !== points[i]!.y : p.x !== points[i]!.x));

function vertex(along: number, beside: number, rank: number, passes = false): Vertex {
  return { along, beside, rank, from: [], to: [], at: 0, order: 0, passes };
}

/** Leads edges through the ranks between their ends, short ones first, while there is room. The
 * first place that an edge passes has its label. */
function pass(ways: Way[], vertices: Map<string, Vertex>, all: Vertex[], across: boolean): Map<string, Vertex[]> {
  const routes = new Map<string, Vertex[]>();
  let room = 6 * vertices.size;
  const span = (w: Way): number => vertices.get(w.to)!.rank - vertices.get(w.from)!.rank;
  const short = new Set([...ways].sort((a, b) => span(a) - span(b)).filter((w) => span(w) > 0 && ((room -= span(w) - 1) > 0 || span(w) <= longest)));
  for (const w of ways) {
    if (!short.has(w)) continue;
    const route = [vertices.get(w.from)!];
    const to = vertices.get(w.to)!;
    for (let r = route[0]!.rank + 1; r < to.rank; r++) {
      const has = route.length === 1 ? w.label : { width: 2, height: 2 };
      const v = vertex(across ? has.width : has.height, across ? has.height : has.width, r, true);
      all.push(v);
      route.push(v);
    }
    route.push(to);
    route.slice(1).forEach((v, i) => {
      const before = route[i]!;
      const weight = w.weight * (v.passes && before.passes ? 4 : 1);
      before.to.push({ end: v, weight });
      v.from.push({ end: before, weight });
    });
    routes.set(w.id, route);
  }
  return routes;
}

/** The vertices of each rank, in an order in which few edges cross: that of the text, or one in
 * which vertices are beside those that they are connected with. */
function ordered(all: Vertex[], starts: Vertex[]): Vertex[][] {
  const rows: Vertex[][] = [];
  for (const v of all) (rows[v.rank] ??= []);
  const seen = new Set<Vertex>();
  for (const start of [...starts.filter((v) => v.from.length === 0), ...starts]) {
    const todo = [start];
    for (let v = todo.pop(); v; v = todo.pop()) {
      if (seen.has(v)) continue;
      seen.add(v);
      rows[v.rank]!.push(v);
      for (let i = v.to.length - 1; i >= 0; i--) todo.push(v.to[i]!.end);
    }
  }
  number(rows);
  let best = rows.map((row) => [...row]);
  let least = crossings(rows);
  for (let i = 0; i < 6 && least > 0; i++) {
    const forth = i % 2 === 0;
    for (const row of forth ? rows : [...rows].reverse()) {
      if (row.length < 2) continue;
      const middle = new Map(row.map((v) => [v, mean(forth ? v.from : v.to) ?? v.order]));
      row.sort((a, b) => middle.get(a)! - middle.get(b)!);
      row.forEach((v, n) => (v.order = n));
    }
    const now = crossings(rows);
    if (now < least) [least, best] = [now, rows.map((row) => [...row])];
  }
  number(best);
  return best;
}

function number(rows: Vertex[][]): void {
  for (const row of rows) row.forEach((v, i) => (v.order = i));
}

const mean = (links: Link[]): number | undefined => (links.length === 0 ? undefined : links.reduce((sum, l) => sum + l.end.order, 0) / links.length);

/** How many edges cross, each rank counted by a tree of sums. */
function crossings(rows: Vertex[][]): number {
  let found = 0;
  rows.forEach((row, r) => {
    const size = rows[r + 1]?.length ?? 0;
    if (row.length < 2 || size < 2) return;
    const sums = new Array<number>(size + 1).fill(0);
    let before = 0;
    for (const v of row) {
      const ends = v.to.map((l) => l.end.order);
      for (const end of ends) {
        let notAfter = 0;
        for (let i = end + 1; i > 0; i -= i & -i) notAfter += sums[i]!;
        found += before - notAfter;
      }
      for (const end of ends) for (let i = end + 1; i <= size; i += i & -i) sums[i] = sums[i]! + 1;
      before += ends.length;
    }
  });
  return found;
}

/** Puts vertices in line with those that they are connected with, as far as their order and
 * the room between them let it be. */
function straighten(rows: Vertex[][], apart: (a: Vertex, b: Vertex) => number): void {
  for (const row of rows) row.forEach((v, i) => (v.at = i === 0 ? 0 : row[i - 1]!.at + apart(row[i - 1]!, v)));
  for (let i = 0, still = 0; i < 8 && still < 2; i++) {
    const forth = i % 2 === 0;
    let moved = false;
    for (const row of forth ? rows : [...rows].reverse()) {
      const [alone] = row;
      if (alone && row.length === 1) {
        const [wish] = wishOf(alone, forth);
        moved ||= wish !== alone.at;
        alone.at = wish;
        continue;
      }
      let offset = 0;
      const blocks: Block[] = [];
      row.forEach((v, n) => {
        if (n > 0) offset += apart(row[n - 1]!, v);
        const [wish, weight] = wishOf(v, forth);
        let block: Block = { count: 1, wishes: [{ at: wish - offset, weight }], at: wish - offset };
        for (let last = blocks.at(-1); last && last.at > block.at; last = blocks.at(-1)) {
          blocks.pop();
          const wishes = merged(last.wishes, block.wishes);
          block = { count: last.count + block.count, wishes, at: median(wishes) };
        }
        blocks.push(block);
      });
      let n = 0;
      let from = 0;
      for (const b of blocks) {
        for (let k = 0; k < b.count; k++, n++) {
          if (n > 0) from += apart(row[n - 1]!, row[n]!);
          moved ||= row[n]!.at !== b.at + from;
          row[n]!.at = b.at + from;
        }
      }
    }
    still = moved ? 0 : still + 1;
  }
}

/** Where a vertex is in line with those before or after it, and how much it weighs to be there. */
function wishOf(v: Vertex, forth: boolean): [number, number] {
  const links = forth ? v.from : v.to;
  const [only] = links;
  if (!only) return [v.at, 0.5];
  if (links.length === 1) return [only.end.at, only.weight];
  return [median(links.map((l) => ({ at: l.end.at, weight: l.weight })).sort((a, b) => a.at - b.at)), links.reduce((sum, l) => sum + l.weight, 0)];
}

/** Vertices side by side, and where each wishes the first of its rank. */
interface Block {
  count: number;
  wishes: Wish[]; // in order
  at: number;
}

interface Wish {
  at: number;
  weight: number;
}

/** The place of which as much weight wishes less as more; wishes are in order. */
function median(wishes: Wish[]): number {
  let rest = wishes.reduce((sum, w) => sum + w.weight, 0) / 2;
  for (const w of wishes) if ((rest -= w.weight) <= 0) return w.at;
  return 0;
}

function merged(a: Wish[], b: Wish[]): Wish[] {
  const out: Wish[] = [];
  let i = 0;
  for (const w of b) {
    while (i < a.length && a[i]!.at <= w.at) out.push(a[i++]!);
    out.push(w);
  }
  while (i < a.length) out.push(a[i++]!);
  return out;
}
