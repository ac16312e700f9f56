/*
inputSchema: {type: object, properties: {path: {type: string}, fallback: {type: string}}, required: [path]}
*/
export default async function readOr(input) {
  let text = input.fallback ?? "";
  let failed = false;
  try {
    const f = await tools.files.read_file({ path: input.path });
    text = f.content;
  } catch (e) {
    failed = true;
  }
  return { length: text.length, failed };
}
// input {"path": "src/b.go"}
// input {"path": "gone"}
// input {"path": "gone", "fallback": "abc"}
