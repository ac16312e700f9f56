// What the fields of one form share.
import { getContext, setContext } from "svelte";
import { SvelteMap, SvelteSet } from "svelte/reactivity";

export class FormState {
  /** By JSON Pointer. */
  problems = $state.raw(new Map<string, string>());
  /** Texts that are not JSON, by JSON Pointer. */
  invalid = new SvelteMap<string, string>();
  /** All problems are shown, also of fields that nobody has touched. */
  shown = $state(false);
  touched = new SvelteSet<string>();

  constructor(private readonly id: string) {}

  idOf(path: string): string {
    return `${this.id}-field${path.replace(/[^\w-]/g, "_")}`;
  }

  problemAt(path: string): string | undefined {
    const invalid = this.invalid.get(path);
    if (invalid) return invalid;
    return this.shown || this.touched.has(path) ? this.problems.get(path) : undefined;
  }
}

const key = Symbol("form");
export const setFormState = (s: FormState): FormState => setContext(key, s);
export const formState = (): FormState => getContext<FormState>(key);
