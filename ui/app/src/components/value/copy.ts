// Copies what the viewer of values shows.
import { jsonString } from "../../lib/exact";
import { toasts } from "../../stores/toasts.svelte";

/** Puts a text, or the JSON of another value, on the clipboard, and says so. */
export async function copy(value: unknown, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(typeof value === "string" ? value : jsonString(value, 2));
    toasts.show(`Copied the ${what}`);
  } catch {
    toasts.show("The browser does not let this page copy", "bad");
  }
}
