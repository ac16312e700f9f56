// What comes in hundreds a second is handled together, once a frame.

import { nextFrame } from "./frame";

/** A function to queue values, which calls take with all that came since the last frame. */
export function batched<T>(take: (list: T[]) => void, schedule: (f: () => void) => void = nextFrame): (values: T[]) => void {
  let pending: T[] = [];
  return (values) => {
    if (values.length === 0) return;
    if (pending.length === 0) {
      schedule(() => {
        const list = pending;
        pending = [];
        take(list);
      });
    }
    for (const v of values) pending.push(v);
  };
}
