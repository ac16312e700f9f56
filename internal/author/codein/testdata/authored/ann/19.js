const linesOf = ({ content }) => {
  const lines = content.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
};

/*
description: Compares the lines of two files
inputSchema: {type: object, properties: {a: {type: string}, b: {type: string}}, required: [a, b]}
*/
export default async function two_files(input) {
  const [fileA, fileB] = await Promise.all([
    tools.files.read_file({ path: input.a }),
    tools.files.read_file({ path: input.b }),
  ]);
  const a = linesOf(fileA);
  const b = linesOf(fileB);
  const onlyA = a.filter((line) => !b.includes(line));
  const onlyB = b.filter((line) => !a.includes(line));
  return { same: a.length - onlyA.length, onlyA, onlyB };
}
