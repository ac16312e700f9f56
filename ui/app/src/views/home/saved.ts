import type { SaveResult } from "../../api/types";
import { plural } from "../../lib/format";

/** The result of a save; what was not saved is an error that says why. */
export function saved(r: SaveResult): SaveResult {
  if (r.status !== "saved") throw new Error(r.error?.message ?? `${r.name} lacks ${plural(r.missing ?? [])}`);
  return r;
}
