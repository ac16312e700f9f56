/*
description: Counts the non-empty lines of each file of a folder
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function folder_lines(input) {
  const { entries } = await tools.files.list_dir({ path: input.path });
  const files = entries.filter((entry) => entry.type === "file");

  const counts = await Promise.all(
    files.map(async ({ name }) => {
      const { content } = await tools.files.read_file({ path: `${input.path}/${name}` });
      return { name, lines: content.split("\n").filter((line) => line !== "").length };
    }),
  );

  return [...counts].sort(
    (a, b) => b.lines - a.lines || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
}
