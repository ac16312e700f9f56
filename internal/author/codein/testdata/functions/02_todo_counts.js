/*
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function todoCounts(input) {
  const list = await tools.files.list_dir({ path: input.path });
  const counts = {};
  let total = 0;
  for (const e of list.entries.filter(e => e.type === "file" && e.name.endsWith(".go"))) {
    const f = await tools.files.read_file({ path: `${input.path}/${e.name}` });
    const n = f.content.split("\n").filter(l => l.includes("TODO")).length;
    if (n > 0) counts[e.name] = n;
    total += n;
  }
  return { counts, total };
}
// input {"path": "src"}
// input {"path": "empty"}
// input {"path": "gone"}
