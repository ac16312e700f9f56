/*
description: Counts the files of a folder by extension
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function extensions(input) {
  const extensionOf = (name) => (name.includes('.') ? name.split('.').at(-1) : 'none');

  const { entries } = await tools.files.list_dir({ path: input.path });
  const counts = {};
  for (const { name } of entries.filter(({ type }) => type === 'file')) {
    const ext = extensionOf(name);
    counts[ext] = (counts[ext] ?? 0) + 1;
  }
  return counts;
}
