/*
description: Lists the files under a folder, breadth first
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function walk(input) {
  const queue = [input.path];
  const files = [];
  for (let listed = 0; listed < 20 && queue.length > 0; listed++) {
    const dir = queue.shift();
    const { entries } = await tools.files.list_dir({ path: dir });
    for (const { name, type } of entries) {
      const path = `${dir}/${name}`;
      if (type === 'dir') queue.push(path);
      else files.push(path);
    }
  }
  return { files };
}
