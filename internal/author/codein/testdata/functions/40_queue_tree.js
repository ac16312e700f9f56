/*
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function queueTree(input) {
  const queue = [input.path];
  const files = [];
  while (queue.length > 0) {
    const dir = queue.shift();
    const { entries } = await tools.files.list_dir({ path: dir });
    for (const e of entries) {
      const p = `${dir}/${e.name}`;
      if (e.type === "dir") queue.push(p);
      else files.push(p);
    }
  }
  return { count: files.length, files: files.sort() };
}
// input {"path": "src"}
// input {"path": "empty"}
// input {"path": "gone"}
