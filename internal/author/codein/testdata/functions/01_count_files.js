/*
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function countFiles(input) {
  const { entries } = await tools.files.list_dir({ path: input.path });
  return { files: entries.filter(e => e.type === "file").length, dirs: entries.filter(e => e.type === "dir").length };
}
// input {"path": "src"}
// input {"path": "empty"}
// input {"path": "gone"}
