/*
description: Counts the files of a folder by extension
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function extensions(input) {
  const dir = await tools.files.list_dir({ path: input.path });
  const counts = {};
  for (const entry of dir.entries) {
    if (entry.type !== "file") continue;
    let ext = "none";
    const parts = entry.name.split(".");
    if (parts.length > 1) {
      ext = parts[parts.length - 1];
    }
    if (ext in counts) {
      counts[ext] += 1;
    } else {
      counts[ext] = 1;
    }
  }
  return counts;
}
