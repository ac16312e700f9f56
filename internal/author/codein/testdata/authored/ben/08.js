/*
description: Counts the files of each extension in a folder
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function extensions(input) {
  const { entries } = await tools.files.list_dir({ path: input.path });

  return entries
    .filter((entry) => entry.type === "file")
    .map(({ name }) => (name.includes(".") ? name.split(".").at(-1) : "none"))
    .reduce((counts, ext) => ({ ...counts, [ext]: (counts[ext] ?? 0) + 1 }), {});
}
