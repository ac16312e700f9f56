// What a tab of the browser keeps over a reload: never results, or what only the server may
// keep.

/** Keeps a value under a name; undefined removes it. */
export function keep(name: string, value: unknown): void {
  try {
    if (value === undefined) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Without room a reload shows less.
  }
}

export function kept<T>(name: string): T | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(name) ?? "null") as T | null) ?? undefined;
  } catch {
    return undefined;
  }
}
