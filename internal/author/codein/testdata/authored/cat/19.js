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
  let same = 0;
  const onlyA = [];
  const onlyB = [];
  for (const line of linesA) {
    if (linesB.includes(line)) {
      same++;
    } else {
      onlyA.push(line);
    }
  }
  for (const line of linesB) {
    if (!linesA.includes(line)) {
      onlyB.push(line);
    }
  }
  return { same, onlyA, onlyB };
}
