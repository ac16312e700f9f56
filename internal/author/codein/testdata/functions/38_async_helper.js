/*
inputSchema: {type: object, properties: {}, required: []}
*/
export default async function asyncHelper(input) {
  const read = async (p) => (await tools.files.read_file({ path: p })).content;
  const a = await read("src/a.go");
  const b = await read("src/b.go");
  return { same: a === b, sizes: [a.length, b.length] };
}
// input {}
