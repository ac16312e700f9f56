/*
description: Lists the paths of all files under a folder, breadth first
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function walk(input) {
  const files = [];
  const queue = [input.path];
  let listed = 0;

  while (queue.length > 0 && listed < 20) {
    const dir = queue.shift();
    const { entries } = await tools.files.list_dir({ path: dir });
    listed++;

    files.push(...entries.filter((e) => e.type === "file").map((e) => `${dir}/${e.name}`));
    queue.push(...entries.filter((e) => e.type === "dir").map((e) => `${dir}/${e.name}`));
  }

  return { files };
}
