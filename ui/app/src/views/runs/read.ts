// Reads parts of the values of a recorded run.
import { getRun } from "../../api/operations";
import { Outline, pathText, type Read, type Shown } from "../../components/value/parts";

/** Reads parts of the value that an expression has after a step of a run, -1 at its end. */
export function readsOf(run_id: string, base: string, index: number): Read {
  const at = index < 0 ? { run_id } : { run_id, index };
  return async (path): Promise<Shown> => {
    const expr = pathText(base, path);
    const whole = await getRun({ ...at, expr });
    if (!whole.size) return whole.value ?? null;
    const outline = await getRun({ ...at, expr: `($v := ${expr}; $type($v) = "object" ? {"keys": [$keys($v)]} : $type($v) = "array" ? {"count": $count($v)} : {})` });
    const { keys, count } = (outline.value ?? {}) as { keys?: string[]; count?: number };
    return keys ? new Outline(keys) : count !== undefined ? new Outline(count) : (whole.value ?? null);
  };
}
