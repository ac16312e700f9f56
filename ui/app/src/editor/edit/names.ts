// Names of nodes and of their types.

/** The types of the nodes that end a graph. */
export const ends = new Set(["exit", "end"]);

/** A name that no node has. */
export function freeId(taken: string[], wish: string): string {
  if (!taken.includes(wish)) return wish;
  for (let i = 2; ; i++) if (!taken.includes(`${wish}${i}`)) return `${wish}${i}`;
}
