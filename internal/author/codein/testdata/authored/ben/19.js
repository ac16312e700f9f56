/*
description: Compares the lines of two files
inputSchema: {type: object, properties: {a: {type: string}, b: {type: string}}, required: [a, b]}
*/
export default async function two_files(input) {
  const [fileA, fileB] = await Promise.all([
    tools.files.read_file({ path: input.a }),
    tools.files.read_file({ path: input.b }),
  ]);

  const linesA = fileA.content.split("\n");
  const linesB = fileB.content.split("\n");

  return {
    same: linesA.filter((line) => linesB.includes(line)).length,
    onlyA: linesA.filter((line) => !linesB.includes(line)),
    onlyB: linesB.filter((line) => !linesA.includes(line)),
  };
}
