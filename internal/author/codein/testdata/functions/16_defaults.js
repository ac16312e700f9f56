/*
inputSchema: {type: object, properties: {path: {type: string}, sep: {type: string}, max: {type: integer}}, required: []}
*/
export default async function defaults(input) {
  const { path = "src", sep = ", ", max = 2 } = input;
  const { entries } = await tools.files.list_dir({ path });
  const names = entries.map(e => e.name);
  const rest = names.length - max;
  return { text: names.slice(0, max).join(sep) + (rest > 0 ? ` and ${rest} more` : ""), first: names[0] ?? null };
}
// input {}
// input {"path": "empty"}
// input {"max": 50, "sep": "|"}
