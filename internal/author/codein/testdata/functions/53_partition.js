/*
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function partition(input) {
  const { entries } = await tools.files.list_dir({ path: input.path });
  const [files, dirs] = [entries.filter((e) => e.type === "file"), entries.filter((e) => e.type !== "file")];
  const exts = files.reduce((acc, f) => {
    const ext = f.name.split(".").pop();
    acc[ext] = (acc[ext] ?? 0) + 1;
    return acc;
  }, {});
  return { dirs: dirs.map((d) => d.name), exts, mostCommon: Object.keys(exts).sort((a, b) => exts[b] - exts[a])[0] ?? null };
}
// input {"path": "src"}
// input {"path": "empty"}
