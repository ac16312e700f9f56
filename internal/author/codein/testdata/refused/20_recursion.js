/*
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function tree(input) {
  const { entries } = await tools.files.list_dir({ path: input.path });
  let n = 0;
  for (const e of entries) {
    if (e.type === "dir") n += await tree({ path: input.path + "/" + e.name });
    else n++;
  }
  return n;
}
// input {"path": "empty"}
