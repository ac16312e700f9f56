import { expect, test } from "vitest";

import { batched } from "./batch";

test("a thousand events of a second are taken once a frame", () => {
  const taken: number[][] = [];
  const frames: (() => void)[] = [];
  const queue = batched<number>(
    (list) => taken.push(list),
    (f) => frames.push(f),
  );
  for (let i = 0; i < 100; i++) queue(Array.from({ length: 10 }, (_, j) => i * 10 + j));
  queue([]);
  expect(frames.length).toBe(1);
  expect(taken).toEqual([]);
  frames.shift()!();
  expect(taken.map((l) => l.length)).toEqual([1000]);
  expect(taken[0]![999]).toBe(999);
  queue([1]);
  expect(frames.length).toBe(1);
  frames.shift()!();
  expect(taken.map((l) => l.length)).toEqual([1000, 1]);
});

test("what is queued while a batch is taken is of the next one", () => {
  const taken: string[][] = [];
  const frames: (() => void)[] = [];
  const queue = batched<string>(
    (list) => {
      taken.push(list);
      if (taken.length === 1) queue(["late"]);
    },
    (f) => frames.push(f),
  );
  queue(["early"]);
  frames.shift()!();
  frames.shift()!();
  expect(taken).toEqual([["early"], ["late"]]);
});
