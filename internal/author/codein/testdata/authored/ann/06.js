/*
description: Counts the lines that are not empty of each file of a folder
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function folder_lines(input) {
  const { path } = input;
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const countLines = (content) => content.split('\n').filter((line) => line !== '').length;

  const { entries } = await tools.files.list_dir({ path });
  const files = entries.filter(({ type }) => type === 'file');
  const counted = await Promise.all(
    files.map(async ({ name }) => {
      const { content } = await tools.files.read_file({ path: `${path}/${name}` });
      return { name, lines: countLines(content) };
    }),
  );
  return counted.sort((a, b) => b.lines - a.lines || compare(a.name, b.name));
}
