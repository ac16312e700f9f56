/*
description: Finds the first file of a folder that includes a word
inputSchema: {type: object, properties: {path: {type: string}, word: {type: string}}, required: [path, word]}
executionLimits: {maxNodeExecutions: 20000}
*/
export default async function find_word(input) {
  const { path, word } = input;
  const { entries } = await tools.files.list_dir({ path });
  for (const { name, type } of entries) {
    if (type !== 'file') continue;
    const { content } = await tools.files.read_file({ path: `${path}/${name}` });
    if (content.includes(word)) return { name };
  }
  return { name: null };
}
