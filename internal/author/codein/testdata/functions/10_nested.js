/*
inputSchema: {type: object, properties: {dirs: {type: array, items: {type: string}}}, required: [dirs]}
*/
export default async function nested(input) {
  const out = [];
  for (const dir of input.dirs) {
    const { entries } = await tools.files.list_dir({ path: dir });
    for (const e of entries) {
      if (e.type !== "file") continue;
      const { content } = await tools.files.read_file({ path: dir + "/" + e.name });
      out.push({ path: dir + "/" + e.name, lines: content.split("\n").length - 1 });
    }
  }
  return out;
}
// input {"dirs": []}
// input {"dirs": ["src"]}
// input {"dirs": ["src", "empty", "src/deep"]}
// input {"dirs": ["gone"]}
