/*
description: Lists all files under a folder, breadth first
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function walk(input) {
  const files = [];
  const queue = [input.path];
  let listed = 0;
  while (queue.length > 0 && listed < 20) {
    const folder = queue.shift();
    const dir = await tools.files.list_dir({ path: folder });
    listed++;
    for (const entry of dir.entries) {
      const path = `${folder}/${entry.name}`;
      if (entry.type === "dir") {
        queue.push(path);
      } else {
        files.push(path);
      }
    }
  }
  return { files };
}
