/*
description: Finds the first file of a folder that includes a word
inputSchema: {type: object, properties: {path: {type: string}, word: {type: string}}, required: [path, word]}
*/
export default async function find_word(input) {
  const dir = await tools.files.list_dir({ path: input.path });
  for (const entry of dir.entries) {
    if (entry.type !== "file") continue;
    const file = await tools.files.read_file({ path: `${input.path}/${entry.name}` });
    if (file.content.includes(input.word)) {
      return { name: entry.name };
    }
  }
  return { name: null };
}
