/*
inputSchema: {type: object, properties: {paths: {type: array, items: {type: string}}, word: {type: string}}, required: [paths, word]}
*/
export default async function firstMatch(input) {
  for (const p of input.paths) {
    const { content } = await tools.files.read_file({ path: p });
    if (content.includes(input.word)) return { found: true, path: p };
  }
  return { found: false };
}
// input {"paths": ["src/b.go", "src/a.go"], "word": "TODO"}
// input {"paths": ["src/b.go"], "word": "TODO"}
// input {"paths": [], "word": "x"}
// input {"paths": ["gone"], "word": "x"}
