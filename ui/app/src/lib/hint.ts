// What the program suggests after a failure. Parts of it are calls of tools, for models: people
// have the buttons of the page in place of those.

/** The tools of the program whose names are no words of the language. */
export const tools = ["search_nodes", "get_node_types", "get_node_details", "validate_graph", "edit_graph", "run_graph", "run_node", "get_run", "resume_run", "cancel_run", "debug_run", "debug_list", "debug_continue", "debug_evaluate", "get_graph", "save_graph", "delete_graph"];
const named = new RegExp(`(^|[^\\w/:.-])(${tools.join("|")}|evaluate \\{)(?![\\w/])`);

/** The parts of a suggestion that name no tool; "" if none is left. */
export function forPeople(hint: string | undefined): string {
  return partsOf(hint ?? "").filter((part) => !named.test(part)).join("; ");
}

/** The parts between semicolons, without those within JSON. */
function partsOf(hint: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let depth = 0;
  for (const { 0: found, index } of hint.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]|; /g)) {
    if (found === "{" || found === "[") depth++;
    else if (found === "}" || found === "]") depth--;
    else if (found === "; " && depth <= 0) {
      parts.push(hint.slice(from, index));
      from = index + found.length;
    }
  }
  return [...parts, hint.slice(from)];
}
