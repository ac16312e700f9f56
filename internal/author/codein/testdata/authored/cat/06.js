/*
description: Counts the lines of each file of a folder that are not empty
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function folder_lines(input) {
  const out = [];
  const dir = await tools.files.list_dir({ path: input.path });
  for (const entry of dir.entries) {
    if (entry.type !== "file") continue;
    const file = await tools.files.read_file({ path: `${input.path}/${entry.name}` });
    let lines = 0;
    for (const line of file.content.split("\n")) {
      if (line !== "") lines++;
    }
    out.push({ name: entry.name, lines });
  }
  out.sort((a, b) => {
    if (a.lines !== b.lines) return b.lines - a.lines;
    if (a.name < b.name) return -1;
    if (a.name > b.name) return 1;
    return 0;
  });
  return out;
}
