/*
description: Finds the first file of a folder that includes a word
inputSchema: {type: object, properties: {path: {type: string}, word: {type: string}}, required: [path, word]}
executionLimits: {maxNodeExecutions: 20000}
*/
export default async function find_word(input) {
  const { entries } = await tools.files.list_dir({ path: input.path });
  const names = entries.filter((entry) => entry.type === "file").map((entry) => entry.name);

  for (const name of names) {
    const { content } = await tools.files.read_file({ path: `${input.path}/${name}` });
    if (content.includes(input.word)) return { name };
  }
  return { name: null };
}
